"""What a state tells of having lived: a number for its `q`, for the bodies and for the ground on which a step left it so.

Steps leave shapes a little deep in each other, limits a little passed and constraints a little open, the more so in a blow,
and the next steps mend that.  A life that begins may have none of it.  The clock cannot tell the two apart, since users set
it, and what the solver remembers is empty in the air; so every state that a step has left carries the number, and who moves
its bodies, or puts it elsewhere, has the number wrong.
"""

from __future__ import annotations

import hashlib
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from zoophyte.model import Model, Plane, State, Terrain
from zoophyte.model.model import Floats

Ground = Plane | Terrain | None

_figures: WeakKeyDictionary[Model, bytes] = WeakKeyDictionary()
_grounds: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def lived_number(model: Model, ground: Ground, q: Floats) -> float:
    """The number for a configuration that a step has left; the same in every process.

    Args:
        model: of the body.
        ground: where it lives.
        q: its configuration.
    """
    found = hashlib.blake2b(_figure(model), digest_size=6)  # 48 bits: whole numbers of that size are floats
    found.update(_told(ground))
    found.update(np.ascontiguousarray(q, np.float64).tobytes())
    return 1.0 + int.from_bytes(found.digest(), "little")


def goes_on(model: Model, ground: Ground, state: State) -> bool:
    """Whether a step of a life has left a state just so, here.

    Args:
        model: of the body.
        ground: where it is to live.
        state: in which.
    """
    return state.lived != 0.0 and state.lived == lived_number(model, ground, state.q)


def has_lived(state: State) -> bool:
    """Whether a step left a state once, whatever was done to it since; one that remembers contacts was in a life, too."""
    return state.lived != 0.0 or state.contact.size > 0


def _figure(model: Model) -> bytes:
    """All of a model that says where its shapes are, for a configuration, and who may meet whom."""
    if model not in _figures:
        bodies, links, dofs, shapes = model.bodies, model.links, model.dofs, model.touching
        numbers = (
            bodies.link, bodies.R_LB, bodies.p_LB, links.kind, links.parent, links.E, links.r, dofs.lower, dofs.upper,
            dofs.hard_limit, dofs.driven, shapes.records,
        )  # fmt: skip
        words = (
            shapes.kinds,
            shapes.links,
            shapes.corners,
            shapes.surfaces,
            shapes.surface,
            model.self_contact,
        )
        found = hashlib.blake2b(repr((words, model.pairs, model.constraints)).encode(), digest_size=32)
        for array in numbers:
            found.update(np.ascontiguousarray(array).tobytes())
        _figures[model] = found.digest()
    return _figures[model]


def _told(ground: Ground) -> bytes:
    if not isinstance(ground, Terrain):
        return repr(ground).encode()
    if ground not in _grounds:
        found = hashlib.blake2b(repr((ground.spacing, ground.origin)).encode(), digest_size=32)
        found.update(np.ascontiguousarray(ground.heights, np.float64).tobytes())
        _grounds[ground] = found.digest()
    return _grounds[ground]
