"""Operators on graph genomes: valid children, unbiased steps, crossover and grafts as defined (FON-56, FON-65 … 68)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from zoophyte.errors import UsageError
from zoophyte.evolution.genomes.graph import Graph, GraphGenome
from zoophyte.evolution.genomes.graph.genes import MOST_CONNECTIONS, MOST_NODES, RHYTHM, SIZE
from zoophyte.evolution.genomes.graph.operators import (
    GROUPS,
    RATES,
    crossed,
    crossed_nerves,
    expected_changes,
    grafted,
    mutated,
    rate_table,
    without_node,
)
from zoophyte.evolution.genomes.graph.records import faults
from zoophyte.evolution.wire import pack


def assert_valid(genome: GraphGenome) -> None:
    assert faults(genome.nodes, genome.connections, genome.brain, genome.tempo, genome.form) == []
    for node in genome.nodes:
        for k, a in enumerate(node.axes):
            for b in node.axes[:k]:
                # FON-56, computed anew: the angle between two lines is more than 30°.
                assert math.degrees(math.acos(min(1.0, abs(np.dot(a, b))))) > 30.0 - 1e-9


def apply_many(breed: Graph, times: int, rng: np.random.Generator) -> None:
    """Random operators on a population that only drifts."""
    population = [breed.random(rng) for _ in range(12)]
    operators = breed.operators()
    shares = [operator.share for operator in operators]
    grown = 0
    for number in range(times):
        operator = operators[int(rng.choice(len(operators), p=shares))]
        parents = [population[int(rng.integers(12))] for _ in range(operator.parents)]
        before = [parent.record() for parent in parents] if number % 50 == 0 else []
        child = operator(parents, rng)
        assert_valid(child)
        for parent, record in zip(parents, before, strict=False):
            assert pack(parent.record()) == pack(record)
        if number % 50 == 0:
            grown += len(child.develop().description.bodies) > 1
        population[int(rng.integers(12))] = child
    assert grown > 0


def body_genes(genome: GraphGenome) -> bytes:
    """All genes of a genome but those of its controller, packed."""
    nodes = tuple(replace(node, net=None, rhythm=()) for node in genome.nodes)
    return repr((nodes, tuple(replace(c, lag=0.0) for c in genome.connections))).encode()


@pytest.mark.parametrize("controller", ["neurons", "sine"])
def test_with_bodies_frozen_only_controllers_evolve(controller: str, rng: np.random.Generator) -> None:
    """FON-63. Mutation left bodies alone, but crossover and grafting, six children in ten, made new ones."""
    breed = Graph(controller=controller, rates={"morphology": 0.0}, mutate_children=True)
    parents = [breed.random(rng) for _ in range(6)]
    operators = {operator.name: operator for operator in breed.operators()}
    assert sorted(operators) == ["crossover", "mutation"]
    travelled = 0
    for a in parents:
        for b in parents:
            for operator in operators.values():
                child = operator([a, b][: operator.parents], rng)
                assert_valid(child)
                assert body_genes(child) == body_genes(a)
            plain = crossed_nerves(a, b, rng)
            pairs = zip(plain.nodes, a.nodes, strict=True)
            changed = [
                n for n, (node, own) in enumerate(pairs) if (node.net, node.rhythm) != (own.net, own.rhythm)
            ]
            assert changed == list(range(changed[0], changed[-1] + 1)) if changed else True
            assert all(
                (plain.nodes[n].net, plain.nodes[n].rhythm) == (b.nodes[n].net, b.nodes[n].rhythm)
                for n in changed
            )
            travelled += len(changed)
    assert travelled > 0
    with pytest.raises(UsageError, match="grafting alone, which makes new bodies"):
        Graph(rates={"morphology": 0.0}, shares=(0, 0, 1))
    assert len(Graph(rates={"morphology": 0.0, "size": 0.1}).operators()) == 3  # not all of it is frozen


@pytest.mark.parametrize("controller", ["neurons", "spectral", "sine", "oscillators"])
def test_operators_keep_genomes_valid(controller: str, rng: np.random.Generator) -> None:
    """Law: every child is valid, and parents stay as they are. Oracle: `faults`, and angles computed anew."""
    breed = Graph(controller=controller, shapes=("box", "sphere", "capsule"))
    apply_many(breed, 800 if controller == "neurons" else 200, rng)


@pytest.mark.slow
def test_operators_keep_genomes_valid_a_hundred_thousand_times(rng: np.random.Generator) -> None:
    """The same, 10⁵ times, with children of two parents mutated too."""
    apply_many(Graph(shapes=("box", "sphere", "capsule"), mutate_children=True), 60_000, rng)
    apply_many(Graph(controller="spectral"), 40_000, rng)


def test_steps_of_real_genes_are_unbiased(rng: np.random.Generator) -> None:
    """Law: a gene in the middle of its range moves by a normal step of mean 0 and deviation 0.1 of the range.

    Tolerance: four standard errors of the mean, and of the deviation, 1/√(2n).
    """
    breed = Graph(controller="sine", rates={name: float(name in ("size", "rhythm")) for name in RATES})
    genome = breed.random(rng)
    middle = 0.5 * (SIZE[0] + SIZE[1])
    node = replace(genome.nodes[0], size=(middle,) * 3, rhythm=((0j,) * 4,) * 3)
    genome = replace(genome, nodes=(node,) * 5, connections=())
    steps, beats = [], []
    for _ in range(200):
        child = mutated(genome, breed.rates, rng)
        steps += [side - middle for node in child.nodes for side in node.size]
        beats += [x for node in child.nodes for axis in node.rhythm for z in axis for x in (z.real, z.imag)]
    for values, (low, high) in ((steps, SIZE), (beats, RHYTHM)):
        n, deviation = len(values), 0.1 * (high - low)
        assert abs(np.mean(values)) < 4.0 * deviation / math.sqrt(n)
        assert np.std(values) == pytest.approx(deviation, rel=4.0 / math.sqrt(2.0 * n))


def test_genes_at_the_end_of_their_range_stay_inside(rng: np.random.Generator) -> None:
    """Law: no step leaves the range, and none is cut off at its end. Oracle: the bounds; a clipped gene would sit on one."""
    breed = Graph(controller="sine", rates={name: float(name == "size") for name in RATES})
    genome = breed.random(rng)
    genome = replace(genome, nodes=(replace(genome.nodes[0], size=(SIZE[0],) * 3),), connections=())
    sides = [side for _ in range(300) for side in mutated(genome, breed.rates, rng).nodes[0].size]
    assert SIZE[0] < min(sides) < max(sides) < SIZE[1]


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_group_with_probability_0_is_frozen(group: str, rng: np.random.Generator) -> None:
    """Law (FON-63): probability 0 freezes. Oracle: the frozen part of the record, byte for byte, in 60 generations."""
    controller = "spectral" if group == "rhythms" else "neurons"
    breed = Graph(controller=controller, rates={group: 0.0})
    first = genome = breed.random(rng)
    for _ in range(60):
        genome = mutated(genome, breed.rates, rng)
        if group == "nerves":
            known = {id(node.net) for node in first.nodes}
            assert genome.brain is first.brain
            assert all(id(node.net) in known for node in genome.nodes[:1])
    a, b = first.record(), genome.record()
    if group == "morphology":
        for key in ("nodes", "connections"):
            assert pack(a[key]) == pack(b[key])
    if group == "rhythms":
        assert a["tempo"] == b["tempo"]
        assert genome.nodes[0].rhythm == first.nodes[0].rhythm
    assert pack(a) != pack(b)


def test_at_least_one_change_is_expected(rng: np.random.Generator) -> None:
    """Law (FON-65): rates are raised until one change per child is expected.

    Oracle: a genome with three turns and nothing else to change, at a rate of 1 %: changed turns per child. Tolerance: four
    standard errors, √(p(1 − p)·3/n) with p = 1/3.
    """
    breed = Graph(rates={**dict.fromkeys(RATES, 0.0), "turn": 0.01})
    genome = breed.random(rng)
    genome = replace(genome, connections=(genome.connections[0],) * 3)
    assert expected_changes(genome, breed.rates) == pytest.approx(0.03)
    n, changed = 600, 0
    for _ in range(n):
        child = mutated(genome, breed.rates, rng)
        changed += sum(c.turn != d.turn for c, d in zip(genome.connections, child.connections, strict=True))
    assert changed / n == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / 9.0 * 3.0 / n))
    assert expected_changes(breed.random(rng), Graph().rates) > 1.0


def test_with_all_rates_0_nothing_changes(rng: np.random.Generator) -> None:
    breed = Graph(rates=dict.fromkeys(RATES, 0.0))
    genome = breed.random(rng)
    assert mutated(genome, breed.rates, rng) == genome


def test_crossover_takes_one_run_of_nodes(rng: np.random.Generator) -> None:
    """Law (FON-66): a run of the second parent's nodes in the first, with the connections inside it.

    Oracle: every node of the child is the object at the same place of one of the parents; from there the run is read off and
    the connections are chosen anew.
    """
    breed = Graph()
    for _ in range(80):
        a, b = breed.random(rng), breed.random(rng)
        child = crossed(a, b, rng)
        assert_valid(child)
        foreign = [n for n, node in enumerate(child.nodes) if n < len(b.nodes) and node is b.nodes[n]]
        own = [n for n, node in enumerate(child.nodes) if n < len(a.nodes) and node is a.nodes[n]]
        assert sorted(foreign + own) == list(range(len(child.nodes)))
        assert foreign == list(range(foreign[0], foreign[-1] + 1))
        run = set(foreign)
        kept = [c for c in a.connections if not {c.parent, c.child} <= run]
        brought = [c for c in b.connections if {c.parent, c.child} <= run]
        assert list(child.connections) == [*kept, *brought][:MOST_CONNECTIONS]
        assert child.brain is a.brain


def test_grafting_appends_nodes_and_joins_them(rng: np.random.Generator) -> None:
    """Law (FON-67): the receiver's nodes, then some of the donor's with the connections among them, joined by one more.

    Oracle: identity of node objects, and the donor's own connections between them.
    """
    breed = Graph()
    for _ in range(80):
        receiver, donor = breed.random(rng), breed.random(rng)
        child = grafted(receiver, donor, rng)
        assert_valid(child)
        n = len(receiver.nodes)
        assert child.nodes[:n] == receiver.nodes
        pasted = [next(k for k, node in enumerate(donor.nodes) if node is new) for new in child.nodes[n:]]
        assert len(set(pasted)) == len(pasted) >= 1
        joints = [c for c in child.connections if c.parent < n <= c.child]
        assert [c.child for c in joints] == [n]
        inner = [(c.parent, c.child, c.direction) for c in child.connections if c.parent >= n]
        among = [c for c in donor.connections if {c.parent, c.child} <= set(pasted)]
        assert inner == [(n + pasted.index(c.parent), n + pasted.index(c.child), c.direction) for c in among]


def test_a_full_receiver_gives_up_junk_first(rng: np.random.Generator) -> None:
    """Repair rule: no room for a graft, then the last node that nothing leads to goes, else the last one."""
    breed = Graph()
    donor = breed.random(rng)
    chain = donor.connections[0]
    limbs = [replace(donor.nodes[1], size=(0.1, 0.1, 0.1 + 0.01 * n)) for n in range(MOST_NODES - 1)]
    nodes = (donor.nodes[0], *limbs)
    links = tuple(replace(chain, parent=n, child=n + 1) for n in range(MOST_NODES - 1) if n not in (3, 4))
    links += (replace(chain, parent=3, child=5),)
    child = grafted(replace(donor, nodes=nodes, connections=links), donor, rng)
    assert nodes[4] not in child.nodes
    assert child.nodes[: MOST_NODES - 1] == nodes[:4] + nodes[5:]
    full = tuple(replace(chain, parent=n, child=n + 1) for n in range(MOST_NODES - 1))
    child = grafted(replace(donor, nodes=nodes, connections=full), donor, rng)
    assert child.nodes[: MOST_NODES - 1] == nodes[:-1]


def test_a_removed_node_takes_its_connections_along(rng: np.random.Generator) -> None:
    genome = Graph().random(rng)
    lost = len(genome.nodes) - 2
    child = without_node(genome, lost)
    assert_valid(child)
    assert child.nodes == genome.nodes[:lost] + genome.nodes[lost + 1 :]
    renamed = [n for n in range(len(genome.nodes)) if n != lost]
    kept = [(c.parent, c.child) for c in genome.connections if lost not in (c.parent, c.child)]
    assert [(renamed[c.parent], renamed[c.child]) for c in child.connections] == kept


def test_shares_are_normalised() -> None:
    """Law (FON-68): printed shares of 110 % are normalised; 40/30/30 by default."""
    assert [o.share for o in Graph().operators()] == pytest.approx([0.4, 0.3, 0.3])
    assert [o.share for o in Graph(shares=(30, 40, 40)).operators()] == pytest.approx(
        [3 / 11, 4 / 11, 4 / 11]
    )
    assert [o.name for o in Graph(shares=(1, 0, 0)).operators()] == ["mutation"]


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ({"sise": 0.1}, "size"),
        ({"size": 1.5}, "probability"),
        ({"size": -0.1}, "0 to 1"),
        ({"size": "a"}, "probability"),
    ],
)
def test_wrong_rates_are_refused(rates: dict[str, float], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        rate_table(rates)


def test_a_class_overrides_its_group() -> None:
    table = rate_table({"size": 0.2, "morphology": 0.0})
    assert table["size"] == 0.2
    assert table["axis"] == 0.0
    assert table["neuron"] == RATES["neuron"]
