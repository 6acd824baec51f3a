"""Sizes that keep a module readable. Raising a limit is a change to be reviewed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from repository.sources import PACKAGE, POSITIONAL_ARGUMENTS, ROOT, functions, modules, place, tree

LINES_PER_MODULE = 400
LINES_PER_FILE_OF_TESTS = 500
LINES_PER_FUNCTION = 80
FILES_PER_FOLDER = 14

# Kernels take flat arrays and offsets, as many as the mathematics has operands.
KERNELS = ("numbers", "algebra", "physics")


def positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many arguments may be given by position, `self` and `cls` not counted."""
    names = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
    return len(names) - (bool(names) and names[0] in ("self", "cls"))


def test_modules_are_short() -> None:
    lengths = {place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {name: lines for name, lines in lengths.items() if lines > LINES_PER_MODULE} == {}


def test_files_of_tests_are_split_by_topic() -> None:
    lengths = {
        place(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "tests").rglob("*.py")
    }
    assert {name: lines for name, lines in lengths.items() if lines > LINES_PER_FILE_OF_TESTS} == {}


def test_functions_are_short() -> None:
    long = {
        f"{place(path)}: {function.name}": lines
        for path in modules()
        for function in functions(tree(path))
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > LINES_PER_FUNCTION
    }
    assert long == {}


def test_public_functions_take_few_positional_arguments() -> None:
    wide = {
        f"{place(path)}: {function.name}": count
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] not in KERNELS
        for function in functions(tree(path))
        if not function.name.startswith("_") and (count := positional(function)) > POSITIONAL_ARGUMENTS
    }
    assert wide == {}, "options go behind a *"


def test_folders_hold_few_files() -> None:
    counts: dict[Path, int] = {}
    for path in PACKAGE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            counts[path.parent] = counts.get(path.parent, 0) + 1
    assert {place(folder): n for folder, n in counts.items() if n > FILES_PER_FOLDER} == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def f(): ...", 0),
        ("def f(a, /, b, *, c): ...", 2),
        ("def f(self, a): ...", 1),
        ("def f(a, b, c, d, e, f, g): ...", 7),
    ],
)
def test_arguments_are_counted_as_meant(source: str, count: int) -> None:
    assert positional(next(functions(ast.parse(source)))) == count
