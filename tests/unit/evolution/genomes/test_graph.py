"""Graph creatures as a breed: records, wiring, controllers, differences, lives in a herd (FON-57 … 64)."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control.neurons import FUNCTIONS, SENSES
from zoophyte.description import Motor, Servo
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.genomes.graph import Connection, Graph, GraphGenome
from zoophyte.evolution.genomes.graph.growth import overlapping
from zoophyte.evolution.genomes.nets import BRAIN, CHILD, FUNCTION_NAMES, OWN, PARENT, SENSE, Net
from zoophyte.evolution.protocols import Breed, Genome, Operator
from zoophyte.evolution.wire import pack, unpack
from zoophyte.zoo.standing import standing

CONTROLLERS = ["neurons", "spectral", "sine", "oscillators"]


def test_the_breed_offers_what_breeds_offer(rng: np.random.Generator) -> None:
    breed = Graph()
    assert isinstance(breed, Breed)
    assert isinstance(breed.random(rng), Genome)
    assert all(isinstance(operator, Operator) for operator in breed.operators())
    assert Graph(**unpack(pack(breed.settings()))) == breed


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_records_make_the_same_genome(controller: str, rng: np.random.Generator) -> None:
    """Law (FON-E13): bytes → genome → bytes. Oracle: equality of both; tolerance none."""
    breed = Graph(controller=controller, shapes=("box", "capsule"))
    for _ in range(10):
        genome = breed.random(rng)
        data = pack(genome.record())
        again = breed.restore(unpack(data))
        assert again == genome
        assert hash(again) == hash(genome)
        assert pack(again.record()) == data


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return change


def _entry(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        array = record
        for key in path:
            array = array[key]
        array.reshape(-1)[0] = to  # type: ignore[attr-defined]

    return change


def _without(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        del record[path[-1]]

    return change


DAMAGES = {
    "foreign": _set("breed", to="limbed"), "version": _set("version", to=2), "no nodes": _without("nodes"),
    "no sizes": _without("nodes", "sizes"), "no neurons": _without("neurons"), "unknown": _set("colour", to=1),
    "nodes": _set("nodes", to=[1, 2]), "short column": _set("nodes", "freedoms", to=np.zeros(1, np.int64)),
    "shape": _entry("nodes", "shapes", to=7), "size": _entry("nodes", "sizes", to=9.0),
    "not a number": _entry("nodes", "sizes", to=np.nan), "axis": _entry("nodes", "axes", to=2.0),
    "freedom": _entry("nodes", "freedoms", to=0), "limit": _entry("nodes", "limits", to=1.0),
    "copies": _entry("nodes", "replications", to=99), "end": _entry("connections", "ends", to=50),
    "negative end": _entry("connections", "ends", to=-1), "direction": _entry("connections", "directions", to=3.0),
    "turn": _entry("connections", "turns", to=9.0), "mirror": _entry("connections", "reflected", to=2),
    "scale": _entry("connections", "scales", to=np.inf), "lag": _entry("connections", "lags", to=-0.1),
    "function": _entry("neurons", "functions", to=99), "source": _entry("neurons", "sources", to=-5),
    "far source": _entry("neurons", "sources", to=10**9), "weight": _entry("neurons", "weights", to=1e9),
    "lengths": _entry("effectors", "lengths", to=0), "long": _entry("effectors", "lengths", to=10**6),
    "text": _set("nodes", "sizes", to="large"), "ragged": _set("nodes", "sizes", to=[[1.0], [1.0, 2.0]]),
    "fractions": _set("connections", "ends", to=[[0.5, 1.0]]), "none": _set("effectors", to=None),
}  # fmt: skip


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_damaged_records_are_refused(damage: str) -> None:
    breed = Graph()
    record = copy.deepcopy(breed.random(np.random.default_rng(2)).record())
    breed.restore(copy.deepcopy(record))
    DAMAGES[damage](record)
    with pytest.raises(FileError, match="graph genome"):
        breed.restore(record)


@pytest.mark.parametrize(
    "damage", [{"tempo": 99.0}, {"tempo": "fast"}, {"rhythms": np.zeros((1, 3, 4), complex)}]
)
def test_damaged_rhythms_are_refused(damage: dict[str, Any]) -> None:
    breed = Graph(controller="sine")
    record = breed.random(np.random.default_rng(2)).record()
    with pytest.raises(FileError, match="graph genome"):
        breed.restore({**record, **damage})
    with pytest.raises(FileError, match="'neurons'"):
        Graph().restore(record)


def net(
    functions: list[str], sources: dict[tuple[int, int], tuple[int, int, int]], outputs: list[Any]
) -> Net:
    """A net whose neurons have weight 2 on all inputs; those not named read nothing."""
    n = len(functions)
    table = np.zeros((n, 3, 3), np.int64)
    for (neuron, k), address in sources.items():
        table[neuron, k] = address
    numbers = np.array([FUNCTION_NAMES.index(f) for f in functions], np.int64)
    outputs_ = np.array(outputs, np.int64).reshape(-1, 3)
    return Net(numbers, table, np.full((n, 3), 2.0), np.zeros(n), outputs_, np.full(len(outputs_), 0.5))


def wired() -> GraphGenome:
    """A root with two children, the second of which has two axes; addresses of all kinds."""
    genome = Graph().random(np.random.default_rng(1))
    node = replace(genome.nodes[0], size=(0.5, 0.5, 0.5), freedom=1, replication=1)
    root = net(
        ["add", "sine"],
        {(0, 0): (CHILD, 1, 3), (0, 1): (PARENT, 0, 0), (0, 2): (BRAIN, 0, 0)},
        [(0, 0, 0)] * 3,
    )
    first = net(
        ["add"], {(0, 0): (PARENT, 0, 0), (0, 1): (SENSE, 0, 0), (0, 2): (SENSE, 0, 1)}, [(OWN, 0, 0)] * 3
    )
    functions = ["constant", "delay", "invert", "cosine", "multiply"]
    second = net(functions, {(3, 0): (OWN, 0, 4)}, [(OWN, 0, 3), (PARENT, 0, 1), (OWN, 0, 0)])
    nodes = (
        replace(node, net=root), replace(node, size=(0.1, 0.1, 0.3), net=first),
        replace(node, size=(0.1, 0.1, 0.3), freedom=2, net=second),
    )  # fmt: skip
    up, down = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)
    joints = (Connection(0, 1, up, 0.0, False, 1.0, 0.0), Connection(0, 2, down, 0.0, False, 1.0, 0.0))
    brain = net(["wave"], {(0, 0): (CHILD, 5, 1)}, [])
    return replace(genome, nodes=nodes, connections=joints, brain=brain)


def test_addresses_find_each_other_after_growth() -> None:
    """Claim (FON-60): relative addresses resolve to the right neuron; what leads nowhere is 0. Oracle: read off by hand."""
    controller: Any = wired().develop().controller
    add = controller.neurons["part0.0"]
    assert add.inputs == (
        "part2.3",
        None,
        "brain.0",
    )  # "the fourth neuron of the second child"; a root has no parent
    assert add.weights == (2.0, 0.0, 2.0)
    assert controller.neurons["part1.0"].inputs == ("part0.0", "part1.angle1", "part1.touch")
    assert controller.neurons["brain.0"].inputs == ("part0.1", None, None)  # the brain's child is the root
    assert controller.neurons["brain.0"].weights == (
        2.0,
        2.0,
        2.0,
    )  # nothing is read: the weight is the value
    assert controller.effectors == {
        "part1": ("part1.0", 0.5), "part2/1": ("part2.3", 0.5), "part2": ("part0.1", 0.5),
    }  # fmt: skip
    assert controller.rate == 25.0


def test_what_nobody_hears_is_left_out() -> None:
    """Claim: neurons and sensors that no effector depends on are not there, all others are. Oracle: read off by hand."""
    controller: Any = wired().develop().controller
    assert [*controller.neurons] == [
        "brain.0",
        "part0.0",
        "part0.1",
        "part1.0",
        "part2.3",
        "part2.4",
    ]  # and in order
    assert set(controller.sensors) == {"part1.angle1", "part1.touch"}


def test_all_functions_are_within_reach(rng: np.random.Generator) -> None:
    """Claim (FON-59): random networks draw from all 22 functions."""
    found = {f for _ in range(60) for node in Graph().random(rng).nodes for f in node.net.functions.tolist()}  # type: ignore[union-attr]
    assert {FUNCTION_NAMES[f] for f in found} == set(FUNCTIONS)
    assert len(FUNCTIONS) == 22


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_motors_for_neurons_and_servos_for_rhythms(controller: str, rng: np.random.Generator) -> None:
    """Law (FON-62): strength in proportion to the part's cross-section. Oracle: x·y of the box."""
    breed = Graph(controller=controller)
    genome = breed.random(rng)
    for body in genome.develop().description.bodies[1:]:
        part = genome.parts[int(body.name[4:].split("/")[0])]
        strength = breed.strength * part.size[0] * part.size[1]
        actuator = body.joint.actuator
        if controller == "neurons":
            assert isinstance(actuator, Motor)
            assert actuator.strength == pytest.approx(strength)
        else:
            assert isinstance(actuator, Servo)
            assert 0.5 * actuator.stiffness == pytest.approx(strength)


@pytest.mark.parametrize("controller", ["spectral", "sine"])
def test_rhythms_stay_within_the_limits_and_lag(controller: str, rng: np.random.Generator) -> None:
    """Law: targets lie within the joint's limits, and one connection's lag delays its child. Oracle: sampled commands.

    Tolerance: rounding; of the lag the sampling of a period in 16, whose lines are shifted whole samples.
    """
    breed = Graph(controller=controller)
    for _ in range(10):
        genome = breed.random(rng)
        late = replace(
            genome, connections=tuple(replace(c, lag=(c.lag + 0.25) % 1.0) for c in genome.connections)
        )
        one, other = (targets(g, 64) for g in (genome, late))
        for dof, (low, high) in _limits(genome).items():
            assert np.all((one[dof] >= low - 1e-9) & (one[dof] <= high + 1e-9))
        first = [f"part{n}" for n, part in enumerate(genome.parts) if part.parent == 0]
        for dof in first:  # children of the root are a quarter later, 16 of 64 samples
            assert np.allclose(np.roll(one[dof], 16), other[dof], atol=1e-9)


def _limits(genome: GraphGenome) -> dict[str, Any]:
    return {body.name: body.joint.limits for body in genome.develop().description.bodies[1:]}


def targets(genome: GraphGenome, count: int) -> dict[str, Any]:
    """Commands of one period."""
    from zoophyte.control import Senses

    grown = genome.develop()
    model = zp.compile(grown.description)
    controller: Any = grown.controller
    rows = []
    for k in range(count):
        time = k / count / genome.tempo
        command, _ = controller.command(Senses(model, time, model.q_initial, np.zeros(model.nv)), np.zeros(0))
        value, rate, _, start, amplitude, frequency, phase = command.signals.T
        rows.append(value + rate * (time - start) + amplitude * np.sin(frequency * time + phase))
    return dict(zip(model.dof_names, np.array(rows).T, strict=True))


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_differences_are_0_for_equals_and_about_1_for_strangers(
    controller: str, rng: np.random.Generator
) -> None:
    breed = Graph(controller=controller)
    mutation = breed.operators()[0]
    genomes = [breed.random(rng) for _ in range(12)]
    strange = [breed.difference(a, b) for n, a in enumerate(genomes) for b in genomes[:n]]
    akin = [breed.difference(a, mutation([a], rng)) for a in genomes]
    assert all(breed.difference(a, breed.restore(a.record())) == 0.0 for a in genomes)
    assert breed.difference(genomes[0], genomes[1]) == breed.difference(genomes[1], genomes[0])
    assert 0.4 < np.mean(strange) < 1.2
    assert np.mean(akin) < 0.3 * np.mean(strange)


def test_sensors_of_the_world_are_asked_for(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claim (FON-61): with world=("ball",) nets may feel the ball's three coordinates; else nobody does."""
    monkeypatch.setitem(SENSES, "toward", SENSES.get("toward", 0))
    breed = Graph(world=("ball",))
    sensors: Any = [s for _ in range(60) for s in breed.random(rng).develop().controller.sensors.values()]  # type: ignore[union-attr]
    felt = {(s.of, s.axis) for s in sensors if s.kind == "toward"}
    assert felt == {("ball", 0), ("ball", 1), ("ball", 2)}
    blind: Any = [s for _ in range(10) for s in Graph().random(rng).develop().controller.sensors.values()]  # type: ignore[union-attr]
    assert not any(s.kind == "toward" for s in blind)


def test_a_missing_sensor_of_the_world_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(SENSES, "toward", raising=False)
    with pytest.raises(UsageError, match="toward"):
        Graph(world=("ball",))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"controller": "neuron"}, "neurons"), ({"shapes": ("bx",)}, "box"), ({"shapes": ()}, "at least one"),
        ({"shapes": "box"}, "tuple"), ({"most_parts": 0}, "1 to 20"), ({"most_parts": 2.5}, "whole"),
        ({"density": -1.0}, "density"), ({"strength": float("nan")}, "strength"), ({"shares": (1, 2)}, "three"),
        ({"shares": (0, 0, 0)}, "not all"), ({"shares": (1, -1, 1)}, "below 0"),
        ({"controller": "sine", "world": ("ball",)}, "neurons"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Graph(**settings)


def herd_of(genomes: list[GraphGenome]) -> zp.Herd:
    grown = [genome.develop() for genome in genomes]
    models = [zp.compile(standing(g.description)) for g in grown]
    return zp.Herd(models, zp.Habitat(), [g.controller for g in grown], dt=5e-3, sweeps=8, workers=1)


def test_a_herd_of_random_creatures_lives(rng: np.random.Generator) -> None:
    """Claim: 64 random creatures live 2 s; nearly all to the end, and most of them move. Oracle: statuses and ways."""
    lives = herd_of([Graph().random(rng) for _ in range(64)]).simulate(2.0)
    counts = Counter(life.status.kind for life in lives)
    assert counts["ended"] >= 60
    assert sum(life.path > 0.05 for life in lives) >= 32


@pytest.mark.parametrize("controller", ["spectral", "sine", "oscillators"])
def test_rhythmic_creatures_live(controller: str, rng: np.random.Generator) -> None:
    breed = Graph(controller=controller, shapes=("box", "sphere", "capsule"))
    lives = herd_of([breed.random(rng) for _ in range(16)]).simulate(1.0)
    assert sum(life.status.kind == "ended" for life in lives) >= 14
    assert sum(life.path > 0.02 for life in lives) >= 8


def test_overlaps_at_birth_become_a_status(rng: np.random.Generator) -> None:
    """Claim: who is born with parts in each other is `overlapping`, and nobody else. Oracle: separating axes.

    The herd allows a thousandth of the smallest part: what it calls overlapping must be found by axes too.
    """
    breed = Graph()
    genomes = [breed.random(rng) for _ in range(16)]
    genomes = [operator([g, genomes[0]], rng) for g in genomes for operator in breed.operators()]
    lives = herd_of(genomes).simulate(0.01)
    told = [life.status.kind == "overlapping" for life in lives]
    cut = [overlapping(g.parts, g.nodes) for g in genomes]
    assert all(c for t, c in zip(told, cut, strict=True) if t)
    assert sum(told) >= 0.9 * sum(cut) > 3
    assert sum(told) < len(told)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_what_grows_would_pass_every_check(controller: str, rng: np.random.Generator) -> None:
    """Law: the body of a valid genome is sound. Oracle: the checks that are left out, which change nothing either."""
    breed = Graph(controller=controller, shapes=("box", "sphere", "capsule"), self_contact=True)
    for _ in range(15):
        grown = breed.random(rng).develop().description
        assert zp.Description.model_validate(grown.model_dump()) == grown
