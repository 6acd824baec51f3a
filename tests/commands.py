"""The command line, as tests call it; the fixture `run` stands in the conftest of tests/interface."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def told(self) -> str:
        """What stands in `err`, but for lines about compiling: the first test that needs a kernel sees them."""
        return "".join(line for line in self.err.splitlines(keepends=True) if " compil" not in line)


Run = Callable[..., Outcome]
