"""The trees of the benchmark that compiles: the same bodies on both sides."""

from __future__ import annotations

import pytest

from zoophyte.bench import compiling
from zoophyte.model import compile as compile_model


def test_the_peer_gets_the_same_tree() -> None:
    """A ratio is only formed of the same work; a tree of another size is told apart."""
    pytest.importorskip("mujoco")
    theirs = compiling.peer_tree(13).compile()
    assert compiling._agree(compile_model(compiling.tree(13)), theirs)
    assert not compiling._agree(compile_model(compiling.tree(12)), theirs)


def test_rows_judge_what_a_body_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a body takes longer than it may, the row says so; small trees have no bar."""
    monkeypatch.setattr(compiling.mujoco, "available", lambda: False)
    monkeypatch.setattr(compiling, "SIZES", (5, 10, 20))
    monkeypatch.setattr(compiling, "LARGE", 10)
    for seconds, reached in ((1.0, [None, False, False, False]), (1e-9, [None, True, True, False])):
        monkeypatch.setattr(compiling, "fastest", lambda *sides, rounds, s=seconds: [s * sides[0]()])
        assert [row.reached for row in compiling.compile_models()] == reached
