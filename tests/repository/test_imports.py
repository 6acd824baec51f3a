"""Imports point one way: a folder imports only from the folders to its left."""

from __future__ import annotations

import ast
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
