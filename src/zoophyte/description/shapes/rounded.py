"""Exact integrals over the convex hull of two balls: a cone between the tangent circles, and a cap on each end.

With radii a, b, distance L and s = (a − b)/L, the sine of the cone's half angle, the normal of the cone leans by s towards
the end.  So it touches the balls on circles of radii a c and b c, c² = 1 − s², at z = a s and z = L + b s; the cone is
L c² long.  The first ball contributes what lies below its circle, −a ≤ u ≤ a s about its centre, the second one what lies
above; seen from outside both are caps of the same form, one with s and one with −s.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Piece(NamedTuple):
    """A solid of revolution about z, of mass 1.

    Args:
        section: volume over the square of the larger radius [m]: it neither vanishes nor overflows where lengths do not.
        centre: z of the centre of mass [m].
        across: inertia about an axis across, through the centre of mass [m²].
        along: inertia about z [m²].
    """

    section: float
    centre: float
    across: float
    along: float


def two_balls(start: float, end: float, length: float) -> Piece:
    """The convex hull of two balls, neither of which contains the other.

    Args:
        start: radius of the ball at z = 0 [m].
        end: radius of the ball at z = length [m].
        length: distance of the centres [m].
    """
    unit = max(start, end)
    taper = start - end
    s, below, above = taper / length, (length - taper) / length, (length + taper) / length  # s, 1 − s, 1 + s
    c_squared = below * above
    first = _cap(start, s, above, unit)
    cone = _cone(start, end, length * c_squared, unit, c_squared)
    last = _cap(end, -s, below, unit)
    return _together((first, -first.centre), (cone, start * s + cone.centre), (last, length + last.centre))


def _cap(r: float, s: float, t: float, unit: float) -> Piece:
    """What a ball keeps beyond the plane u = −r s, u pointing outwards, with t = 1 + s.

    ∫ π (r² − u²) du        = π r³ t² (2 − s)/3
    ∫ u π (r² − u²) du      = π r⁴ (1 − s²)²/4
    ∫ u² π (r² − u²) du     = π r⁵ t² (2 − 4s + 6s² − 3s³)/15
    ∫ π (r² − u²)² du       = π r⁵ t³ (8 − 9s + 3s²)/15
    """
    section = math.pi * r * (r / unit) * (r / unit) * t * t * (2.0 - s) / 3.0
    centre = 0.75 * r * (1.0 - s) * (1.0 - s) / (2.0 - s)
    squares = r * r * (2.0 - 4.0 * s + 6.0 * s * s - 3.0 * s * s * s) / (5.0 * (2.0 - s))
    along = r * r * t * (8.0 - 9.0 * s + 3.0 * s * s) / (10.0 * (2.0 - s))
    return Piece(section, centre, 0.5 * along + squares - centre * centre, along)


def _cone(start: float, end: float, h: float, unit: float, c_squared: float) -> Piece:
    """A truncated cone from z = 0 to h with the radii c·start and c·end; the formulas are those of a frustum."""
    p, q = start / unit, end / unit
    Q = p * p + p * q + q * q
    centre = h * (p * p + 2.0 * p * q + 3.0 * q * q) / (4.0 * Q)
    fourth = p * p * p * p + p * p * p * q + p * p * q * q + p * q * q * q + q * q * q * q
    along = 0.3 * c_squared * unit * unit * fourth / Q
    spread = p * p * p * p + 4.0 * p * p * p * q + 10.0 * p * p * q * q + 4.0 * p * q * q * q + q * q * q * q
    across = 0.5 * along + 3.0 * h * h * spread / (80.0 * Q * Q)
    return Piece(math.pi / 3.0 * h * c_squared * Q, centre, across, along)


def _together(*parts: tuple[Piece, float]) -> Piece:
    """Parts of one density, each with the place of its centre on z."""
    section = centre = across = along = 0.0
    for part, _ in parts:
        section += part.section
    for part, z in parts:
        centre += part.section / section * z
    for part, z in parts:
        share, arm = part.section / section, z - centre
        across += share * (part.across + arm * arm)
        along += share * part.along
    return Piece(section, centre, across, along)
