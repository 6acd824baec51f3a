"""Wiring: local nets copied with their parts, one global net, and addresses that find each other after growth (FON-60).

What no effector listens to, even by way of others, is left out: it would only cost time in every life, and no neuron that
is left would notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zoophyte.control import Neuron, Neurons, Sensor
from zoophyte.evolution.genomes.graph.body import axis_name
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import Node
from zoophyte.evolution.genomes.graph.growth import Part, part_name
from zoophyte.evolution.genomes.nets import Net, Reach


def wire(parts: Sequence[Part], nodes: Sequence[Node], brain: Net, form: Form) -> Neurons:
    """The whole network of a grown creature.

    A part feels the angles of its own joint and its own touch (FON-61); the world's sensors tell, in the root's axes, where
    bodies are.  An address that leads nowhere is 0.
    """
    names = [_net(nodes, part).names(f"{part_name(n)}.") for n, part in enumerate(parts)]
    children: list[list[Sequence[str]]] = [[] for _ in parts]
    for number, part in enumerate(parts[1:], start=1):
        children[part.parent].append(names[number])
    thoughts, sensors = brain.names("brain."), _world_sensors(form)
    world = tuple(sensors)
    grown = [_Grown(brain, thoughts, Reach(own=thoughts, children=names[:1], world=world))]
    effectors: dict[str | int, Any] = {}
    for number, part in enumerate(parts):
        senses = _part_sensors(number, part)
        sensors.update(senses)
        above = names[part.parent] if part.parent >= 0 else ()
        reach = Reach(names[number], above, children[number], thoughts, tuple(senses), world)
        local = _Grown(_net(nodes, part), names[number], reach)
        grown.append(local)
        drivers = local.net.drivers(reach)
        for k in range(len(part.axes)):
            driver = drivers[k]
            if driver is not None:
                effectors[axis_name(number, k, len(part.axes))] = driver
    return _heard(grown, sensors, effectors, form)


@dataclass(frozen=True, eq=False)
class _Grown:
    """A net of a grown creature: its genes, what its neurons are called, and what they can read."""

    net: Net
    names: Sequence[str]
    reach: Reach


def _net(nodes: Sequence[Node], part: Part) -> Net:
    net = nodes[part.node].net
    assert net is not None
    return net


def _world_sensors(form: Form) -> dict[str, tuple[str, str, int]]:
    return {f"{body}.{'xyz'[k]}": ("toward", body, k) for body in form.world for k in range(3)}


def _part_sensors(number: int, part: Part) -> dict[str, tuple[str, str, int]]:
    """Kind, owner and axis of each sensor by name; most of them nobody will read."""
    freedom, name = len(part.axes), part_name(number)
    found = {f"{name}.angle{k + 1}": ("angle", axis_name(number, k, freedom), 0) for k in range(freedom)}
    found[f"{name}.touch"] = ("touch", name, 0)
    return found


def _heard(
    grown: Sequence[_Grown],
    sensors: Mapping[str, tuple[str, str, int]],
    effectors: dict[str | int, Any],
    form: Form,
) -> Neurons:
    """The network without what nobody listens to; those that are left keep their order."""
    places = {name: (owner, n) for owner, each in enumerate(grown) for n, name in enumerate(each.names)}
    reached: dict[str, Neuron | None] = {}
    waiting = [source for source, _ in effectors.values()]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            place = places.get(name)
            if place is None:
                reached[name] = None
                continue
            each = grown[place[0]]
            neuron = reached[name] = each.net.neuron(place[1], each.reach)
            waiting.extend(source for source in neuron.inputs if source is not None)
    neurons = {name: heard for name in places if (heard := reached.get(name)) is not None}
    felt = {name: Sensor(kind, of, axis) for name, (kind, of, axis) in sensors.items() if name in reached}
    return Neurons(neurons, felt, effectors, form.rate)
