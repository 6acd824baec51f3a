"""Form: what all genomes of a breed have in common, and what is not inherited."""

from __future__ import annotations

import math
from dataclasses import dataclass

from zoophyte.control.neurons import SENSES
from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.evolution.genomes.graph.genes import FREEDOMS, MOST_NEURONS, SHAPES
from zoophyte.evolution.genomes.nets import Rules

CONTROLLERS = ("neurons", "spectral", "sine", "oscillators")
PART_LIMIT = 20
"""With three axes each, and a root: 58 links of the 64 that a herd carries."""
NET_KINDS = ("own", "parent", "child", "brain", "sense")
BRAIN_KINDS = ("own", "child")
"""The global net reads itself and, as its only child, the root."""


@dataclass(frozen=True)
class Form:
    """How genomes of one breed are read.

    Args:
        controller: "neurons", "spectral", "sine" or "oscillators".
        shapes: those that parts may have: "box", "sphere", "capsule".
        most_parts: of a creature; growth ends there.
        per_path: whether replication limits count copies on the way from the root (Sims), not in the whole creature.
        self_contact: whether parts touch each other; a part and its parent never do.
        prune: whether a part that would lie in another one does not grow, and nothing on it; else its creature is born
            overlapping and judged faulty. Only where parts touch each other (FON-55 leaves the choice).
        world: names of bodies of which a net feels the place, as ("ball",); if left out, those that the task puts there.
        rate: at which neurons are asked [Hz].
        density: of parts [kg/m³].
        strength: of motors, over the cross-section of the part that they move [N·m/m²].
        top_speed: at which a motor at full command is used up by damping [rad/s].
        friction: of the surface.
    """

    controller: str = "neurons"
    shapes: tuple[str, ...] = ("box",)
    most_parts: int = PART_LIMIT
    per_path: bool = False
    self_contact: bool = True
    prune: bool = False
    world: tuple[str, ...] = ()
    rate: float = 25.0
    density: float = 1000.0
    strength: float = 12000.0
    top_speed: float = 10.0
    friction: float = 1.0

    def __post_init__(self) -> None:
        _one_of("controller", self.controller, CONTROLLERS)
        for name, kind in (("shapes", SHAPES), ("world", None)):
            given = getattr(self, name)
            if isinstance(given, str) or not all(isinstance(item, str) for item in given):
                raise UsageError(f"{name} is {brief(given)}, must be a tuple of names.")
            object.__setattr__(self, name, tuple(given))
            for item in given if kind else ():
                _one_of(name, item, kind or ())
        if not self.shapes or len(set(self.shapes)) != len(self.shapes):
            raise UsageError(f"shapes is {self.shapes!r}, must name at least one shape, and none twice.")
        if self.world and self.controller != "neurons":
            raise UsageError(
                f"world is {self.world!r}, but only neurons feel; controller is {self.controller!r}."
            )
        if self.world and "toward" not in SENSES:
            raise UsageError(
                f"world is {self.world!r}, but this version has no sensor 'toward' that feels where a body is."
            )
        if type(self.most_parts) is not int or not 1 <= self.most_parts <= PART_LIMIT:
            raise UsageError(
                f"most_parts is {self.most_parts!r}, must be a whole number from 1 to {PART_LIMIT}."
            )
        for name in ("rate", "density", "strength", "top_speed", "friction"):
            value = getattr(self, name)
            least = 0.0 if name == "friction" else 1e-9
            if not (is_number(value) and math.isfinite(value) and value >= least):
                raise UsageError(f"{name} is {value!r}, must be a finite number, more than 0.")

    @property
    def thinks(self) -> bool:
        """Whether neurons control it; else a rhythm does."""
        return self.controller == "neurons"

    def net_rules(self, rate: float = 0.0, structure: float = 0.0) -> Rules:
        """Of local nets."""
        kinds = (*NET_KINDS, "world") if self.world else NET_KINDS
        return Rules(FREEDOMS, kinds, first=(2, 4), most=MOST_NEURONS, rate=rate, structure=structure)

    def brain_rules(self, rate: float = 0.0, structure: float = 0.0) -> Rules:
        """Of the global net."""
        kinds = (*BRAIN_KINDS, "world") if self.world else BRAIN_KINDS
        return Rules(0, kinds, first=(1, 3), most=MOST_NEURONS, rate=rate, structure=structure)


def _one_of(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        how = nearest(str(given), known)
        raise UsageError(f"{name} is {brief(given)}; known are {', '.join(known)}. {how}".rstrip())
