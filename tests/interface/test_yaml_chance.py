"""YAML files made by chance: whatever they hold, the answer is a description or one of our errors."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legs import GOOD, everything
from zoophyte.description import (
    Description,
    load,
)
from zoophyte.errors import DescriptionError, FileError


def survives(text: str) -> None:
    """Whatever the text, the answer is a description or one of our errors, with a printable message."""
    try:
        Description.from_yaml(text, source="leg.yaml")
    except (DescriptionError, FileError) as failure:
        assert str(failure).encode("utf-8")


@settings(max_examples=300)
@given(st.text(max_size=60) | st.text(st.sampled_from("ab:-[]{}&*!|>'\"%#?,\n\t 01.~@`\\"), max_size=40))
def test_random_text(text: str) -> None:
    survives(text)


@given(st.binary(max_size=80))
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "random.yaml"
    path.write_bytes(content)
    with pytest.raises((DescriptionError, FileError)):
        load(path)


@pytest.mark.parametrize("seed", range(8))
def test_mutated_files(seed: int) -> None:
    """Characters changed, lines lost, doubled and swapped, files cut short: a hundred of each."""
    chance = random.Random(seed)
    whole = GOOD if seed % 2 else everything().to_yaml()
    for _ in range(50):
        characters = list(whole)
        for _ in range(chance.randint(1, 4)):
            characters[chance.randrange(len(characters))] = chance.choice(
                "ab:-[]{}&*!|>'\"%#?,\n\t 01.~@`\\\x85\u2028é"
            )
        survives("".join(characters))
        lines = whole.splitlines(keepends=True)
        for _ in range(chance.randint(1, 3)):
            a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
            if chance.random() < 0.5:
                lines.pop(a)
            else:
                lines.insert(a, lines[b])
        survives("".join(lines))
        survives(whole[: chance.randrange(len(whole))])


@st.composite
def plain_data(draw: st.DrawFn) -> object:
    """Values of any shape under the keys that exist."""
    keys = st.sampled_from(
        ["name", "bodies", "notes", "parent", "joint", "shapes", "mass", "kind", "axis", "axes", "limits",
         "inertia", "vertices", "faces", "actuator", "initial", "stiffness", "radius", "size", "rotation",
         "driven", "com"]
    )  # fmt: skip
    words = st.sampled_from(
        ["hinge", "ball", "universal", "free", "sphere", "polyhedron", "servo", "ground", "a"]
    )
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=5)
    return draw(
        st.recursive(
            leaves,
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
            max_leaves=25,
        )
    )


@settings(max_examples=300)
@given(joint=plain_data(), shape=plain_data(), mass=plain_data(), whole=plain_data())
def test_random_values_under_known_keys(joint: object, shape: object, mass: object, whole: object) -> None:
    body = {"name": "a", "joint": joint, "shapes": [shape], "mass": mass}
    for data in (whole, {"name": "x", "bodies": [body, whole]}, {"name": "x", "bodies": whole}):
        try:
            Description.model_validate(data)
        except DescriptionError as failure:
            assert failure.problems
