"""What the tests of the interface share."""

from __future__ import annotations

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
        with pytest.raises(SystemExit) as end:
            main.run()
        shown = capsys.readouterr()
        return Outcome(end.value.code or 0, shown.out, shown.err)  # type: ignore[arg-type]

    return call
