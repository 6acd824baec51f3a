"""Checks of contact from the books: Arnold 1997 and Fontijne 1998.

Their methods differ from ours (penalties, simulated collisions, iterated static forces); what they say of the outcome is
physics, and holds here with exact friction and no springs in the ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from zoophyte import zoo
from zoophyte.algebra.quaternions import quaternion_exp
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Description,
    Ellipsoid,
    Joint,
    MassProperties,
    Servo,
    Sphere,
    Surface,
)
from zoophyte.errors import UsageError
from zoophyte.model import Model, State, compile
from zoophyte.physics import body_poses, contact_matrix
from zoophyte.physics.dynamics import totals
from zoophyte.simulation import Habitat, World
from zoophyte.validation.bodies import Y
from zoophyte.validation.catalogue import Measurement, at_most, check, compare, holds
from zoophyte.validation.checks.contact_balance import random_scene
from zoophyte.validation.checks.contact_laws import (
    SLACK,
    SOLVED,
    neutral,
    on_slope,
    rebound_heights,
    slope,
    world_velocity,
)
from zoophyte.validation.scenes import DT, SPACE, TOLERANCE, G, live, lone, model_of, on

TRUNK = (0.25, 0.08, 0.12)
"""Semi-axes of the trunk of REF4 and REF6 [m]."""


def arnold(number: int) -> str:
    """Where a check of Arnold's comes from."""
    return f"Arnold 1997; spec arnold §5.{2 if number < 23 else 3} C-{number}"


def fontijne(mark: str) -> str:
    """Where a check of Fontijne's comes from."""
    return f"Fontijne 1998; spec fontijne §5 {mark}"


# --------------------------------------------------------------------------------------------------------- Arnold


@check("ARN-C21", kind="golden", title="Rank of Λ where two links of a creature touch", source=arnold(21))
def ranks() -> Measurement:
    """Λ, the response of the velocity of one link's point beside the other's, moves only what lies between them.

    On the way from link to link there is one hinge from trunk to upper, two from trunk to lower or from upper to upper, and
    three and four to the others; three directions are all there are.  Axes and place are random; singular values below 1e-9
    of the largest count as none.
    """
    rng = np.random.default_rng(21)
    bodies = [lone(Ellipsoid(semi_axes=TRUNK), name="trunk")]
    for side in ("left", "right"):
        for name, parent in ((f"{side}_upper", "trunk"), (f"{side}_lower", f"{side}_upper")):
            joint = Joint(kind="hinge", axis=tuple(rng.normal(size=3)), position=tuple(rng.normal(size=3)))
            bodies.append(
                Body(name=name, parent=parent, joint=joint, shapes=[Capsule(radius=0.02, length=0.2)])
            )
    model = compile(Description(name="legs", bodies=bodies))
    state = State.neutral(model)
    R, p = body_poses(model, state)
    pairs = (("trunk", "left_upper"), ("trunk", "left_lower"), ("left_upper", "right_upper"),
             ("left_upper", "right_lower"), ("left_lower", "right_lower"))  # fmt: skip
    found = []
    for pair in pairs:
        where = rng.normal(size=3)
        points = [(name, R[n].T @ (where - p[n])) for name in pair for n in (model.body_index(name),)]
        both = contact_matrix(model, state, points)
        apart = np.hstack([np.eye(3), -np.eye(3)])
        sizes = np.linalg.svd(apart @ both @ apart.T, compute_uv=False)
        found.append(int((sizes > 1e-9 * sizes[0]).sum()))
    return compare(found, [1.0, 2.0, 2.0, 3.0, 3.0], why="whole numbers")


@check("ARN-C23", kind="golden", title="A bar on two smooth supports", source=arnold(23))
def supported_bar() -> Iterator[Measurement]:
    """Half the weight on each: 4.905 N for 1 kg.  And 0.1 m from the middle, where forces that only grow stick (C-24)."""
    for reach in (0.5, 0.1):
        inertia = (0.001, 1.0 / 12.0, 1.0 / 12.0)
        feet = [Sphere(radius=0.05, position=(x, y, 0.0)) for x in (-reach, reach) for y in (-0.05, 0.05)]
        mass = MassProperties(mass=1.0, inertia=inertia)
        model = model_of(lone(*feet, place=(0.0, 0.0, 0.05), mass=mass), friction=0.0)
        (life,) = live([model], neutral([model]), width=1, seconds=0.05, contacts=True)
        touched = life.contacts[-1]
        sides = [float(touched.forces[touched.points[:, 0] * side > 0.0, 2].sum()) for side in (-1.0, 1.0)]
        what = f"forces of supports at ±{reach} m [N]"
        yield compare(sides, 4.905, absolute=SOLVED, why=f"{SLACK}, for 1 kg", what=what)


@check("ARN-C25", kind="golden", title="A rolling ball presses with its weight", source=arnold(25))
def rolling_weight() -> Measurement:
    """A condition on the acceleration of the point that touches would give m (g − ω² r); the gap's has no such term."""
    rates = np.array([0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0])
    radius = 0.1
    model = model_of(lone(Sphere(radius=radius), place=(0.0, 0.0, radius)))
    states = [State.neutral(model).at(v=[0.0, w, 0.0, radius * w, 0.0, 0.0]) for w in rates]
    lives = live([model] * 8, states, width=8, seconds=0.1, contacts=True)
    pressed = [life.contacts[-1].forces[:, 2].sum() / (G * model.total_mass) for life in lives]
    return compare(pressed, 1.0, absolute=TOLERANCE, why=SLACK, what="N over m g, ω = 0 to 100 rad/s")


@check("ARN-C26", kind="golden", title="A ball on a slope rolls iff tan θ ≤ 3.5 μ", source=arnold(26))
def rolls_or_slides() -> Iterator[Measurement]:
    """To roll takes friction of 2/7 m g sin θ.  With less it slides: a = g (sin θ − μ cos θ), r ω̇ = 5/2 μ g cos θ."""
    radius = 0.1
    for angle in (0.3, 0.8):
        shares = np.array([0.2, 0.6, 0.9, 0.99, 1.01, 1.1, 1.5, 3.0])  # of the friction that rolling takes
        friction = shares * math.tan(angle) / 3.5
        # The ground's friction is 1, so that the geometric mean with μ² is μ.
        models = [
            model_of(lone(Sphere(radius=radius), **on_slope(angle, radius)), friction=mu * mu)
            for mu in friction
        ]
        lives = live(models, neutral(models), width=8, seconds=1.0, habitat=slope(angle))
        down = np.array([math.cos(angle), 0.0, -math.sin(angle)])
        speeds = [float(down @ world_velocity(life)) for life in lives]
        sliding = G * (math.sin(angle) - friction * math.cos(angle))
        exact = np.where(shares < 1.0, sliding, 5.0 / 7.0 * G * math.sin(angle))
        spun = np.where(shares < 1.0, 2.5 * friction * G * math.cos(angle), exact)
        what = f"after 1 s, θ = {angle}, 8 frictions"
        yield compare(speeds, exact, absolute=SOLVED, why=SLACK, what=f"v {what} [m/s]")
        turned = [radius * float(life.end.v[1]) for life in lives]
        yield compare(
            turned, spun, absolute=2.5 * SOLVED, why=f"{SLACK}; r²/k² = 5/2", what=f"r ω {what} [m/s]"
        )


@check("ARN-C27", kind="golden", title="Nothing creeps down a slope it can hold on", source=arnold(27))
def no_creep() -> Iterator[Measurement]:
    """A box and a rigid creature with four round feet, on slopes with tan θ of 0.5 to 0.99 of μ = 0.6: 10 s."""
    for name in ("box", "creature"):
        drift = []
        for share in (0.5, 0.9, 0.99):
            angle = math.atan(share * 0.6)
            if name == "box":
                body = lone(Box(size=(0.4, 0.3, 0.2)), **on_slope(angle, 0.1))
            else:
                feet = [
                    Sphere(radius=0.03, position=(x, y, -0.1)) for x in (-0.2, 0.2) for y in (-0.15, 0.15)
                ]
                body = lone(Ellipsoid(semi_axes=(0.2, 0.1, 0.08)), *feet, **on_slope(angle, 0.13))
            model = model_of(body, friction=0.36)
            (life,) = live([model], neutral([model]), width=1, seconds=10.0, habitat=slope(angle))
            drift.append(float(np.linalg.norm(life.end.q[4:] - life.q[0, 4:])))
        yield at_most(drift, 1e-3, why="asked for", what=f"drift of a {name} in 10 s [m]")


def insect(servo: Servo | None, damping: float = 0.0, friction: float = 1.0) -> Model:
    """REF6 with a surface, and other servos or none."""
    creature = zoo.ref6()
    bodies = [creature.bodies[0]]
    for body in creature.bodies[1:]:
        joint = body.joint.model_copy(update={"actuator": servo, "damping": damping})
        bodies.append(body.model_copy(update={"joint": joint}))
    return compile(creature.model_copy(update={"bodies": bodies, "surface": Surface(friction=friction)}))


@check("ARN-C28", kind="golden", title="The ground carries a standing REF6", source=arnold(28))
def standing_insect() -> Iterator[Measurement]:
    """Σ N = m g = 135.91 N in the mean over the last second of 20 s, and no point is deeper than the 1 mm of the source.

    Its servos of 5 N·m/rad cannot carry it; here they have 200 N·m/rad and 5 N·m·s/rad.  Its feet are the rims of frusta.
    """
    model = insect(Servo(stiffness=200.0, damping=5.0))
    state = State.neutral(model)
    state = state.at(q=[*state.q[:4], 0.0, 0.425, 0.0, *state.q[7:]])
    (life,) = live([model], [state], width=1, seconds=20.0, every=20, contacts=True)
    forces = np.array([touched.forces[:, 2].sum() for touched in life.contacts[-50:]])
    yield compare(forces.mean(), 135.91, relative=0.01, why="asked for", what="Σ N, mean of 1 s [N]")
    fewest = min(len(touched.gaps) for touched in life.contacts[-50:])
    yield holds(fewest >= 6, what=f"six contacts or more ({fewest})")
    depth = max(-float(touched.gaps.min(initial=0.0)) for touched in life.contacts)
    yield at_most(depth, 1e-3, why="δ_tol of the source", what="largest depth in 20 s [m]")


@check("ARN-C29", kind="golden", title="A collapsed REF6 is solved in nearly every step", source=arnold(29))
def collapsed_insect() -> Iterator[Measurement]:
    """Without servos REF6 sinks in a heap, eight times: once it lies, the sweeps end before their cap in 99 steps of 100.

    It falls and slides to and fro for ten seconds (one of the eight leans on a leg for seven before it tips over), and lies
    for five; what is not solved to 1e-5 g dt in the fall is told beside.  The joints have dampers of 0.1 N·m·s/rad, which
    only take energy: E less half a step of fall, ½ dt g P_z (see LAW-contact-energy), never rises but for the step's own
    error while legs whirl at 40 rad/s.
    """
    model = insect(None, damping=0.1)
    rng = np.random.default_rng(29)
    start = State.neutral(model)
    joints = [rng.uniform(-0.5, 0.5, model.nq - 7) for _ in range(8)]
    states = [start.at(q=[1.0, 0.0, 0.0, 0.0, 0.0, 0.45, 0.0, *angles]) for angles in joints]
    fall = live([model] * 8, states, width=8, seconds=10.0, every=1)
    heap = live([model] * 8, [life.end for life in fall], width=8, seconds=5.0, every=1)
    unsolved = [np.mean([life.residuals[1:] > TOLERANCE * G * DT for life in part]) for part in (fall, heap)]
    what = f"share of unsolved steps (while it falls: {unsolved[0]:.3f})"
    yield at_most(float(unsolved[1]), 0.01, why="asked for", what=what)
    sound = all(life.sound and np.isfinite(life.v).all() for life in (*fall, *heap))
    yield holds(sound, what="every number is finite, and no contact is left out")
    # The third of the heaps lies on the most points.
    (last,) = live([model], [heap[2].end], width=1, seconds=DT, contacts=True)
    yield holds(
        len(last.contacts[-1].gaps) >= 15, what=f"15 contacts or more ({len(last.contacts[-1].gaps)})"
    )
    rises = []
    for life in fall:
        sums = life.sums()
        E = sums[:, totals.KINETIC] + sums[:, totals.POTENTIAL] - 0.5 * DT * G * sums[:, totals.LINEAR + 2]
        rises.append(max(float(np.diff(E).max()), 0.0) / float(E[0]))
    yield at_most(
        rises, 1e-6, why="the step's own error", what="largest rise of energy in a step, as a share"
    )


@check("ARN-C30", kind="golden", title="An ellipsoid rolls on without resistance", source=arnold(30))
def rolling_ellipsoid() -> Measurement:
    """The trunk alone rolls about its long axis, over 0.08 and 0.12 m in turn; its speed at the same place must stay, 10 s.

    Speeds at the same place are as the roots of E − m g b. Steps of 0.1 ms: at the end of each step velocities are brought
    to what the point of contact allows, which is another one each time, so that rolling loses energy in proportion to dt:
    speed falls by 6.4 % in 10 s at 1 ms, by 0.7 % at 0.1 ms. It starts at its lowest with ω = 10.1 rad/s: enough to turn
    over, too little to leap (at the top g − (c² − b²)/c ω² > 0).
    """
    low = TRUNK[1]
    turn = quaternion_exp((0.5 * math.pi, 0.0, 0.0))  # b upright
    model = model_of(lone(Ellipsoid(semi_axes=TRUNK), place=(0.0, 0.0, low), turn=turn), friction=3.0)
    state = State.neutral(model).at(v=[10.1, 0.0, 0.0, 0.0, 0.0, 10.1 * low])
    (life,) = live([model], [state], width=1, seconds=10.0, dt=1e-4, every=1000, habitat=on(3.0))
    above = life.energies() - G * model.total_mass * low
    return compare(
        np.sqrt(above[-1] / above[0]), 1.0, absolute=0.01, why="asked for", what="speed after 10 s"
    )


# ------------------------------------------------------------------------------------------------------- Fontijne


@check("FON-C1", kind="golden", title="Collision matrix of a cube's corner", source=fontijne("C1"))
def corner_matrix() -> Measurement:
    """K = 1/m − [r]× I⁻¹ [r]× for the unit cube of 1 kg with I = 1/6, struck at r = (½, −½, ½)."""
    model = model_of(lone(Box(size=(1.0, 1.0, 1.0), density=1.0)))
    found = contact_matrix(model, State.neutral(model), [("body", (0.5, -0.5, 0.5))])
    exact = [[4.0, 1.5, -1.5], [1.5, 4.0, 1.5], [-1.5, 1.5, 4.0]]
    return compare(found, exact, absolute=1e-13, why="rounding")


@check("FON-S8", kind="golden", title="Cubes on an incline", source=fontijne("S8"))
def incline() -> Measurement:
    """Cubes rest where μ ≥ tan θ and else go down with g (sin θ − μ cos θ); 20°, eight frictions."""
    angle, shares = math.radians(20.0), np.array([0.0, 0.3, 0.6, 0.9, 0.98, 1.02, 1.1, 2.0])
    friction = shares * math.tan(angle)
    models = [
        model_of(lone(Box(size=(0.2, 0.2, 0.2)), **on_slope(angle, 0.1)), friction=mu * mu) for mu in friction
    ]
    lives = live(models, neutral(models), width=8, seconds=1.0, habitat=slope(angle))
    exact = np.maximum(G * (math.sin(angle) - friction * math.cos(angle)), 0.0)
    return compare(
        [life.end.v[3] for life in lives], exact, absolute=SOLVED, why=SLACK, what="speed after 1 s [m/s]"
    )


@check("FON-S9", kind="golden", title="Balls rebound to e² of their height", source=fontijne("S9"))
def rebounds() -> Measurement:
    """Height over drop is e² for a central impact, nothing for e = 0; what steps of 1 ms add is that of LAW-rebound."""
    ratios = (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 1.0)
    models = [model_of(lone(Sphere(radius=0.1), place=(0.0, 0.0, 1.1)), restitution=e) for e in ratios]
    lives = live(models, neutral(models), width=8, seconds=1.3, every=1)
    found = [float(life.q[460:, 6].max()) - 0.1 for life in lives]
    bounds = [float(rebound_heights(e, 1)[1][0]) if e else SOLVED * DT for e in ratios]
    return compare(
        found, np.square(ratios), absolute=bounds, why="how steps meet the ground", what="heights [m]"
    )


@check("FON-S10", kind="golden", title="A smooth blow beside the centre", source=fontijne("S10"))
def eccentric_rebound() -> Iterator[Measurement]:
    """A facet's corner at ρ beside the centre: the impulse 2 v/(1/m + ρ²/I), I = ⅖ m R², leaves 2/(1 + 2.5 (ρ/R)²) − 1 of v.

    A body with the mass of a ball that touches with a small ball beside the line of flight; no gravity.
    """
    offsets, R = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]), 0.1
    mass = MassProperties(mass=1.0, inertia=(0.4 * R * R,) * 3)
    models = [
        model_of(
            lone(Sphere(radius=0.01, position=(x * R, 0.0, -R)), place=(0.0, 0.0, 0.15), mass=mass),
            friction=0.0, restitution=1.0,
        )
        for x in offsets
    ]  # fmt: skip
    states = [State.neutral(model).at(v=[0.0, 0.0, 0.0, 0.0, 0.0, -1.0]) for model in models]
    space = Habitat((0.0, 0.0, 0.0), surface=Surface(friction=0.0))
    lives = live(models, states, width=8, seconds=0.06, every=1, habitat=space)
    # The first velocity after the blow; later the corner turns, and may strike again.
    found = []
    for life in lives:
        rise = [float(world_v) for world_v in np.diff(life.q[:, 6]) / DT]
        found.append(next(speed for speed in rise if abs(speed + 1.0) > 1e-6))
    exact = 2.0 / (1.0 + 2.5 * offsets**2) - 1.0
    yield compare(found, exact, absolute=1e-9, why="rounding of places", what="speed after over before")
    printed = [0.9876, 0.9512, 0.8182]
    yield compare(found[1:4], printed, absolute=5e-5, why="four printed decimals", what="printed values")


@check("FON-S17", kind="golden", title="Two runs are one", source=fontijne("S17"))
def twice() -> Measurement:
    """The same scenes lived twice end in the same bits."""
    differing = 0
    for seed in range(3):
        model, states = random_scene(seed, jointed=True)
        first, second = (live([model] * 8, states, width=8, seconds=0.5) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            differing += one.q.tobytes() != other.q.tobytes() or one.v.tobytes() != other.v.tobytes()
    return compare(differing, 0.0, why="bits", what="lives of 24 that differ")


@check("FON-S18", kind="golden", title="No bullet passes a thin sheet", source=fontijne("S18"))
def bullets() -> Iterator[Measurement]:
    """Balls of 5 mm fly at up to 900 m/s at a sheet of 1 mm, fixed or free to fly off; at any step they stay before it."""
    speeds = np.array([1.0, 10.0, 50.0, 100.0, 200.0, 400.0, 700.0, 900.0])
    for kind in ("fixed", "free"):
        for dt in (1e-4, 1e-3, 1e-2):
            sheet = Body(name="sheet", joint=Joint(kind=kind), shapes=[Box(size=(0.001, 2.0, 2.0))])
            bullet = lone(Sphere(radius=0.005, density=7800.0), place=(-0.2371, 0.013, 0.021), name="bullet")
            model = model_of(sheet, bullet, friction=0.0)
            states = []
            for speed in speeds:
                v = np.zeros(model.nv)
                v[-3] = speed
                states.append(State.neutral(model).at(v=v))
            lives = live([model] * 8, states, width=8, seconds=0.5, dt=dt, every=1, habitat=SPACE)
            passed = 0
            for life in lives:
                ahead = life.q[:, -3] - (life.q[:, 4] if kind == "free" else 0.0)
                passed += bool((ahead > 0.0).any())
            what = f"{kind} sheet, dt = {1e3 * dt:g} ms: bullets that pass, of 8"
            yield compare(passed, 0.0, why="none", what=what)


@check("FON-S19", kind="golden", title="Bodies in one another are refused", source=fontijne("S19"))
def refused() -> Iterator[Measurement]:
    """A life that would begin with an overlap does not begin: an error names the two and the depth."""
    pair = [
        lone(Sphere(radius=0.1), place=(x, 0.0, 1.0), name=name)
        for name, x in (("one", 0.0), ("other", 0.15))
    ]
    model = model_of(*pair)
    try:
        World(model).simulate(0.01)
        told = ""
    except UsageError as error:
        told = str(error)
    yield holds(
        "50 mm deep" in told and "one" in told and "other" in told, what="refused, with names and depth"
    )


@check("FON-S20", kind="golden", title="A joint pushed at its limit", source=fontijne("S20"))
def pushed_at_limit() -> Iterator[Measurement]:
    """A rod falls on the limit of its hinge at eight speeds: it must not pass it, and comes to rest there under gravity."""
    limit, rates = 0.4, np.linspace(0.0, 14.0, 8)
    rod = Capsule(
        radius=0.02, length=0.5, position=(0.25, 0.0, 0.0), rotation=quaternion_exp((0.0, 0.5 * math.pi, 0.0))
    )
    joint = Joint(kind="hinge", axis=Y, limits=(-1.0, limit))
    model = compile(Description(name="rod", bodies=[Body(name="rod", joint=joint, shapes=[rod])]))
    states = [State.neutral(model).at(v=[rate]) for rate in rates]
    lives = live([model] * 8, states, width=8, seconds=1.0, every=1)
    over = [max(float(life.q.max()) - limit, 0.0) for life in lives]
    yield at_most(over, SOLVED * DT, why=f"{SLACK}, for one step", what="beyond the limit [rad]")
    yield compare(
        [life.end.q[0] for life in lives], limit, absolute=1e-6, why="rest", what="angle at the end [rad]"
    )
    yield at_most([life.end.v[0] for life in lives], SOLVED * DT, why=SLACK, what="speed at the end [rad/s]")
