"""Laws of things that slide, roll, bounce and close loops, each for one world and for eight lanes.

A step is semi-implicit: velocities first, v′ = v + a dt, then positions with v′.  After n steps under a constant
acceleration the speed is that of the continuous law and the way is ½ a t (t + dt); where that matters a check says so.
The sweeps of the solver end when no velocity changes by more than τ = 10⁻⁵ g dt: in a step that is an acceleration of
10⁻⁵ g, which is where most tolerances come from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from zoophyte import zoo
from zoophyte.algebra.quaternions import quaternion_exp
from zoophyte.description import Body, Box, Capsule, Connect, Joint, Sphere
from zoophyte.model import Model, Plane, State
from zoophyte.model.model import Floats
from zoophyte.simulation import Habitat
from zoophyte.validation.bodies import Y
from zoophyte.validation.catalogue import Measurement, at_most, check, compare
from zoophyte.validation.oracles import rotation_of
from zoophyte.validation.scenes import DT, FORMS, TOLERANCE, G, Lived, live, lone, model_of, on

SOLVED = TOLERANCE * G
"""Acceleration that the sweeps may leave unsolved [m/s²]."""
SLACK = "sweeps end at 1e-5 of g"


def neutral(models: list[Model]) -> list[State]:
    """All at rest where life begins."""
    return [State.neutral(model) for model in models]


def slope(angle: float) -> Habitat:
    """A plane that falls towards x by `angle`."""
    return Habitat(ground=Plane(normal=(math.sin(angle), 0.0, math.cos(angle))))


def on_slope(angle: float, height: float) -> dict[str, Any]:
    """Place and turn of a body whose middle is `height` above a slope."""
    place = (height * math.sin(angle), 0.0, height * math.cos(angle))
    return {"place": place, "turn": quaternion_exp((0.0, angle, 0.0))}


def world_velocity(lived: Lived) -> Floats:
    """Velocity of a free body's origin at the end, world axes."""
    return np.asarray(rotation_of(lived.end.q[:4]) @ lived.end.v[3:6])


@check(
    "LAW-stick-slip", kind="law", title="A box on a slope sticks iff tan θ ≤ μ, else slides", source="Coulomb's law"
)  # fmt: skip
def stick_slip() -> Iterator[Measurement]:
    """Pressed by m g cos θ and pulled by m g sin θ, a box needs friction of tan θ times the pressure.

    If μ ≥ tan θ that is there and nothing moves; else the box slides with a = g (sin θ − μ cos θ).  θ = 0.5 rad, μ from 0
    to 1.5 tan θ, one part in a thousand below and above tan θ among them; v = a t after 1 s holds for our steps too.
    """
    angle = 0.5
    shares = np.array([0.0, 0.3, 0.6, 0.9, 0.999, 1.001, 1.1, 1.5])
    frictions = shares * math.tan(angle)
    expected = np.where(shares < 1.0, G * (math.sin(angle) - frictions * math.cos(angle)), 0.0)
    # The ground's friction is 1, so that the geometric mean with μ² is μ.
    models = [
        model_of(lone(Box(size=(0.4, 0.4, 0.1)), **on_slope(angle, 0.05)), friction=mu * mu)
        for mu in frictions
    ]
    for form, width in FORMS.items():
        lives = live(models, neutral(models), width=width, seconds=1.0, habitat=slope(angle))
        speeds = [life.end.v[3] for life in lives]
        yield compare(
            speeds, expected, absolute=SOLVED, why=SLACK, what=f"{form}: speed after 1 s, 8 frictions [m/s]"
        )
        others = max(float(np.abs(np.delete(life.end.v, 3)).max()) for life in lives)
        yield at_most(others, SOLVED, why=SLACK, what=f"{form}: any other velocity [m/s, rad/s]")
        moved = [float(np.abs(life.end.q - life.q[0]).max()) for life in lives[5:]]
        yield at_most(moved, 1e-6, why="creep allowed", what=f"{form}: way of those that stick [m]")


@check(
    "LAW-stopping-distance", kind="law", title="A sliding box stops after v²/2μg", source="Coulomb's law"
)  # fmt: skip
def stopping_distance() -> Iterator[Measurement]:
    """Friction slows by μ g.  Positions move with the slowed velocity, so that the box stops ½ v dt short of v²/2μg.

    v_k = v − k μ g dt, and with R = v/(μ g dt) = N + f, N whole, the way is Σ_{k ≤ N} v_k dt = μ g dt² (R N − ½ N(N + 1)) =
    v²/2μg − ½ v dt + ½ f(1 − f) μ g dt².  The last term is smaller than ⅛ μ g dt² = 0.6 µm here.
    """
    friction, speeds = 0.5, np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0])
    a = friction * G
    ratio = speeds / (a * DT)
    whole = np.floor(ratio)
    exact = a * DT**2 * (ratio * whole - 0.5 * whole * (whole + 1.0))
    model = model_of(lone(Box(size=(1.0, 0.5, 0.3)), place=(0.0, 0.0, 0.15)), friction=friction)
    states = [State.neutral(model).at(v=[0, 0, 0, v, 0, 0]) for v in speeds]
    for form, width in FORMS.items():
        lives = live([model] * 8, states, width=width, seconds=1.5, habitat=on(friction))
        ways = [life.end.q[4] for life in lives]
        # Σ over the N steps of what the sweeps leave in each, were it all in one direction, would be τ t; warm starts do not
        # let it add up, and what is left is the first step's.
        yield compare(
            ways, exact, absolute=SOLVED * DT, why=f"{SLACK}, for one step", what=f"{form}: way, 8 speeds [m]"
        )
        yield compare(
            ways, speeds**2 / (2.0 * a) - 0.5 * speeds * DT, absolute=a * DT**2 / 8.0 + SOLVED * DT,
            why="⅛ μ g dt², see the derivation", what=f"{form}: way against v²/2μg − ½ v dt [m]",
        )  # fmt: skip
        left = max(float(np.abs(life.end.v).max()) for life in lives)
        yield at_most(
            left, SOLVED * DT, why=f"{SLACK}, for one step", what=f"{form}: what is left of the speed [m/s]"
        )


@check(
    "LAW-rolling-sphere", kind="law", title="A ball rolls down a slope with 5/7 g sin θ", source="rigid body with I = ⅖ m r²"
)  # fmt: skip
def rolling_sphere() -> Iterator[Measurement]:
    """m a = m g sin θ − F, ⅖ m r² ω̇ = F r, a = r ω̇: a = 5/7 g sin θ, whatever mass and radius.  After 1 s, v = a t.

    Friction of F/N = 2/7 tan θ suffices; here μ = 1 and θ up to 1.2 rad (2/7 tan θ = 0.73).
    """
    radii = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    for angle in (0.1, 0.6, 1.2):
        models = [
            model_of(lone(Sphere(radius=r, density=1000.0 * r), **on_slope(angle, r))) for r in radii
        ]  # fmt: skip
        exact = 5.0 / 7.0 * G * math.sin(angle)
        down = np.array([math.cos(angle), 0.0, -math.sin(angle)])
        for form, width in FORMS.items():
            lives = live(models, neutral(models), width=width, seconds=1.0, habitat=slope(angle))
            speeds = [float(down @ world_velocity(life)) for life in lives]
            yield compare(
                speeds,
                exact,
                absolute=SOLVED,
                why=SLACK,
                what=f"{form}: speed after 1 s, θ = {angle}, 8 radii [m/s]",
            )
            slip = [float(v - r * life.end.v[1]) for v, r, life in zip(speeds, radii, lives, strict=True)]
            yield at_most(slip, SOLVED, why=SLACK, what=f"{form}: v − r ω, θ = {angle} [m/s]")


@check("LAW-rebound", kind="law", title="A ball rebounds to e²ⁿ h", source="Newton's law of impact")
def rebound() -> Iterator[Measurement]:
    """Speeds before and after an impact are as 1 to e, so heights are as 1 to e².  In steps there is an error that we know.

    Between impacts our step keeps I = g x + ½ v² − ½ dt g v exactly.  The impact turns the speed −v of a ball at a height s,
    0 ≤ s ≤ v dt + g dt², into e v, from where it is: I′ − e² I = (1 − e)(g s (1 + e) + ½ e dt g v).  So an apex lies above
    e² of the one before by no more than (1 − e²)(v dt + g dt²) + ½ e (1 − e) v dt, and ⅛ g dt² off because it falls between
    two steps.  For e = 1 nothing is lost, for e = 0 nothing is left.
    """
    ratios = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    models = [model_of(lone(Sphere(radius=0.1), place=(0.0, 0.0, 1.1)), restitution=e) for e in ratios]
    for form, width in FORMS.items():
        lives = live(models, neutral(models), width=width, seconds=4.0, every=1)
        heights = [life.q[:, 6] - 0.1 for life in lives]
        yield at_most(
            float(heights[0][500:].max()),
            SOLVED * DT,
            why=SLACK,
            what=f"{form}: e = 0, height afterwards [m]",
        )
        found, exact, bound, stepped = [], [], [], []
        for e, height in zip(ratios[1:], heights[1:], strict=True):
            own = apexes(height)[:5]
            wanted = rebound_heights(e, len(own))
            found += [*own]
            exact += [*wanted[0]]
            bound += [*wanted[1]]
            stepped += [*apexes(stepped_fall(e, len(height)))[:5]]
        what = f"{form}: apexes of e = 0.3, 0.5, … 1 [m]"
        yield compare(
            found, exact, absolute=bound, why="how steps meet the ground, see the derivation", what=what
        )
        yield compare(found, stepped, absolute=1e-12, why="rounding", what=f"{what}, steps by hand")


def stepped_fall(e: float, count: int) -> Floats:
    """Heights of a point that falls from 1 m in our steps and turns round in the step that would reach the ground."""
    heights, x, v = [1.0], 1.0, 0.0
    for _ in range(count - 1):
        fallen = v - G * DT
        v = -e * v if x + fallen * DT < 0.0 else fallen
        x += v * DT
        heights.append(x)
    return np.array(heights)


def apexes(height: Floats) -> Floats:
    """Heights at which it turns round, up to where bounces are too low to be told apart."""
    middle = height[1:-1]
    return np.asarray(middle[(middle >= height[:-2]) & (middle > height[2:]) & (middle > 0.01)])


def rebound_heights(e: float, count: int) -> tuple[Floats, Floats]:
    """e²ⁿ, n = 1 to `count`, and how far apexes may lie from it."""
    heights, bounds, height, bound = [], [], 1.0, 0.0
    for _ in range(count):
        v = math.sqrt(2.0 * G * height)
        bound = (
            e * e * bound
            + (1.0 - e * e) * (v * DT + G * DT**2)
            + 0.5 * e * (1.0 - e) * v * DT
            + G * DT**2 / 8.0
        )
        height *= e * e
        heights.append(height)
        bounds.append(bound)
    return np.array(heights), np.array(bounds)


@check(
    "LAW-cradle",
    kind="law",
    title="Newton's cradle with five balls",
    source="momentum and energy of a row of blows",
)
def cradle() -> Iterator[Measurement]:
    """As many balls fly off as were let go, with the speed at which they came; the others hang still.

    Five balls of restitution 1 that hang side by side and touch; one to four of them are let go from 0.3 rad, on either
    side.  In the step of the blow gravity makes g dt sin q on balls that hang off by at most q = v dt/l; nothing else may
    differ from a plain exchange of velocities.
    """
    model, length = hanging_balls()
    starts = []
    for count in (1, 2, 3, 4):
        left, right = np.zeros(5), np.zeros(5)
        left[:count], right[5 - count :] = 0.3, -0.3
        starts += [left, right]
    states = [State.neutral(model).at(q=q) for q in starts]
    for form, width in FORMS.items():
        lives = live([model] * 8, states, width=width, seconds=0.8, every=1, habitat=Habitat(ground=None))
        errors, tolerance = [], 0.0
        for life in lives:
            blow = int(np.argmax(np.abs(np.diff(life.v, axis=0)).sum(axis=1)))
            before, after = life.v[blow], life.v[blow + 1]
            errors.append(np.abs(after - before[::-1]))
            tolerance = max(tolerance, G * DT * float(np.abs(before).max()) * DT / length)
        yield at_most(
            np.array(errors), 2.0 * tolerance, why="gravity during the blow on both balls: 2 g v dt²/l",
            what=f"{form}: velocities after − mirrored velocities before, 8 throws [rad/s]",
        )  # fmt: skip


def hanging_balls() -> tuple[Model, float]:
    """Five balls that touch on threads of 1 m."""
    radius, length = 0.05, 1.0
    bodies = [
        Body(
            name=f"ball{n}",
            joint=Joint(kind="hinge", axis=Y, position=(2.0 * radius * n, 0.0, 0.0)),
            shapes=[Sphere(radius=radius, position=(0.0, 0.0, -length))],
        )
        for n in range(5)
    ]
    return model_of(*bodies, friction=0.0, restitution=1.0), length


@check(
    "LAW-four-bar",
    kind="law",
    title="A four-bar linkage keeps its loop closed",
    source="geometry of the linkage",
)
def four_bar() -> Iterator[Measurement]:
    """The ends of coupler and rocker, computed from the joint angles by plane trigonometry, must coincide: 10 s at 1 ms.

    A crank of 0.2, coupler of 0.6, rocker of 0.5 and pivots 0.7 m apart; it turns all the way round.  Started at 0 to 10
    rad/s; beside it the zoo's linkage under its motor.
    """
    model = linkage(0.2, 0.6, 0.5, 0.7)
    rates = np.linspace(0.0, 10.0, 8)
    states = [State.neutral(model).at(v=[rate, 0.0, 0.0]) for rate in rates]
    motor = zoo.scene("four_bar").world()
    command = np.zeros((motor.model.nv, 7))
    command[0, 0] = 1.0
    driven = replace(State.neutral(motor.model), command=command)
    for form, width in FORMS.items():
        lives = live([model] * 8, states, width=width, seconds=10.0, every=1, habitat=Habitat(ground=None))
        gaps = [open_by(life.q, (0.2, 0.6, 0.5, 0.7)) for life in lives]
        yield at_most(gaps, 1e-8, why="asked for", what=f"{form}: loop open by, 8 speeds [m]")
        lives = live([motor.model], [driven], width=width, seconds=10.0, every=1)
        gap = open_by(lives[0].q, (0.1, 0.25, 0.25, 0.2))
        yield at_most(
            gap, 1e-8, why="asked for", what=f"{form}: the zoo's linkage under its motor, open by [m]"
        )
        turned = float(lives[0].q[-1, 0] - lives[0].q[0, 0]) / (2.0 * math.pi)
        yield compare(
            min(turned, 1.0),
            1.0,
            why="it must move to show anything",
            what=f"{form}: the motor turned it round",
        )


def linkage(crank: float, coupler: float, rocker: float, base: float) -> Model:
    """A planar four-bar linkage in x and z, its crank at 60°."""
    start = math.radians(60.0)
    x, z = base - crank * math.cos(start), crank * math.sin(start)
    across = math.hypot(x, z)
    lean = math.atan2(-z, x) + math.acos((coupler**2 + across**2 - rocker**2) / (2.0 * coupler * across))
    end = (crank * math.cos(start) + coupler * math.cos(lean), z + coupler * math.sin(lean))
    rise = math.atan2(end[1], end[0] - base)

    def bar(name: str, length: float, angle: float, pivot: float, parent: str = "ground") -> Body:
        joint = Joint(kind="hinge", axis=(0, -1, 0), position=(pivot, 0, 0), initial=angle)
        turn = quaternion_exp((0.0, 0.5 * math.pi, 0.0))
        shape = Capsule(
            radius=0.01, length=length, position=(0.5 * length, 0, 0), rotation=turn, contact=False
        )
        return Body(name=name, parent=parent, joint=joint, shapes=[shape])

    loop = Connect(body="coupler", point=(coupler, 0, 0), other="rocker", other_point=(rocker, 0, 0))
    return model_of(
        bar("crank", crank, start, 0.0), bar("coupler", coupler, lean - start, crank, "crank"),
        bar("rocker", rocker, rise, base), constraints=[loop],
    )  # fmt: skip


def open_by(q: Floats, sides: tuple[float, float, float, float]) -> float:
    """The largest distance between the two points that should be one."""
    crank, coupler, rocker, base = sides
    first, second, third = q.T
    x = crank * np.cos(first) + coupler * np.cos(first + second) - base - rocker * np.cos(third)
    z = crank * np.sin(first) + coupler * np.sin(first + second) - rocker * np.sin(third)
    return float(np.hypot(x, z).max())
