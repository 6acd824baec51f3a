"""Scripts in `tools` that are not run by other tests: what can be asked of them without making files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def tool(name: str) -> Any:
    """The script of that name, loaded."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize("rate", [30.0, 50.0, 60.0])
def test_moments_of_a_picture_are_seconds_apart_whatever_the_rate(rate: float) -> None:
    """Frames nearest to 2, 2.12, 2.24 and 2.36 s, to half a frame; the last frame where the life is over."""
    script = tool("keep_evolved")
    times = np.arange(int(4.0 * rate) + 1) / rate
    frames = script.moments(times, 2.0, 0.12)
    assert np.abs(times[frames] - (2.0 + 0.12 * np.arange(script.MOMENTS))).max() <= 0.5 / rate + 1e-12
    assert script.moments(times, 3.9, 0.12)[-1] == len(times) - 1
    begin = times[script.moments(times, None, 0.12)[0]]
    assert begin == pytest.approx(script.LATE * 4.0, abs=0.5 / rate)
