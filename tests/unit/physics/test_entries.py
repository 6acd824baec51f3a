"""What `zoophyte warmup` compiles is what lives ask for later."""

from __future__ import annotations

from typing import Any

import pytest

import zoophyte as zp
from zoophyte.model import Block, ContactSettings
from zoophyte.physics.contact.touch import NO_ORDERS, touching_life
from zoophyte.physics.entries import DEFAULT_FORMS, LANES, compile_entry, empty_arguments
from zoophyte.physics.step import life

numba = pytest.importorskip("numba")


def types_of(arguments: tuple[Any, ...]) -> list[str]:
    return [str(numba.typeof(argument)) for argument in arguments]


def test_both_lives_alone_and_in_lanes_are_compiled_beforehand() -> None:
    assert set(DEFAULT_FORMS.values()) == {(f, width) for f in (life, touching_life) for width in (1, LANES)}


@pytest.mark.parametrize("width", [1, LANES])
def test_the_types_are_those_of_a_block(width: int) -> None:
    """Law: a kernel is cached by the types of its arguments. Oracle: blocks as worlds make them."""
    block = Block([zp.compile(zp.zoo.ant())] * width, contact=ContactSettings())
    arrays = (block.ints, block.data, block.scratch)
    assert types_of(empty_arguments(life, width)) == types_of((*arrays, 0, 1, block.spec))
    touching = (*arrays, block.terrain, NO_ORDERS, 1, block.spec)
    assert types_of(empty_arguments(touching_life, width)) == types_of(touching)


@pytest.mark.parametrize("name", DEFAULT_FORMS)
def test_an_empty_life_is_over_at_once(name: str) -> None:
    assert compile_entry(name) == name
