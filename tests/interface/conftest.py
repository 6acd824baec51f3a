"""What the tests of the interface share."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from commands import Outcome, Run
from zoophyte.cli import main
from zoophyte.export import page


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs `zoophyte` with some arguments, in an empty folder; replay pages need no bundled player."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page, "player", lambda: ("script", "style"))

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["zoophyte", *arguments])
        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(SystemExit) as end:
            main.run()
        signal.signal(signal.SIGINT, before)  # a program that was interrupted leaves without heeding more
        shown = capsys.readouterr()
        return Outcome(end.value.code or 0, shown.out, shown.err)  # type: ignore[arg-type]

    return call
