"""How a scene looks: colours of ground, sky and background, the grid, and pale copies of moments before.

One look serves pictures, films, drawings and pages alike::

    look = zp.export.Look(ground="darkseagreen", sky="lightskyblue", ghosts=8)
    life.export("life.png", look=look)
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import PydanticCustomError

from zoophyte.description.problems import given
from zoophyte.description.shapes.colours import colour
from zoophyte.errors import UsageError

Floats = NDArray[np.float64]
Light = tuple[float, float, float]

NO_GROUND = "none"
GHOST_LIMIT = 40
"""Pale copies that can be told apart."""

# Linear light, as the drawing loops count.
ZENITH: Light = (0.42, 0.60, 0.80)
HORIZON: Light = (0.86, 0.89, 0.92)
DEPTH: Light = (0.63, 0.70, 0.78)  # of the sky, straight below, where there is no ground
GROUND: Light = (0.74, 0.74, 0.72)
GROUND_LINE: Light = (0.46, 0.49, 0.52)
HAZE, BRIGHT = 0.55, 0.5  # how far a horizon is from its zenith to white, for zeniths so bright or more
LINE_DARKER, LINE_LIGHTER, NIGHT = (
    0.62,
    0.12,
    0.06,
)  # lines of the grid; on ground darker than that they are lighter


@dataclass(frozen=True)
class Look:
    """How scenes look; what is left out is as usual.

    Colours are names of CSS, ``"#rrggbb"``, or three numbers from 0 to 1.

    Args:
        ground: its colour; ``"none"`` or False leaves the ground out, as if there were only sky.
        sky: its colour, which it has from the horizon upwards; the haze over the ground is paler.
        background: one colour behind everything, instead of the sky; the ground melts into it. With a sky, the horizon's.
        grid: whether there are lines on the ground.
        ghosts: pale copies of moments before; a number, 0 for none. If left out, a
            PNG has up to 5, an SVG 8, films and pages none.

    Raises:
        UsageError: a colour that does not exist, or a number of ghosts out of range.
    """

    ground: Any = None
    sky: Any = None
    background: Any = None
    grid: bool = True
    ghosts: int | None = None

    def __post_init__(self) -> None:
        for name in ("ground", "sky", "background"):
            value = getattr(self, name)
            if name == "ground" and (value is False or value == NO_GROUND):
                object.__setattr__(self, name, False)
            elif value is not None:
                object.__setattr__(self, name, _colour(name, value))
        if not isinstance(self.grid, bool):
            raise UsageError(f"look: grid is {given(self.grid)}, must be True or False.")
        if self.ghosts is not None:
            object.__setattr__(self, "ghosts", _count(self.ghosts))

    @property
    def has_ground(self) -> bool:
        """Whether the ground is drawn, where there is one."""
        return self.ground is not False

    def lights(self) -> dict[str, Light]:
        """Zenith, horizon, depth, ground and line, in linear light."""
        zenith, horizon, depth, ground, line = ZENITH, HORIZON, DEPTH, GROUND, GROUND_LINE
        if self.sky is not None:
            zenith = _light(self.sky)
            share = HAZE * min(1.0, _brightness(zenith) / BRIGHT) ** 1.5
            horizon = _towards(zenith, 1.0, share)
            depth = _towards(zenith, 1.0, 0.5 * share)
        if self.background is not None:
            horizon = _light(self.background)
            if self.sky is None:
                zenith = depth = horizon
        if self.has_ground and self.ground is not None:
            ground = _light(self.ground)
            is_dark = _brightness(ground) < NIGHT
            line = (
                _towards(ground, 1.0, LINE_LIGHTER) if is_dark else _towards(ground, 0.0, 1.0 - LINE_DARKER)
            )
        if not self.grid:
            line = ground
        return {"zenith": zenith, "horizon": horizon, "nadir": depth, "ground": ground, "line": line}

    def inks(self) -> dict[str, str]:
        """The lights that differ from the usual ones, as ``#rrggbb``."""
        usual = Look().lights()
        return {name: ink(light) for name, light in self.lights().items() if light != usual[name]}


USUAL = Look()
"""What a scene looks like unless it is told otherwise."""


def checked_look(look: object) -> Look:
    """A look that was given to a function.

    Args:
        look: a Look; None for the usual one.

    Raises:
        UsageError: when it is something else.
    """
    if look is None:
        return USUAL
    if not isinstance(look, Look):
        known = ", ".join(field.name for field in fields(Look))
        raise UsageError(
            f"look is {given(look)}, must be a Look, as zp.export.Look(ground='tan'); it has {known}."
        )
    return look


def linear(srgb: Any) -> Floats:
    """Linear light of an sRGB colour from 0 to 1 (IEC 61966-2-1)."""
    c = np.asarray(srgb, float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def encoded(light: Any) -> Floats:
    """The sRGB colour of linear light from 0 to 1."""
    c = np.asarray(light, float)
    return np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1.0 / 2.4) - 0.055)


def ink(light: Any) -> str:
    """Linear light as ``#rrggbb``."""
    return "#" + "".join(f"{round(255.0 * float(part)):02x}" for part in encoded(light))


def _light(srgb: Any) -> Light:
    red, green, blue = linear(srgb).tolist()
    return red, green, blue


def _towards(light: Light, end: float, share: float) -> Light:
    red, green, blue = (part + share * (end - part) for part in light)
    return red, green, blue


def _brightness(light: Light) -> float:
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def _colour(name: str, value: object) -> Any:
    try:
        return colour(value)
    except PydanticCustomError as failure:
        how = str((failure.context or {}).get("how", ""))
        none = " Or 'none', for no ground." if name == "ground" else ""
        raise UsageError(f"look: {name} {failure.message()}{none} {how}".rstrip()) from None


def _count(ghosts: object) -> int:
    try:
        count = operator.index(ghosts)  # type: ignore[arg-type]
    except TypeError:
        count = -1
    if isinstance(ghosts, bool) or not 0 <= count <= GHOST_LIMIT:
        raise UsageError(f"look: ghosts is {given(ghosts)}, must be a whole number from 0 to {GHOST_LIMIT}.")
    return count
