"""The benchmark of environments: what it says where the peer is there, and where it is not."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from zoophyte.bench import chosen_names
from zoophyte.bench.environments import Effort, same_time, vector_rows

SMALL = Effort(count=9, steps=2, rounds=1, processes=(2,), peer_steps=3, compared=2, compared_steps=3)


def without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda asked, *more: None if asked == name else found(asked, *more)
    )


@pytest.mark.engines
def test_both_sides() -> None:
    pytest.importorskip("mujoco")
    ours, theirs = vector_rows(SMALL)
    for row in (ours, theirs):
        assert row.ours is not None and row.peer is not None
        assert row.ratio == row.ours / row.peer
        assert "bit for bit" in row.checked
    assert ours.bar == "≥ 20"
    assert theirs.bar == "" and theirs.reached is None


@pytest.mark.parametrize(("package", "measured"), [("mujoco", True), ("gymnasium", False)])
def test_without_the_peer(package: str, measured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    without(package, monkeypatch)
    (row,) = vector_rows(SMALL)
    assert "not installed" in row.peer_name
    assert (row.ours is not None) == measured
    assert row.peer is None and row.ratio is None and row.reached is None


def test_steps_of_other_length_are_not_compared() -> None:
    class Peer:
        def call(self, name: str) -> Any:
            return {"dt": (0.05, 0.05), "frame_skip": (5, 5)}[name]

    same_time(Peer(), 0.05, 5)
    with pytest.raises(AssertionError, match=r"the peer's environments have \(5, 5\), ours 4"):
        same_time(Peer(), 0.05, 4)


def test_it_is_listed() -> None:
    assert "gym-vector" in chosen_names()
