"""Pages are held to the code: the paths they name exist, the code they show runs."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import zoophyte
from repository.sources import ROOT, folders

EXAMPLES = sorted(ROOT.glob("examples/*.py"))
SHORTER = {"07_policy_search.py": ["18"]}
"""Arguments of examples that would otherwise take longer than a test may."""

# What is done with a block depends on the words behind its fence; all blocks of one page are taken in order:
#   python run       executed; the blocks of a page share their names
#   python raises    executed; the next block of the page is the message of the error that it raises
#   yaml save FILE   written to that file
#   sh run           its lines are commands `zoophyte …`, which succeed
#   python from FILE its lines stand in that file, in this order; a line ... is for some that are left out
BLOCK = re.compile(
    r"^```(python run|python raises|python from [\w./]+|yaml save [\w.-]+|sh run|text)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.{},-]+(?:/[\w.{},-]*)+|[\w-]+\.(?:md|toml|cff)|Makefile")


def paths_in(text: str) -> list[str]:
    """The paths that a page names in backticks; ``{a,b}`` stands for both."""
    fenced_out = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    named = [match for match in CODE.findall(fenced_out) if PATH.fullmatch(match)]
    return [path for name in named for path in expanded(name)]


def expanded(name: str) -> list[str]:
    """All paths that a name with one pair of braces stands for."""
    match = re.fullmatch(r"(.*)\{(.*)\}(.*)", name)
    return [f"{match[1]}{part}{match[3]}" for part in match[2].split(",")] if match else [name]


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_named_paths_exist(page: str) -> None:
    named = paths_in((ROOT / page).read_text(encoding="utf-8"))
    missing = [path for path in named if not (ROOT / path).exists() and not path.startswith("out/")]
    assert missing == []


def test_architecture_describes_every_folder() -> None:
    named = paths_in((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert [name for name in folders() if f"src/zoophyte/{name}" not in named] == []


def test_paths_are_found_as_meant() -> None:
    text = "see `src/a.py`, `b/{c,d}`, `Makefile`, `zp.step`, `x + y`\n```\n`not/this`\n```\n"
    assert paths_in(text) == ["src/a.py", "b/c", "b/d", "Makefile"]


def blocks_by_page() -> dict[str, list[tuple[str, str]]]:
    """The blocks of every page that has some to execute."""
    manual = [page for page in ROOT.glob("docs/**/*.md") if "_build" not in page.parts]
    pages = sorted([*ROOT.glob("*.md"), *manual])
    found = {
        page.relative_to(ROOT).as_posix(): BLOCK.findall(page.read_text(encoding="utf-8")) for page in pages
    }
    return {page: blocks for page, blocks in found.items() if any(kind != "text" for kind, _ in blocks)}


@pytest.mark.parametrize(("page", "blocks"), blocks_by_page().items(), ids=blocks_by_page())
def test_code_on_the_page_runs(
    page: str, blocks: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page == "docs/reference/validation.md":  # it enters a check, which must not stay in the catalogue
        entered = importlib.import_module("zoophyte.validation.catalogue")
        entered.catalogue()
        monkeypatch.setattr(entered, "_CHECKS", dict(entered._CHECKS))
    names: dict[str, object] = {"__name__": "page"}
    message = ""
    for number, (kind, block) in enumerate(blocks, start=1):
        place = f"{page}, block {number}"
        if message:
            assert kind == "text", f"{place} follows one that raises, and is not its message: {message}"
            assert block.split() == message.split(), place
            message = ""
        elif kind == "python raises":
            with pytest.raises(zoophyte.ZoophyteError) as raised:
                exec(compile(block, place, "exec"), names)
            message = str(raised.value)
        elif kind == "python run":
            exec(compile(block, place, "exec"), names)
        elif kind.startswith("yaml save"):
            Path(kind.split()[-1]).write_text(block, encoding="utf-8")
        elif kind == "sh run":
            run_commands(place, block)
        elif kind.startswith("python from"):
            source = (ROOT / kind.split()[-1]).read_text(encoding="utf-8")
            assert strange_part(block, source) is None, place
    assert not message, f"{page} ends without the message: {message}"


def strange_part(block: str, source: str) -> str | None:
    """The first part of a block, between lines ``...``, that does not stand in the source behind the part before it."""
    rest = f"\n{source}"
    for part in re.split(r"^ *\.\.\.\n", block, flags=re.MULTILINE):
        _, found, rest = rest.partition(f"\n{part}")
        if not found:
            return part
        rest = f"\n{rest}"
    return None


def test_what_is_left_out_is_marked() -> None:
    """Lines of a page stood side by side that were far apart in the source, and nothing said so."""
    source = "def f():\n    a = 1\n    if a:\n        b = 2\n    return b\n"
    assert strange_part("    a = 1\n    if a:\n", source) is None
    assert strange_part("    a = 1\n    ...\n    return b\n", source) is None
    assert strange_part("    a = 1\n    return b\n", source) == "    a = 1\n    return b\n"
    assert strange_part("    return b\n    ...\n    a = 1\n", source) == "    a = 1\n"
    assert strange_part("a = 1\n", source) == "a = 1\n"


def run_commands(place: str, block: str) -> None:
    """Run the commands of a block; what stands behind two spaces and a # is a comment."""
    for line in block.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "zoophyte", f"{place}: {line}"
        done = subprocess.run(
            [sys.executable, "-m", "zoophyte", *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{place}: {line}: {done.stderr}"


def test_the_readme_and_the_first_page_show_code_that_runs() -> None:
    assert {"README.md", "docs/index.md"} <= set(blocks_by_page())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example), *SHORTER.get(example.name, [])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_version_is_the_same_everywhere() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    newest = re.search(r"^## (\d+\.\d+\.\d+)", changes, re.MULTILINE)
    assert newest is not None and newest[1] == zoophyte.__version__
    assert f"\nversion: {zoophyte.__version__}\n" in citation


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = {re.split(r"[^\w.-]", line)[0] for lines in lists for line in lines}
    page = (ROOT / "docs/decisions/0004-dependencies.md").read_text(encoding="utf-8")
    assert sorted(name for name in wanted if f"`{name}`" not in page) == []
