"""Unit quaternions (w, x, y, z) of many at once: NumPy arrays whose last axis holds the parts."""

from __future__ import annotations

from typing import Any

import numpy as np


def products(a: Any, b: Any) -> Any:
    """a ⊗ b: first b, then a."""
    (p, q, r, s), (w, x, y, z) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    parts = (
        p * w - q * x - r * y - s * z, p * x + q * w + r * z - s * y,
        p * y + r * w + s * x - q * z, p * z + s * w + q * y - r * x,
    )  # fmt: skip
    return np.stack(parts, axis=-1)


def inverses(a: Any) -> Any:
    """The inverse rotations."""
    return a * np.array([1.0, -1.0, -1.0, -1.0])


def turned(e: Any, v: Any) -> Any:
    """Vectors v turned by e = (w, u): v + 2 w (u × v) + 2 u × (u × v)."""
    (w, x, y, z), (a, b, c) = np.moveaxis(e, -1, 0), np.moveaxis(v, -1, 0)
    d, f, g = y * c - z * b, z * a - x * c, x * b - y * a
    parts = (
        a + 2.0 * (w * d + y * g - z * f),
        b + 2.0 * (w * f + z * d - x * g),
        c + 2.0 * (w * g + x * f - y * d),
    )
    return np.stack(parts, axis=-1)
