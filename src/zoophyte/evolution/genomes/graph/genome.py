"""GraphGenome: a directed graph of nodes, from which a creature and its controller grow (FON-52, FON-64)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from zoophyte.errors import counted
from zoophyte.evolution.genomes.graph.body import describe
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import Connection, Node
from zoophyte.evolution.genomes.graph.growth import Part, grow
from zoophyte.evolution.genomes.graph.records import record_of
from zoophyte.evolution.genomes.graph.rhythms import rhythm
from zoophyte.evolution.genomes.graph.wiring import wire
from zoophyte.evolution.genomes.nets import Net
from zoophyte.evolution.protocols import Grown


@dataclass(frozen=True, repr=False)
class GraphGenome:
    """A genome; equal to another one if all genes are.

    Args:
        form: how it is read; common to its breed and not inherited.
        nodes: the first one is the root.
        connections: between them; cycles, loops and nodes that nothing leads to are welcome.
        brain: global network; None for rhythmic controllers.
        tempo: of rhythmic controllers [Hz].
    """

    form: Form
    nodes: tuple[Node, ...]
    connections: tuple[Connection, ...]
    brain: Net | None
    tempo: float

    def __repr__(self) -> str:
        nodes, joined = counted(len(self.nodes), "node"), counted(len(self.connections), "connection")
        mover = f"rhythms at {self.tempo:.3g} Hz" if self.brain is None else "neurons"
        return f"GraphGenome({nodes}, {joined}, {mover})"

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts that grow, parents first."""
        return grow(self.nodes, self.connections, self.form)

    def develop(self) -> Grown:
        """The body, its root free at the origin, and its controller; the same every time."""
        parts, form = self.parts, self.form
        body = describe(parts, self.nodes, form)
        if len(parts) == 1:
            return Grown(body, None)
        if self.brain is not None:
            return Grown(body, wire(parts, self.nodes, self.brain, form))
        return Grown(body, rhythm(parts, self.nodes, self.tempo, form))

    def record(self) -> dict[str, Any]:
        """All genes as columns of numbers; see :mod:`zoophyte.evolution.genomes.graph.records`."""
        return record_of(self.nodes, self.connections, self.brain, self.tempo)
