"""What may not stand in the sources."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from repository.sources import PACKAGE, ROOT, modules, place, texts, tree

# Written so that this file does not match itself.
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w")
REGISTRY = re.compile(r"(?:index-" + r"url|pypi\.(?:org|io)|python" + r"hosted|registry\.np" + r"mjs)")


def lines_with(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """``file:line`` of every match."""
    return [
        f"{place(path)}:{number}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]


def calls_of_print(module: ast.Module) -> list[int]:
    """The lines that call print."""
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    return [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]


def test_only_the_command_line_prints() -> None:
    paths = [path for path in modules() if path.relative_to(PACKAGE).parts[0] != "cli"]
    assert [f"{place(path)}:{line}" for path in paths for line in calls_of_print(tree(path))] == []


def test_nothing_is_left_unfinished() -> None:
    assert lines_with(UNFINISHED, texts()) == []


def test_no_path_of_a_machine() -> None:
    assert lines_with(MACHINE_PATH, texts()) == []


def test_no_address_of_a_registry() -> None:
    assert lines_with(REGISTRY, texts()) == []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (UNFINISHED, "# TO" + "DO: later"),
        (MACHINE_PATH, "open('/ho" + "me/someone/file')"),
        (REGISTRY, "pip install --index-" + "url somewhere"),
    ],
)
def test_the_patterns_find_what_they_look_for(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)


def test_the_files_searched_are_the_project() -> None:
    assert {ROOT / "README.md", ROOT / "Makefile", PACKAGE / "errors.py", Path(__file__)} <= set(texts())
