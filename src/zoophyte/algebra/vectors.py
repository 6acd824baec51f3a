"""Three-vectors as tuples of numbers."""

from __future__ import annotations

from typing import TypeAlias

from zoophyte.numbers import Mask, Number, fma, sqrt, where

Vec3: TypeAlias = tuple[Number, Number, Number]


def add(a: Vec3, b: Vec3) -> Vec3:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vec3, b: Vec3) -> Vec3:
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(s: Number, a: Vec3) -> Vec3:
    """s·a."""
    return (s * a[0], s * a[1], s * a[2])


def add_scaled(a: Vec3, s: Number, b: Vec3) -> Vec3:
    """a + s·b, each component rounded once."""
    return (fma(s, b[0], a[0]), fma(s, b[1], a[1]), fma(s, b[2], a[2]))


def dot(a: Vec3, b: Vec3) -> Number:
    """a · b."""
    return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0]))


def cross(a: Vec3, b: Vec3) -> Vec3:
    """a × b."""
    return (
        fma(a[1], b[2], -(a[2] * b[1])),
        fma(a[2], b[0], -(a[0] * b[2])),
        fma(a[0], b[1], -(a[1] * b[0])),
    )


def add_cross(c: Vec3, a: Vec3, b: Vec3) -> Vec3:
    """c + a × b."""
    return (
        fma(a[1], b[2], fma(-a[2], b[1], c[0])),
        fma(a[2], b[0], fma(-a[0], b[2], c[1])),
        fma(a[0], b[1], fma(-a[1], b[0], c[2])),
    )


def norm(a: Vec3) -> Number:
    """Length of a."""
    return sqrt(dot(a, a))


def choose3(mask: Mask, a: Vec3, b: Vec3) -> Vec3:
    """`a` where the mask holds, else `b`."""
    return (where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2]))
