"""Where all bodies are in as many states as a life has recorded."""

from __future__ import annotations

import numpy as np

from zoophyte.model import Model, State
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics.functions import block_of
from zoophyte.physics.repeat import repeat_poses


def poses_over(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """(R_WB, p_WB) of every body in many states, shapes (states, bodies, 3, 3) and (states, bodies, 3); the ground first.

    Args:
        model: whose bodies.
        q: coordinates, shape (states, nq).

    Raises:
        UsageError: when a state is not finite, or a quaternion in it has not length 1.
    """
    R_WL, p_WB = _turns_and_places(model, q)
    return R_WL @ model.bodies.R_LB, p_WB


def positions_over(model: Model, q: Floats) -> Floats:
    """Where every body's origin is in many states, as `poses_over` has it."""
    return _turns_and_places(model, q)[1]


def _turns_and_places(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Of each body the rotation of its link, and its origin."""
    neutral = State.neutral(model)
    lengths = np.linalg.norm(q[:, model.quaternions], axis=2)
    for state in q[~(np.isfinite(q).all(axis=1) & (np.abs(lengths - 1.0) < 1e-6).all(axis=1))]:
        neutral.at(state).checked(model)  # tells what is wrong
    block, links = block_of(model, neutral), len(model.links.kind)
    found = np.zeros((len(q), links, at.OWN - at.WORLD_R))
    compiled(repeat_poses)(
        block.ints, block.data, block.scratch, np.array(q).ravel(), found.reshape(-1), block.spec
    )
    bodies = model.bodies
    R_WL, p_WL = found[:, bodies.link, :9].reshape(-1, len(bodies.link), 3, 3), found[:, bodies.link, 9:]
    return R_WL, p_WL + np.einsum("tnij,nj->tni", R_WL, bodies.p_LB)
