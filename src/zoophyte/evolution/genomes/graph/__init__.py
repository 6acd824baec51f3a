"""Graph creatures: bodies and networks grown from directed graphs (Fontijne 2000, after Sims 1994)."""

from zoophyte.evolution.genomes.graph.breed import Graph
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import Connection, Node
from zoophyte.evolution.genomes.graph.genome import GraphGenome
from zoophyte.evolution.genomes.graph.growth import Part, grow

__all__ = ["Connection", "Form", "Graph", "GraphGenome", "Node", "Part", "grow"]
