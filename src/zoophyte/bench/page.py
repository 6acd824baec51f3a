"""The performance page of the documentation, written from a run: figures with machine and commit, never by hand."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from zoophyte.bench.harness import Quality, Row

HEAD = """# Performance

Written by `zoophyte bench --page`. Zoophyte and a peer run in turns in one process, on the same body; the fastest
round of each counts, and a ratio is formed only after their results agreed. Above 1, Zoophyte is faster.

"""

CONTACT_HEAD = """
## How well contact holds

The rows above with contact, once more, ours / the peer's. Poses of all sides are measured by MuJoCo's own collision
detection and energies. *Penetration* is the greatest depth (and the mean of the deepest contact where it was
measured), *creep* the greatest horizontal way of any body in the time given, while all should stand still,
*energy drift* the change of energy in that time, *energy gain* the greatest rise of energy while nothing drives the
bodies.

| name | workload | sides | penetration | creep | in | energy drift | energy gain |
|---|---|---|---|---|---|---|---|
"""

GPU_HEAD = """
## On a GPU

Measured with `tools/measure_cuda.py` on a machine of its own; the figures come from `{source}`.

"""


HERD_HEAD = """
### Herds

Whole lives with contact, 10 s at steps of 5 ms, float32; measured with `tools/measure_herd_cuda.py`, the figures come
from `{source}`. *On device* counts from pens in the host's memory to the numbers of all lives back there; *all* from
genotypes in memory to what is told of lives, by a nursery with as many processes as there are processors that has worked
before: until all creatures are *made*, until all have *lived*, and until their lives are *read*. The kernel is compiled
before.

"""

HERD_COLUMNS = ("workload", "creatures", "different_bodies", "sweeps", "threads_per_creature",
                "million_steps_per_s_on_device", "million_steps_per_s_all", "device_s", "all_s", "made_s", "lived_s",
                "read_s")  # fmt: skip


def machine() -> str:
    """The processor and the software, in one line."""
    import llvmlite
    import numba
    import numpy as np
    from llvmlite import binding

    features = binding.get_host_cpu_features()
    simd = next(
        (name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if features.get(flag)), "no AVX"
    )
    return (
        f"{platform.machine()} {binding.get_host_cpu_name()} ({simd}), {platform.system()}, "
        f"Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {numba.__version__}, llvmlite {llvmlite.__version__}"
    )


def commit() -> str:
    """The commit of the sources, where they are a checkout."""
    here = Path(__file__).parent
    try:
        asked = ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=10"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return f"unknown (installed package, Python {sys.version_info.major}.{sys.version_info.minor})"


def write_page(path: Path, rows: Iterable[Row], gpu: Path | None = None) -> None:
    """Write the page.

    Args:
        path: where to.
        rows: what was measured here, in the order of the table.
        gpu: a JSON file of `tools/measure_cuda.py`, if there is one; that of `tools/measure_herd_cuda.py` lies beside it and
            has `_herd` behind its name.
    """
    rows = list(rows)
    lines = [HEAD, f"Machine: {machine()}; one core. Commit: {commit()}.\n\n"]
    lines.append("| name | workload | ours | peer | ratio | bar | reached |\n|---|---|---|---|---|---|---|\n")
    for row in rows:
        reached = {True: "yes", False: "**no**", None: ""}[row.reached]
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        peer = f"{_figure(row.peer, row.unit)} {row.peer_name}".strip()
        ours = _figure(row.ours, row.unit)
        lines.append(
            f"| `{row.name}` | {row.workload} | {ours} | {peer} | {ratio} | {row.bar} | {reached} |\n"
        )
    lines += _contact_table(rows)
    if gpu is not None and gpu.exists():
        lines.append(GPU_HEAD.format(source=gpu.name))
        lines += _gpu_table(json.loads(gpu.read_text(encoding="utf-8")))
        herds = gpu.with_name(f"{gpu.stem}_herd.json")
        if herds.exists():
            lines.append(HERD_HEAD.format(source=herds.name))
            lines += _herd_table(json.loads(herds.read_text(encoding="utf-8")))
    path.write_text("".join(lines), encoding="utf-8")


def _contact_table(rows: Iterable[Row]) -> list[str]:
    """Penetration, creep and energy of every row that has them, all sides in a line."""
    lines = []
    for row in rows:
        if row.quality:
            cells = (
                " / ".join(side.who for side in row.quality),
                " / ".join(_depth(side) for side in row.quality),
                " / ".join(_scaled(side.creep, "m") for side in row.quality),
                f"{row.quality[0].seconds:g} s",
                " / ".join(_scaled(side.energy_drift, "J") for side in row.quality),
                " / ".join(_scaled(side.energy_gain, "J") for side in row.quality),
            )
            lines.append(f"| `{row.name}` | {row.workload} | {' | '.join(cells)} |\n")
    return [CONTACT_HEAD, *lines] if lines else []


def _depth(side: Quality) -> str:
    """The greatest depth, and the mean where it was measured."""
    mean = "" if side.mean_penetration is None else f" ({_scaled(side.mean_penetration, 'm')})"
    return _scaled(side.penetration, "m") + mean


def _scaled(value: float, unit: str) -> str:
    """Two digits with a prefix: 19 µm, −0.12 mJ; what is far below a femto is nothing."""
    for power, prefix in ((0, ""), (-3, "m"), (-6, "µ"), (-9, "n"), (-12, "p"), (-15, "f")):
        if abs(value) >= 0.1 * 10.0**power:
            number = value / 10.0**power
            digits = f"{number:.0f}" if abs(number) >= 10.0 else f"{number:.2g}"
            return f"{digits} {prefix}{unit}".replace("-", "−")
    return f"0 {unit}"


COLUMNS = ("variant", "creatures", "registers", "shared_bytes", "million_per_s", "million_per_s_in_one_launch_of_20",
           "error_to_float64", "different_bits_from_cpu_float32")  # fmt: skip


def _gpu_table(measured: list[dict[str, Any]]) -> list[str]:
    """Variants of the kernel, fastest first; those that start with `life` are whole steps."""
    lines = [f"Device: {measured[0]['device']}.\n\n"]
    lines.append(
        "| " + " | ".join(name.replace("_", " ") for name in COLUMNS) + " |\n|" + "---|" * len(COLUMNS) + "\n"
    )
    for row in sorted(measured, key=lambda row: -float(row.get("million_per_s", 0.0))):
        lines.append("| " + " | ".join(_cell(row.get(name, "")) for name in COLUMNS) + " |\n")
    return lines


def _herd_table(measured: list[dict[str, Any]]) -> list[str]:
    """Herds on a GPU, and how they agree with lanes on the CPU."""
    lines = ["| " + " | ".join(name.replace("_", " ") for name in HERD_COLUMNS) + " |\n|"]
    lines.append("---|" * len(HERD_COLUMNS) + "\n")
    for row in measured:
        if "device_s" in row:
            lines.append("| " + " | ".join(_cell(row.get(name)) for name in HERD_COLUMNS) + " |\n")
    for row in measured:
        if "equal_statuses" in row:
            early = _scaled(row["median_difference_at_1_s_m"], "m")
            far = _scaled(row["median_difference_of_distance_m"], "m")
            lines.append(
                f"\nBeside float32 lanes on the CPU: {100.0 * row['equal_statuses']:.1f} % of {row['creatures']} lives end "
                f"with the same status; centres of mass differ by {early} after 1 s and distances by {far} after 10 s "
                "(medians).\n"
            )
    return lines


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 1.0 else str(value)


def _figure(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.4g} {unit}"
