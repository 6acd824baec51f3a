"""Shapes that meet the ground only, in bodies of other programs, where they meet all others as well.

On request such a shape keeps its mass, its look and the ground, and a capsule, a box or a ball inside of it meets the
others in its place.  The ground's group is 1: other shapes leave it for a free one, so that they and the shape can be told
to part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.description.bodies import GROUND, Body
from zoophyte.description.description import Description
from zoophyte.description.problems import given
from zoophyte.description.shapes import Cylinder, Ellipsoid, Frustum, Polyhedron
from zoophyte.description.shapes.inscribed import inscribed
from zoophyte.description.surface import ALL_GROUPS, Surface
from zoophyte.description.tree import kinship

ALONE = (Cylinder, Ellipsoid, Frustum, Polyhedron)
GROUND_GROUP = 1
LISTED_NOTES = 200
WATER = 1000.0
"""A density [kg/m³]; any other would do."""


@dataclass
class _Touching:
    """A shape that touches, and where it belongs."""

    body: Body
    shape: Any
    surface: Surface
    is_still: bool


def with_proxies(description: Description) -> Description:
    """The same with proxies beside all shapes that may meet others and could not touch them; the notes tell which.

    Args:
        description: as a reader made it.
    """
    changed = description.copy()
    kin = kinship(changed.bodies)
    touching = [
        _Touching(body, shape, found, kin[body.name].is_still)
        for body in changed.bodies
        for shape in body.shapes
        if shape.contact and (found := shape.surface or changed.surface) is not None
    ]
    meeting = _meeting(changed, touching)
    if not meeting:
        return description
    free = _free_group(touching)
    if free:
        _leave_the_grounds_group(changed, touching, free)
    notes: list[str] = []
    for each in meeting:
        _show_volume(each.body)
        surface: Any = each.shape.surface or changed.surface
        proxy: Any = inscribed(each.shape)
        proxy = proxy.model_copy(update={"name": f"{(each.shape.name or each.shape.kind)[:190]}.proxy"})
        meets_ground = bool(surface.mask & GROUND_GROUP) and not each.is_still
        if meets_ground and free:
            each.shape.surface = surface.model_copy(update={"mask": GROUND_GROUP})
            proxy.surface = surface.model_copy(update={"mask": surface.mask & ~GROUND_GROUP})
        else:
            each.shape.contact = False
        each.body.shapes.append(proxy)
        notes.append(_note(each, proxy, bool(meets_ground and free)))
    if len(notes) > LISTED_NOTES:
        notes = [
            *notes[:LISTED_NOTES],
            f"… and {len(notes) - LISTED_NOTES} more shapes meet others as proxies.",
        ]
    changed.notes = "\n".join([*([changed.notes] if changed.notes else []), *notes])
    return changed.checked()


def _show_volume(body: Body) -> None:
    """Let the shapes that a body has now tell its volume, not the proxies, where its mass is given and none has a density.

    The density itself does not count beside a given mass.
    """
    if body.mass is not None and not any(shape.density > 0.0 for shape in body.shapes):
        for shape in body.shapes:
            shape.density = WATER


def _meeting(description: Description, touching: list[_Touching]) -> list[_Touching]:
    """Those that could not touch what they may meet."""
    if not any(isinstance(each.shape, ALONE) for each in touching):
        return []
    kin = kinship(description.bodies)
    mine = [kin[each.body.name] for each in touching]
    names = {name: n for n, name in enumerate([GROUND, *(body.name for body in description.bodies)])}
    welded, carrier, tree = (
        np.array([names[name] for name in column])
        for column in ([k.welded for k in mine], [k.carrier for k in mine], [k.tree for k in mine])
    )
    still = np.array([k.is_still for k in mine])
    group = np.array([each.surface.group for each in touching])
    mask = np.array([each.surface.mask for each in touching])
    bodies = np.array([names[each.body.name] for each in touching])
    parted: dict[int, list[int]] = {}
    for pair in description.pairs:
        if not pair.contact:
            one, other = (names[name] for name in pair.bodies)
            parted.setdefault(one, []).append(other)
            parted.setdefault(other, []).append(one)
    found = []
    for n, each in enumerate(touching):
        if not isinstance(each.shape, ALONE):
            continue
        meets = ((group & mask[n]) != 0) & ((mask & group[n]) != 0)
        meets &= (welded != welded[n]) & (carrier != welded[n]) & (welded != carrier[n]) & ~(still & still[n])
        if not description.self_contact:
            meets &= (tree != tree[n]) | still
        if bodies[n] in parted:
            meets &= ~np.isin(bodies, parted[int(bodies[n])])
        if meets.any():
            found.append(each)
    return found


def _free_group(touching: list[_Touching]) -> int:
    """The bit of a group that nobody is in; 0 if there is none."""
    taken = GROUND_GROUP
    for each in touching:
        taken |= each.surface.group
    return next((1 << n for n in range(ALL_GROUPS.bit_length()) if not taken >> n & 1), 0)


def _leave_the_grounds_group(description: Description, touching: list[_Touching], free: int) -> None:
    """Give a free group to all that share the ground's; who meets whom stays as it was."""

    def moved(surface: Surface) -> Surface:
        group, mask = surface.group, surface.mask & ~free
        if group & GROUND_GROUP:
            group = group & ~GROUND_GROUP | free
        if mask & GROUND_GROUP:
            mask |= free
        return surface.model_copy(update={"group": group, "mask": mask})

    for each in touching:
        if each.shape.surface is not None:
            each.shape.surface = moved(each.shape.surface)
    if description.surface is not None:
        description.surface = moved(description.surface)


def _note(each: _Touching, proxy: Any, meets_ground: bool) -> str:
    name = f"{each.shape.kind} {given(each.shape.name)}" if each.shape.name else each.shape.kind
    size = {
        "sphere": lambda: f"a sphere of radius {proxy.radius:.4g} m",
        "capsule": lambda: f"a capsule of radius {proxy.radius:.4g} m and length {proxy.length:.4g} m",
        "tapered_capsule": lambda: (
            f"a tapered capsule of radii {proxy.radius_start:.4g} and {proxy.radius_end:.4g} m and length "
            f"{proxy.length:.4g} m"
        ),
        "box": lambda: f"a box of {' × '.join(f'{side:.4g}' for side in proxy.size)} m",
    }[proxy.kind]()
    ground = ", and the ground as itself" if meets_ground else ""
    return f"Body {given(each.body.name)}: its {name} meets other shapes as {size} inside of it{ground}."
