"""The page that describes bodies names every field of every part, each with an example that is right."""

from __future__ import annotations

import re

import pytest
from ruamel.yaml import YAML

from repository.sources import ROOT
from zoophyte import description
from zoophyte.description import Connect, Description, Solid, Sphere
from zoophyte.description.constraints import Link
from zoophyte.description.part import Part

PAGE = (ROOT / "docs/how-to/describe.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^### `(\w+)`$(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| `([^`|]+: [^`|]+)` \|$", re.MULTILINE)

# What parts have in common stands in one section; an example of it is tried on one of them.
SHARED = {Solid: Sphere, Link: Connect}


def parts() -> dict[str, type[Part]]:
    """All parts that a description may hold, and what they have in common, by name."""
    offered = [getattr(description, name) for name in description.__all__]
    found = [part for part in offered if isinstance(part, type) and issubclass(part, Part)]
    return {part.__name__: part for part in [*found, Link]}


def fields_of(part: type[Part]) -> list[str]:
    """The fields that the section of a part must name."""
    common = [
        name for base in SHARED if issubclass(part, base) and part is not base for name in base.model_fields
    ]
    return [name for name in part.model_fields if name not in common]


def sections() -> dict[str, dict[str, str]]:
    """Fields and their examples, by part."""
    found = SECTION.findall(PAGE + "\n##")
    return {name: {field: example for field, _, _, example in ROW.findall(text)} for name, text in found}


def test_every_part_has_its_section() -> None:
    assert set(sections()) == set(parts()), "docs/how-to/describe.md has a section ### `Name` for every part"


@pytest.mark.parametrize("name", parts())
def test_every_field_is_on_the_page(name: str) -> None:
    assert sorted(sections()[name]) == sorted(fields_of(parts()[name])), (
        f"docs/how-to/describe.md: the table of `{name}` must have a row | `field` | usual | means | `example` | for each"
    )


@pytest.mark.parametrize(
    ("name", "field"), [(name, field) for name, part in parts().items() for field in fields_of(part)]
)
def test_every_example_is_right(name: str, field: str) -> None:
    """An example, with those of the fields that must be given, makes a part."""
    part = SHARED.get(parts()[name], parts()[name])
    needed = {n for n, info in part.model_fields.items() if info.is_required() or n == "kind"}
    bases = [section for section in sections() if section in parts() and issubclass(part, parts()[section])]
    examples = {n: example for section in bases for n, example in sections()[section].items()}
    data: dict[str, object] = {}
    for wanted in [*(n for n in needed if n in examples and not (n == "kind" and name == "Joint")), field]:
        data |= YAML(typ="safe").load(f"{{{examples[wanted]}}}")
    assert field in data, f"the example of {name}.{field} does not show it"
    made = part(**data)
    assert field in made.model_fields_set


def test_usual_values_are_those_of_the_code() -> None:
    """The column *usual* holds – exactly where a field must be given, or where it names the kind."""
    for name, text in SECTION.findall(PAGE + "\n##"):
        part = parts()[name]
        for field, usual, _, _ in ROW.findall(text):
            info = part.model_fields[field]
            names_kind = field == "kind" and name != "Joint"
            assert (usual == "–") == (info.is_required() or names_kind), f"{name}.{field}"
            if isinstance(info.default, int | float) and usual.replace(".", "").isdigit():
                assert float(usual) == info.default, f"{name}.{field}"


def test_the_description_is_among_the_parts() -> None:
    assert Description in parts().values() and len(parts()) > 15
