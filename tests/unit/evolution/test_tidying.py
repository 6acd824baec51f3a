"""The search for garbage is put off while chunks are made and lived, and comes back whatever happens."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from zoophyte.evolution.evaluation import tidying
from zoophyte.evolution.evaluation.tidying import tidied_afterwards


@pytest.fixture(autouse=True)
def searched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Garbage is searched for before and after each test, and nobody of an earlier one has put that off."""
    monkeypatch.setattr(tidying, "_put_off", False)
    gc.enable()
    yield
    gc.enable()


class Loop:
    """Knows itself, so that only a search finds it."""

    def __init__(self) -> None:
        self.me = self


def test_garbage_is_searched_for_afterwards_only() -> None:
    with tidied_afterwards():
        assert not gc.isenabled()
        found = weakref.ref(Loop())
        assert found() is not None
    assert gc.isenabled() and found() is None


def test_a_failure_brings_it_back() -> None:
    with pytest.raises(ValueError, match="no creature"), tidied_afterwards():
        raise ValueError("no creature")
    assert gc.isenabled()


def test_who_had_it_off_keeps_it_off() -> None:
    gc.disable()
    with tidied_afterwards():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_who_hangs_inside_does_not_keep_it_off() -> None:
    """Claim: threads may be inside together, and one that never leaves does not matter to the others."""
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with tidied_afterwards():
            inside.set()
            leave.wait(10.0)

    thread = threading.Thread(target=stay)
    thread.start()
    assert inside.wait(10.0) and not gc.isenabled()
    with tidied_afterwards():
        assert not gc.isenabled()
    assert gc.isenabled()
    with tidied_afterwards():
        assert not gc.isenabled()
        leave.set()
        thread.join()
    assert gc.isenabled()
