"""CUDA threads: the kernels compile to single-precision PTX without a stack, and herds equal the CPU.

Without a GPU, numba-cuda's simulator runs two blocks of creatures thread by thread (in a process of its own, because it
takes the place of numba.cuda).  It checks the glue: who reads whose fields, parents and scratch.  Threads compute with
correctly rounded operations and nothing is contracted, so equality is exact, in the simulator and on a device.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from agreement.forms.creatures import OTHER_PARENTS, alone, assert_same_bits, creature, packed, start
from bodies import GROUND, Plan, build
from zoophyte.errors import UsageError
from zoophyte.model import Block
from zoophyte.model import layout as at
from zoophyte.model.layout import INTEGRATORS
from zoophyte.numbers.cuda import WARP, device_problem
from zoophyte.numbers.forms import compiled
from zoophyte.physics.cuda import DeviceHerd
from zoophyte.physics.cuda.kernels import Form, ptx
from zoophyte.physics.cuda.layout import ThreadLayout
from zoophyte.physics.dynamics.forward import forward_dynamics

pytest.importorskip("numba_cuda")

HINGES = (at.GROUND,) + (at.HINGE,) * 12
ALL_KINDS = (at.GROUND, at.FREE, at.HINGE, at.BALL, at.SLIDE)
MULTIPROCESSOR = 228 * 1024  # shared memory of one on compute capability 9.0 [bytes]
RESERVED = 1024  # of it per block of threads
CASES = ("forward_dynamics", "semi_implicit", "rk4", "implicit", "ros2")
SIMULATED = [
    # Whose, where their scratch is, what they do, and in how many warps: a second one is slow to simulate.
    ("all kinds", "global", "forward_dynamics", 2),
    *(("all kinds", "global", case, 1) for case in CASES[1:]),
    *(("hinges", "global", case, 1) for case in CASES[:2]),
    ("hinges", "shared", "ros2", 2),
    ("small", "shared", "forward_dynamics", 2),  # of all kinds, in float32
]
STEPS = 2


def form(kinds: tuple[int, ...], method: int | None, *, shared: bool = True, rows: Any = None) -> Form:
    size = at.Layout.of(kinds).data_size
    return Form(method, ThreadLayout.of(kinds, method), True, shared, size, len(kinds), rows)


def tailored(kinds: tuple[int, ...], method: int | None) -> Form:
    herd = DeviceHerd.__new__(DeviceHerd)  # a herd without a device: only its table is wanted
    herd.kinds, herd.layout = kinds, at.Layout.of(kinds)
    plain = form(kinds, method)
    return form(kinds, method, rows=herd._rows(plain.layout, 0))


def stack_bytes(text: str) -> int:
    """Local memory per thread: what the compiler could not keep in registers."""
    return sum(int(size) for size in re.findall(r"\.local[^;]*__local_depot\w*\[(\d+)\]", text))


FORMS = [
    pytest.param(lambda: form(HINGES, None), id="forward dynamics"),
    pytest.param(lambda: tailored(HINGES, None), id="forward dynamics of hinges"),
    pytest.param(lambda: form(ALL_KINDS, INTEGRATORS["semi_implicit"]), id="semi_implicit"),
    pytest.param(lambda: form(ALL_KINDS, None, shared=False), id="global memory", marks=pytest.mark.slow),
    *(
        pytest.param(lambda name=name: form(ALL_KINDS, INTEGRATORS[name]), id=name, marks=pytest.mark.slow)
        for name in ("ros2", "rk4", "rkf45", "implicit")
    ),
]


@pytest.mark.parametrize("make", FORMS)
def test_kernels_compile_to_single_precision_without_a_stack(make: Any) -> None:
    """Law: no number is widened, none spills into slow memory. Oracle: the PTX that NVVM makes."""
    text = ptx(make())
    assert ".f64" not in text
    assert stack_bytes(text) == 0
    assert "fma.rn.f32" in text and "mul.rn.f32" in text
    assert not re.search(r"\b(?:mul|add|sub)\.f32", text)  # without .rn they may be contracted
    assert "__nv_" not in text


def test_the_reader_of_stacks_can_see_one() -> None:
    assert stack_bytes(".local .align 8 .b8 \t__local_depot0[48];") == 48


@pytest.mark.parametrize("method", [None, INTEGRATORS["semi_implicit"]])
def test_three_warps_of_twelve_hinges_fit_into_a_multiprocessor(method: int | None) -> None:
    size = ThreadLayout.of(HINGES, method).shared_bytes(4)
    assert 3 * (size + RESERVED) <= MULTIPROCESSOR


@pytest.mark.parametrize("kinds", [HINGES, ALL_KINDS, (at.GROUND, at.BALL), (at.GROUND, at.SLIDE, at.HINGE)])
@pytest.mark.parametrize("method", [None, *INTEGRATORS.values()])
def test_records_hold_their_parts_and_do_not_overlap(kinds: tuple[int, ...], method: int | None) -> None:
    """Law: what is alive at the same time has its own place. V, IA and E are, and so is the joint part."""
    layout = ThreadLayout.of(kinds, method)
    at_ = dict(layout.constants)
    ends = [*layout.offsets[1:], layout.size]
    for link, kind in enumerate(kinds):
        size = ends[link] - layout.offsets[link]
        parts = {"V": 6, "IA": 21, "P": 6}
        if link:
            parts |= {"E": 9, "JOINT": at.JOINT_SIZE[kind]}
        if kind in (at.SLIDE, at.FREE):
            parts |= {"R": 3}
        places = {name: set(range(at_[name], at_[name] + count)) for name, count in parts.items()}
        assert max(max(place) for place in places.values()) < size
        if at.FREE not in kinds:
            places.pop("P")  # shares its place with the joint part
        assert sum(map(len, places.values())) == len(set.union(*places.values()))


# ----------------------------------------------------------------------------------------------- herds against the CPU


def menagerie(hinges: bool) -> list[zp.Model]:
    """64 creatures with different parents: of all kinds, or of hinges alone."""
    if not hinges:
        return [creature(seed, OTHER_PARENTS[seed % len(OTHER_PARENTS)]) for seed in range(2 * WARP)]
    rng = np.random.default_rng(5)
    models = []
    for _ in range(2 * WARP):
        parents = [GROUND, *(int(rng.integers(-1, index)) for index in range(1, 4))]
        models.append(zp.compile(build([Plan("hinge", parent, springs=True) for parent in parents], rng)))
    return models


def expected_of(model: zp.Model, state: zp.State, case: str, dtype: Any) -> Any:
    if case != "forward_dynamics":
        return alone(model, state, case, STEPS, dtype)
    block = packed([model], [state], "semi_implicit", dtype=dtype)
    compiled(forward_dynamics)(block.ints, block.data, block.scratch, block.spec)
    return block.fields[:, 0]


def herd_of(models: list[zp.Model], states: list[zp.State], dtype: Any, **options: Any) -> DeviceHerd:
    blocks = []
    for first in range(0, len(models), WARP):
        chosen = slice(first, first + WARP)
        blocks.append(packed(models[chosen], states[chosen], "semi_implicit", mixed=True))
    return DeviceHerd.from_blocks(blocks, dtype=dtype, **options)


def lived(herd: DeviceHerd, case: str) -> Any:
    """(creatures, fields) afterwards."""
    if case == "forward_dynamics":
        herd.forward_dynamics()
    else:
        herd.life(STEPS, case)
    herd.synchronize()
    return herd.data().transpose(0, 2, 1).reshape(herd.blocks * WARP, -1)


def check_herd(hinges: bool, case: str, dtype: Any, *, warps: int = 2, **options: Any) -> int:
    """Compare every number of every creature; returns how many creatures moved."""
    models = menagerie(hinges)[: warps * WARP]
    states = [start(model, seed) for seed, model in enumerate(models)]
    herd = herd_of(models, states, dtype, **options)
    before = herd.data().transpose(0, 2, 1).reshape(len(models), -1)
    if herd.scratch == "global" and "NUMBA_ENABLE_CUDASIM" in os.environ:
        herd.launch(INTEGRATORS.get(case))[1][2][:] = np.nan  # nobody may read what he did not write
    found = lived(herd, case)
    for creature_found, model, state in zip(found, models, states, strict=True):
        assert_same_bits(creature_found, expected_of(model, state, case, dtype))
    return int(np.count_nonzero(np.any(found != before, axis=1)))


def simulate_all() -> dict[str, str]:
    """What the process with the simulator does: every case to its fault, or to nothing."""
    faults = {}
    for who, scratch, case, warps in SIMULATED:
        try:
            dtype = np.float32 if who == "small" else np.float64
            moved = check_herd(who == "hinges", case, dtype, warps=warps, scratch=scratch)
            fault = "" if moved == warps * WARP else f"only {moved} creatures changed"
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
        faults[f"{who}, {scratch}, {case}"] = fault
    return faults


def test_simulated_threads_equal_the_cpu() -> None:
    """Law: one source, one result. Oracle: each creature alone in scalar code on the CPU; exact in both precisions."""
    root = Path(__file__).resolve().parents[3]
    environment = os.environ | {
        "NUMBA_ENABLE_CUDASIM": "1",
        "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root / 'tests'}",
    }
    done = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    faults = json.loads(done.stdout)
    assert len(faults) == len(SIMULATED)
    assert {case: fault for case, fault in faults.items() if fault} == {}


@pytest.mark.gpu
@pytest.mark.skipif(bool(device_problem()), reason="no GPU")
@pytest.mark.parametrize("scratch", ["shared", "global"])
@pytest.mark.parametrize("case", CASES)
def test_a_device_equals_the_cpu(case: str, scratch: str) -> None:
    """Law: one source, one result. Oracle: each creature alone in scalar code on the CPU, float32; exact."""
    assert check_herd(False, case, np.float32, scratch=scratch) == 2 * WARP


@pytest.mark.skipif(not device_problem(), reason="there is a GPU")
def test_a_herd_without_a_device_says_so() -> None:
    with pytest.raises(UsageError, match="no usable NVIDIA GPU"):
        DeviceHerd(HINGES, np.zeros((WARP, 13)), np.zeros((1, 645, WARP), np.float32))


def test_blocks_of_another_width_cannot_join() -> None:
    with pytest.raises(UsageError, match=r"a block of 4 creatures .* hold 32 creatures"):
        DeviceHerd.from_blocks([Block([creature(seed) for seed in range(4)])])


if __name__ == "__main__":
    sys.stdout.write(json.dumps(simulate_all()))
