"""The planes of a terrain before which a ball stands: three at most, none like another."""

from __future__ import annotations

import math

import pytest

from zoophyte.model.contact_layout import HUGE
from zoophyte.physics.contact.detect.terrain import ALIKE, keep

Wall = tuple[float, float, tuple[float, float, float]]
NOTHING: Wall = (HUGE, HUGE, (0.0, 0.0, 0.0))
NEAR = 0.7 * math.acos(ALIKE)
"""Planes turned by this are alike, those turned by twice as much are not."""


def wall(depth: float, turn: float) -> Wall:
    """A plane that is turned about y, so deep in the ball now and later."""
    return -depth, -depth, (math.sin(turn), 0.0, math.cos(turn))


LEFT, RIGHT, STEEP = wall(0.01, -NEAR), wall(0.02, NEAR), wall(0.001, 1.0)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (wall(0.03, 0.0), (wall(0.03, 0.0), NOTHING, STEEP)),  # it stands for both that it is like
        (wall(0.015, 0.0), (LEFT, RIGHT, STEEP)),  # one like it is deeper
        (wall(0.03, -NEAR), (wall(0.03, -NEAR), RIGHT, STEEP)),
        (wall(0.005, 2.0), (LEFT, RIGHT, wall(0.005, 2.0))),  # like none, and deeper than the least deep
        (wall(0.0005, 2.0), (LEFT, RIGHT, STEEP)),
    ],
)
def test_a_plane_is_kept_once(new: Wall, expected: tuple[Wall, Wall, Wall]) -> None:
    """Law: a ball touches planes of one normal with one point, so that the deepest of them holds for all.

    One that was like two others came in the place of both, and held the ball twice.
    """
    assert keep((LEFT, RIGHT, STEEP), new) == expected


def test_free_places_are_taken_first() -> None:
    assert keep((LEFT, NOTHING, NOTHING), STEEP) == (LEFT, STEEP, NOTHING)
