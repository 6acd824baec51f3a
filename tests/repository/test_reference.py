"""The reference: every public name has an entry with an example, and every page is in a list."""

from __future__ import annotations

import importlib
import re
import types

import pytest

from repository.sources import ROOT

REFERENCE = ROOT / "docs/reference"

# Modules whose public names users are offered; what several of them offer has one entry.
OFFERING = [
    "zoophyte", "zoophyte.control", "zoophyte.description", "zoophyte.model", "zoophyte.physics", "zoophyte.simulation",
    "zoophyte.simulation.herd", "zoophyte.export", "zoophyte.zoo", "zoophyte.evolution.run", "zoophyte.evolution.tasks",
    "zoophyte.gym", "zoophyte.validation", "zoophyte.numbers",
]  # fmt: skip
NEEDS_A_GPU = {"zoophyte.Nursery"}

# A heading, a directive with the name, and an example.
ENTRY = re.compile(
    r"^### `(\w+)`\n\n```\{eval-rst\}\n\.\. (autoclass|autofunction|autoexception|py:data):: ([\w.]+)\n(.*?)```\n\n"
    r"```(python run|python)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def entries() -> dict[str, tuple[str, str]]:
    """Kind of block and example of every entry, by the full name."""
    found: dict[str, tuple[str, str]] = {}
    for page in sorted(REFERENCE.glob("*.md")):
        for heading, _, name, _, block, example in ENTRY.findall(page.read_text(encoding="utf-8")):
            assert name not in found, f"{name} has two entries"
            assert name.split(".")[-1] == heading, f"{page.name}: {name} stands under {heading}"
            found[name] = (block, example)
    return found


def resolved(name: str) -> object:
    """What a full name means."""
    module, own = name.rsplit(".", 1)
    return getattr(importlib.import_module(module), own)


def documented(entry: set[str], module: str, name: str) -> bool:
    """Whether a name of a module has an entry, there or in another module that offers the same thing."""
    found = getattr(importlib.import_module(module), name)
    same = [other for other in entry if other.endswith(f".{name}") and resolved(other) is found]
    return f"{module}.{name}" in entry or bool(same)


@pytest.mark.parametrize("module", OFFERING)
def test_every_public_name_has_an_entry(module: str) -> None:
    offered = importlib.import_module(module)
    names = [name for name in offered.__all__ if not isinstance(getattr(offered, name), types.ModuleType)]
    known = set(entries())
    missing = [name for name in names if not documented(known, module, name)]
    assert missing == [], (
        f"{module} offers names without an entry in docs/reference: a heading ### `Name`, an eval-rst block with "
        "`.. autoclass::` or `.. autofunction::`, and a block `python run` with an example"
    )


def test_every_entry_is_of_something_that_exists() -> None:
    for name in entries():
        assert resolved(name) is not None


def test_every_entry_has_an_example_that_uses_it() -> None:
    """The blocks are executed by test_pages."""
    for name, (block, example) in entries().items():
        assert re.search(rf"\b{name.split('.')[-1]}\b", example), name
        assert block == ("python" if name in NEEDS_A_GPU else "python run"), name


def test_headings_of_names_are_entries() -> None:
    """An entry that the pattern does not find would be one that nobody checks."""
    for page in REFERENCE.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(r"^### `", text, re.MULTILINE)) == len(ENTRY.findall(text)), page.name


def test_every_page_is_in_a_list() -> None:
    """Else nobody finds the page, and `make docs` fails."""
    pages = [page for page in (ROOT / "docs").glob("**/*.md") if "_build" not in page.parts]
    listed = {ROOT / "docs/index.md"}
    for page in pages:
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            for line in block.split():
                listed |= set(page.parent.glob(f"{line}.md"))
    assert sorted(page.relative_to(ROOT).as_posix() for page in pages if page not in listed) == []
