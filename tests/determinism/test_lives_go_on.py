"""A life goes on from any state that a step has left, however deep or open, with the bits of the unbroken life."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import Sine
from zoophyte.description import Body, Connect, Description, Joint, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.model import Plane, State
from zoophyte.simulation import Habitat

DT = 5e-3
CUTS = 40
PIECE = 20
"""Steps from one cut to the next."""
HANGING = {
    "pendulum",
    "double_pendulum",
    "rod",
    "two_rods",
    "chain",
    "cantilever",
    "block_and_gantry",
    "four_bar",
    "tree12",
}
"""Mechanisms that cross the plane z = 0: they have no surface."""
SMALL = {"humanoid32", "ragdoll", "ant", "four_bar", "capsule_pinch", "rattleback", "box_stack"}
"""Of the zoo: one of each kind."""


def bits(state: State) -> list[bytes]:
    return [np.asarray(getattr(state, part.name), float).tobytes() for part in fields(State)]


def world(name: str, **changes: Any) -> zp.World:
    """An inhabitant of the zoo on the ground, driven by sines where it can be."""
    scene = zp.zoo.scene(name)
    if name not in HANGING:
        scene.description.surface = scene.description.surface or Surface(friction=0.8)
    dofs = zp.compile(scene.description).dofs
    acting = Sine(0.5, frequency=1.3) if (dofs.servo_stiffness.any() or dofs.motor_strength.any()) else None
    return scene.world(**{"dt": DT, "controller": acting, **changes})


def start(name: str, model: zp.Model) -> State:
    return zp.zoo.scene(name).state(model)


def check_cuts(name: str) -> None:
    whole, state = world(name), None
    begin = start(name, whole.model)
    unbroken = whole.simulate(CUTS * PIECE * DT, begin)
    assert unbroken.status.kind == "ended"
    joined, state = [unbroken.q[:1]], begin
    for _ in range(CUTS):
        piece = whole.simulate(PIECE * DT, state)
        joined, state = [*joined, piece.q[1:]], piece.final
    assert np.concatenate(joined).tobytes() == unbroken.q.tobytes()
    assert bits(state) == bits(unbroken.final)


@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_life_of_the_zoo_goes_on_from_forty_states(name: str) -> None:
    """A World refused 18 of 40 states that the humanoid's own life had left: "shapes overlap when life begins".

    Oracle: the unbroken life; exact.
    """
    check_cuts(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(zp.zoo.names()) - SMALL))
def test_every_life_of_the_zoo_goes_on_from_forty_states(name: str) -> None:
    """Of all others, among them piles and walls that sleep."""
    check_cuts(name)


@cache
def deep_state() -> State:
    """The humanoid in a step end at which it is deeper in the ground than a newborn may be."""
    from zoophyte.model import Block
    from zoophyte.simulation.overlaps import TOLERANCE, deepest_overlaps

    state, whole = None, world("humanoid32")
    block = Block([whole.model], contact=whole.contact)
    block.set_step(DT)
    for _ in range(CUTS):
        state = whole.simulate(PIECE * DT, state).final
        block.set_state(0, state)
        if deepest_overlaps(block, TOLERANCE * min(whole.model.touching.reaches)):
            return state
    raise AssertionError("the humanoid is never deep in the ground, so these tests would show nothing")


def test_resolving_leaves_a_state_alone_that_has_lived() -> None:
    """It was pushed apart, so that the life that went on was another one."""
    refusing = world("humanoid32").simulate(0.1, deep_state())
    resolving = world("humanoid32", overlap="resolve").simulate(0.1, deep_state())
    assert resolving.q.tobytes() == refusing.q.tobytes()
    assert bits(resolving.final) == bits(refusing.final)


def test_a_herd_that_begins_takes_lives_that_go_on() -> None:
    """Herd.begin turned them away as newborn ones, while Herd.simulate let them live."""
    whole = world("humanoid32")
    herd = zp.Herd([whole.model], whole.habitat, whole.controller, dt=DT, slots=whole.slots or 128)
    running = herd.begin([deep_state()])
    running.advance(20)
    (life,) = herd.simulate(20 * DT, [deep_state()])
    assert running.alive().all() and life.final is not None
    assert bits(running.state(0)) == bits(life.final) == bits(whole.simulate(20 * DT, deep_state()).final)
    running.close()


def test_a_life_goes_on_from_a_file(tmp_path: Path) -> None:
    """That a state has lived is kept with it, and for files without it a life of several frames tells it."""
    whole = world("humanoid32")
    life = whole.simulate(0.1, deep_state())
    life.save(tmp_path / "life.npz")
    loaded = zp.Trajectory.load(tmp_path / "life.npz")
    assert bits(loaded.final) == bits(life.final) and loaded.final.lived != 0.0
    with np.load(tmp_path / "life.npz") as archive:
        arrays = {name: archive[name] for name in archive.files if name != "final/lived"}
    np.savez(tmp_path / "old.npz", **arrays)
    assert zp.Trajectory.load(tmp_path / "old.npz").final.lived == life.final.lived
    again = zp.World(loaded.description, whole.habitat, whole.controller, DT)
    assert bits(again.simulate(0.1, loaded.final).final) == bits(whole.simulate(0.1, life.final).final)


def test_a_recorded_frame_may_begin_a_life() -> None:
    """A frame of a life was refused as its final state was."""
    life = world("humanoid32").simulate(CUTS * PIECE * DT, record_rate=10.0)
    for index in range(len(life)):
        world("humanoid32").simulate(DT, life.frame(index))


def test_who_has_not_lived_is_new() -> None:
    """A life of no steps has lived nothing, be it in a World, a herd, or a herd that runs."""
    whole = world("humanoid32")
    herd = zp.Herd([whole.model], whole.habitat, dt=DT)
    (life,) = herd.simulate(0.0)
    running = herd.begin()
    assert life.final is not None
    assert whole.simulate(0.0).final.lived == life.final.lived == running.state(0).lived == 0.0
    running.advance(1)
    assert running.state(0).lived == whole.simulate(DT).frame(-1).lived != 0.0 or whole.controller is not None
    running.close()


def sunk(state: State, depth: float) -> State:
    """The same, with the root that much lower."""
    q = state.q.copy()
    q[6] -= depth
    return replace(state, q=q)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_state_that_was_changed_is_asked_again(dtype: Any) -> None:
    """Who moves the bodies of a state, in place or not, is told of what overlaps, in worlds and herds alike."""
    whole = world("humanoid32", dtype=dtype, sleep=None)
    moved = replace(deep_state(), q=deep_state().q.copy())
    moved.q[6] -= 0.05
    for state in (moved, sunk(deep_state(), 0.05), deep_state().at(q=moved.q)):
        with pytest.raises(UsageError, match=r"shapes overlap when life begins: (left|right)_foot"):
            whole.simulate(DT, state)
        herd = zp.Herd([whole.model], whole.habitat, whole.controller, dt=DT, dtype=dtype)
        (life,) = herd.simulate(DT, [state])
        assert life.status.kind == "overlapping"


def test_a_state_on_another_ground_is_asked_again() -> None:
    """The floor of another world may be higher."""
    raised = Habitat(ground=Plane(height=0.05))
    with pytest.raises(UsageError, match="shapes overlap when life begins"):
        world("humanoid32", habitat=raised).simulate(DT, deep_state())


def test_who_rests_may_be_moved_along_the_ground() -> None:
    """What rests is as deep as the slop of its largest shape, which is too deep for a newborn one with small shapes."""
    whole, state = world("humanoid32"), deep_state()
    q = state.q.copy()
    q[4] += 3.0
    with pytest.raises(UsageError, match="shapes overlap when life begins"):
        whole.simulate(DT, State.neutral(whole.model).at(q=q))
    assert whole.simulate(DT, state.at(q=q)).status.kind == "ended"


def test_velocities_and_commands_are_no_matter_of_place() -> None:
    """Who only pushes a body goes on where it is."""
    state = deep_state()
    pushed = state.at(v=state.v + 0.1)
    assert pushed.lived == state.lived
    assert world("humanoid32").simulate(DT, pushed).status.kind == "ended"


def test_a_constraint_that_loads_have_opened_goes_on() -> None:
    """A state without contacts that has lived was asked as a newborn one is; a held weight opens what holds it a little."""
    bodies = [
        Body(
            name="beam", joint=Joint(kind="hinge", axis=(0, 1, 0)), shapes=[Sphere(radius=0.05, density=1e5)]
        ),
        Body(
            name="rider",
            joint=Joint(kind="free", initial=(1, 0, 0, 0, 1, 0, 0)),
            shapes=[Sphere(radius=0.05, density=1e3)],
        ),
    ]
    held = Connect(body="beam", other="rider", point=(1.0, 0.0, 0.0), other_point=(0.0, 0.0, 0.0))
    scene = Description(name="swing", bodies=bodies, constraints=[held])
    whole = zp.World(scene, dt=2e-2)
    unbroken, state = whole.simulate(2.0), None
    for _ in range(20):
        state = whole.simulate(0.1, state).final
    assert state is not None and bits(state) == bits(unbroken.final)


def test_frames_whose_body_was_moved_are_asked_again(tmp_path: Path) -> None:
    """Any coordinates in a trajectory passed for lived: a life could begin half a metre inside of the floor."""
    world = zp.World(zp.zoo.walking_ant(), controller=Sine(0.5, frequency=1.3), dt=DT)
    life = world.simulate(0.3)
    assert world.simulate(DT, life.frame(30)).status.is_sound
    q = life.q.copy()
    q[:, 6] -= 0.5
    sunk = replace(life, q=q)
    assert sunk.frame(30).lived == 0.0
    with pytest.raises(UsageError, match="overlap"):
        world.simulate(DT, sunk.frame(30))
    life.save(tmp_path / "life.npz")
    assert zp.Trajectory.load(tmp_path / "life.npz").frame(30).lived == life.frame(30).lived != 0.0
