"""Neurons on limbs: one small net per limb pair, copied to both legs, which feels its own joints and feet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from zoophyte.control import Controller, Neuron, Neurons, Sensor
from zoophyte.evolution.genomes import nets
from zoophyte.evolution.genomes.limbed.body import SIDES, in_place, joint_names
from zoophyte.evolution.genomes.limbed.genome import LimbedGenome
from zoophyte.evolution.variation import Rng, either

RULES = nets.Rules(effectors=2, kinds=("own", "sense"), first=(4, 7), most=12, rate=0.1)
"""Hip and knee are driven; a command is gain·tanh(output), within ±1 rad."""
SEEING_RULES = replace(RULES, kinds=(*RULES.kinds, "world"))
"""The same, where there is something to see."""
NOISE_UNIT = 0.05
"""The noise of mutation for which the net's own steps are as its rules say."""


class NetMotion:
    """A net with two effectors; every second leg of an alternating pair has its oscillators turned round (ARN-49).

    Args:
        rules: of the nets.
    """

    count = 40

    def __init__(self, rules: nets.Rules = RULES) -> None:
        self.rules = rules

    def random(self, rng: Rng) -> nets.Net:
        """A random net."""
        return nets.random_net(self.rules, rng)

    def mutated(self, motion: nets.Net, rng: Rng, noise: float, shift: float) -> nets.Net:
        """Genes change with the probabilities of the rules; noise scales the steps of numbers."""
        return nets.mutated(motion, self.rules, rng, step=noise / NOISE_UNIT)

    def mixed(self, a: nets.Net, b: nets.Net, rng: Rng, how: str) -> nets.Net:
        """A net is inherited whole: neurons of two nets have nothing to do with each other."""
        return either(a, b, rng)

    def difference(self, a: nets.Net, b: nets.Net) -> float:
        """As nets differ."""
        return nets.difference(a, b)

    def is_valid(self, motion: Any) -> bool:
        """Whether it is a valid net with two effectors."""
        return (
            isinstance(motion, nets.Net)
            and len(motion.gains) == self.rules.effectors
            and nets.is_valid(motion)
        )

    def controller(self, genome: LimbedGenome) -> Controller:
        """All legs' nets side by side."""
        neurons: dict[str, Neuron] = {}
        world = nets.world_sensors(genome.world)
        sensors = {name: Sensor(*told) for name, told in world.items()}
        effectors: dict[str | int, Any] = {}
        for pair, limb in in_place(genome):
            for side, sign in SIDES:
                upper, lower = joint_names(pair, side)
                prefix = f"{pair}_{side}_"
                senses = {
                    f"{prefix}hip": Sensor("angle", upper), f"{prefix}knee": Sensor("angle", lower),
                    f"{prefix}hip_speed": Sensor("velocity", upper), f"{prefix}knee_speed": Sensor("velocity", lower),
                    f"{prefix}touch": Sensor("touch", lower),
                }  # fmt: skip
                reach = nets.Reach(own=limb.motion.names(prefix), senses=tuple(senses), world=tuple(world))
                grown, drivers = limb.motion.grow(prefix, reach, opposed=limb.alternates and sign < 0.0)
                neurons |= grown
                sensors |= senses
                for name, driver in zip((upper, lower), drivers, strict=True):
                    if driver is not None:
                        neurons[f"{name}_drive"] = Neuron("sigmoid", (driver[0],), (1.0,))
                        effectors[name] = (f"{name}_drive", driver[1])
        return Neurons(neurons, sensors, effectors)
