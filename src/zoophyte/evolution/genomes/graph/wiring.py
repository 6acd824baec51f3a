"""Wiring: local nets copied with their parts, one global net, and addresses that find each other after growth (FON-60).

What no effector listens to, even by way of others, is left out: it would only cost time in every life, and no neuron that
is left would notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from zoophyte.control import Neuron, Neurons, Sensor
from zoophyte.evolution.genomes.graph.body import axis_names
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import Node
from zoophyte.evolution.genomes.graph.growth import Part, part_name
from zoophyte.evolution.genomes.nets import Net, Reach, world_sensors


def wire(parts: Sequence[Part], nodes: Sequence[Node], brain: Net, form: Form) -> Neurons:
    """The whole network of a grown creature.

    A part feels the angles of its own joint and its own touch (FON-61); the world's sensors tell, in the root's axes, where
    bodies are.  An address that leads nowhere is 0.
    """
    nets = [_net(nodes, part) for part in parts]
    names = [net.names(f"{part_name(n)}.") for n, net in enumerate(nets)]
    children: list[list[Sequence[str]]] = [[] for _ in parts]
    for part, own in zip(parts[1:], names[1:], strict=True):
        children[part.parent].append(own)
    thoughts, world = brain.names("brain."), world_sensors(form.world)
    sensors = {**world}
    grown = [(brain, thoughts, Reach(own=thoughts, children=names[:1], world=tuple(world)))]
    effectors: dict[str | int, Any] = {}
    for number, (part, net) in enumerate(zip(parts, nets, strict=True)):
        freedom = len(part.axes)
        senses = _part_sensors(number, freedom)
        sensors.update(senses)
        above = names[part.parent] if part.parent >= 0 else ()
        reach = Reach(names[number], above, children[number], thoughts, tuple(senses), tuple(world))
        grown.append((net, names[number], reach))
        for name, driver in zip(axis_names(number, freedom), net.drivers(reach), strict=False):
            if driver is not None:
                effectors[name] = driver
    return _heard(grown, sensors, effectors, form)


def _net(nodes: Sequence[Node], part: Part) -> Net:
    net = nodes[part.node].net
    assert net is not None
    return net


@cache
def _part_sensors(number: int, freedom: int) -> Mapping[str, tuple[str, str, int]]:
    """Kind, owner and axis of each sensor by name; most of them nobody will read."""
    name = part_name(number)
    axes = enumerate(axis_names(number, freedom), start=1)
    found = {f"{name}.angle{k}": ("angle", axis, 0) for k, axis in axes}
    return {**found, f"{name}.touch": ("touch", name, 0)}


def _heard(
    grown: Sequence[tuple[Net, Sequence[str], Reach]],
    sensors: Mapping[str, tuple[str, str, int]],
    effectors: dict[str | int, Any],
    form: Form,
) -> Neurons:
    """The network without what nobody listens to; those that are left keep their order."""
    places = {name: (net, n, reach) for net, names, reach in grown for n, name in enumerate(names)}
    reached: dict[str, Neuron | None] = {}
    waiting = [source for source, _ in effectors.values()]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            place = places.get(name)
            if place is None:
                reached[name] = None
                continue
            net, n, reach = place
            neuron = reached[name] = net.neuron(n, reach)
            waiting += [source for source in neuron.inputs if source is not None]
    neurons = {name: heard for name in places if (heard := reached.get(name)) is not None}
    felt = {name: Sensor(kind, of, axis) for name, (kind, of, axis) in sensors.items() if name in reached}
    return Neurons(neurons, felt, effectors, form.rate)
