"""The workload of the GPU: trees of hinges, all different; what they give is compared with the CPU before it is timed.

Needs NumPy, Numba and numba-cuda only, so that `tools/measure_cuda.py` can run it where nothing else is installed.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

LINKS = 13  # the ground included
SAMPLE = 192
GRAVITY = 9.81

VARIANTS: dict[str, dict[str, Any]] = {
    "tailored": {"scratch": "shared", "tailored": True},
    "shared": {"scratch": "shared"},
    "global-256": {"scratch": "global", "warps": 8},
}
"""Options of DeviceHerd for forward dynamics."""

LIVES: dict[str, dict[str, Any]] = {
    "life-tailored": {"scratch": "shared", "tailored": True},
    "life-shared": {"scratch": "shared"},
    "life-global-64": {"scratch": "global", "warps": 2},
}
"""The free step: semi-implicit Euler, 20 steps per launch."""


def random_rotations(rng: np.random.Generator, count: int) -> Any:
    """Uniform over the rotations, (count, 3, 3)."""
    q = rng.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    return np.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ], axis=1).reshape(-1, 3, 3)  # fmt: skip


def random_trees(creatures: int, seed: int = 1) -> tuple[tuple[int, ...], Any, Any]:
    """(kinds, parents, data) of trees of hinges, all different: parents, placements, masses and states."""
    from zoophyte.model import layout as at
    from zoophyte.model.layout import Layout

    rng = np.random.default_rng(seed)
    kinds = (at.GROUND,) + (at.HINGE,) * (LINKS - 1)
    layout = Layout.of(kinds)
    parents = np.zeros((creatures, LINKS), np.int64)
    fields = np.zeros((layout.data_size, creatures), np.float32)
    fields[at.GRAVITY + 2] = -GRAVITY
    fields[at.DT] = 1e-3
    fields[at.FAILED_LINK] = -1.0
    for link, start in enumerate(layout.data_offsets[1:], start=1):
        parents[:, link] = rng.integers(0, link, creatures)
        mass = rng.uniform(1.0, 2.0, creatures)
        com = rng.normal(scale=0.1, size=(creatures, 3))
        turn = random_rotations(rng, creatures)
        moments = rng.uniform(0.02, 0.1, (creatures, 3))
        inertia = np.einsum("nij,nj,nkj->nik", turn, moments, turn)
        inertia += mass[:, None, None] * (
            np.einsum("ni,ni->n", com, com)[:, None, None] * np.eye(3) - com[:, :, None] * com[:, None, :]
        )
        fields[start + at.TREE_E : start + at.TREE_E + 9] = random_rotations(rng, creatures).reshape(-1, 9).T
        fields[start + at.TREE_R : start + at.TREE_R + 3] = rng.normal(scale=0.3, size=(3, creatures))
        fields[start + at.MASS] = mass
        fields[start + at.MOMENT : start + at.MOMENT + 3] = (mass[:, None] * com).T
        fields[start + at.INERTIA : start + at.INERTIA + 6] = inertia[
            :, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]
        ].T
        fields[start + at.CONFIGURATION] = rng.uniform(-np.pi, np.pi, creatures)
        dof = start + at.CONFIGURATION + 1
        fields[dof + at.VELOCITY] = rng.normal(size=creatures)
        fields[dof + at.TAU] = rng.normal(size=creatures)
        fields[dof + at.APPLIED] = fields[dof + at.TAU]
        fields[dof + at.MOBILE] = 1.0
        fields[dof + at.LOWER], fields[dof + at.UPPER] = -np.inf, np.inf
    data = fields.reshape(layout.data_size, -1, 32).transpose(1, 0, 2)
    return kinds, parents, np.ascontiguousarray(data)


def on_cpu(kinds: Any, parents: Any, data: Any, dtype: Any, steps: int) -> Any:
    """The first SAMPLE creatures on the CPU, one at a time: their data afterwards, (fields, SAMPLE)."""
    from zoophyte.model import layout as at
    from zoophyte.model.layout import Layout
    from zoophyte.numbers import Spec
    from zoophyte.numbers.forms import compiled
    from zoophyte.physics.dynamics.forward import forward_dynamics
    from zoophyte.physics.lives.lives import live

    layout = Layout.of(kinds)
    rows = np.zeros((LINKS, at.ROW_SIZE), np.int64)
    rows[:, at.ROW_KIND], rows[:, at.ROW_ROLE] = kinds, at.ROLE_PREPARED
    rows[:, at.ROW_DATA], rows[:, at.ROW_SCRATCH] = layout.data_offsets, layout.scratch_offsets
    offsets = np.array(layout.scratch_offsets)
    scratch = np.zeros(layout.scratch_size, dtype)
    results = []
    for creature in range(SAMPLE):
        numbers = np.ascontiguousarray(data[creature // 32, :, creature % 32], dtype)
        header = np.zeros(at.HEADER_INTS, np.int32)
        header[:3] = LINKS, LINKS - 1, LINKS - 1
        ints = np.concatenate([header, rows.ravel(), offsets[parents[creature]]]).astype(np.int32)
        if steps:
            nothing = np.zeros(0, dtype)
            compiled(live)(ints, numbers, scratch, nothing, nothing, steps, Spec(1))
        else:
            compiled(forward_dynamics)(ints, numbers, scratch, Spec(1))
        results.append(numbers)
    return np.stack(results, axis=1)


def compared(kinds: Any, parents: Any, before: Any, after: Any, steps: int) -> dict[str, Any]:
    """Bits that differ from the CPU's float32 form, and the largest error against float64, per creature."""
    from zoophyte.model import layout as at
    from zoophyte.model.layout import Layout

    dofs = np.array(Layout.of(kinds).dof_offsets)
    rows = np.concatenate([dofs - 1, dofs + at.VELOCITY]) if steps else dofs + at.ACCELERATION
    ours = np.stack([after[c // 32, rows, c % 32] for c in range(SAMPLE)], axis=1)
    single = on_cpu(kinds, parents, before, np.float32, steps)[rows]
    double = on_cpu(kinds, parents, before, np.float64, steps)[rows]
    size = np.abs(double).max(axis=0)
    error = (np.abs(ours - double).max(axis=0) / size).max()
    expected = (np.abs(single - double).max(axis=0) / size).max()
    different = int(np.count_nonzero(ours.view(np.int32) != np.ascontiguousarray(single).view(np.int32)))
    return {
        "creatures_compared": SAMPLE, "different_bits_from_cpu_float32": different, "numbers": int(ours.size),
        "error_to_float64": float(error), "error_of_cpu_float32": float(expected),
        "finite": bool(np.isfinite(after[:, rows]).all()), "agrees": bool(error <= 2.0 * expected + 1e-6),
    }  # fmt: skip


def timed(cuda: Any, run: Any, launches: int, rounds: int) -> float:
    """Median time of a launch [s] over `rounds` rounds of `launches`, by the device's own clock."""
    run()
    cuda.synchronize()
    times = []
    for _ in range(rounds):
        start, stop = cuda.event(), cuda.event()
        start.record()
        for _ in range(launches):
            run()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1e-3 / launches)
    return float(np.median(times))


def _device_name(cuda: Any) -> str:
    name = getattr(cuda.get_current_device(), "name", "simulator")
    return name.decode() if isinstance(name, bytes) else str(name)


def measure(name: str, creatures: int, rounds: int) -> dict[str, Any]:
    """One variant, in this process; with no rounds it is only checked."""
    from zoophyte.model.layout import SEMI_IMPLICIT
    from zoophyte.numbers.cuda import require_device
    from zoophyte.physics.cuda.herd import DeviceHerd

    cuda = require_device()
    options, steps = (VARIANTS | LIVES)[name], 20 if name in LIVES else 0
    kinds, parents, data = random_trees(creatures)
    herd = DeviceHerd(kinds, parents, data, **options)
    began = time.perf_counter()
    launcher, arguments = herd.launch(SEMI_IMPLICIT if steps else None)
    grid, threads = -(-herd.blocks // herd.warps), herd.warps * 32
    figures: dict[str, Any] = {
        "variant": name, "creatures": creatures, "device": _device_name(cuda), "steps": steps,
        "registers": launcher.registers, "local_bytes": launcher.local_bytes, "shared_bytes": launcher.shared,
        "threads_per_block": threads, "compile_s": round(time.perf_counter() - began, 1),
    }  # fmt: skip
    launcher(grid, threads, *arguments, steps)
    herd.synchronize()
    figures |= compared(kinds, parents, data, herd.data(), steps)
    if not rounds:
        return figures
    configured = launcher.kernel[grid, threads, 0, launcher.shared]
    seconds = timed(cuda, lambda: configured(*arguments, steps), 3 if steps else 30, rounds)
    done = creatures * max(steps, 1)
    figures["million_per_s"] = round(done / seconds / 1e6, 1)
    if options["scratch"] == "shared" and not steps:
        # One launch of 20 passes over the whole herd: neither launching nor the last round's idle units count.
        many = launcher.kernel[(grid, 20), threads, 0, launcher.shared]
        seconds = timed(cuda, lambda: many(*arguments, steps), 3, rounds) / 20
        figures["million_per_s_in_one_launch_of_20"] = round(creatures / seconds / 1e6, 1)
    return figures
