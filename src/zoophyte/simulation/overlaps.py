"""What cannot be as life begins: overlapping shapes, open constraints, joints beyond limits; told with sizes, or mended."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from zoophyte.description import Attach
from zoophyte.errors import UsageError
from zoophyte.model import Block, Model, State
from zoophyte.model.contact_layout import OVERFLOW, SLOP, SLOP_PART
from zoophyte.model.filling.contact import held_places
from zoophyte.model.layout import SLIDE
from zoophyte.model.model import Floats
from zoophyte.physics import body_poses
from zoophyte.physics.contact.axes import STUCK
from zoophyte.physics.living import look, part
from zoophyte.simulation.lifetime.lived import Ground, goes_on, has_lived
from zoophyte.simulation.lifetime.units import as_depth, length_advice
from zoophyte.simulation.touching import read_contacts

TOLERANCE = 1e-3
"""Part of the smallest touching shape's size that counts as touching, not overlapping."""
OPEN = 10.0 * TOLERANCE
"""Part of a body's size: constraints that are open by more when a life ends are told."""
MAX_ROUNDS = 400
TOLD = 5
"""Pairs that a message names."""
RESOLVE = 'World overlap="resolve" (--overlap resolve on the command line)'

Overlaps = list[tuple[tuple[str, str], float]]
Gaps = list[tuple[str, str]]
Poses = tuple[Floats, Floats]


def part_overlaps(block: Block, state: State, ground: Ground, *, resolve: bool) -> None:
    """Refuse a block of one creature that cannot be as it is: see `refuse_unfit`; or move it where it belongs.

    A state that goes on is neither refused nor moved: what steps leave open or deep, the next steps mend.

    Args:
        block: of one creature, in the state.
        state: in which life begins.
        ground: where.
        resolve: whether to move it.

    Raises:
        UsageError: names the pairs of shapes and their depths, the constraints and their gaps, or the joints.
    """
    assert block.contact is not None
    model = block.models[0]
    if goes_on(model, ground, state):
        look(block)  # for the first frame of the record
        return
    if resolve:
        _set_within_limits(block)
    else:
        _refuse_beyond(model, state)
    allowed, closed = allowed_depth(model, ground, state), open_part(state)
    found, opened = deepest_overlaps(block, allowed), open_holds(model, block.state(), closed)
    rounds = 0
    slop = block.fields[block.contact.head + SLOP].copy()
    # The slop goes with the largest shape, what is allowed with the smallest.
    block.fields[block.contact.head + SLOP] = 0.5 * allowed
    while resolve and (found or opened) and rounds < MAX_ROUNDS:
        part(block)
        found, opened = deepest_overlaps(block, allowed), open_holds(model, block.state(), closed)
        rounds += 1
    if rounds and block.fields[block.contact.head + OVERFLOW].any():
        # Deep in the ground all corners of all shapes touch it at once. What counts is whether there is room now.
        block.fields[block.contact.head + OVERFLOW] = 0.0
        look(block)
        found = deepest_overlaps(block, allowed)
    block.fields[block.contact.head + SLOP] = slop
    if opened:
        raise _refusal(model, opened, could_not=resolve)
    if found:
        how = (
            "they could not be pushed apart; move them by hand."
            if resolve
            else f"move them apart, or give {RESOLVE}."
        )
        told = f"{model.name}: shapes overlap when life begins: {told_overlaps(found)}; {how}"
        raise UsageError(f"{told} {overlap_advice(model, found)}".rstrip())


def allowed_depth(model: Model, ground: Ground, state: State) -> float:
    """How deep shapes may be in each other as life begins [m].

    Args:
        model: of the body.
        ground: where it is to live.
        state: in which. One that goes on may be as it is; one that has lived and was changed since, moved to another place,
            say, or is put on another ground, may be as deep as bodies that rest; a new one hardly at all.
    """
    if goes_on(model, ground, state):
        return math.inf
    if has_lived(state):
        return 2.0 * SLOP_PART * model.touching.moving_reach
    return TOLERANCE * min(model.touching.reaches, default=1.0)


def open_part(state: State) -> float:
    """Part of a body's size by which constraints may be open as life begins: loads pull them apart in a life before."""
    return OPEN if has_lived(state) else TOLERANCE


def refuse_unfit(model: Model, ground: Ground, state: State) -> None:
    """Refuse a life that would begin with open constraints or joints beyond hard limits: one step would snap them shut.

    Args:
        model: whose they are.
        ground: where life begins.
        state: in which.  One that goes on is not asked.

    Raises:
        UsageError: names the constraints and their gaps, or the joints and their limits.
    """
    if goes_on(model, ground, state):
        return
    _refuse_beyond(model, state)
    opened = open_holds(model, state, open_part(state))
    if opened:
        raise _refusal(model, opened, could_not=False)


def beyond_limits(model: Model, state: State) -> Any:
    """The degrees of freedom that are beyond hard limits by more than steps leave; driven ones go where they are told."""
    dofs = model.dofs
    hard = np.flatnonzero(dofs.hard_limit & ~dofs.driven)
    if not len(hard):
        return hard
    q = _limited(model, state.q, hard)
    over = np.maximum(dofs.lower[hard] - q, q - dofs.upper[hard])
    slides = model.links.kind[dofs.link[hard]] == SLIDE
    return hard[over > STUCK * np.where(slides, model.touching.moving_reach, 1.0)]


def _limited(model: Model, q: Floats, dofs: Any) -> Floats:
    """Coordinates of degrees of freedom that have limits: of hinges and slides, one each."""
    found: Floats = q[np.asarray(model.q_start)[model.dofs.link[dofs]]]
    return found


def _set_within_limits(block: Block) -> None:
    """Put joints that are beyond hard limits at these."""
    model, state = block.models[0], block.state()
    beyond = beyond_limits(model, state)
    if len(beyond):
        q, lower, upper = state.q.copy(), model.dofs.lower[beyond], model.dofs.upper[beyond]
        q[np.asarray(model.q_start)[model.dofs.link[beyond]]] = np.clip(
            _limited(model, q, beyond), lower, upper
        )
        block.set_state(0, state.at(q))


def _refuse_beyond(model: Model, state: State) -> None:
    beyond = beyond_limits(model, state)
    if not len(beyond):
        return
    values, dofs = _limited(model, state.q, beyond), model.dofs
    told = []
    for dof, value in zip(beyond[:TOLD].tolist(), values.tolist(), strict=False):
        unit = "m" if model.links.kind[dofs.link[dof]] == SLIDE else "rad"
        told.append(
            f"{dofs.names[dof]} at {value:.4g} {unit}, limits {dofs.lower[dof]:.4g} to {dofs.upper[dof]:.4g}"
        )
    more = f" and {len(beyond) - TOLD} more" if len(beyond) > TOLD else ""
    raise UsageError(
        f"{model.name}: joints are beyond their limits when life begins: {'; '.join(told)}{more}; give 'initial' of the "
        f"joint, or the state's q, within the limits, limit_stiffness to make them springs, or {RESOLVE} to begin at the "
        "limits."
    )


def open_holds(model: Model, state: State, part: float = TOLERANCE) -> Gaps:
    """(constraint, how far it is open) of all connects and welds that are open, the first first.

    Args:
        model: whose constraints they are; springs hold at any length.
        state: in which.
        part: of the smaller body's radius of gyration, and of a radian, that counts as closed.
    """
    holds = [(n, held) for n, held in enumerate(model.constraints) if not isinstance(held, Attach)]
    if not holds:
        return []
    poses = body_poses(model, state)
    found: Gaps = []
    for n, held in holds:
        first, second = model.body_index(held.body), model.body_index(held.other)
        R_1, p_1 = _link_pose(model, poses, first)
        R_2, p_2 = _link_pose(model, poses, second)
        point, other, turn = held_places(model, held)
        gap = float(np.linalg.norm(p_1 + R_1 @ point - p_2 - R_2 @ other))
        if gap > part * min(_size(model, first), _size(model, second)):
            found.append((_hold_name(held, n), f"{gap:.3g} m"))
        elif held.kind == "weld":
            angle = _angle(R_1 @ (R_2 @ np.reshape(turn, (3, 3))).T)
            if angle > part:
                found.append((_hold_name(held, n), f"{math.degrees(angle):.3g}°"))
    return found


def _link_pose(model: Model, poses: Poses, body: int) -> tuple[Floats, Floats]:
    """Of the link that a body belongs to, by the poses of all bodies."""
    R: Floats = poses[0][body] @ model.bodies.R_LB[body].T
    return R, poses[1][body] - R @ model.bodies.p_LB[body]


def _refusal(model: Model, opened: Gaps, *, could_not: bool) -> UsageError:
    more = f" and {len(opened) - TOLD} more" if len(opened) > TOLD else ""
    told = "; ".join(f"{name} by {gap}" for name, gap in opened[:TOLD]) + more
    how = (
        "they could not be closed: they contradict each other, or joints do not let them."
        if could_not
        else f"move the bodies together, leave other_point out to hold them as they are, or give {RESOLVE} to close them "
        "first."
    )
    return UsageError(f"{model.name}: constraints are open when life begins: {told}; {how}")


def _hold_name(held: Any, number: int) -> str:
    return f"{held.kind} {held.name or f'constraints[{number}]'} between {held.body} and {held.other}"


def _size(model: Model, body: int) -> float:
    """A body's radius of gyration [m]: that of the ground is endless."""
    mass = float(model.bodies.mass[body])
    return math.sqrt(float(np.trace(model.bodies.inertia[body])) / mass) if mass > 0.0 else math.inf


def _angle(R: Floats) -> float:
    sine = 0.5 * math.hypot(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0))


def told_overlaps(found: Overlaps) -> str:
    """The deepest few in words."""
    deepest = "; ".join(f"{a} in {b}, {as_depth(depth)} deep" for (a, b), depth in found[:TOLD])
    return deepest + (f" and {len(found) - TOLD} more" if len(found) > TOLD else "")


def overlap_advice(model: Model, found: Overlaps) -> str:
    """What may be the matter with bodies that are in each other; nothing where nothing is known.

    Args:
        model: of the bodies.
        found: pairs that overlap.
    """
    bodies = [name for pair, _ in found for name in pair]
    return " ".join(filter(None, (length_advice(model, bodies), joined_advice(model, found))))


def joined_advice(model: Model, found: Overlaps) -> str:
    """What to do where bodies that a constraint joins are in each other, as partners of a joint often are; else nothing.

    Args:
        model: of the bodies.
        found: pairs that overlap.
    """
    names = {
        frozenset((held.body, held.other)): _hold_name(held, n) for n, held in enumerate(model.constraints)
    }
    joined = [(pair, names[frozenset(pair)]) for pair, _ in found if frozenset(pair) in names]
    if not joined:
        return ""
    (a, b), name = joined[0]
    return (
        f"The {name} joins two of them: bodies that a constraint holds together need not touch; part them with "
        f'pairs=[Pair(bodies=("{a}", "{b}"), contact=False)] in the description.'
    )


def deepest_overlaps(block: Block, allowed: float) -> Overlaps:
    """(names of two bodies, depth [m]) of all overlaps deeper than `allowed`, the deepest first."""
    look(block)
    contacts = read_contacts(block)
    names = block.models[0].body_names
    pairs = [(names[a], names[b]) for a, b in contacts.bodies]
    return deepest(pairs, contacts.gaps, allowed)


def deepest(pairs: Iterable[tuple[str, str]], gaps: Iterable[float], allowed: float) -> Overlaps:
    """Of contacts, by the names of their bodies and their gaps, each pair that is deeper than `allowed` once."""
    depths: dict[tuple[str, str], float] = {}
    for pair, gap in zip(pairs, gaps, strict=True):
        depths[pair] = max(depths.get(pair, 0.0), -float(gap))
    deep = [(pair, depth) for pair, depth in depths.items() if depth > allowed]
    return sorted(deep, key=lambda item: (-item[1], item[0]))
