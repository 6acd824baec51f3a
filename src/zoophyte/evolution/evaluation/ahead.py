"""Kernels that a run will need, known before its first creature is made."""

from __future__ import annotations

import math
from typing import Any

from zoophyte.evolution.precision import DOUBLE, PRECISIONS, WIDTH
from zoophyte.physics.entries import ASKING_WORLD, Form, herd_forms
from zoophyte.simulation.herd.herd import LIKE_PAYS

USUAL_SECONDS = 10.0
"""Length of the lives of a task that does not tell [s]."""


def forms_of_run(births: int, task: Any, precision: str) -> tuple[Form, ...]:
    """Kernels for the lives of a run, and for its champion's page and audit.

    Bodies that evolve are unlike.  Those among them that are alike live in the same form, with the same bits, unless there
    is so much to live that the form of their own is worth its compilation.

    Args:
        births: in the whole run.
        task: that creatures are asked to do.
        precision: of their lives.
    """
    numbers = [
        PRECISIONS[each].__name__ for each in sorted({precision, DOUBLE})
    ]  # audits are in double precision
    steps = births * math.ceil(getattr(task, "seconds", USUAL_SECONDS) / task.dt)
    like = herd_forms(WIDTH, mixed=False, dtype=PRECISIONS[precision].__name__) if steps >= LIKE_PAYS else ()
    unlike = (form for each in numbers for form in herd_forms(WIDTH, mixed=True, dtype=each))
    return (*unlike, *like, *ASKING_WORLD)
