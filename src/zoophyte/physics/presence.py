"""What a block has, by its table of integers: a unit that the block has no use for is never loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zoophyte.model.contact_layout import (
    FEATURE_BROAD,
    FEATURE_RESTITUTION,
    FEATURE_SLEEP,
    FEATURES,
    GROUND_KIND,
    HOLD_COUNT,
    ISLAND_COUNT,
    PAIR_COUNT,
    TERRAIN_GROUND,
)
from zoophyte.model.herd.life_layout import LIFE_FEATURES
from zoophyte.model.layout import CONTACT, LIFE
from zoophyte.numbers.primitives import LAW_NUMBER
from zoophyte.numbers.units import LAWS, NO_LAW

When = Callable[[Any], bool]


def is_free(ints: Any) -> bool:
    """Whether nothing touches."""
    return bool(ints[CONTACT] == 0)


def has_contact(ints: Any) -> bool:
    """Whether contacts are solved."""
    return not is_free(ints)


def has_life(ints: Any) -> bool:
    """Whether lives are observed."""
    return bool(ints[LIFE] > 0)


def in_life(feature: int) -> When:
    """Whether lives have one of the features of life_layout."""
    return lambda ints: has_life(ints) and bool(ints[ints[LIFE] + LIFE_FEATURES] & feature)


def in_contact(feature: int) -> When:
    """Whether contacts have one of the features of contact_layout."""
    return lambda ints: has_contact(ints) and bool(ints[ints[CONTACT] + FEATURES] & feature)


def has_terrain(ints: Any) -> bool:
    """Whether the ground is a terrain."""
    return has_contact(ints) and bool(ints[ints[CONTACT] + GROUND_KIND] == TERRAIN_GROUND)


def has_holds(ints: Any) -> bool:
    """Whether there are constraints."""
    return has_contact(ints) and bool(ints[ints[CONTACT] + HOLD_COUNT] > 0)


def has_pairs(ints: Any) -> bool:
    """Whether shapes may meet each other."""
    return has_contact(ints) and bool(ints[ints[CONTACT] + PAIR_COUNT] > 0 or in_contact(FEATURE_BROAD)(ints))


def has_islands(ints: Any) -> bool:
    """Whether trees are told apart."""
    return has_contact(ints) and bool(ints[ints[CONTACT] + ISLAND_COUNT] > 1)


def has_response_law(ints: Any) -> bool:
    """Whether contacts are answered by another law than the production solver."""
    return bool(ints[LAWS] > 0 and ints[ints[LAWS] + 1 + LAW_NUMBER] != NO_LAW)


def is_solved(ints: Any) -> bool:
    """Whether contacts are answered by the production solver."""
    return has_contact(ints) and not has_response_law(ints)


bounces = in_contact(FEATURE_RESTITUTION)
"""Whether anything bounces."""
sleeps = in_contact(FEATURE_SLEEP)
"""Whether anything may sleep."""
