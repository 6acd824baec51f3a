"""The limbed genome: Arnold's insects and beasts on two or three pairs of legs."""

from zoophyte.evolution.genomes.limbed.breed import Limbed
from zoophyte.evolution.genomes.limbed.genome import Limb, LimbedGenome
from zoophyte.evolution.genomes.limbed.operators import Mutation, Recombination

__all__ = ["Limb", "Limbed", "LimbedGenome", "Mutation", "Recombination"]
