"""No modules of the simulation import each other: not at their tops, not late inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from repository.sources import PACKAGE, tree

FOLDER = "simulation"
WORLD, HERD = "zoophyte.simulation.world", "zoophyte.simulation.herd"


def modules_of(folder: str, package: Path = PACKAGE) -> dict[str, Path]:
    """The modules of a folder by their dotted names; a package goes by its own name, which stands for its `__init__`."""
    found = {}
    for path in (package / folder).rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(["zoophyte", *(parts[:-1] if parts[-1] == "__init__" else parts)])] = path
    return found


def code(node: ast.AST, *, annotations: bool) -> Iterator[ast.AST]:
    """All nodes of a syntax tree, without what stands below `if TYPE_CHECKING` unless annotations count."""
    for child in ast.iter_child_nodes(node):
        test = ast.unparse(child.test) if isinstance(child, ast.If) else ""
        if test.endswith("TYPE_CHECKING") and not annotations:
            continue
        yield child
        yield from code(child, annotations=annotations)


def imports(name: str, known: dict[str, Path], *, annotations: bool) -> set[str]:
    """The modules among `known` that a module imports: at its top, or late inside functions.

    Args:
        name: of the module.
        known: modules by their dotted names.
        annotations: whether those count that are imported for annotations only.
    """
    package = name.split(".") if known[name].name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in code(tree(known[name]), annotations=annotations):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            head = ".".join([*base, *([node.module] if node.module else [])])
            # What is named is a module of a package, or something that stands in the package or module itself.
            found |= {inner if (inner := f"{head}.{alias.name}") in known else head for alias in node.names}
    return found & known.keys()


def cycles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that reach each other, each in the order of names.

    Args:
        arrows: of each module those that it imports.
    """
    reached = {name: set(others) for name, others in arrows.items()}
    growing = True
    while growing:
        growing = False
        for others in reached.values():
            more = set[str]().union(*(reached[other] for other in others)) - others
            growing = growing or bool(more)
            others |= more
    groups = {
        frozenset({name, *(other for other in others if name in reached[other])})
        for name, others in reached.items()
        if name in others
    }
    return sorted(sorted(group) for group in groups)


def cycles_of(folder: str, *, annotations: bool, package: Path = PACKAGE) -> list[list[str]]:
    """Of the modules of a folder; see `imports`."""
    known = modules_of(folder, package)
    return cycles({name: imports(name, known, annotations=annotations) for name in known})


def test_the_search_finds_every_cycle() -> None:
    """Two that import each other, one that imports itself, three in a ring, and one that only looks at them."""
    arrows = {"a": {"b"}, "b": {"a"}, "c": {"c"}, "d": {"e", "a"}, "e": {"f"}, "f": {"d"}, "g": {"d"}}
    assert cycles(arrows) == [["a", "b"], ["c"], ["d", "e", "f"]]


@pytest.mark.parametrize(
    ("back", "late", "noted"),
    [
        ("from zoophyte.part.one import thing", True, True),
        ("def late():\n    from zoophyte.part import one", True, True),
        ("def late():\n    import zoophyte.part.one as one", True, True),
        ("class Thing:\n    def late(self):\n        from ..one import thing", True, True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..one import thing", False, True),
        ("from zoophyte.part import thing", False, False),
    ],
)
def test_the_reader_sees_imports_wherever_they_stand(
    back: str, late: bool, noted: bool, tmp_path: Path
) -> None:
    """`part.one` imports `part.inner.two`, which imports it back in every way there is; the last is no way back."""
    (tmp_path / "part/inner").mkdir(parents=True)
    sources = {"__init__": "", "one": "from .inner.two import other", "inner/__init__": "", "inner/two": back}
    for name, source in sources.items():
        (tmp_path / f"part/{name}.py").write_text(source, encoding="utf-8")
    group = [["zoophyte.part.inner.two", "zoophyte.part.one"]]
    assert cycles_of("part", annotations=False, package=tmp_path) == (group if late else [])
    assert cycles_of("part", annotations=True, package=tmp_path) == (group if noted else [])


def test_no_modules_of_the_simulation_import_each_other() -> None:
    """`world` imported herds late, inside its functions, and herds imported worlds.

    Whoever reads one of two modules that import each other must read both, and neither can be changed or loaded alone.
    """
    assert cycles_of(FOLDER, annotations=False) == []


def test_worlds_and_herds_do_not_know_each_other() -> None:
    """Not even for annotations: at most one of the two leads to the other, over however many modules."""
    both = [
        group
        for group in cycles_of(FOLDER, annotations=True)
        if WORLD in group and any(f"{name}.".startswith(f"{HERD}.") for name in group)
    ]
    assert both == []
