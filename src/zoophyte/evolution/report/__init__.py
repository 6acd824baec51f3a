"""Pages of runs: the report, curves as a picture, and the choice of parents by eye.

Names are loaded when they are first used: a run needs only the rows of `data`, and not what draws pictures.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoophyte.evolution.report.curves import write_curves
    from zoophyte.evolution.report.data import Audited, Birth, Generation, RunLike
    from zoophyte.evolution.report.page import write_report
    from zoophyte.evolution.report.picking import Choice, pick, serve_picker, write_picker

__all__ = [
    "Audited", "Birth", "Choice", "Generation", "RunLike", "pick", "serve_picker", "write_curves", "write_picker",
    "write_report",
]  # fmt: skip

_PLACES = {
    "Audited": "data", "Birth": "data", "Choice": "picking", "Generation": "data", "RunLike": "data", "pick": "picking",
    "serve_picker": "picking", "write_curves": "curves", "write_picker": "picking", "write_report": "page",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
