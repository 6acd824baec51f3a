"""Operators: mutation, crossover and grafting (FON-65, FON-66, FON-67).

Mutation changes each gene with the probability of its class, each kind in its own way, and repairs at once:

    reals              a normal step of a tenth of their range, thrown back at its ends (angles and phases go round)
    unit vectors       a normal step of 0.3 in each component, made one long again; an axis that comes closer than 30° to
                       another one is drawn anew
    whole numbers      bits of their Gray code flip
    indices, shapes    drawn anew
    networks           as :func:`zoophyte.evolution.genomes.nets.mutated` says
    structure          a node (with a connection to it), a connection, or a neuron more or less

`RATES` is the table of probabilities.  They are per number, except of axes and directions (per vector) and those that
add or remove (per genome; of neurons per network).  If fewer than one change is to be expected, all are raised in proportion
until it is one.  With 0 a class is frozen.

Crossover and grafting make one child of two parents.  Local networks travel with their nodes; the global network and the
tempo are the first parent's.  Where all classes of the body are frozen, crossover leaves the nodes and lets only their
networks and rhythms travel, and there is no grafting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from zoophyte.errors import UsageError, is_number, nearest
from zoophyte.evolution.genomes.graph.genes import (
    FREEDOMS,
    HARMONICS,
    LAG,
    LOWER,
    MOST_CONNECTIONS,
    MOST_NODES,
    REPLICATION_BITS,
    RHYTHM,
    SCALE,
    SHAPES,
    SIZE,
    TEMPO,
    TURN,
    UPPER,
    Connection,
    Node,
    Range,
    Triple,
    apart,
    unit,
    wrap,
)
from zoophyte.evolution.genomes.graph.genome import GraphGenome
from zoophyte.evolution.genomes.graph.making import (
    PAIRED,
    Rng,
    random_axis,
    random_connection,
    random_limb,
    random_node,
    twin_of,
)
from zoophyte.evolution.genomes.nets import Net, Rules
from zoophyte.evolution.genomes.nets import mutated as mutated_net
from zoophyte.evolution.variation import flipped, gaussian

STEP = 0.1
"""Standard deviation of a real gene's step, in parts of its range."""
TILT = 0.3
"""The same of each component of a unit vector."""

BODY_RATES = {
    "shape": 0.05, "size": 0.05, "freedom": 0.03, "axis": 0.05, "limit": 0.05, "replication": 0.03, "direction": 0.05,
    "turn": 0.05, "reflection": 0.03, "scale": 0.05, "end": 0.02, "add_node": 0.05, "remove_node": 0.03,
    "add_connection": 0.05, "remove_connection": 0.05,
}  # fmt: skip
NERVE_RATES = {"neuron": 0.05, "neuron_count": 0.03}
RHYTHM_RATES = {"rhythm": 0.05, "lag": 0.05, "tempo": 0.1}
RATES: Mapping[str, float] = {**BODY_RATES, **NERVE_RATES, **RHYTHM_RATES}
"""Probabilities by class."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "morphology": tuple(BODY_RATES), "nerves": tuple(NERVE_RATES), "rhythms": tuple(RHYTHM_RATES),
}  # fmt: skip
"""Classes that can be set together."""


def rate_table(given: Mapping[str, float] | None) -> dict[str, float]:
    """The usual probabilities, with those that are given in their place; a group's name stands for its classes.

    Raises:
        UsageError: for an unknown class, or what is no probability.
    """
    table = dict(RATES)
    for key, value in sorted((given or {}).items(), key=lambda item: item[0] not in GROUPS):
        if key not in RATES and key not in GROUPS:
            known = [*GROUPS, *RATES]
            raise UsageError(
                f"rates: there is no class {key!r}. Known: {', '.join(known)}. {nearest(str(key), known)}".rstrip()
            )
        if not is_number(value) or not 0.0 <= value <= 1.0:
            raise UsageError(f"rates: {key} is {value!r}, must be a probability from 0 to 1.")
        for name in GROUPS.get(key, (key,)):
            table[name] = float(value)
    return table


def is_body_frozen(rates: Mapping[str, float]) -> bool:
    """Whether no mutation changes a body, so that only controllers evolve (FON-63).

    Args:
        rates: as `rate_table` makes them.
    """
    return not any(rates[name] for name in BODY_RATES)


def expected_changes(genome: GraphGenome, rates: Mapping[str, float]) -> float:
    """How many changes a mutation makes on average."""
    n, c, form = len(genome.nodes), len(genome.connections), genome.form
    counts = {
        "shape": n * (len(form.shapes) > 1), "size": 3 * n, "freedom": n, "axis": FREEDOMS * n,
        "limit": 2 * FREEDOMS * n, "replication": REPLICATION_BITS * n, "direction": c, "turn": c, "reflection": c,
        "scale": c, "end": 2 * c, "add_node": n < MOST_NODES, "remove_node": n > 1,
        "add_connection": c < MOST_CONNECTIONS, "remove_connection": c > 0,
    }  # fmt: skip
    if form.thinks:
        nets = [net for net in (*(node.net for node in genome.nodes), genome.brain) if net is not None]
        counts["neuron"] = sum(8 * len(net) + 2 * len(net.gains) for net in nets)
        counts["neuron_count"] = 2 * len(nets)
    else:
        counts |= {"rhythm": 2 * HARMONICS * FREEDOMS * n, "lag": c, "tempo": 1}
    total = 0.0
    for name, count in counts.items():
        total += rates[name] * count
    return total


def mutated(genome: GraphGenome, rates: Mapping[str, float], rng: Rng) -> GraphGenome:
    """A genome with some genes changed; the one that is given stays as it is.

    Args:
        genome: to vary.
        rates: probabilities, as `rate_table` makes them.
        rng: of all changes.
    """
    expected = expected_changes(genome, rates)
    raised = max(1.0, 1.0 / expected) if expected > 0.0 else 1.0
    hand = _Hand({name: min(1.0, raised * rate) for name, rate in rates.items()}, rng, genome)
    child = replace(
        genome,
        nodes=tuple(hand.node(node) for node in genome.nodes),
        connections=tuple(hand.connection(c) for c in genome.connections),
        brain=None if genome.brain is None else hand.net(genome.brain, genome.form.brain_rules),
        tempo=genome.tempo if genome.form.thinks else hand.real("tempo", genome.tempo, TEMPO),
    )
    return hand.structure(child)


@dataclass(frozen=True)
class _Hand:
    """What changes genes: probabilities, chance, and the genome that is changed."""

    rates: Mapping[str, float]
    rng: Rng
    genome: GraphGenome

    def strikes(self, name: str) -> bool:
        """Whether a gene of this class is to change."""
        rate = self.rates[name]
        return rate > 0.0 and bool(self.rng.random() < rate)

    def real(self, name: str, value: float, bounds: Range) -> float:
        """A number that may take a step."""
        if not self.strikes(name):
            return value
        low, high = bounds
        return float(gaussian(value, STEP * (high - low), self.rng, low, high))

    def angle(self, name: str, value: float, bounds: Range) -> float:
        """The same of a number whose range closes on itself."""
        if not self.strikes(name):
            return value
        return wrap(value + STEP * (bounds[1] - bounds[0]) * self.rng.standard_normal(), bounds)

    def turned(self, v: Triple) -> Triple:
        """A unit vector near another one."""
        x, y, z = self.rng.standard_normal(3).tolist()
        return unit(v[0] + TILT * x, v[1] + TILT * y, v[2] + TILT * z)

    def axes(self, axes: tuple[Triple, Triple, Triple]) -> tuple[Triple, Triple, Triple]:
        """Three axes that stay apart."""
        found = list(axes)
        for k in range(FREEDOMS):
            if self.strikes("axis"):
                others = [found[j] for j in range(FREEDOMS) if j != k]
                axis = self.turned(found[k])
                found[k] = axis if all(apart(axis, b) for b in others) else random_axis(others, self.rng)
        return found[0], found[1], found[2]

    def net(self, net: Net, rules: Any) -> Net:
        """A network; one whose genes are frozen stays the same object."""
        rate, structure = self.rates["neuron"], self.rates["neuron_count"]
        if rate == 0.0 and structure == 0.0:
            return net
        made: Rules = rules(rate, structure)
        return mutated_net(net, made, self.rng)

    def node(self, node: Node) -> Node:
        """A node."""
        form, rng = self.genome.form, self.rng
        shape, freedom, copies = node.shape, node.freedom, node.replication
        if len(form.shapes) > 1 and self.strikes("shape"):
            shape = SHAPES.index(form.shapes[int(rng.integers(len(form.shapes)))])
        if self.strikes("freedom"):
            freedom = 1 + int(rng.integers(FREEDOMS))
        if self.rates["replication"] > 0.0:
            copies = 1 + flipped(copies - 1, REPLICATION_BITS, self.rates["replication"], rng)
        x, y, z = (self.real("size", side, SIZE) for side in node.size)
        a, b, c = (
            (self.real("limit", low, LOWER), self.real("limit", high, UPPER)) for low, high in node.limits
        )
        net = None if node.net is None else self.net(node.net, form.net_rules)
        rhythm = node.rhythm
        if rhythm and self.rates["rhythm"] > 0.0:
            rhythm = tuple(tuple(self._harmonic(h) for h in axis) for axis in rhythm)
        return Node(shape, (x, y, z), freedom, self.axes(node.axes), (a, b, c), copies, net, rhythm)

    def _harmonic(self, h: complex) -> complex:
        return complex(self.real("rhythm", h.real, RHYTHM), self.real("rhythm", h.imag, RHYTHM))

    def connection(self, c: Connection) -> Connection:
        """A connection."""
        count = len(self.genome.nodes)
        parent = int(self.rng.integers(count)) if self.strikes("end") else c.parent
        child = int(self.rng.integers(count)) if self.strikes("end") else c.child
        direction = self.turned(c.direction) if self.strikes("direction") else c.direction
        turn = self.angle("turn", c.turn, TURN)
        reflected = c.reflected != self.strikes("reflection")
        scale = self.real("scale", c.scale, SCALE)
        lag = c.lag if self.genome.form.thinks else self.angle("lag", c.lag, LAG)
        return Connection(parent, child, direction, turn, reflected, scale, lag)

    def structure(self, genome: GraphGenome) -> GraphGenome:
        """Nodes and connections more or less."""
        rng = self.rng
        if self.strikes("add_node") and len(genome.nodes) < MOST_NODES:
            genome = self._with_node(genome)
        if len(genome.nodes) > 1 and self.strikes("remove_node"):
            genome = without_node(genome, 1 + int(rng.integers(len(genome.nodes) - 1)))
        if self.strikes("add_connection") and len(genome.connections) < MOST_CONNECTIONS:
            genome = self._with_connection(genome)
        if genome.connections and self.strikes("remove_connection"):
            lost = int(rng.integers(len(genome.connections)))
            kept = genome.connections[:lost] + genome.connections[lost + 1 :]
            genome = replace(genome, connections=kept)
        return genome

    def _with_node(self, genome: GraphGenome) -> GraphGenome:
        """A new node, and a connection to it, or two that are mirror images, from any other."""
        new = len(genome.nodes)
        limb = random_limb(int(self.rng.integers(new)), new, self.rng)
        room = MOST_CONNECTIONS - len(genome.connections)
        return replace(
            genome,
            nodes=(*genome.nodes, random_node(genome.form, self.rng)),
            connections=(*genome.connections, *limb[:room]),
        )

    def _with_connection(self, genome: GraphGenome) -> GraphGenome:
        """A connection between any two nodes, or the mirror image of one that is there."""
        rng, known, count = self.rng, genome.connections, len(genome.nodes)
        if known and rng.random() < PAIRED:
            new = twin_of(known[int(rng.integers(len(known)))], rng)
        else:
            parent = int(rng.integers(count))
            new = random_connection(parent, int(rng.integers(count)), rng, onward=parent > 0)
        return replace(genome, connections=(*known, new))


def without_node(genome: GraphGenome, lost: int) -> GraphGenome:
    """A genome without one of its nodes and the connections at it; those behind it move up."""
    kept = tuple(
        replace(c, parent=c.parent - (c.parent > lost), child=c.child - (c.child > lost))
        for c in genome.connections
        if lost not in (c.parent, c.child)
    )
    return replace(genome, nodes=genome.nodes[:lost] + genome.nodes[lost + 1 :], connections=kept)


def crossed(a: GraphGenome, b: GraphGenome, rng: Rng) -> GraphGenome:
    """`a` with a run of consecutive nodes from the same places of `b`.

    Connections of `b` with both ends in the run come with it; those of `a` with both ends in it go, all others stay.  The
    run begins within `a` and may reach beyond its end, so every index stays in range.  Connections beyond the most that are
    allowed are dropped, the last ones first.
    """
    start, end = _run_of(a, b, rng)

    def inside(c: Connection) -> bool:
        return start <= c.parent < end and start <= c.child < end

    connections = [c for c in a.connections if not inside(c)] + [c for c in b.connections if inside(c)]
    nodes = a.nodes[:start] + b.nodes[start:end] + a.nodes[end:]
    return replace(a, nodes=nodes, connections=tuple(connections[:MOST_CONNECTIONS]))


def crossed_nerves(a: GraphGenome, b: GraphGenome, rng: Rng) -> GraphGenome:
    """`a` with the local networks and rhythms of a run of consecutive nodes of `b`, and with its own body (FON-63)."""
    start, end = _run_of(a, b, rng)
    nodes = list(a.nodes)
    for place in range(start, min(end, len(nodes))):
        nodes[place] = replace(nodes[place], net=b.nodes[place].net, rhythm=b.nodes[place].rhythm)
    return replace(a, nodes=tuple(nodes))


def _run_of(a: GraphGenome, b: GraphGenome, rng: Rng) -> tuple[int, int]:
    """A run of consecutive nodes of `b`, not all of them, that begins within `a`: its first place, and the one behind it."""
    start = int(rng.integers(min(len(a.nodes), len(b.nodes))))
    longest = max(1, min(len(b.nodes) - start, len(b.nodes) - 1))
    return start, start + 1 + int(rng.integers(longest))


def grafted(receiver: GraphGenome, donor: GraphGenome, rng: Rng) -> GraphGenome:
    """`receiver` with nodes of `donor` behind its own, and a connection from one of its own to the first of them.

    The nodes are those that a random one leads to, nearest first, a random number of them, with the connections among them.
    Where there is no room for one more node, the receiver's last one gives way, junk before others; where there is none
    for the new connection, its last connection does.
    """
    if len(receiver.nodes) == MOST_NODES:
        used = _led_to(receiver, 0)
        junk = [n for n in range(MOST_NODES) if n not in used]
        receiver = without_node(receiver, junk[-1] if junk else MOST_NODES - 1)
    kept = len(receiver.nodes)
    reached = _led_to(donor, int(rng.integers(len(donor.nodes))))
    chosen = reached[: 1 + int(rng.integers(min(len(reached), MOST_NODES - kept)))]
    place = {node: kept + n for n, node in enumerate(chosen)}
    joint = random_connection(int(rng.integers(kept)), kept, rng)
    brought = [
        replace(c, parent=place[c.parent], child=place[c.child])
        for c in donor.connections
        if c.parent in place and c.child in place
    ]
    connections = [*receiver.connections[: MOST_CONNECTIONS - 1], joint, *brought]
    nodes = receiver.nodes + tuple(donor.nodes[n] for n in chosen)
    return replace(receiver, nodes=nodes, connections=tuple(connections[:MOST_CONNECTIONS]))


def _led_to(genome: GraphGenome, start: int) -> list[int]:
    """Nodes that connections lead to from one of them, itself first, breadth first."""
    found = [start]
    for node in found:
        found += dict.fromkeys(
            c.child for c in genome.connections if c.parent == node and c.child not in found
        )
    return found
