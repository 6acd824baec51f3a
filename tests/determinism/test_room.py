"""Room for contacts: a world gets what they need when they need it, and no bit of a life tells when that was."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.bench.contact.large import hit_tree
from zoophyte.description import Body, Capsule, Description, Joint, Surface
from zoophyte.model import Block, ContactSettings, contact_plan
from zoophyte.zoo.blocks import box_pile

LIMB, WHIPS = 6, 4


def whips() -> Description:
    """Chains that fall and whip: every hinge has a hard limit and dry friction."""
    bodies = []
    for n in range(WHIPS):
        for k in range(LIMB):
            parent = {} if k == 0 else {"parent": f"w{n}.{k - 1}"}
            where = (0.3 * n, 0.0, 0.7) if k == 0 else (0.0, 0.0, 0.1)
            kind: dict[str, Any] = {
                "kind": "hinge",
                "axis": (float(k % 2), 1.0, 0.0),
                "limits": (-0.6, 0.6),
                "friction": 1e-4,
            }
            shape = Capsule(radius=0.02, length=0.06, position=(0.0, 0.0, 0.05))
            bodies.append(
                Body(name=f"w{n}.{k}", joint=Joint(position=where, **kind), shapes=[shape], **parent)
            )
    return Description(name="whips", bodies=bodies, surface=Surface(friction=0.5))


def bits(life: zp.Trajectory) -> tuple[Any, ...]:
    """What a life was, to the last bit."""
    return (
        life.q.tobytes(), life.final.v.tobytes(), life.final.contact.tobytes(), life.status,
        [(event.time, event.kind, event.bodies, event.impulse) for event in life.events],
    )  # fmt: skip


def blocks_of(monkeypatch: pytest.MonkeyPatch) -> list[Block]:
    """All blocks that are given more room from now on."""
    grown: list[Block] = []
    make_room = Block.make_room

    def noted(block: Block) -> bool:
        more = make_room(block)
        if more:
            grown.append(block)
        return more

    monkeypatch.setattr(Block, "make_room", noted)
    return grown


@pytest.mark.parametrize("scene", [box_pile(30), hit_tree(120, 6)], ids=lambda scene: scene.name)
def test_a_world_that_gets_room_step_by_step_lives_the_same_life(
    scene: Description, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law: same bits, with room for one slot and four pairs at first or for all; beyond a guess there was a status."""
    model = zp.compile(scene)
    world = zp.World(model, dt=2e-3, overlap="resolve")
    roomy = world.simulate(0.3)
    monkeypatch.setattr(contact_plan, "LEAST_SLOTS", 1)
    monkeypatch.setattr(contact_plan, "AT_FIRST", 1)
    monkeypatch.setattr(contact_plan.at, "most_pairs", lambda count: 4)
    grown = blocks_of(monkeypatch)
    tight = replace(world).simulate(0.3)  # a World lays its lives out once
    assert len({id(block) for block in grown}) == 1 and len(grown) > 3
    assert bits(tight) == bits(roomy)


def test_rows_of_axes_grow_and_no_bit_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: the same for rows of limits; every axis had a row as long as the tree, whether it was near its limit or not."""
    model = zp.compile(whips())
    world = zp.World(model, dt=2e-3, overlap="resolve")
    monkeypatch.setattr(contact_plan, "LEAST_LATE", 2)
    monkeypatch.setattr(contact_plan, "AT_FIRST", 1)
    plan = contact_plan.ContactPlan._plan_room

    def whole(tables: contact_plan.ContactPlan) -> None:
        plan(tables)
        assert tables.axis_room == 4 and tables.late_room == 2
        tables.axis_room = len(tables.axes)

    grown = blocks_of(monkeypatch)
    tight = replace(world).simulate(0.3)  # a World lays its lives out once
    assert grown and grown[-1].contact is not None and grown[-1].contact.axis_room == WHIPS * LIMB
    monkeypatch.setattr(contact_plan.ContactPlan, "_plan_room", whole)
    assert bits(tight) == bits(world.simulate(0.3))


def test_slots_that_were_asked_for_stay_the_limit() -> None:
    """Law: a world with `slots` ends with a status when it meets more, as a herd does."""
    life = zp.World(zp.compile(box_pile(10)), dt=2e-3, slots=3, overlap="resolve").simulate(0.2)
    assert life.status.kind == "overflowed" and math.isfinite(float(np.abs(life.q).max()))


def test_memory_of_a_large_body_grows_with_its_paths() -> None:
    """Law: a body of twice the size takes about twice the memory; it took four times as much, for 3300 capsules 9.7 GB."""
    sizes = []
    for capsules in (400, 800):
        block = Block([zp.compile(hit_tree(capsules, 4))], contact=ContactSettings(ground=None))
        sizes.append(block.ints.nbytes + block.data.nbytes + block.scratch.nbytes)
    assert sizes[1] < 20e6 and sizes[1] < 2.5 * sizes[0]


def alone(monkeypatch: pytest.MonkeyPatch, *, tight: bool) -> zp.Herd:
    """A herd of one that has a register of its own, with room for few rows of axes at first or for all."""
    if tight:
        monkeypatch.setattr(contact_plan, "AT_FIRST", 1)
        monkeypatch.setattr(contact_plan, "LEAST_LATE", 2)
    herd = zp.Herd([whips()], dt=2e-3, workers=1)
    herd.lanes = 1
    return herd


def test_a_life_in_a_herd_that_gets_room_counts_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: a step that lacked room was counted, and done again: a life ended one step short."""
    (roomy,) = alone(monkeypatch, tight=False).simulate(0.05)
    grown = blocks_of(monkeypatch)
    (tight,) = alone(monkeypatch, tight=True).simulate(0.05)
    assert grown and tight.final is not None and roomy.final is not None
    assert tight.final.clock == roomy.final.clock
    assert (tight.final.q.tobytes(), tight.final.v.tobytes()) == (
        roomy.final.q.tobytes(),
        roomy.final.v.tobytes(),
    )


def test_a_running_herd_keeps_the_room_that_it_got(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: a pen that had grown was put back on the smaller array of its worker, and wrote beyond its end."""
    roomy, running = (alone(monkeypatch, tight=tight).begin() for tight in (False, True))
    for _ in range(4):
        running.advance(5)
        roomy.advance(5)
        assert len(running.pens[0].scratch) >= running.pens[0].scratch_size
    assert running.q().tobytes() == roomy.q().tobytes()
    running.close()
    roomy.close()
