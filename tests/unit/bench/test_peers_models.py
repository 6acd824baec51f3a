"""Models of peers are found without importing the peers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from zoophyte.bench import peers_models

LOOK = """
import sys
from zoophyte.bench.peers_models import mujoco_humanoid_path
path = mujoco_humanoid_path()
print(path is None or "<mujoco" in path.read_text(), any(name.split(".")[0] in ("mujoco", "jax") for name in sys.modules))
"""


def test_the_humanoid_is_found_without_importing_its_package() -> None:
    answer = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["True", "False"]


def test_without_such_a_package_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        peers_models, "HUMANOIDS", {"no-such-package": "humanoid.xml", "pytest": "humanoid.xml"}
    )
    assert peers_models.mujoco_humanoid_path() is None
