"""The 3×3 block Λ of a slot, and what the sweeps need of its inverse."""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import (
    SLOT_BLOCK,
    SLOT_GRIP,
    SLOT_HOLD,
    SLOT_INVERSE,
    SLOT_NORMAL_INVERSE,
    SLOT_SLIDE,
    SLOT_SOFT,
    SLOT_SOLID,
    SLOT_TANGENT_INVERSE,
    SLOT_WHOLE,
)
from zoophyte.numbers import Array, Mask, Spec, both, either, fma, load, number, sqrt, store, where, width
from zoophyte.numbers.memory import store3, store6
from zoophyte.physics.contact.runs import slot_products

SMALLEST = 1e-12
"""Entries of Λ below this [1/kg] belong to directions in which nothing can move; they are left alone."""


def store_block(ints: Array, scratch: Array, slot: int, used: Mask, spec: Spec) -> None:
    """Λ of the three rows, and what the sweeps need of its inverse; zeros where the slot is not used."""
    W = width(spec)
    nn, nt, nu, tt, tu, uu = slot_products(ints, scratch, slot, spec)
    zero, one = number(0.0, nn), number(1.0, nn)
    store6(scratch, slot + SLOT_BLOCK * W, (nn, nt, nu, tt, tu, uu), spec)
    smallest = number(SMALLEST, zero)
    soft = load(scratch, slot + SLOT_SOFT * W, spec)
    solid = both(used, nn + soft > smallest)
    store(
        scratch, slot + SLOT_NORMAL_INVERSE * W, where(solid, one / where(solid, nn + soft, one), zero), spec
    )
    half = number(0.5, zero)
    middle, apart = half * (tt + uu), half * (tt - uu)
    largest = middle + sqrt(fma(apart, apart, tu * tu))
    moves = both(used, largest > smallest)
    slide = where(moves, one / where(moves, largest, one), zero)
    store(scratch, slot + SLOT_SLIDE * W, slide, spec)
    determinant = tt * uu - tu * tu
    full = both(moves, determinant > number(1e-8, zero) * largest * largest)
    inverse = one / where(full, determinant, one)
    # In a plane in which only one direction can move, the step of the sliding case serves.
    tangent = (
        where(full, uu * inverse, slide),
        where(full, -(tu * inverse), zero),
        where(full, tt * inverse, slide),
    )
    store3(scratch, slot + SLOT_TANGENT_INVERSE * W, tangent, spec)
    store(scratch, slot + SLOT_SOLID * W, where(either(solid, moves), one, zero), spec)
    # Solved whole where it must be: where all is bound, or where friction would move the normal more than half as much as
    # pressure does, and setting one after the other may not converge.
    grip = load(scratch, slot + SLOT_GRIP * W, spec)
    bound = load(scratch, slot + SLOT_HOLD * W, spec) > number(1e29, zero)
    tied = number(4.0, zero) * (grip * grip) * fma(nt, nt, nu * nu) > nn * nn
    store(scratch, slot + SLOT_WHOLE * W, where(either(bound, tied), one, zero), spec)
    store6(
        scratch, slot + SLOT_INVERSE * W, block_inverse((nn + soft, nt, nu, tt, tu, uu), tangent, used), spec
    )


def block_inverse(B: Any, tangent: Any, used: Mask) -> Any:
    """The inverse of a slot's block; zeros where the slot is not used.

    Where there are fewer than three ways to move, it is that of B + ε·1: right for what can move, and what cannot is not
    asked.  A normal along which nothing moves at all is left out.
    """
    zero, one = number(0.0, B[0]), number(1.0, B[0])
    mean = number(1.0 / 3.0, zero) * (B[0] + B[3] + B[5])
    least = number(1e-7, zero) * mean
    c0, c1, c2 = B[3] * B[5] - B[4] * B[4], B[2] * B[4] - B[1] * B[5], B[1] * B[4] - B[2] * B[3]
    regular = B[0] * c0 + B[1] * c1 + B[2] * c2 > least * mean * mean
    extra = where(regular, zero, number(10.0, zero) * least)
    a, d, f = B[0] + extra, B[3] + extra, B[5] + extra
    c0, c1, c2 = d * f - B[4] * B[4], B[2] * B[4] - B[1] * f, B[1] * B[4] - B[2] * d
    volume = a * c0 + B[1] * c1 + B[2] * c2
    sound = both(both(used, B[0] > number(1e-9, zero) * mean), volume > number(0.0, zero))
    per = one / where(sound, volume, one)
    return (
        where(sound, c0 * per, zero), where(sound, c1 * per, zero), where(sound, c2 * per, zero),
        where(sound, (a * f - B[2] * B[2]) * per, tangent[0]),
        where(sound, (B[2] * B[1] - a * B[4]) * per, tangent[1]),
        where(sound, (a * d - B[1] * B[1]) * per, tangent[2]),
    )  # fmt: skip
