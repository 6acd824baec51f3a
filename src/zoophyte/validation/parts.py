"""Independent parts of a long check, each in a process of its own, as many at once as there are processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from zoophyte.evolution.evaluation.processes import Processes

Found = TypeVar("Found")


def in_parts(parts: Sequence[Callable[[], Found]]) -> list[Found]:
    """What each part returns, in their order.

    Args:
        parts: functions of modules with their arguments (`functools.partial`), which must not depend on one another.
    """
    workers = min(len(parts), os.cpu_count() or 1)
    if workers < 2:
        return [part() for part in parts]
    with Processes(workers) as executor:
        futures = [executor.submit(part) for part in parts]
        return [future.result() for future in futures]
