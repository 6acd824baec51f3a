"""Chains between two fixed points, pulled straight: a loop that is rigid, though its joints are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Capsule, Connect, Joint, Sphere, Surface

LENGTH = 0.2
ALONG_X = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)


def bridge(links: int, kind: str, sag: float = 0.0, load: float = 0.0) -> zp.Description:
    """Links from one fixed point to another, and what falls on them.

    Args:
        links: how many.
        kind: of their joints.
        sag: by which the first link hangs down; the others turn back evenly [rad].
        load: density of a ball that falls on the middle; none if zero [kg/m³].
    """
    bodies = []
    for n in range(links):
        angle = sag if n == 0 else -2.0 * sag / (links - 1)
        turn = angle if kind == "hinge" else (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)
        place = (0.0, 0.0, 1.0) if n == 0 else (LENGTH, 0.0, 0.0)
        axis = {"axis": (0.0, 1.0, 0.0)} if kind == "hinge" else {}
        joint = Joint(kind=kind, position=place, initial=turn, **axis)  # type: ignore[arg-type]
        rod = Capsule(radius=0.02, length=0.75 * LENGTH, position=(0.5 * LENGTH, 0.0, 0.0), rotation=ALONG_X)
        bodies.append(Body(name=f"l{n}", parent=f"l{n - 1}" if n else "ground", joint=joint, shapes=[rod]))
    if load > 0.0:
        above = (1.0, 0.0, 0.0, 0.0, 0.5 * LENGTH * links, 0.0, 1.8)
        ball = Sphere(radius=0.1, density=load)
        bodies.append(Body(name="ball", joint=Joint(kind="free", initial=above), shapes=[ball]))
    end = Connect(body=f"l{links - 1}", other="ground", point=(LENGTH, 0.0, 0.0))
    return zp.Description(name="bridge", bodies=bodies, surface=Surface(friction=0.5), constraints=[end])


@pytest.mark.parametrize(("links", "kind"), [(3, "hinge"), (6, "ball"), (12, "hinge")])
def test_a_chain_pulled_straight_rests(links: int, kind: str) -> None:
    """Law: it cannot move, so energy stays.

    Tolerance: the way in which its middle may hang with the gap of a micrometre, √(gap·length), of its weight.  Before
    displacements were damped and bounded, three rods went from 13 J to 8 MJ in a tenth of a second.
    """
    life = zp.World(bridge(links, kind), dt=1e-3).simulate(1.0)
    energy = np.asarray(life.channel("energy"))
    hangs = math.sqrt(1e-6 * links * LENGTH)
    weight = energy[0] / 1.0  # all of it is a metre above the ground
    assert life.status.kind == "ended"
    assert energy.max() <= energy[0] * (1.0 + 1e-9)
    assert energy[0] - energy[-1] < weight * hangs
    assert np.abs(life.v[-1]).max() < 1.0


@pytest.mark.parametrize(
    ("sag", "load", "dt"), [(0.02, 200.0, 1e-3), (0.1, 1000.0, 1e-3), (0.1, 200.0, 5e-3)]
)
def test_a_blow_that_pulls_a_chain_straight_makes_no_energy(sag: float, load: float, dt: float) -> None:
    """Law: the energy of a closed system without drive never exceeds that of its beginning; it comes to rest below it."""
    life = zp.World(bridge(12, "ball", sag, load), dt=dt).simulate(2.0)
    energy = np.asarray(life.channel("energy"))
    assert life.status.kind == "ended"
    assert energy.max() <= energy[0] * (1.0 + 1e-9)
    assert energy[-1] < 0.95 * energy[0]
