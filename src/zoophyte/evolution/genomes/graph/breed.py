"""Graph: the breed of graph creatures, and the operators that vary them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from zoophyte.errors import UsageError, brief, is_number
from zoophyte.evolution.genomes.graph.comparing import difference
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genome import GraphGenome
from zoophyte.evolution.genomes.graph.making import Rng, random_genome
from zoophyte.evolution.genomes.graph.operators import (
    crossed,
    crossed_nerves,
    grafted,
    is_body_frozen,
    mutated,
    rate_table,
)
from zoophyte.evolution.genomes.graph.records import genes_of

SHARES = (0.4, 0.3, 0.3)
"""Of mutation, crossover and grafting (FON-68; the printed 30 + 40 + 40 are more than all)."""
OPERATORS = ("mutation", "crossover", "grafting")


@dataclass(frozen=True)
class Mutation:
    """One parent, some genes changed (FON-65); :mod:`zoophyte.evolution.genomes.graph.operators` says how.

    Args:
        share: how often it is chosen.
        rates: probabilities by class.
    """

    share: float
    rates: Mapping[str, float]
    name: str = "mutation"
    parents: int = 1

    def __call__(self, parents: Sequence[GraphGenome], rng: Rng) -> GraphGenome:
        """A new genome."""
        return mutated(parents[0], self.rates, rng)


@dataclass(frozen=True)
class Joining:
    """One child of two parents: crossover (FON-66) or grafting (FON-67), and perhaps a mutation of it.

    Args:
        name: of the operator.
        join: what makes the child.
        share: how often it is chosen.
        rates: of a mutation of the child; None for none.
    """

    name: str
    join: Callable[[GraphGenome, GraphGenome, Rng], GraphGenome]
    share: float
    rates: Mapping[str, float] | None = None
    parents: int = 2

    def __call__(self, parents: Sequence[GraphGenome], rng: Rng) -> GraphGenome:
        """A new genome."""
        child = self.join(parents[0], parents[1], rng)
        return child if self.rates is None else mutated(child, self.rates, rng)


@dataclass(frozen=True)
class Graph(Form):
    """Creatures that grow from graphs of nodes (Fontijne 2000, after Sims 1994).

    Args (beside those of :class:`~zoophyte.evolution.genomes.graph.form.Form`):
        rates: probabilities of mutation by class or group, where they differ from the usual ones: {"morphology": 0.0} lets
            only controllers evolve: then there is no grafting, and crossover exchanges nets and rhythms alone.
        shares: of mutation, crossover and grafting; only their proportions count.
        mutate_children: whether children of two parents are mutated too.
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    shares: tuple[float, float, float] = SHARES
    mutate_children: bool = False
    name: str = "graph"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rates", rate_table(self.rates))
        shares: Any = self.shares
        if not isinstance(shares, list | tuple) or len(shares) != len(OPERATORS):
            raise UsageError(f"shares is {brief(shares)}, must be three numbers: of {', '.join(OPERATORS)}.")
        if not all(is_number(s) and math.isfinite(s) and s >= 0.0 for s in shares) or not any(shares):
            raise UsageError(f"shares is {brief(shares)}; none may be below 0, and not all may be 0.")
        if is_body_frozen(self.rates) and not any(shares[:2]):
            raise UsageError(
                f"shares is {brief(shares)}: grafting alone, which makes new bodies, but rates let only controllers evolve. "
                "Give mutation or crossover a share, or a class of morphology a rate."
            )
        object.__setattr__(self, "shares", tuple(float(s) for s in shares))

    @cached_property
    def form(self) -> Form:
        """What its genomes need to know."""
        return Form(**{entry.name: getattr(self, entry.name) for entry in fields(Form)})

    def seeing(self, world: Sequence[str]) -> Graph:
        """The same breed, whose nets feel where these bodies are, unless it says already what they feel, or has none."""
        return replace(self, world=tuple(world)) if self.thinks and not self.world else self

    def random(self, rng: Rng) -> GraphGenome:
        """A random genome; see :mod:`zoophyte.evolution.genomes.graph.making`."""
        return random_genome(self.form, rng)

    def restore(self, record: dict[str, Any]) -> GraphGenome:
        """The genome whose `record()` this is.

        Raises:
            FileError: says what is wrong with it.
        """
        return GraphGenome(self.form, *genes_of(record, self.form))

    def operators(self) -> Sequence[Any]:
        """Mutation, crossover, grafting; those with a share of 0 are left out, and grafting where bodies are frozen."""
        mutation, crossover, grafting = (share / sum(self.shares) for share in self.shares)
        after = self.rates if self.mutate_children else None
        is_frozen = is_body_frozen(self.rates)
        found = (
            Mutation(mutation, self.rates),
            Joining("crossover", crossed_nerves if is_frozen else crossed, crossover, after),
            Joining("grafting", grafted, 0.0 if is_frozen else grafting, after),
        )
        return tuple(operator for operator in found if operator.share > 0.0)

    def settings(self) -> dict[str, Any]:
        """All arguments as plain values: `Graph(**settings)` is the same breed."""
        found: dict[str, Any] = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        del found["name"]
        return {key: _plain(value) for key, value in found.items()}

    def difference(self, a: GraphGenome, b: GraphGenome) -> float:
        """How unlike two genomes are; see :mod:`zoophyte.evolution.genomes.graph.comparing`."""
        return difference(a, b)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
