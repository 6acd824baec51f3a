"""Imports point one way: a folder imports only from the folders to its left."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

from repository.sources import PACKAGE, folders, modules, place, tree

ORDER = (
    "numbers", "algebra", "description", "growth", "model", "physics", "control", "simulation", "export",
    "zoo", "evolution", "gym", "validation", "bench", "studio", "cli",
)  # fmt: skip
FOR_ALL = {"errors", "trust", "__version__"}  # may be imported by every folder


def imported(module: ast.Module, package: tuple[str, ...]) -> set[str]:
    """The parts of zoophyte that a module imports, at any depth of its code.

    Args:
        module: its syntax tree.
        package: the package it lives in, as ``("zoophyte", "physics")``, to resolve relative imports.
    """
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            head = ".".join([*base, *([node.module] if node.module else [])])
            names |= {f"{head}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("zoophyte.")}


def wrong_arrows(path: Path) -> list[str]:
    """The imports of `path` that point to the right."""
    parts = path.relative_to(PACKAGE).parts
    if len(parts) == 1:
        return []  # errors.py is checked on its own; __init__.py names everything, lazily
    here = ORDER.index(parts[0])
    found = imported(tree(path), ("zoophyte", *parts[:-1]))
    allowed = {*ORDER[: here + 1], *FOR_ALL}
    return [f"{place(path)} imports zoophyte.{name}" for name in sorted(found - allowed)]


def test_every_folder_has_its_place_in_the_order() -> None:
    assert [name for name in folders() if name not in ORDER] == []


def test_no_import_points_to_the_right() -> None:
    arrows = [arrow for path in modules() for arrow in wrong_arrows(path)]
    assert arrows == [], f"allowed is only what stands to the left: {' '.join(ORDER)}"


LIVES = ("living", "world", "herd")
"""Parts of `zoophyte.simulation`: worlds and herds stand on what is common to them, and herds make worlds."""


def named(module: ast.Module) -> set[str]:
    """Full names of all that a module imports: at its top, in functions, and for the type checker alone."""
    nodes = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    parts = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return whole | {f"{node.module}.{alias.name}" for node in parts for alias in node.names}


def test_worlds_and_herds_do_not_import_each_other() -> None:
    """A World in float32 imported the herd that it lived in when it was called, and herds import worlds."""
    for path in (PACKAGE / "simulation").rglob("*.py"):
        part = path.relative_to(PACKAGE / "simulation").parts[0].removesuffix(".py")
        if part != "__init__":  # which names all
            right = set(LIVES[LIVES.index(part) + 1 :] if part in LIVES else LIVES)
            found = {name.removeprefix("zoophyte.simulation.").split(".")[0] for name in named(tree(path))}
            assert not right & found, f"{place(path)} imports what stands on it"


def test_no_module_of_a_life_imports_itself_in_a_circle() -> None:
    """The loop of a life, its record and what looks at its frames imported each other's folders; so did herds and workers.

    A trajectory stands apart: its files, plots and exporters name it for the type checker.
    """
    folder = PACKAGE / "simulation"
    known = {".".join(("zoophyte", "simulation", *path.relative_to(folder).with_suffix("").parts)): path
             for path in folder.rglob("*.py") if path.stem not in ("__init__", "trajectory")}  # fmt: skip
    found = {name: named(tree(path)) for name, path in known.items()}
    imports = {
        name: {
            other for other in known if other != name and any(each.startswith(f"{other}.") for each in names)
        }
        for name, names in found.items()
    }
    assert len(list(graphlib.TopologicalSorter(imports).static_order())) == len(known)  # or it names a circle


def test_lives_enter_their_kernel_in_one_place() -> None:
    """Ten places called it, each with seven arguments, and numbers of steps that meant to look or to push apart."""
    kernel = {"zoophyte.physics.lives.lives.live", "zoophyte.physics.contact.touch.push_apart"}
    found = {place(path) for path in modules() if named(tree(path)) & kernel}
    own = {"physics/living.py", "physics/entries.py", "physics/lives/lives.py", "bench/gpu.py"}
    assert found <= {f"src/zoophyte/{path}" for path in own}


def test_errors_imports_nothing_of_the_package() -> None:
    assert imported(tree(PACKAGE / "errors.py"), ("zoophyte",)) == set()


def test_trust_imports_nothing_but_errors() -> None:
    assert imported(tree(PACKAGE / "trust.py"), ("zoophyte",)) == {"errors"}


@pytest.mark.parametrize(
    "line",
    [
        "import zoophyte.cli.main",
        "from zoophyte.cli import main",
        "from zoophyte import cli",
        "from ..cli import main",
        "from .. import cli",
        "def late():\n    import zoophyte.cli.main",
    ],
)
def test_the_reader_sees_every_way_to_import(line: str) -> None:
    assert imported(ast.parse(line), ("zoophyte", "physics")) == {"cli"}


def test_the_reader_ignores_other_packages() -> None:
    source = "import numpy\nfrom zoophytes.cli import main\nfrom . import sibling"
    assert imported(ast.parse(source), ("zoophyte", "physics")) == {"physics"}
