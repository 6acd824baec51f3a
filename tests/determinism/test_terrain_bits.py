"""Shapes on the ridges and peaks of a terrain have the same bits alone, in lanes, and in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from bodies import Floats
from laws.test_hard_limits import thrown_tree
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Frustum,
    Joint,
    Surface,
    TaperedCapsule,
)
from zoophyte.model import Block, ContactSettings
from zoophyte.model import contact_layout as cl
from zoophyte.physics.lives.lives import live
from zoophyte.physics.living import advance

DT, STEPS, WIDTH = 1e-3, 1000, 8
X: Floats = np.linspace(-1.0, 1.0, 21)
ROOFS = zp.Terrain(np.abs((X % 0.4) - 0.2) + 0.1 * np.cos(9.0 * X[:, None]), (0.1, 0.1), (-1.0, -1.0))


def shape_of(kind: str, rng: np.random.Generator) -> Any:
    a, b, c = rng.uniform(0.05, 0.2, 3)
    return {
        "box": Box(size=(2.0 * a, 2.0 * b, c)),
        "capsule": Capsule(radius=0.3 * a, length=3.0 * b),
        "tapered": TaperedCapsule(radius_start=0.4 * a, radius_end=0.2 * b, length=3.0 * c),
        "cylinder": Cylinder(radius=a, length=b),
        "frustum": Frustum(radius_start=a, radius_end=b, length=c),
        "ellipsoid": Ellipsoid(semi_axes=(a, b, c)),
    }[kind]


def creature(kind: str, seed: int) -> tuple[zp.Model, zp.State]:
    rng = np.random.default_rng(seed)
    body = Body(name="body", joint=Joint(kind="free"), shapes=[shape_of(kind, rng)])
    model = zp.compile(
        zp.Description(name="one", bodies=[body], surface=Surface(friction=0.6, restitution=0.2))
    )
    turn = rng.normal(size=4)
    q = np.array([*(turn / np.linalg.norm(turn)), *rng.uniform(-0.5, 0.5, 2), 0.9])
    return model, zp.State.neutral(model).at(q=q, v=rng.normal(size=6))


def packed(models: list[zp.Model], states: list[zp.State]) -> Block:
    block = Block(models, contact=ContactSettings(ground=ROOFS))
    for lane, state in enumerate(states):
        block.set_state(lane, state)
    block.set_step(DT)
    block.set_integrator("implicit")
    return block


def bits(state: zp.State) -> bytes:
    return state.q.tobytes() + state.v.tobytes() + state.contact.tobytes()


@pytest.mark.parametrize("kind", ["box", "capsule", "tapered", "cylinder", "frustum", "ellipsoid"])
def test_a_world_on_terrain_equals_every_lane(kind: str) -> None:
    """`==` on all bits of the state, remembered forces included: the forms do the same operations in the same order."""
    models, states = map(list, zip(*(creature(kind, seed) for seed in range(WIDTH)), strict=True))
    block = packed(models, states)
    advance(block, STEPS)
    assert block.contact is not None
    assert np.all(block.fields[block.contact.head + cl.OVERFLOW] == 0.0)
    between_points = 0
    for lane, (model, state) in enumerate(zip(models, states, strict=True)):
        life = zp.World(model, habitat=zp.Habitat(ground=ROOFS), dt=DT).simulate(STEPS * DT, state=state)
        assert life.status.kind == "ended"
        assert bits(life.final) == bits(block.state(lane)), lane
        keys = life.final.contact[:: cl.MEMORY_RECORD]
        between_points += int(np.count_nonzero(keys >= cl.POINT_COUNT[model.shapes[0].kind]))
    assert between_points > 0  # some do lie on an edge of the terrain, not on their own points alone


@pytest.mark.parametrize("seed", [24, 32])
def test_trees_thrown_on_gentle_hills_equal_every_lane(seed: int) -> None:
    """Of edges that are hardly folded few are near; what a lane finds of them is its own, whatever its neighbours find."""
    hills = zp.Habitat(ground=zp.Terrain.bumps(height=0.08, length=0.5, seed=3, size=(20, 20)))
    model, states = thrown_tree(seed)
    herd = zp.Herd([model] * WIDTH, hills, dt=5e-3, workers=1)
    for lane, life in enumerate(herd.simulate(1.0, states, guards=zp.Guards(energy=None, speed=None))):
        assert life.final is not None
        alone = herd.world(lane).simulate(1.0, state=states[lane]).final
        assert bits(life.final) == bits(alone), lane


@pytest.mark.parametrize("kind", ["box", "capsule", "cylinder", "ellipsoid"])
def test_the_interpreter_has_the_same_bits_on_terrain(kind: str) -> None:
    """Three steps of what lies on an edge, beside the compiled kernel."""
    model, state = creature(kind, 1)
    resting = zp.World(model, habitat=zp.Habitat(ground=ROOFS), dt=DT).simulate(STEPS * DT, state=state).final
    block, other = packed([model], [resting]), packed([model], [resting])
    data = block.data.tolist()
    live(block.ints.tolist(), data, block.scratch.tolist(), block.terrain.tolist(), [], 3, block.spec)
    advance(other, 3)
    assert np.array(data).tobytes() == other.data.tobytes()
