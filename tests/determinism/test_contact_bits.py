"""Lives with contact have the same bits alone, in lanes, among any neighbours, and after they were saved and loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from bodies import Floats
from determinism.test_resume import assert_continued
from zoophyte.description import (
    Attach,
    Body,
    Box,
    Capsule,
    Connect,
    Description,
    Joint,
    Servo,
    Sphere,
    Surface,
    Weld,
)
from zoophyte.model import Block, ContactSettings
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.physics.lives.lives import live
from zoophyte.physics.living import advance

DT = 1e-3
STEPS = 600
WIDTH = 8


def free(name: str, shape: Any, place: tuple[float, float, float]) -> Body:
    return Body(name=name, joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, *place)), shapes=[shape])


def scene(seed: int, *, held: bool = True) -> zp.Model:
    """A box with a leg that has a limit, dry friction and a weak servo; a ball, and two more that are held.

    All seeds have the same topology; sizes, surfaces and strengths differ.
    """
    rng = np.random.default_rng(seed)
    leg = Joint(
        kind="hinge", axis=(0.0, 1.0, 0.0), position=(0.2, 0.0, 0.0), limits=(-0.6, 0.4), friction=rng.uniform(0.1, 1.0),
        actuator=Servo(stiffness=300.0, damping=2.0, max_force=rng.uniform(0.5, 3.0)), initial=0.3,
    )  # fmt: skip
    bodies = [
        free("trunk", Box(size=tuple(rng.uniform(0.2, 0.3, 3))), (0.0, 0.0, 0.5)),
        Body(name="leg", parent="trunk", joint=leg, shapes=[Capsule(radius=0.03, length=0.3)]),
        free("ball", Sphere(radius=rng.uniform(0.08, 0.1)), (0.05, 0.0, 1.0)),
        free("one", Capsule(radius=0.05, length=0.2), (1.0, 0.0, 0.5)),
        free("other", Box(size=(0.1, 0.2, 0.1)), (1.0, 0.3, 0.5)),
        Body(name="post", joint=Joint(kind="fixed", position=(1.0, 0.3, 0.5))),
    ]
    holds = [
        Connect(body="one", point=(0.0, 0.0, 0.15)),
        Connect(body="post", other="other"),  # whose first end does not move
        Weld(body="other", other="one"),
        Attach(body="ball", other="trunk", stiffness=rng.uniform(20.0, 60.0), damping=0.5, break_length=0.7),
    ]
    surface = Surface(friction=rng.uniform(0.2, 1.0), restitution=rng.uniform(0.3, 0.9), rolling=0.001)
    return zp.compile(
        Description(name="scene", bodies=bodies, surface=surface, constraints=holds if held else [])
    )


def start(model: zp.Model, seed: int) -> zp.State:
    return zp.State.neutral(model).at(v=np.random.default_rng([seed, 1]).normal(size=model.nv))


def packed(models: list[zp.Model], states: list[zp.State]) -> Block:
    block = Block(models, contact=ContactSettings())
    for lane, state in enumerate(states):
        block.set_state(lane, state)
    block.set_step(DT)
    block.set_integrator("implicit")
    return block


def lived(models: list[zp.Model], states: list[zp.State], steps: int = STEPS) -> Block:
    """A block after its life; a creature that diverged or found no room would prove little."""
    block = packed(models, states)
    advance(block, steps)
    assert block.contact is not None
    assert np.all(block.fields[at.FAILED_LINK] < 0.0)
    assert np.all(block.fields[block.contact.head + cl.OVERFLOW] == 0.0)
    return block


def bits(block: Block, lane: int) -> bytes:
    state = block.state(lane)
    return state.q.tobytes() + state.v.tobytes() + state.contact.tobytes()


def test_a_world_equals_every_lane() -> None:
    models = [scene(seed) for seed in range(WIDTH)]
    states = [start(model, seed) for seed, model in enumerate(models)]
    block = lived(models, states)
    for lane, (model, state) in enumerate(zip(models, states, strict=True)):
        life = zp.World(model, dt=DT).simulate(STEPS * DT, state=state)
        assert life.status.kind == "ended"
        assert any(event.kind == "begin" for event in life.events)  # something does touch
        final = life.final
        assert final.q.tobytes() + final.v.tobytes() + final.contact.tobytes() == bits(block, lane), lane


def test_neighbours_change_nothing() -> None:
    """The same creature in every lane in turn, its neighbours others each time."""
    model, state = scene(0), start(scene(0), 0)
    alone = bits(lived([model], [state]), 0)
    for lane in (0, 3, 7):
        models = [scene(100 * lane + n) for n in range(WIDTH)]
        states = [start(other, 100 * lane + n) for n, other in enumerate(models)]
        models[lane], states[lane] = model, state
        assert bits(lived(models, states), lane) == alone, lane


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("seconds", [0.05, 0.35])
def test_a_saved_life_goes_on(seed: int, seconds: float, tmp_path: Path) -> None:
    """Broken off before the first touch, and amid contacts whose impulses the solver remembers."""
    world = zp.World(scene(seed), dt=DT)
    state = start(world.model, seed)
    unbroken = world.simulate(0.6, state=state)
    first = world.simulate(seconds, state=state)
    first.save(tmp_path / "life")
    second = world.simulate(0.6 - seconds, state=zp.Trajectory.load(tmp_path / "life").final)
    assert_continued(unbroken, first, second)


@pytest.mark.parametrize("held", [False, True])
def test_the_interpreter_makes_the_same_bits(held: bool) -> None:
    """Three steps amid contacts, by the plain functions on lists."""
    model = scene(1, held=held)
    touching = lived([model], [start(model, 1)], 300).state(0)
    block = packed([model], [touching])
    data = block.data.tolist()
    live(block.ints.tolist(), data, block.scratch.tolist(), block.terrain.tolist(), [], 3, block.spec)
    found: Floats = np.array(data)
    assert found.tobytes() == lived([model], [touching], 3).data.tobytes()
