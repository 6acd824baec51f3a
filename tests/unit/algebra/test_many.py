"""Quaternions of many at once: what the kernels' functions of one make of each."""

from __future__ import annotations

import numpy as np
import pytest

from zoophyte.algebra import many
from zoophyte.algebra.quaternions import quaternion_conjugate, quaternion_matrix, quaternion_product

COUNT = 50
TOLERANCE = 1e-14
"""A few roundings of unit numbers."""


@pytest.mark.parametrize("shape", [(), (COUNT,), (3, COUNT)], ids=str)
def test_products_inverses_and_turns(rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    """Claim: rows of any shape are turned and multiplied as one quaternion is. Oracle: `zoophyte.algebra.quaternions`."""
    a, b = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in rng.standard_normal((2, *shape, 4)))
    v = rng.standard_normal((*shape, 3))
    found = zip(*(rows.reshape(-1, rows.shape[-1]) for rows in (
        a, b, v, many.products(a, b), many.inverses(a), many.turned(a, v))), strict=True)  # fmt: skip
    for one, other, vector, product, inverse, turn in found:
        np.testing.assert_allclose(product, quaternion_product(tuple(one), tuple(other)), atol=TOLERANCE)
        assert tuple(inverse) == quaternion_conjugate(tuple(one))
        R = np.reshape(quaternion_matrix(tuple(one)), (3, 3))
        np.testing.assert_allclose(turn, R @ vector, atol=10.0 * TOLERANCE)


def test_one_quaternion_turns_many(rng: np.random.Generator) -> None:
    """Claim: one quaternion stands for as many equal ones."""
    a, b = rng.standard_normal(4), rng.standard_normal((COUNT, 4))
    assert np.array_equal(many.products(a, b), many.products(np.tile(a, (COUNT, 1)), b))
