"""How much memory environments take, and how many fit into what is free."""

from __future__ import annotations

import gc
import os
import tracemalloc
from pathlib import Path

from zoophyte.errors import UsageError
from zoophyte.gym.crowd import Crowd
from zoophyte.gym.task import Task
from zoophyte.model import Model

FEW = 4096
"""So many are made without asking."""
FIRST, SECOND = 16, 48
"""Environments whose memory is measured; the difference is without what all share."""
SHARE = 0.8
"""Of what is free; the rest is for observations and actions on their way."""
STATED = 0.95
"""Of the number that fits, in what is said: a second measurement may find a little more, and must not refuse it."""


def refuse_too_many(model: Model, task: Task, count: int) -> None:
    """Refuse more environments than there is memory for.

    Args:
        model: the body.
        task: what they are to do.
        count: how many are wanted.

    Raises:
        UsageError: says what they would cost, and how many fit.
    """
    free = available_memory() if count > FEW else None
    if free is None:
        return
    each = memory_of_one(model, task)
    if count * each > SHARE * free:
        raise UsageError(
            f"{count:,} environments of {model.name} would need about {_told(count * each)} of memory ({_told(each)} each), "
            f"and {_told(free)} are free: at most {int(STATED * SHARE * free / each):,} fit."
        )


def memory_of_one(model: Model, task: Task) -> float:
    """What one more environment takes [bytes], measured on a few.

    Args:
        model: the body.
        task: what they are to do.
    """
    crowd = _begun(model, task, FIRST)  # loads what all share, once and for all
    numbers: float = crowd.running.data.nbytes / FIRST
    crowd.close()
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        used = [_used_by(model, task, count) for count in (FIRST, SECOND)]
    finally:
        if not tracing:
            tracemalloc.stop()
    return max(numbers, (used[1] - used[0]) / (SECOND - FIRST))


def _used_by(model: Model, task: Task, count: int) -> int:
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    crowd = _begun(model, task, count)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    crowd.close()
    return after - before


def _begun(model: Model, task: Task, count: int) -> Crowd:
    crowd = Crowd(model, task, count, workers=1)
    crowd.begin(range(count))
    return crowd


def available_memory() -> int | None:
    """Memory that is free [bytes], if the system tells: what no program needs, within the limit of a container."""
    found = [_free_of_machine(), _free_of_container()]
    return min((size for size in found if size is not None), default=None)


def _free_of_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _free_of_container() -> int | None:
    for folder, limit, used, cache in (
        ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            most, taken = (int(Path(folder, name).read_text(encoding="ascii")) for name in (limit, used))
            lines = Path(folder, "memory.stat").read_text(encoding="ascii").splitlines()
            kept = sum(
                int(size) for name, size in map(str.split, lines) if name == cache
            )  # given up on demand
        except (OSError, ValueError):  # there is none, or it says "max"
            continue
        return max(0, most - taken + kept)
    return None


def _told(size: float) -> str:
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size:.0f} bytes"
