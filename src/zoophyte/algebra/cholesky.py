"""Cholesky factors of the small symmetric matrices of joints: 3×3 and 6×6, with reciprocal diagonals.

A factor L of A = L·Lᵀ is kept row by row as a tuple whose diagonal entries are 1/l, so that solving needs no division.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import Articulated
from zoophyte.algebra.rotations import Sym3
from zoophyte.algebra.spatial import Spatial
from zoophyte.numbers import fma, number, sqrt


def cholesky3(S: Sym3) -> Any:
    """Factor of a symmetric positive definite 3×3 matrix: (1/l00, l10, 1/l11, l20, l21, 1/l22)."""
    one = number(1.0, S[0])
    r0 = one / sqrt(S[0])
    l10, l20 = S[1] * r0, S[2] * r0
    r1 = one / sqrt(fma(-l10, l10, S[3]))
    l21 = fma(-l20, l10, S[4]) * r1
    r2 = one / sqrt(fma(-l21, l21, fma(-l20, l20, S[5])))
    return (r0, l10, r1, l20, l21, r2)


def cholesky6(A: Articulated) -> Any:
    """Factor of the 6×6 matrix [[I, H], [Hᵀ, M]]: 21 numbers, row by row."""
    I, H, M = A
    one = number(1.0, I[0])
    r0 = one / sqrt(I[0])
    l10, l20, l30, l40, l50 = I[1] * r0, I[2] * r0, H[0] * r0, H[1] * r0, H[2] * r0
    r1 = one / sqrt(fma(-l10, l10, I[3]))
    l21 = fma(-l20, l10, I[4]) * r1
    l31, l41, l51 = fma(-l30, l10, H[3]) * r1, fma(-l40, l10, H[4]) * r1, fma(-l50, l10, H[5]) * r1
    r2 = one / sqrt(fma(-l21, l21, fma(-l20, l20, I[5])))
    l32 = fma(-l31, l21, fma(-l30, l20, H[6])) * r2
    l42 = fma(-l41, l21, fma(-l40, l20, H[7])) * r2
    l52 = fma(-l51, l21, fma(-l50, l20, H[8])) * r2
    r3 = one / sqrt(fma(-l32, l32, fma(-l31, l31, fma(-l30, l30, M[0]))))
    l43 = fma(-l42, l32, fma(-l41, l31, fma(-l40, l30, M[1]))) * r3
    l53 = fma(-l52, l32, fma(-l51, l31, fma(-l50, l30, M[2]))) * r3
    r4 = one / sqrt(fma(-l43, l43, fma(-l42, l42, fma(-l41, l41, fma(-l40, l40, M[3])))))
    l54 = fma(-l53, l43, fma(-l52, l42, fma(-l51, l41, fma(-l50, l40, M[4])))) * r4
    r5 = one / sqrt(fma(-l54, l54, fma(-l53, l53, fma(-l52, l52, fma(-l51, l51, fma(-l50, l50, M[5]))))))
    return (r0, l10, r1, l20, l21, r2, l30, l31, l32, r3, l40, l41, l42, l43, r4, l50, l51, l52, l53, l54, r5)


def forward_solve6(L: Any, b: Spatial) -> Spatial:
    """x with L·x = b."""
    x0 = b[0] * L[0]
    x1 = fma(-L[1], x0, b[1]) * L[2]
    x2 = fma(-L[4], x1, fma(-L[3], x0, b[2])) * L[5]
    x3 = fma(-L[8], x2, fma(-L[7], x1, fma(-L[6], x0, b[3]))) * L[9]
    x4 = fma(-L[13], x3, fma(-L[12], x2, fma(-L[11], x1, fma(-L[10], x0, b[4])))) * L[14]
    x5 = fma(-L[19], x4, fma(-L[18], x3, fma(-L[17], x2, fma(-L[16], x1, fma(-L[15], x0, b[5]))))) * L[20]
    return (x0, x1, x2, x3, x4, x5)


def backward_solve6(L: Any, b: Spatial) -> Spatial:
    """x with Lᵀ·x = b."""
    x5 = b[5] * L[20]
    x4 = fma(-L[19], x5, b[4]) * L[14]
    x3 = fma(-L[13], x4, fma(-L[18], x5, b[3])) * L[9]
    x2 = fma(-L[8], x3, fma(-L[12], x4, fma(-L[17], x5, b[2]))) * L[5]
    x1 = fma(-L[4], x2, fma(-L[7], x3, fma(-L[11], x4, fma(-L[16], x5, b[1])))) * L[2]
    x0 = fma(-L[1], x1, fma(-L[3], x2, fma(-L[6], x3, fma(-L[10], x4, fma(-L[15], x5, b[0]))))) * L[0]
    return (x0, x1, x2, x3, x4, x5)


def solve6(L: Any, b: Spatial) -> Spatial:
    """x with L·Lᵀ·x = b."""
    return backward_solve6(L, forward_solve6(L, b))
