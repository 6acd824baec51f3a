"""Layouts and blocks: every number has one place, and comes back from it."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from bodies import every_kind, random_state
from zoophyte.errors import UsageError
from zoophyte.model import Block, Layout
from zoophyte.model import layout as at
from zoophyte.model.block import roles


def test_a_layout_has_no_gaps_and_no_overlaps() -> None:
    """Law: records follow each other; q and dof blocks lie in their link's record and do not overlap."""
    kinds = (at.GROUND, at.FREE, at.HINGE, at.BALL, at.SLIDE, at.HINGE)
    layout = Layout.of(kinds)
    sizes = [at.data_record_size(kind) for kind in kinds]
    assert layout.data_offsets == tuple(at.HEADER_SIZE + sum(sizes[:n]) for n in range(len(kinds)))
    assert layout.data_size == at.HEADER_SIZE + sum(sizes)
    assert layout.scratch_size == sum(at.scratch_record_size(kind) for kind in kinds)
    assert layout.scratch_offsets[0] == 0
    assert len(layout.q_offsets) == 7 + 1 + 4 + 1 + 1
    assert len(layout.dof_offsets) == 6 + 1 + 3 + 1 + 1
    used = list(layout.q_offsets) + [dof + k for dof in layout.dof_offsets for k in range(at.DOF_SIZE)]
    for start in layout.data_offsets[1:]:
        used += range(start, start + at.CONFIGURATION)
    for link, kind in ((1, at.FREE), (3, at.BALL)):
        end = layout.data_offsets[link] + at.data_record_size(kind)
        used += range(end - at.CARRIER_SIZE, end)
    assert sorted(used) == list(range(at.HEADER_SIZE, layout.data_size))


def test_dof_fields_are_distinct() -> None:
    fields = [
        at.VELOCITY, at.TAU, at.ACCELERATION, at.MOBILE, at.ARMATURE, at.STIFFNESS, at.DAMPING, at.REST, at.LOWER,
        at.UPPER, at.LIMIT_STIFFNESS, at.LIMIT_DAMPING, at.SERVO_STIFFNESS, at.SERVO_DAMPING, at.MOTOR_STRENGTH,
        at.MOTOR_SLOWDOWN, at.COMMAND, at.COMMAND_RATE, at.COMMAND_CURVE, at.COMMAND_START, at.SINE_AMPLITUDE,
        at.SINE_FREQUENCY, at.SINE_PHASE, at.APPLIED,
    ]  # fmt: skip
    assert sorted(fields) == list(range(at.DOF_SIZE))


@pytest.mark.parametrize("width", [1, 4, 8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_states_come_back_from_every_lane(width: int, dtype: type, rng: np.random.Generator) -> None:
    """Law: what is put into a lane comes out of it, and of no other. Exact (for float32: as rounded once)."""
    models = [zp.compile(every_kind(np.random.default_rng(seed))) for seed in range(width)]
    states = [random_state(model, rng, commands=True) for model in models]
    block = Block(models, dtype=dtype)
    for lane, state in enumerate(states):
        block.set_state(lane, state)
    for lane, state in enumerate(states):
        found = block.state(lane, memory=np.array([1.0, 2.0]), alarm=0.5)
        for name in ("q", "v", "command", "applied"):
            assert np.array_equal(getattr(found, name), getattr(state, name).astype(dtype).astype(float)), (
                name
            )
        assert found.memory.tolist() == [1.0, 2.0]
        assert found.alarm == 0.5


def test_constants_of_each_lane(rng: np.random.Generator) -> None:
    models = [zp.compile(every_kind(np.random.default_rng(seed), driven=True)) for seed in range(4)]
    block = Block(models)
    for lane, model in enumerate(models):
        assert np.array_equal(block.dofs(at.STIFFNESS, lane), model.dofs.stiffness)
        assert np.array_equal(block.dofs(at.LIMIT_DAMPING, lane), model.dofs.limit_damping)
        assert np.array_equal(block.dofs(at.MOBILE, lane), np.where(model.dofs.driven, 0.0, 1.0))
        for link, start in enumerate(block.layout.data_offsets[1:], start=1):
            record = block.fields[start:, lane]
            assert record[at.MASS] == model.links.mass[link]
            assert np.array_equal(record[at.TREE_E : at.TREE_E + 9].reshape(3, 3), model.links.E[link])
            assert np.array_equal(record[at.TREE_R : at.TREE_R + 3], model.links.r[link])
    assert block.ints[at.FLAGS] & at.FLAG_DRIVEN
    assert np.all(block.fields[at.GRAVITY : at.GRAVITY + 3] == np.array([[0.0], [0.0], [-9.81]]))
    assert np.all(block.fields[at.FAILED_LINK] == -1.0)


def test_flags_follow_the_commands(rng: np.random.Generator) -> None:
    model = zp.compile(every_kind(rng))
    block = Block([model])
    assert not block.ints[at.FLAGS]
    command = np.zeros((model.nv, 7))
    command[3, 4] = 0.5
    block.set_command(command, np.zeros(0))
    assert block.ints[at.FLAGS] == at.FLAG_SINE
    block.set_command(np.zeros((model.nv, 7)), np.zeros(model.nv))
    assert not block.ints[at.FLAGS]


def test_the_clock_does_not_drift() -> None:
    """Law: the time is start + steps·dt, one rounding, however many steps there were."""
    model = zp.compile(zp.zoo.pendulum())
    life = zp.World(model, dt=0.1).simulate(10.0)
    assert life.final.clock == (0.0, 100, 0.1)
    assert life.final.time == 10.0
    assert np.array_equal(life.times, 0.1 * np.arange(101))


@pytest.mark.parametrize("count", [0, 2, 3, 5])
def test_only_some_widths_exist(count: int) -> None:
    model = zp.compile(zp.zoo.pendulum())
    with pytest.raises(UsageError, match="1, 4, 8"):
        Block([model] * count)


@pytest.mark.parametrize("width", [1, 4])
def test_roles_of_links(width: int, rng: np.random.Generator) -> None:
    """The roles of links were found twice, for worlds and for herds. Oracle: link after link, in each lane."""
    for count in range(1, 30):
        parents = np.zeros((width, count), np.int64)
        for link in range(2, count):
            parents[:, link] = rng.integers(0, link, 1 if rng.random() < 0.7 else width)
        first = [{int(parent): link for link, parent in enumerate(own) if link} for own in parents]
        expected = [0] * count
        for link in range(1, count):
            children = {own.get(link, 0) for own in first}
            expected[link] |= 0 if parents[:, link].any() else at.ROLE_ROOT
            if len(children) > 1:
                expected[link] |= at.ROLE_PREPARED
            elif (child := children.pop()) > 0:
                expected[child] |= at.ROLE_FIRST
            else:
                expected[link] |= at.ROLE_LEAF
        assert roles(parents).tolist() == expected
