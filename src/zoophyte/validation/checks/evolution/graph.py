"""Checks of Fontijne 2000, chapter 4: graph genomes, their bytes and their growth (FON-E11 … E15)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zoophyte.errors import FileError
from zoophyte.evolution.genomes.graph import Connection, Graph, GraphGenome
from zoophyte.evolution.genomes.graph.form import CONTROLLERS
from zoophyte.evolution.wire import pack, unpack
from zoophyte.validation.catalogue import Measurement, at_most, check, holds

SEED = 2000
COUNT = 25
"""Random genomes of each controller."""


def source(mark: str) -> str:
    """Where a check of §5.4 comes from."""
    return f"Fontijne 2000, chapter 4; spec fontijne §5.4 {mark}"


def generator(*words: int) -> np.random.Generator:
    """A generator of its own for each check."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((SEED, *words))))


def varied(breed: Graph, rng: np.random.Generator) -> list[GraphGenome]:
    """Random genomes, and children of them by every operator."""
    genomes = [breed.random(rng) for _ in range(COUNT)]
    children = [
        operator([genomes[n], genomes[n - 1]], rng) for operator in breed.operators() for n in range(COUNT)
    ]
    return genomes + children


@check("FON-E13", kind="golden", title="Genomes as bytes", source=source("E13"))
def genomes_as_bytes() -> Iterator[Measurement]:
    """A genome's bytes are read back and written again: every byte is the same, and so is the genome.

    The format is little-endian whatever the machine, with a checksum: the first bytes are the same everywhere, and one
    flipped bit anywhere is refused.
    """
    for number, controller in enumerate(CONTROLLERS):
        breed = Graph(controller=controller, shapes=("box", "sphere", "capsule"))
        genomes = varied(breed, generator(13, number))
        data = [pack(genome.record()) for genome in genomes]
        again = [breed.restore(unpack(bytes_)) for bytes_ in data]
        unlike = sum(pack(genome.record()) != bytes_ for genome, bytes_ in zip(again, data, strict=True))
        unlike += sum(a != b for a, b in zip(again, genomes, strict=True))
        yield at_most(unlike, 0.0, why="exact", what=f"{controller}: genomes that differ, of {len(genomes)}")
    damaged, sample = 0, data[0]
    places = range(0, 8 * len(sample), 97)
    for place in places:
        flipped = bytearray(sample)
        flipped[place // 8] ^= 1 << place % 8
        try:
            unpack(bytes(flipped))
        except FileError:
            damaged += 1
    yield at_most(len(places) - damaged, 0.0, why="exact", what=f"flipped bits accepted, of {len(places)}")
    yield holds(
        sample[:4] == b"ZOOW" and sample[4:6] == b"\x01\x00", what="it begins with its mark and version"
    )


@check("FON-E14", kind="golden", title="Growth of a graph", source=source("E14"))
def growth_of_a_graph() -> Iterator[Measurement]:
    """The same genotype twice grows the same phenotype; parts are at most the sum of the replication limits; cycles end.

    Compared are the whole descriptions, number by number, and what controllers print.  Cycles: every node leads to every
    node, itself included, so that without limits growth would never end; then the cap on parts ends it.
    """
    unlike, beyond, count = 0, 0, 0
    for number, controller in enumerate(CONTROLLERS):
        breed = Graph(controller=controller)
        for genome in varied(breed, generator(14, number)):
            twin = breed.restore(genome.record())
            one, other = genome.develop(), twin.develop()
            same = one.description == other.description and repr(one.controller) == repr(other.controller)
            unlike += not same
            copies = [sum(part.node == n for part in genome.parts) for n in range(len(genome.nodes))]
            beyond += any(c > node.replication for c, node in zip(copies, genome.nodes, strict=True))
            beyond += len(genome.parts) > sum(node.replication for node in genome.nodes)
            count += 1
    yield at_most(unlike, 0.0, why="exact", what=f"unlike phenotypes, of {count}")
    yield at_most(beyond, 0.0, why="exact", what=f"more parts than limits allow, of {count}")
    for per_path in (False, True):
        breed = Graph(per_path=per_path)
        genome = breed.random(generator(14, 9))
        ends = range(len(genome.nodes))
        rest = ((0.6, 0.0, 0.8), 0.3, True, 0.9, 0.0)
        ring = tuple(Connection(a, b, *rest) for a in ends for b in ends)
        cyclic = GraphGenome(genome.form, genome.nodes, ring, genome.brain, genome.tempo)
        bound = breed.most_parts
        if not per_path:
            bound = min(bound, sum(node.replication for node in genome.nodes))
        what = "limits per path" if per_path else "limits per creature"
        yield at_most(
            len(cyclic.parts) - bound, 0.0, why="exact", what=f"cycles, {what}: parts beyond {bound}"
        )
