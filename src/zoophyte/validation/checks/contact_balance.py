"""Balances of contact: momentum goes from body to body, and energy never comes from a contact."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Description,
    Joint,
    Shape,
    Sphere,
    Surface,
    TaperedCapsule,
)
from zoophyte.model import Block, Model, State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import body_poses, energy
from zoophyte.physics.contact import touch
from zoophyte.physics.contact.axes import meet_limits
from zoophyte.physics.contact.correction.correct import correct_where_needed
from zoophyte.physics.contact.motion import free_velocities, move
from zoophyte.physics.contact.solver import solve
from zoophyte.physics.dynamics import totals
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.living import advance
from zoophyte.physics.step import forces, note, set_evaluation_point
from zoophyte.validation.budget import gains_over_bounds
from zoophyte.validation.catalogue import Measurement, at_most, check, holds
from zoophyte.validation.parts import in_parts
from zoophyte.validation.scenes import DT, FORMS, SPACE, G, block_of, live, lone, model_of

CHAINS = (0.0, 0.3, 0.7)
"""Restitutions of scenes with joints; see LAW-contact-energy."""
SHARE = 63
"""Scenes of a part that has a process of its own."""
LONGEST = 1200
"""Steps in which blows are looked for."""
BLOW = 0.3
"""Change of any velocity in a step that tells a blow [m/s or rad/s]."""


def some_shape(rng: np.random.Generator) -> Shape:
    """A ball, capsule, box or tapered capsule of 10 to 40 cm."""
    kind = int(rng.integers(4))
    if kind == 0:
        return Sphere(radius=rng.uniform(0.05, 0.2))
    if kind == 1:
        return Capsule(radius=rng.uniform(0.03, 0.1), length=rng.uniform(0.1, 0.4))
    if kind == 2:
        return Box(size=tuple(rng.uniform(0.1, 0.4, 3)))
    start, end = rng.uniform(0.03, 0.1, 2)
    return TaperedCapsule(radius_start=start, radius_end=end, length=rng.uniform(0.1, 0.4))


def some_turn(rng: np.random.Generator) -> Floats:
    """A unit quaternion, uniform over the rotations."""
    q = rng.normal(size=4)
    return np.asarray(q / np.linalg.norm(q))


# ------------------------------------------------------------------------------------------------------- momentum


def flying_pair(rng: np.random.Generator, restitution: float) -> tuple[Model, list[State]]:
    """Two spinning bodies in space that fly at each other, and eight ways in which they do."""
    bodies = [
        lone(some_shape(rng), place=(x, 0.0, 0.0), turn=some_turn(rng), name=name)
        for name, x in (("one", -0.5), ("other", 0.5))
    ]
    model = model_of(*bodies, friction=0.8, restitution=restitution)
    state = State.neutral(model)
    R, _ = body_poses(model, state)
    states = []
    for _ in range(8):
        aside = rng.uniform(-0.3, 0.3, (2, 3))
        v = np.concatenate([
            *(3.0 * rng.normal(size=3), R[1].T @ ((2.0, 0.0, 0.0) + aside[0])),
            *(3.0 * rng.normal(size=3), R[2].T @ ((-2.0, 0.0, 0.0) + aside[1])),
        ])  # fmt: skip
        states.append(state.at(v=v))
    return model, states


@check(
    "LAW-contact-momentum", kind="law", title="Contacts pass momentum on and make none", source="Newton's third law"
)  # fmt: skip
def contact_momentum() -> Iterator[Measurement]:
    """Two bodies that collide in space, with friction and spin, keep their momentum and angular momentum about the origin.

    Impulses are equal and opposite and act on both bodies at one point.  So the sums over all contact forces are what the
    bodies get: with the ground, the change of momentum in a step is dt (Σ F + m g).  Pairs of shapes in space; then eight
    boxes that tumble on the ground.  Angular momentum only for pairs that rebound: pairs that stay in touch roll on each
    other, and where that makes a depth it is taken back by moving their places, which moves what they carry about the
    origin, L = Σ x × p, and not p.
    """
    rng = np.random.default_rng(3)
    pairs = [(e, *flying_pair(rng, e)) for e in (0.0, 0.5, 1.0) for _ in range(8)]
    for form, width in FORMS.items():
        linear, angular, blows = [], [], 0
        for restitution, model, states in pairs:
            few = states if width > 1 else states[:1]
            for life in live([model] * len(few), few, width=width, seconds=0.6, every=50, habitat=SPACE):
                sums = life.sums((0.0, 0.0, 0.0))[:, totals.LINEAR : totals.ANGULAR + 3]
                error = np.abs(sums - sums[0]).max(axis=0) / np.abs(sums[0]).max()
                linear.append(float(error[:3].max()))
                angular.append(float(error[3:].max()) if restitution else 0.0)
                blows += bool(np.abs(life.v[-1] - life.v[0]).max() > 0.1)
        what = f"over the largest component, {len(linear)} pairs"
        yield at_most(max(linear), 1e-10, why="asked for", what=f"{form}: Δp {what}")
        yield at_most(max(angular), 1e-10, why="asked for", what=f"{form}: ΔL {what}, those that rebound")
        yield holds(blows > 0.7 * len(linear), what=f"{form}: most of them hit")
        yield from ground_rows(form, width)


def ground_rows(form: str, width: int) -> Iterator[Measurement]:
    """Change of momentum of tumbling boxes beside the recorded forces."""
    rng = np.random.default_rng(5)
    model = model_of(
        lone(Box(size=(0.3, 0.2, 0.1)), place=(0.0, 0.0, 0.3), turn=some_turn(rng)), friction=0.5
    )
    states = [State.neutral(model).at(v=2.0 * rng.normal(size=6)) for _ in range(8)]
    worst, pressed = 0.0, 0
    for life in live([model] * 8, states, width=width, seconds=0.4, every=1, contacts=True):
        p = life.sums()[:, totals.LINEAR : totals.LINEAR + 3]
        weight = model.total_mass * np.array([0.0, 0.0, -G])
        force = np.array([contact.forces.sum(axis=0) for contact in life.contacts[1:]])
        worst = max(worst, float(np.abs(np.diff(p, axis=0) - DT * (force + weight)).max() / np.abs(p).max()))
        pressed += int(np.any(force != 0.0, axis=1).sum())
    yield at_most(
        worst,
        1e-10,
        why="asked for",
        what=f"{form}: Δp − dt (Σ F + m g) over p in a step, boxes on the ground",
    )
    yield holds(pressed > 100, what=f"{form}: the boxes touch the ground")


# --------------------------------------------------------------------------------------------------------- energy


def random_scene(seed: int, *, jointed: bool) -> tuple[Model, list[State]]:
    """Two to five bodies of any shape above the ground, and eight ways to throw them.

    Args:
        seed: of everything.
        jointed: whether some of them hang on others by hinges and balls.
    """
    rng = np.random.default_rng([seed, jointed])
    bodies: list[Body] = []
    for n in range(int(rng.integers(2, 6))):
        kind = str(rng.choice(["hinge", "ball"])) if jointed and n and rng.random() < 0.5 else "free"
        if kind == "free":
            place = (*rng.uniform(-0.3, 0.3, 2), 1.2 + 1.2 * n)  # nothing touches yet
            bodies.append(lone(some_shape(rng), place=place, turn=some_turn(rng), name=f"b{n}"))
            continue
        axis = {"axis": tuple(rng.normal(size=3))} if kind == "hinge" else {}
        joint = Joint(kind=kind, position=tuple(rng.uniform(-0.3, 0.3, 3)), **axis)
        bodies.append(Body(name=f"b{n}", parent=f"b{rng.integers(n)}", joint=joint, shapes=[some_shape(rng)]))
    friction = float(rng.choice([0.0, 0.3, 1.0, 3.0]))
    restitution = float(rng.choice(CHAINS if jointed else (0.0, 0.3, 0.7, 1.0)))
    surface = Surface(friction=friction, restitution=restitution)
    model = compile(Description(name=f"scene {seed}", bodies=bodies, surface=surface))
    return model, [State.neutral(model).at(v=rng.normal(size=model.nv)) for _ in range(8)]


@check(
    "LAW-contact-energy", kind="law", title="24 random scenes never gain energy", source="Coulomb's and Newton's laws"
)  # fmt: skip
def contact_energy() -> Iterator[Measurement]:
    """Friction and impacts with e ≤ 1 only take energy.  The solver guards that; a step has errors of its own, known here.

    *The solver alone*: kinetic energy with the velocities that it makes is never above that with the free velocities, in
    the same place.  Measured in the interpreter, step by step, in scenes with and without joints.

    *Whole lives of free bodies*: between contacts the step keeps Ẽ = E − ½ dt g P_z, P_z the upward momentum, exactly: its
    velocities stand half a step ahead of its places.  No contact may raise Ẽ, so E is never above its start by more than ½
    dt g (P_z − P_z(0)) ≤ ½ dt g Σ m |v_z| at both times.  Only the turning of a body that is no ball has an error of second
    order besides: at most (ω dt)² of its energy of rotation, which the life itself tells; these bodies are not so slender
    that it is of another order.

    *Whole lives with joints*: there too velocities stand half a step ahead, and Ẽ is read with half a step more of them, by
    the step's own kernel.  A step with contact changes Ẽ by four terms, exactly (`zoophyte.validation.blows` derives them):
    the work of its impulses at the velocities half-way; what late halves make, since impulses change v at once while the
    accelerations of the step are those of v before, to first order ½ dt vᵀ·M·(a(q, v₋) − a(q, v₊)); what a flight makes, of
    third order; and corrections.  Late halves are allowed as they are, step by step, the work up to T(h), h half of what
    forces change v by in the step, and once x² of the energy for flights, x the largest turn of a link in a step.
    e ≤ 0.7 here: with e = 1 fast chains fly on for ever, and drift of higher order adds up.

    *Beside the lowest energy so far*, not only the start: friction and blows take so much that what contacts made later
    would be hidden by it.  Nothing drives these bodies, so Ẽ of free bodies never rises above its lowest value by more than
    the error of turning, the largest since then, and a lift by the slop: what is deeper than that is moved up.  Of chains,
    contacts answer for the work of impulses and for corrections; flights and late halves are none of theirs (Ẽ wavers in
    flight by some x² of the energy, and comes back).  The sum of work and corrections may rise by T(h) in each step that
    presses, and by one lift by the largest depth; no other error of the step comes in.
    """
    yield from energy_rows(24)


@check(
    "LAW-contact-energy-many", kind="law", title="1000 random scenes never gain energy", slow=True,
    source="Coulomb's and Newton's laws",
)  # fmt: skip
def contact_energy_many() -> Iterator[Measurement]:
    """As LAW-contact-energy, with a thousand scenes of each sort."""
    yield from energy_rows(1000)


def energy_rows(count: int) -> Iterator[Measurement]:
    """All rows for that many scenes; in lanes an eighth of them, each thrown in eight ways."""
    parts: list[partial[Any]] = [partial(solver_gains, *part) for part in shares_of(count)]
    alone = len(parts)
    kinds = [(form, jointed) for form in FORMS for jointed in (False, True)]
    for form, jointed in kinds:
        scenes = count if FORMS[form] == 1 else count // 8
        parts += [partial(lived_gains, form, jointed, *part) for part in shares_of(scenes)]
    answers = in_parts(parts)
    found = np.concatenate(answers[:alone])
    what = f"the solver alone: (T(q, v′) − T(q, v_free))/T(q, v_free), {len(found)} steps of {count} scenes"
    yield at_most(max(float(found.max()), 0.0), 1e-12, why="rounding", what=what)
    yield holds(float(found.min()) < -0.01, what="the solver alone: contacts do take energy")
    for form, jointed in kinds:
        lives = [
            gain
            for part, gains in zip(parts[alone:], answers[alone:], strict=True)
            if part.args[:2] == (form, jointed)
            for gain in gains
        ]
        kind = "chains and free bodies" if jointed else "free bodies"
        words = f"{form}: {len(lives)} lives of {kind}"
        why = "half a step of fall and the step's own error, see the derivation"
        yield holds(all(sound for _, _, sound in lives), what=f"{words}: all sound")
        worst = max(gain for gain, _, _ in lives)
        yield at_most(worst, 1.0, why=why, what=f"{words}, largest gain over the start, over the bound")
        worst = max(rise for _, rise, _ in lives)
        yield at_most(worst, 1.0, why=why, what=f"{words}, largest rise by contacts, over the bound")


def shares_of(count: int) -> list[tuple[int, int]]:
    """(first, last) of shares of scenes, each for a process."""
    return [(first, min(first + SHARE, count)) for first in range(0, count, SHARE)]


def solver_gains(first: int, last: int) -> list[float]:
    """Of the solver alone, in some scenes with and without joints."""
    scenes = (random_scene(seed, jointed=bool(seed % 2)) for seed in range(first, last))
    return [gain for model, states in scenes for gain in solver_gain(model, states)]


def lived_gains(form: str, jointed: bool, first: int, last: int) -> list[tuple[float, float, bool]]:
    """(gain, rise, whether sound) of every life in some scenes."""
    found = []
    for seed in range(first, last):
        model, states = random_scene(seed, jointed=jointed)
        few = states if FORMS[form] > 1 else states[:1]
        lives = live([model] * len(few), few, width=FORMS[form], seconds=1.5, every=1, contacts=True)
        found += [(*gains_over_bounds(life, jointed), life.sound) for life in lives]
    return found


def solver_gain(model: Model, states: list[State]) -> list[float]:
    """Kinetic energy that the solver makes, relative: in the first three blows of a life, or else in its last step."""
    block, gains = block_of([model], states[:1]), []
    for n in range(LONGEST):
        saved, v = block.data.copy(), block.v().copy()
        advance(block, 1)
        if n + 1 == LONGEST or np.abs(block.v() - v).max() > BLOW:
            block.data[:] = saved  # once more, in the interpreter
            q = block.q()
            halves = halved_step(block)
            if halves.touched:
                both = (halves.free, halves.solved)
                before, after = (energy(model, states[0].at(q=q, v=u)).kinetic for u in both)
                gains.append((after - before) / before)
        if len(gains) == 3:
            break
    return gains


class Halves(NamedTuple):
    """Of one step: free velocities, those the solver makes, q and v before the correction, whether anything touched."""

    free: Floats
    solved: Floats
    q: Floats
    v: Floats
    touched: bool


def halved_step(block: Block) -> Halves:
    """One step in the interpreter, as `step` does it where joints are slow."""
    ints, data, scratch, spec = block.ints, block.data, block.scratch, block.spec
    touch.begin_contacts(ints, data, scratch, spec)
    set_evaluation_point(ints, data, scratch, 0, spec)
    forces(ints, data, scratch, 0, spec)
    forward_dynamics(ints, data, scratch, spec)
    slots = touch.find_contacts(ints, data, scratch, block.terrain, spec)
    limited = meet_limits(ints, data, scratch, spec)
    free_velocities(ints, data, scratch, False, spec)
    free = block.v().copy()
    if slots > 0 or limited:
        solve(ints, data, scratch, slots, spec)
    solved = block.v().copy()
    touch.remember(ints, data, scratch, slots, spec)
    move(ints, data, spec)
    moved = block.q().copy(), block.v().copy()
    if slots > 0:
        correct_where_needed(ints, data, scratch, slots, spec)
    note(ints, data, spec)
    return Halves(free, solved, *moved, slots > 0)
