"""Comparing: how unlike two genomes are."""

from __future__ import annotations

from collections.abc import Sequence

from zoophyte.evolution.genomes.graph.genes import (
    LOWER,
    SCALE,
    SIZE,
    TEMPO,
    UPPER,
    Connection,
    Node,
    Range,
    Triple,
)
from zoophyte.evolution.genomes.graph.genome import GraphGenome
from zoophyte.evolution.genomes.nets import Net
from zoophyte.evolution.genomes.nets import difference as net_difference

THIRD = 3.0
"""Two uniform random numbers differ by a third of their range on average: that much counts as unlike."""


def difference(a: GraphGenome, b: GraphGenome) -> float:
    """0 for equal genomes, about 1 for unrelated ones: the mean over nodes and connections, compared place by place.

    A node is a third shape, a third joint and a third control; one that only one of the two has counts as 1.
    """
    if a is b:
        return 0.0
    total, count = 0.0, 0
    for p, q in zip(a.nodes, b.nodes, strict=False):
        total += p is not q and _node(p, q)
    for c, d in zip(a.connections, b.connections, strict=False):
        total += c is not d and _connection(c, d)
    for mine, other in ((a.nodes, b.nodes), (a.connections, b.connections)):
        total += abs(len(mine) - len(other))
        count += max(len(mine), len(other))
    total += _nets(a.brain, b.brain) + _far(a.tempo, b.tempo, TEMPO)
    return total / (count + 2)


def _far(x: float, y: float, bounds: Range) -> float:
    return min(1.0, THIRD * abs(x - y) / (bounds[1] - bounds[0]))


def _apart(u: Triple, v: Triple) -> float:
    """0 for equal directions, 1 from a right angle on."""
    return min(1.0, 1.0 - (u[0] * v[0] + u[1] * v[1] + u[2] * v[2])) if u != v else 0.0


def _mean(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def _nets(a: Net | None, b: Net | None) -> float:
    return 0.0 if a is b else 1.0 if a is None or b is None else net_difference(a, b)


def _node(a: Node, b: Node) -> float:
    body = [float(a.shape != b.shape), *(_far(x, y, SIZE) for x, y in zip(a.size, b.size, strict=True))]
    joint = [float(a.freedom != b.freedom), float(a.replication != b.replication)]
    joint += [_apart(u, v) for u, v in zip(a.axes, b.axes, strict=True)]
    for (low, high), (lower, upper) in zip(a.limits, b.limits, strict=True):
        joint += [_far(low, lower, LOWER), _far(high, upper, UPPER)]
    pairs = [(g, h) for u, v in zip(a.rhythm, b.rhythm, strict=False) for g, h in zip(u, v, strict=True)]
    control = _mean([min(1.0, abs(g - h)) for g, h in pairs]) if pairs else _nets(a.net, b.net)
    return _mean([_mean(body), _mean(joint), control])


def _connection(a: Connection, b: Connection) -> float:
    ends = 0.5 * ((a.parent != b.parent) + (a.child != b.child))
    rest = (
        _apart(a.direction, b.direction),
        _round(a.turn - b.turn, 6.283185307179586),
        float(a.reflected != b.reflected),
    )
    return _mean([ends, *rest, _far(a.scale, b.scale, SCALE), _round(a.lag - b.lag, 1.0)])


def _round(x: float, whole: float) -> float:
    """How far apart two points of a circle are, 1 from a quarter on."""
    part = abs(x) % whole
    return min(1.0, 4.0 * min(part, whole - part) / whole)
