"""Nets of neurons: they stay valid, keep their wiring when they grow and shrink, and resolve every address."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from zoophyte.control.neurons import FUNCTIONS
from zoophyte.errors import FileError
from zoophyte.evolution.genomes import nets
from zoophyte.evolution.genomes.nets import Net, Reach, Rules

RULES = Rules(
    effectors=2, kinds=("own", "sense", "parent", "child", "brain", "world"), rate=0.2, structure=0.3
)


def generator(*words: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((58, *words))))


def drawn(n: int) -> Net:
    return nets.random_net(RULES, generator(n))


def test_nets_stay_valid_over_many_mutations() -> None:
    """From 1 to the most neurons, all of which are met."""
    net, sizes = drawn(0), set()
    for n in range(2000):
        net = nets.mutated(net, RULES, generator(1, n), step=3.0)
        assert nets.is_valid(net)
        sizes.add(len(net))
    assert sizes == set(range(1, RULES.most + 1))


def test_a_mutant_leaves_its_parent_alone() -> None:
    net = drawn(2)
    before = {name: array.copy() for name, array in net.record().items()}
    mutants = [nets.mutated(net, RULES, generator(3, n)) for n in range(50)]
    assert all(np.array_equal(before[name], array) for name, array in net.record().items())
    assert any(mutant != net for mutant in mutants)
    assert nets.mutated(net, replace(RULES, rate=0.0, structure=0.0), generator(4)) == net


def wiring(net: Net, skip: int = -1) -> dict[str, Any]:
    """Who reads whom, by what the neurons are and not by their numbers."""
    marks = tuple(f"n{n}" for n in range(len(net)))
    order = [n for n in range(len(net)) if n != skip]
    grown, drivers = net.grow("n", Reach(own=marks))
    return {marks[n]: (grown[marks[n]].inputs, grown[marks[n]].weights) for n in order} | {"": drivers}


def test_growing_and_shrinking_keeps_the_wiring_of_the_others() -> None:
    """Neuron n of the shorter net is neuron n, or n + 1 behind the lost one; only readers of that one change."""
    for seed in range(30):
        net = nets.random_net(replace(RULES, kinds=("own",), first=(5, 5)), generator(5, seed))
        longer = nets._longer(net, RULES, generator(6, seed))
        assert {k: v for k, v in wiring(longer).items() if k != "n5"} == wiring(net)
        back = nets._shorter(longer, 5)
        reads_lost = [
            any("n5" in str(i) for i in inputs) for name, (inputs, _) in list(wiring(longer).items())[:-1]
        ]
        assert not any(reads_lost[:5])
        assert wiring(back) == wiring(net)


def test_every_address_means_something() -> None:
    """Indices count modulo what is there; what is not there is 0, whatever its weight; nothing is its weight."""
    reach = Reach(own=("o0", "o1"), children=(("c0",), ("d0", "d1", "d2")), senses=("s",))
    assert reach.resolve((nets.OWN, 0, 5)) == "o1"
    assert reach.resolve((nets.CHILD, 3, 4)) == "d1"
    assert reach.resolve((nets.SENSE, 9, 9)) == "s"
    assert reach.resolve((nets.PARENT, 0, 0)) is None
    assert reach.resolve((nets.NOTHING, 0, 0)) is None
    addresses = np.array([[[nets.PARENT, 0, 0], [nets.NOTHING, 0, 0], [nets.OWN, 0, 0]]])
    one = Net(
        np.array([0]), addresses, np.array([[2.0, 3.0, 4.0]]), np.zeros(1), np.array([[nets.OWN, 0, 0]]), np.ones(1)
    )  # fmt: skip
    neurons, drivers = one.grow("x", Reach(own=("x0",)))
    assert neurons["x0"].inputs == (None, None, "x0")
    assert neurons["x0"].weights == (0.0, 3.0, 4.0)
    assert drivers == [("x0", 1.0)]


def test_grown_neurons_take_no_more_inputs_than_their_functions() -> None:
    for seed in range(40):
        net = drawn(100 + seed)
        for neuron in net.grow("n", Reach(own=net.names("n")))[0].values():
            assert len(neuron.inputs) == len(neuron.weights) == FUNCTIONS[neuron.function][1]
            assert neuron.function != "delay" or neuron.parameter in range(32)


def test_opposed_nets_swing_the_other_way() -> None:
    waves = nets.random_net(replace(RULES, functions=("wave",), first=(3, 3)), generator(7))
    plain, _ = waves.grow("n", Reach(own=waves.names("n")))
    other, _ = waves.grow("n", Reach(own=waves.names("n")), opposed=True)
    for name in plain:
        assert other[name].weights == (*plain[name].weights[:2], -plain[name].weights[2])


def test_records_come_back_equal_and_damage_is_refused() -> None:
    net = drawn(8)
    assert nets.restored(net.record()) == net
    assert hash(nets.restored(net.record())) == hash(net)
    for name, wrong in (
        ("functions", net.functions + 99), ("sources", net.sources[:, :2]), ("weights", net.weights * 1e3),
        ("parameters", net.parameters - 2.0), ("gains", net.gains * np.nan), ("outputs", "?"),
    ):  # fmt: skip
        with pytest.raises(FileError, match="damaged"):
            nets.restored(net.record() | {name: wrong})
    with pytest.raises(FileError, match="damaged"):
        nets.restored({})


def test_difference_is_zero_for_equals_and_about_one_for_strangers() -> None:
    pairs = [(drawn(200 + n), drawn(300 + n)) for n in range(100)]
    found = [nets.difference(a, b) for a, b in pairs]
    assert found == [nets.difference(b, a) for a, b in pairs]
    assert nets.difference(drawn(9), drawn(9)) == 0.0
    assert 0.4 < np.mean(found) < 1.2
    near = nets.mutated(drawn(9), replace(RULES, rate=0.05, structure=0.0), generator(10))
    assert 0.0 < nets.difference(drawn(9), near) < 0.5 * np.mean(found)
