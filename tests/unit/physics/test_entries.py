"""What `zoophyte warmup` compiles is what lives ask for later."""

from __future__ import annotations

from typing import Any

import pytest

import zoophyte as zp
from zoophyte.model import Block, ContactSettings
from zoophyte.model.herd.plans import Terms
from zoophyte.numbers import Spec
from zoophyte.numbers.forms import compiled
from zoophyte.physics.entries import DEFAULT_FORMS, LANES, compile_entry, typical_arguments
from zoophyte.physics.lives.lives import lives
from zoophyte.physics.step import life

numba = pytest.importorskip("numba")


def types_of(arguments: tuple[Any, ...]) -> list[str]:
    return [str(numba.typeof(argument)) for argument in arguments]


def test_lives_alone_in_lanes_and_in_herds_are_compiled_beforehand() -> None:
    forms = {(f, Spec(width)) for f in (life, lives) for width in (1, LANES)} | {
        (lives, Spec(LANES, mixed=True))
    }
    assert set(DEFAULT_FORMS.values()) == forms


@pytest.mark.parametrize("width", [1, LANES])
def test_the_types_are_those_of_a_block(width: int) -> None:
    """Law: a kernel is cached by the types of its arguments. Oracle: blocks as worlds make them."""
    block = Block([zp.compile(zp.zoo.ant())] * width, contact=ContactSettings())
    arrays = (block.ints, block.data, block.scratch)
    assert types_of(typical_arguments(life, Spec(width))) == types_of((*arrays, 0, 1, block.spec))
    touching = (*arrays, block.terrain, block.orders, 1, block.spec)
    assert types_of(typical_arguments(lives, Spec(width))) == types_of(touching)


@pytest.mark.parametrize("mixed", [False, True])
def test_the_types_are_those_of_a_pen(mixed: bool) -> None:
    """Law: a kernel is cached by the types of its arguments. Oracle: pens as herds make them."""
    pen = zp.Herd([zp.zoo.ant()]).pen([0], Terms(steps=1), mixed=mixed)
    asked = (pen.ints, pen.data, pen.scratch, pen.terrain, pen.orders, 1, pen.spec)
    assert types_of(typical_arguments(lives, Spec(LANES, mixed))) == types_of(asked)


@pytest.mark.parametrize("name", DEFAULT_FORMS)
def test_a_form_is_compiled_once(name: str) -> None:
    assert compile_entry(name) == name
    function, spec = DEFAULT_FORMS[name]
    kernel = compiled(function)
    assert kernel.ready(*typical_arguments(function, spec)).signatures
