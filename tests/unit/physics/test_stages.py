"""A step is one list of named stages, the same for a World and a Herd, with contact and without."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import zoophyte as zp
from zoophyte.model import Block, ContactSettings
from zoophyte.physics.lives.lives import live

steps = importlib.import_module("zoophyte.physics.step")  # the package has a function of that name
STAGES = ("poses", "forces", "accelerate", "detect", "respond", "integrate", "note")


def free_world() -> Any:
    block = Block([zp.compile(zp.zoo.pendulum())])
    block.set_integrator("semi_implicit")
    return block


def touching_world() -> Any:
    block = Block([zp.compile(zp.zoo.ant())], contact=ContactSettings())
    block.set_integrator("implicit")
    return block


def herd() -> Any:
    one = zp.Herd([zp.zoo.ant()])
    one.lanes = 1  # the interpreter takes one creature after the other
    pen = one.pen([0], one.terms(0.1, None, None, 0.0, 0.1, 0.05))
    pen.load(0, one.creatures[0], zp.State.neutral(one.models[0]))
    pen.refresh()
    return pen


def tell(monkeypatch: pytest.MonkeyPatch, seen: list[str]) -> None:
    """Let every stage leave its name when it is called."""
    for name in STAGES:
        stage = getattr(steps, name)

        def told(*given: Any, stage: Any = stage, name: str = name) -> Any:
            seen.append(name)
            return stage(*given)

        monkeypatch.setattr(steps, name, told)


@pytest.mark.parametrize("block", [free_world, touching_world, herd])
def test_the_stages_come_in_their_order(block: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: one list of stages. Oracle: the names, as the interpreter calls them for each kind of block."""
    assert steps.STAGES == STAGES
    made, seen = block(), list[str]()
    tell(monkeypatch, seen)
    if hasattr(made, "set_step"):
        made.set_step(1e-3)
    live(made.ints, made.data, made.scratch, made.terrain, made.orders, 2, made.spec)
    assert seen == [*STAGES, *STAGES]


@pytest.mark.parametrize("integrator", ["rk4", "rkf45", "ros2"])
def test_evaluations_repeat_all_but_the_note(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: an integrator of n evaluations goes n times through the list, and notes once."""
    block, seen = free_world(), list[str]()
    block.set_integrator(integrator)
    block.set_step(1e-3)
    tell(monkeypatch, seen)
    live(block.ints, block.data, block.scratch, block.terrain, block.orders, 1, block.spec)
    count = {"rk4": 4, "rkf45": 6, "ros2": 2}[integrator]
    assert seen == [*STAGES[:-1] * count, "note"]
