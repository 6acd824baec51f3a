"""Balances of contact: momentum goes from body to body, and energy never comes from a contact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
from zoophyte.physics import body_poses, body_velocities, energy
from zoophyte.physics.contact import touch
from zoophyte.physics.contact.axes import meet_limits
from zoophyte.physics.contact.correct import correct_where_needed
from zoophyte.physics.contact.motion import free_velocities, move
from zoophyte.physics.contact.slots import prepare_slots
from zoophyte.physics.contact.ways import note_ways
from zoophyte.physics.dynamics import totals
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.forces import joint_forces
from zoophyte.physics.implicit import first_right_side
from zoophyte.physics.step import finish
from zoophyte.validation.catalogue import Measurement, at_most, check, holds
from zoophyte.validation.scenes import DT, FORMS, SPACE, G, Lived, advance, block_of, live, lone, model_of

CHAINS = (0.0, 0.3, 0.7)
"""Restitutions of scenes with joints; see LAW-contact-energy."""
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

    *Whole lives with joints*: there too velocities stand half a step ahead, and Ẽ = E(q, v + ½ dt a(q, v)) is read at the
    time of the places.  Impulses change v at once, while the accelerations of the step are those of v before: their second
    half should be those after, which makes or takes ½ dt vᵀ·M·(a(q, v₋) − a(q, v₊)).  What that makes is allowed, step by
    step, and once x² of the energy, x the largest turn of a link in a step, since all else is of second order.
    e ≤ 0.7 here: with e = 1 fast chains fly on for ever, and drift of higher order adds up.
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
    gains = [solver_gain(*random_scene(seed, jointed=bool(seed % 2))) for seed in range(count)]
    found = np.array([gain for scene in gains for gain in scene])
    what = f"the solver alone: (T(q, v′) − T(q, v_free))/T(q, v_free), {len(found)} steps of {count} scenes"
    yield at_most(max(float(found.max()), 0.0), 1e-12, why="rounding", what=what)
    yield holds(float(found.min()) < -0.01, what="the solver alone: contacts do take energy")
    for form, width in FORMS.items():
        for jointed in (False, True):
            worst, lived = [0.0], 0
            for seed in range(count if width == 1 else count // 8):
                model, states = random_scene(seed, jointed=jointed)
                few = states if width > 1 else states[:1]
                every = 1 if jointed else 5
                for life in live(
                    [model] * len(few), few, width=width, seconds=1.5, every=every, contacts=jointed
                ):
                    worst.append(gain_over_bound(life, jointed))
                    lived += life.sound
            kind = "chains and free bodies" if jointed else "free bodies"
            what = f"{form}: {lived} lives of {kind}, largest gain over the bound"
            yield at_most(
                max(worst),
                1.0,
                why="half a step of fall and the step's own error, see the derivation",
                what=what,
            )


def gain_over_bound(life: Lived, jointed: bool) -> float:
    """max(Ẽ − Ẽ(0)) as a share of what the step itself may make of it."""
    scale = float(np.abs(life.energies()).max())
    if jointed:
        seen = replace(life, times=life.times[::5], q=life.q[::5], v=life.v[::5])
        gain = float(centred_energy(seen).max())
        own = late_halves(life) + turning_share(seen)
    else:
        gain = float(modified_energy(life).max())
        own = max(turning_error(life.model, v) for v in life.v)
    return gain / (max(own, 0.0) + 1e-10 * scale)


def centred_energy(life: Lived) -> Floats:
    """Ẽ − Ẽ(0) with joints: E at the velocities that belong to the time of the places."""
    E = replace(life, v=life.v + 0.5 * DT * life.rates()).energies()
    return np.asarray(E - E[0])


def late_halves(life: Lived) -> float:
    """Energy that steps make in which impulses act, because the second half of their accelerations is that of v before."""
    struck = [n for n in range(len(life.v) - 1) if np.any(life.contacts[n + 1].forces)]
    if not struck:
        return 0.0
    before = replace(life, q=life.q[struck], v=life.v[struck])
    after = replace(before, v=life.v[1:][struck])
    late = 0.5 * DT * (before.rates() - after.rates())
    made = (
        kinetic(replace(after, v=after.v + late)) - kinetic(after) - kinetic(replace(after, v=late))
    )  # vᵀ·M·late
    return float(np.maximum(made, 0.0).sum())


def turning_share(life: Lived) -> float:
    """x² T at its largest, x the turn of the fastest body in a step."""
    start = State.neutral(life.model)
    rates = [
        body_velocities(life.model, start.at(q=q, v=v))[:, :3] for q, v in zip(life.q, life.v, strict=True)
    ]
    x = DT * np.linalg.norm(rates, axis=2).max(axis=1)
    return float((x**2 * kinetic(life)).max())


def kinetic(life: Lived) -> Floats:
    """T at every recorded time."""
    return life.sums()[:, totals.KINETIC]


def modified_energy(life: Lived) -> Floats:
    """Ẽ − Ẽ(0) at every recorded time."""
    sums = life.sums()
    E = sums[:, totals.KINETIC] + sums[:, totals.POTENTIAL] - 0.5 * DT * G * sums[:, totals.LINEAR + 2]
    return np.asarray(E - E[0])


def turning_error(model: Model, v: Floats) -> float:
    """Σ (ω dt)²·½ ω·I ω of free bodies."""
    total = 0.0
    for n, w in enumerate(v.reshape(-1, 6)[:, :3]):
        total += float(w @ w) * DT**2 * 0.5 * float(w @ model.bodies.inertia[n + 1] @ w)
    return total


def solver_gain(model: Model, states: list[State]) -> list[float]:
    """Kinetic energy that the solver makes, relative: in the first three blows of a life, or else in its last step."""
    block, gains = block_of([model], states[:1]), []
    for n in range(LONGEST):
        saved, v = block.data.copy(), block.v().copy()
        advance(block, 1)
        if n + 1 == LONGEST or np.abs(block.v() - v).max() > BLOW:
            block.data[:] = saved  # once more, in the interpreter
            q = block.q()
            free, solved, touched = halved_step(block)
            if touched:
                before, after = (energy(model, states[0].at(q=q, v=u)).kinetic for u in (free, solved))
                gains.append((after - before) / before)
        if len(gains) == 3:
            break
    return gains


def halved_step(block: Block) -> tuple[Floats, Floats, bool]:
    """One step in the interpreter, as `touching_step` does it where joints are slow.

    Returns (free velocities, those the solver makes, whether it had to).
    """
    ints, data, scratch, spec = block.ints, block.data, block.scratch, block.spec
    prepare_slots(ints, scratch, spec)
    note_ways(ints, data, scratch, spec)
    touch.begin_touching_step(data, spec)
    joint_forces(ints, data, scratch, 1.0, spec)
    first_right_side(ints, data, scratch, 1.0, 0.0, spec)
    forward_dynamics(ints, data, scratch, spec)
    slots = touch.detect(ints, data, scratch, block.terrain, spec)
    free_velocities(ints, data, scratch, False, spec)
    free = block.v().copy()
    limited = meet_limits(ints, data, scratch, spec)
    if slots > 0 or limited:
        touch.solve(ints, data, scratch, slots, spec)
    solved = block.v().copy()
    touch.remember(ints, data, scratch, slots, spec)
    move(ints, data, spec)
    if slots > 0:
        correct_where_needed(ints, data, scratch, slots, spec)
    finish(ints, data, spec)
    return free, solved, slots > 0
