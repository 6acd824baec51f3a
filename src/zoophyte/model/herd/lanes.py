"""Empty lanes, and room for contacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.contact import ContactSettings
from zoophyte.model.herd.packing import Body
from zoophyte.model.layout import Layout
from zoophyte.model.model import Floats
from zoophyte.model.terrain import Terrain

FAR = 1e9
"""Limits of a missing axis: finite, because 0·∞ is not a number."""


def blank_links(layout: Layout, size: int, gravity: Any, dt: float) -> Floats:
    """An empty lane: links that move nothing, shapes that touch nothing.

    A missing axis has a rotor of 1 and carries nothing, so D = 1 and U = 0; a missing free body hangs still, its
    weight held by a force.
    """
    column = np.zeros(size)
    column[at.DT] = dt
    column[at.FAILED_LINK] = -1.0
    column[at.GRAVITY : at.GRAVITY + 3] = gravity
    for kind, start in zip(layout.kinds, layout.data_offsets, strict=True):
        if kind == at.GROUND:
            continue
        column[start + at.TREE_E + np.array([0, 4, 8])] = 1.0
        dof = start + at.CONFIGURATION + at.Q_COUNT[kind]
        for n in range(at.V_COUNT[kind]):
            own = dof + n * at.DOF_SIZE
            column[own + at.MOBILE], column[own + at.ARMATURE] = 1.0, 1.0
            column[own + at.LOWER], column[own + at.UPPER] = -FAR, FAR
        if kind in (at.BALL, at.FREE):
            column[start + at.CONFIGURATION] = 1.0
            carrier = start + at.data_record_size(kind) - at.CARRIER_SIZE
            for field in (at.CARRIER_INERTIA, at.CARRIER_INVERSE):
                column[carrier + field + np.array([0, 3, 5])] = 1.0
        if kind == at.FREE:
            column[start + at.MASS] = 1.0
            column[start + at.INERTIA + np.array([0, 3, 5])] = 1.0
            for n, g in enumerate(gravity):
                column[dof + (3 + n) * at.DOF_SIZE + at.APPLIED] = -g
    return column


def slots_for(body: Body, settings: ContactSettings) -> int:
    """Contacts for which a creature gets room, whoever its neighbours are."""
    on_terrain = isinstance(settings.ground, Terrain)
    points = sum(cl.ground_points(kind, count, on_terrain)
                 for (kind, link), count in zip(body.shapes, body.corners, strict=True) if link)  # fmt: skip
    points = points if settings.ground is not None else 0
    turns = 2 if body.turns or settings.surface.rolling > 0.0 or settings.surface.torsion > 0.0 else 1
    wanted = turns * (points + 8 * len(body.pairs))
    return max(1, 2 * len(body.holds) + min(wanted, settings.slots or wanted))
