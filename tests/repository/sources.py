"""Reading the package's own source: shared by the tests of the repository."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "zoophyte"

POSITIONAL_ARGUMENTS = 6  # of one public function, at most


def modules() -> list[Path]:
    """All modules of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def folders() -> list[str]:
    """The names of the package's folders."""
    return sorted({path.relative_to(PACKAGE).parts[0] for path in PACKAGE.glob("*/*.py")})


def place(path: Path) -> str:
    """The path as the tests name it."""
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions, methods and nested functions."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def texts() -> list[Path]:
    """Every text file that belongs to the project (what tools and environments wrote is left out)."""
    tops = [ROOT / name for name in ("src", "tests", "docs", "examples", "tools", ".ci")]
    nested = [path for top in tops for path in top.rglob("*") if path.is_file()]
    alone = [path for path in ROOT.iterdir() if path.is_file()]
    skipped = {"__pycache__", "_build"}
    kept = {".py", ".md", ".toml", ".yaml", ".cff", ".txt", ".bib", ""}
    return sorted(p for p in [*nested, *alone] if p.suffix in kept and not skipped & set(p.parts))


def tool(name: str) -> Any:
    """The script of that name in `tools`, loaded."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded
