"""Colours by numbers, by the names of CSS and by hexadecimal digits, in Python and in files."""

from __future__ import annotations

import re
from typing import Any

import pytest

import zoophyte as zp
from zoophyte.description import Description, Sphere
from zoophyte.description.shapes.colours import NAMED
from zoophyte.errors import DescriptionError


def coloured(colour: Any) -> Any:
    return Sphere(radius=1.0, colour=colour).colour


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("teal", (0.0, 128 / 255, 128 / 255)),
        ("Rebecca Purple", (0x66 / 255, 0x33 / 255, 0x99 / 255)),
        ("#ff8000", (1.0, 128 / 255, 0.0)),
        ("#FF8000ff", (1.0, 128 / 255, 0.0)),
        ("#f80", (1.0, 0x88 / 255, 0.0)),
        ((0.25, 0.5, 1), (0.25, 0.5, 1.0)),
        (None, None),
    ],
)
def test_a_colour_is_numbers_a_name_or_digits(given: Any, expected: Any) -> None:
    assert coloured(given) == expected


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            "teel",
            "colour: is 'teel', must be three numbers from 0 to 1, a name such as teal, or #rrggbb. Did you mean 'teal'?",
        ),
        ("#12345", "is '#12345', must be three numbers"),
        ("#ff000080", "which lets light through; shapes are opaque. Give #ff0000."),
        ((1, 2, 3), "red, green and blue lie between 0 and 1"),
        (
            (1, 0),
            "which has 2 entries; it must have 3 (red, green, blue; or give a name such as teal, or #rrggbb)",
        ),
        (3, "must be a list of 3 numbers"),
        ("x" * 10_000, "is 'xxx"),
    ],
)
def test_what_is_no_colour_is_told(given: Any, words: str) -> None:
    with pytest.raises(DescriptionError, match=re.escape(words)):
        coloured(given)


def test_names_stand_in_yaml_and_are_written_as_numbers() -> None:
    text = "zoophyte: 1\nname: ball\nbodies:\n  - name: b\n    shapes:\n      - {kind: sphere, radius: 1, colour: {}}\n"
    ball = Description.from_yaml(text.replace("{}", "tomato"))
    assert ball.bodies[0].shapes[0].colour == (1.0, 0x63 / 255, 0x47 / 255)
    assert Description.from_yaml(ball.to_yaml()) == ball
    with pytest.raises(DescriptionError, match=r"<text>:6: .*colour .*is 'tomatto'.*Did you mean 'tomato'"):
        Description.from_yaml(text.replace("{}", "tomatto"))


def test_all_names_of_css_are_there() -> None:
    """CSS Color Module Level 4 has 148 of them."""
    assert len(NAMED) == 148 and all(re.fullmatch("[0-9a-f]{6}", digits) for digits in NAMED.values())


def test_the_schema_allows_what_is_read() -> None:
    schema = zp.Description.model_json_schema()
    (numbers, word, _) = schema["$defs"]["Sphere"]["properties"]["colour"]["anyOf"]
    assert numbers["maxItems"] == 3
    assert re.search(word["pattern"], "teal") and re.search(word["pattern"], "#ff8000")
    assert not re.search(word["pattern"], "#ff80")
