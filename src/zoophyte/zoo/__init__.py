"""The zoo: bodies that come along, shared by tests, benchmarks, examples and the command line (6).

Every inhabitant is a function that returns a :class:`~zoophyte.description.Description`; its docstring gives
source and numbers::

    zoo.names()                 # all of them
    zoo.double_pendulum()       # one
    zoo.get("cantilever")       # the same, by name
    zoo.scene("dominoes")       # with habitat, controller, start and step: zoo.scene("dominoes").simulate()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zoophyte.description import Description
from zoophyte.errors import UsageError, nearest
from zoophyte.zoo.blocks import box_pile, box_stack, brick_wall, dominoes
from zoophyte.zoo.creatures import ref4, ref6, tree12
from zoophyte.zoo.figures import humanoid, humanoid32
from zoophyte.zoo.mechanisms import (
    ball_chain,
    block_and_gantry,
    book,
    cantilever,
    chain,
    double_pendulum,
    four_bar,
    pendulum,
    rod,
    two_rods,
)
from zoophyte.zoo.plants import sapling, y_plant
from zoophyte.zoo.stairs import ragdoll
from zoophyte.zoo.toys import capsule_pinch, rattleback, rolling_ball, spinning_coin
from zoophyte.zoo.walkers import ant, walking_ant

if TYPE_CHECKING:
    from zoophyte.zoo.scenes import Scene

__all__ = [
    "ant", "ball_chain", "block_and_gantry", "book", "box_pile", "box_stack", "brick_wall", "cantilever",
    "capsule_pinch", "chain", "describe", "dominoes", "double_pendulum", "four_bar", "get", "humanoid", "humanoid32",
    "names", "pendulum", "ragdoll", "rattleback", "ref4", "ref6", "rod", "rolling_ball", "sapling", "scene",
    "spinning_coin", "tree12", "two_rods", "walking_ant", "y_plant",
]  # fmt: skip

EVOLVED_BODY = "showcase.creature({0}).description"
EVOLVED_SCENE = "showcase.scene({0})"
"""What makes an evolved creature, which this folder does not know: evolution stands on the zoo."""

_INHABITANTS: dict[str, Callable[[], Description]] = {
    function.__name__: function
    for function in (
        pendulum, double_pendulum, rod, two_rods, chain, ball_chain, cantilever, book, block_and_gantry, four_bar,
        rolling_ball, spinning_coin, rattleback, capsule_pinch, box_stack, brick_wall, dominoes, box_pile,
        y_plant, sapling, ref4, ref6, tree12, ant, walking_ant, humanoid, humanoid32, ragdoll,
    )
}  # fmt: skip


def names() -> list[str]:
    """Names of all inhabitants: mechanisms, toys, blocks, plants, creatures, figures."""
    return list(_INHABITANTS)


def get(name: str) -> Description:
    """The inhabitant of that name, with the numbers of its docstring.

    Args:
        name: one of :func:`names`.

    Raises:
        UsageError: when there is none; the message gives the nearest name.
    """
    return _function(name)()


def scene(name: str) -> Scene:
    """The inhabitant of that name where it belongs: with habitat, controller, velocities at the start, and step.

    Args:
        name: one of :func:`names`.

    Raises:
        UsageError: when there is none; the message gives the nearest name.
    """
    from zoophyte.zoo.scenes import make_scene  # which needs the simulation; the descriptions do not

    return make_scene(name, _function(name, EVOLVED_SCENE)())


def describe(name: str) -> str:
    """The first line of an inhabitant's docstring.

    Args:
        name: one of :func:`names`.

    Raises:
        UsageError: when there is none of that name.
    """
    return (_function(name).__doc__ or "").strip().splitlines()[0]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # what Python and its tools look for
        raise AttributeError(f"module 'zoophyte.zoo' has no attribute {name!r}")
    raise AttributeError(_unknown(name, EVOLVED_BODY))


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _function(name: str, evolved: str = EVOLVED_BODY) -> Callable[[], Description]:
    if name not in _INHABITANTS:
        raise UsageError(_unknown(name, evolved))
    return _INHABITANTS[name]


def _unknown(name: str, evolved: str) -> str:
    known = ", ".join(_INHABITANTS)
    message = (
        f"the zoo has no '{name[:80]}'. {nearest(name[:80], _INHABITANTS)} It has: {known}. Evolved creatures, which "
        f"`zoophyte zoo` lists as well, are made by {evolved.format(repr(name[:80]))}, after "
        "`from zoophyte.evolution import showcase`."
    )
    return message.replace("  ", " ")
