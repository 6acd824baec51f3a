"""Nothing in the zoo begins inside of something else: no scene pops when its life begins."""

from __future__ import annotations

import pytest

import zoophyte as zp
from zoophyte.description import Surface
from zoophyte.model import Block, State
from zoophyte.simulation.overlaps import deepest_overlaps
from zoophyte.zoo.scenes import Scene

DEEPEST = 1e-4  # m; a tenth of a millimetre is not seen

# Mechanisms that hang or turn about the origin of the world cross the plane z = 0, and a four-bar's rods cross each other:
# they have no surface, and are not meant to be given one where they are.
HANGING = {
    "pendulum", "double_pendulum", "rod", "two_rods", "chain", "cantilever", "block_and_gantry", "four_bar", "tree12",
}  # fmt: skip


def born(scene: Scene) -> Block:
    """A block with the scene as it begins."""
    world = scene.world()
    block = Block([world.model], gravity=scene.habitat.gravity, contact=world.contact)
    block.set_state(0, scene.state(world.model))
    block.set_step(world.dt)
    return block


def test_the_list_of_those_that_hang_is_of_this_zoo() -> None:
    assert set(zp.zoo.names()) >= HANGING
    assert all(zp.zoo.get(name).surface is None for name in HANGING)


@pytest.mark.parametrize("name", sorted(set(zp.zoo.names()) - HANGING))
def test_nobody_begins_inside_of_something(name: str) -> None:
    """Who has no surface is given one, as `--friction` does."""
    scene = zp.zoo.scene(name)
    scene.description.surface = scene.description.surface or Surface(friction=0.8)
    assert deepest_overlaps(born(scene), DEEPEST) == []


def test_a_foot_in_the_ground_is_found() -> None:
    """The check can fail: the same person 4.4 mm lower, as it once was."""
    scene = zp.zoo.scene("humanoid")
    scene.description.surface = Surface()
    block = born(scene)
    state = State.neutral(block.models[0])
    q = state.q.copy()
    q[6] -= 0.0044
    block.set_state(0, state.at(q))
    block.set_step(1e-3)
    deep = deepest_overlaps(block, DEEPEST)
    assert {pair for pair, _ in deep} == {("left_foot", "ground"), ("right_foot", "ground")}
    assert deep[0][1] == pytest.approx(0.0044, abs=1e-9)
