"""The example of a policy search on many environments learns, and does so again with the same numbers."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from repository.sources import ROOT


def example() -> Any:
    spec = importlib.util.spec_from_file_location("policy_search", ROOT / "examples" / "07_policy_search.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_learns_more_than_chance_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: the same search that never steps, whose returns differ by chance alone; and equal bits when begun again."""
    search = example()
    learnt = search.learn(18)
    assert search.learn(2) == learnt[:2]
    monkeypatch.setattr(search, "STEP", 0.0)
    chance = search.learn(8)
    assert chance[0] == learnt[0]
    assert min(learnt[-3:]) > max(chance) + 5.0 * np.std(chance)
