"""Wiring: local nets copied with their parts, one global net, and addresses that find each other after growth (FON-60).

What no effector listens to, even by way of others, is left out: it would only cost time in every life, and no neuron that
is left would notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    neurons, _ = brain.grow("brain.", Reach(own=thoughts, children=names[:1], world=world))
    effectors: dict[str | int, Any] = {}
    for number, part in enumerate(parts):
        senses = _part_sensors(number, part)
        sensors.update(senses)
        above = names[part.parent] if part.parent >= 0 else ()
        reach = Reach(names[number], above, children[number], thoughts, tuple(senses), world)
        local, drivers = _net(nodes, part).grow(f"{part_name(number)}.", reach)
        neurons.update(local)
        for k in range(len(part.axes)):
            driver = drivers[k]
            if driver is not None:
                effectors[axis_name(number, k, len(part.axes))] = driver
    return _heard(neurons, sensors, effectors, form)


def _net(nodes: Sequence[Node], part: Part) -> Net:
    net = nodes[part.node].net
    assert net is not None
    return net


def _world_sensors(form: Form) -> dict[str, Sensor]:
    return {f"{body}.{'xyz'[k]}": Sensor("toward", body, axis=k) for body in form.world for k in range(3)}


def _part_sensors(number: int, part: Part) -> dict[str, Sensor]:
    freedom = len(part.axes)
    found = {}
    for k in range(freedom):
        found[f"{part_name(number)}.angle{k + 1}"] = Sensor("angle", axis_name(number, k, freedom))
    found[f"{part_name(number)}.touch"] = Sensor("touch", part_name(number))
    return found


def _heard(
    neurons: Mapping[str, Neuron], sensors: Mapping[str, Sensor], effectors: dict[str | int, Any], form: Form
) -> Neurons:
    """The network without what nobody listens to; those that are left keep their order."""
    reached: set[str] = set()
    waiting = [source for source, _ in effectors.values()]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            if name in neurons:
                waiting.extend(source for source in neurons[name].inputs if source is not None)
    return Neurons(
        {name: neuron for name, neuron in neurons.items() if name in reached},
        {name: sensor for name, sensor in sensors.items() if name in reached},
        effectors,
        form.rate,
    )
