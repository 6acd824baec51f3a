"""Constraints beside the tree as MuJoCo's equalities and tendons.

A connection holds two sites together, which says both points, whatever the reference pose is.  A weld names the relative
pose in which life begins.  A spring that pulls two points together is a spatial tendon of rest length 0 between two sites:
force k l along it, and b l̇.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add
from zoophyte.description import Attach, Description, Weld
from zoophyte.description.values import Triple
from zoophyte.export.mjcf.frames import Placement, poses_at_start
from zoophyte.export.mjcf.markup import Attributes, Markup, Names


@dataclass
class Holds:
    """What constraints become.

    Args:
        sites: elements of each body of ours that is held, ground's too.
        equalities: elements.
        tendons: name, stiffness and damping of each spring, with its two sites.
        warnings: what MuJoCo cannot say.
    """

    sites: dict[str, list[tuple[str, Attributes]]] = field(default_factory=dict)
    equalities: list[tuple[str, Attributes]] = field(default_factory=list)
    tendons: list[tuple[Attributes, tuple[str, str]]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, description: Description, bodies: Mapping[str, str]) -> Holds:
        """All constraints of a description.

        Args:
            description: checked.
            bodies: what each body of ours, and the ground, is called there.
        """
        holds = cls()
        if not description.constraints:
            return holds
        poses, names, site_names = poses_at_start(description), Names(), Names()
        for number, held in enumerate(description.constraints):
            name = names.take(held.name or f"{held.kind}_{number}")
            if isinstance(held, Weld):
                pose = poses[held.body].inverse().then(poses[held.other])
                holds.equalities.append(
                    ("weld", {"name": name, "body1": bodies[held.body], "body2": bodies[held.other],
                              "relpose": (*pose.position, *pose.rotation)})
                )  # fmt: skip
                continue
            ends = holds._sites(held, (poses, site_names), name)
            if isinstance(held, Attach):
                if held.break_length != float("inf"):
                    holds.warnings.append(
                        f"constraint '{name}' breaks when it is {held.break_length:g} m long; MuJoCo's tendon does not."
                    )
                spring: Attributes = {
                    "name": name,
                    "stiffness": held.stiffness,
                    "damping": held.damping,
                    "springlength": 0.0,
                }
                holds.tendons.append((spring, ends))
            else:
                holds.equalities.append(("connect", {"name": name, "site1": ends[0], "site2": ends[1]}))
        return holds

    def _sites(self, held: Any, known: tuple[Mapping[str, Placement], Names], name: str) -> tuple[str, str]:
        """Sites at the two points; the second one is where the first is when life begins, unless it is given."""
        poses, names = known
        other = held.other_point
        if other is None:
            other = _seen(poses[held.other].inverse(), _seen(poses[held.body], held.point))
        ends = []
        for body, point, end in ((held.body, held.point, "body"), (held.other, other, "other")):
            ends.append(names.take(f"{name}.{end}"))
            self.sites.setdefault(body, []).append(("site", {"name": ends[-1], "pos": point}))
        return ends[0], ends[1]

    def write_tendons(self, whole: Markup) -> None:
        """The section of tendons, if there are any."""
        if self.tendons:
            whole.open("tendon")
            for attributes, ends in self.tendons:
                whole.open("spatial", attributes)
                for site in ends:
                    whole.add("site", {"site": site})
                whole.close()
            whole.close()


def _seen(frame: Placement, point: Triple) -> Triple:
    x, y, z = add(rotate(quaternion_matrix(frame.rotation), point), frame.position)
    return (x, y, z)
