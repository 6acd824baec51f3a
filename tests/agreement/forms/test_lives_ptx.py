"""Whole lives on CUDA, without a GPU: what the compiler makes of the herd's kernel."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from agreement.forms.test_cuda import stack_bytes
from zoophyte.model import contact_layout as cl
from zoophyte.model.layout import CONTACT, NV
from zoophyte.numbers import Spec, all_lanes, any_lane, largest_lane, load, number, store, width
from zoophyte.numbers.cuda import compile_ptx, device_function, import_cuda
from zoophyte.numbers.cuda.team import line_up, meet, rank, size, total
from zoophyte.physics.contact import axes, cone
from zoophyte.physics.cuda import teams

pytest.importorskip("numba_cuda")

LOCAL_BYTES = 128
"""Local memory that a thread may have: frames of outlined functions."""


def test_lives_compile_to_single_precision() -> None:
    """Law: one source for all machines, no number is widened. Oracle: the PTX that NVVM makes."""
    from zoophyte.physics.cuda.lives import ptx

    text = ptx()
    assert ".f64" not in text and "__nv_" not in text
    assert "fma.rn.ftz.f32" in text and "div.full.ftz.f32" in text and "div.rn" not in text
    assert "sqrt.approx.ftz.f32" in text and "sqrt.rn" not in text  # no slow way for the zeros of idle lanes
    assert "vote.sync.any" in text and "redux.sync.max" in text  # threads ask each other
    assert "shfl.sync.bfly" in text and "bar.warp.sync" in text  # teams divide loops
    assert (
        "ld.global.L2::256B.f32" in text and "ld.global.f32" not in text
    )  # who misses a number fetches its neighbours
    assert "ld.global.nc" in text  # the table of integers is known to stay
    assert stack_bytes(text) <= LOCAL_BYTES


def test_a_team_of_one_does_what_one_lane_does() -> None:
    """Law: threads divide loops, and results stay. Oracle: the loops of the CPU; tolerance: another order of sums."""
    spec, rng = Spec(1), np.random.default_rng(3)
    for count in (1, 4, 9, 14):
        ints = [0] * 60
        ints[CONTACT], ints[NV] = 10, count
        slot, w = 20, 0
        ints[10 + cl.ROW_STRIDE], ints[10 + cl.WORK_START], ints[10 + cl.RUN_AREA] = count + 1, w, 16
        scratch = rng.normal(size=slot + cl.SLOT_RUNS + 16 + 3 * count + 40).tolist()
        scratch[slot + cl.SLOT_RUNS : slot + cl.SLOT_RUNS + 4] = [float(count), 0.0, 0.0, 0.0]  # all of a row
        start, impulse = (0.1, 0.2, 0.3), (0.5, -0.25, 0.125)
        ours = teams.slot_velocity(ints, scratch, slot, start, spec)
        theirs = cone.slot_velocity(ints, scratch, slot, start, spec)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)
        np.testing.assert_allclose(
            teams.normal_motion(ints, scratch, slot, 0.1, spec), theirs[0], rtol=0, atol=1e-14
        )
        changed, expected = list(scratch), list(scratch)
        teams.add_slot(ints, changed, slot, impulse, spec)
        cone.add_slot(ints, expected, slot, impulse, spec)
        assert changed == expected
        ints[10 + cl.AXIS_POOL], scratch[slot + cl.AXIS_ROW] = slot + cl.AXIS_SIZE, 1.0
        runs = slot + cl.AXIS_SIZE
        scratch[runs : runs + 4] = [float(count), 0.0, 0.0, 0.0]
        np.testing.assert_allclose(
            teams.axis_motion(ints, scratch, slot, 0.7, w, spec),
            axes.axis_motion(ints, scratch, slot, 0.7, w, spec), rtol=0, atol=1e-14,
        )  # fmt: skip
        changed, expected = list(scratch), list(scratch)
        teams.add_axis(ints, changed, slot, 0.3, spec)
        axes.add_axis(ints, expected, slot, 0.3, spec)
        assert changed == expected


def asking(data: Any, spec: Any) -> None:
    """A function on numbers that asks other lanes three times, and its own team once."""
    x = load(data, rank(spec) + size(spec), spec)
    if any_lane(x > number(1.0, x)) and not all_lanes(x > number(2.0, x)):
        store(data, width(spec), largest_lane(x) + total(x, spec), spec)
    meet(spec)
    line_up(spec)


def test_threads_of_a_warp_ask_each_other() -> None:
    """Law: any_lane, all_lanes and largest_lane are asked of all threads of a warp. Oracle: the PTX that NVVM makes."""
    from numba.core import types

    from zoophyte.numbers.cuda.warp import together

    cuda = import_cuda()
    work = device_function(asking, replaced=together(8))

    def kernel(data: Any) -> None:
        work(data[cuda.threadIdx.x :], 0)

    text = compile_ptx(kernel, (types.float32[::1],))
    assert re.search(r"vote\.sync\.any\.pred p, p, 0xffffffff", text) and "vote.sync.all.pred" in text
    assert "redux.sync.max.s32" in text
    assert text.count("shfl.sync.bfly.b32") == 2  # eight creatures in a warp: teams of four
    assert "bar.warp.sync" in text and re.search(r"bar(?:rier)?\.sync\s+0", text)
    assert re.search(r"st\.global\.[bfu]32\s+\[%rd\d+\+32\]", text)  # eight lanes of four bytes further on
