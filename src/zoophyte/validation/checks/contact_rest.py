"""Laws of rest: what stands, stands; what is pinched does not slip; the ground carries the weight.

In a step that solves contacts exactly, energy changes by E′ − E = λ·u′ − ½ |v′ − v|²_M: impulses λ times the velocities u′
that they leave at their points, less what the change of velocity takes.  (T′ − T = v′·M(v′ − v) − ½|v′ − v|², and M(v′ −
v) = dt f + Jᵀλ, where the force f is minus the slope of the potential that the step to x + dt v′ goes along.)  At rest
λ·u′ = 0; sweeps that end at a velocity τ = 10⁻⁵ g dt may leave up to Σλ·τ in a step.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from zoophyte import zoo
from zoophyte.description import Box, Capsule, Cylinder, Description, Frustum, Joint, Shape, Sphere, Surface
from zoophyte.export.mjcf import mjcf_of
from zoophyte.model import Model, State, Terrain, compile
from zoophyte.simulation import Habitat
from zoophyte.validation.catalogue import Measurement, at_most, check, compare, holds
from zoophyte.validation.parts import in_parts
from zoophyte.validation.scenes import DT, FORMS, TOLERANCE, G, Lived, live, lone, model_of
from zoophyte.validation.soak import soak_creatures, soak_pile
from zoophyte.validation.watching import Account

FRICTIONS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
RECORD = 100
"""Steps from one record to the next."""
SETTLING = 10.0
"""Time after which the springs of the ant's legs have come to rest [s]."""
COARSE, ROLLING = 5e-3, 0.02
"""Step on terrain [s], and the rolling and torsional friction of what is round [m]."""
PUSH = (0.2, 0.1, 0.3, 0.005, 0.01, -0.02)
"""Of the capsule when life begins: angular and linear velocity [rad/s, m/s]."""
LOST = 1e5
"""Speed at which the capsule is no longer held [µm/s]."""


def box(friction: float) -> Model:
    """A box that lies on the ground."""
    return model_of(lone(Box(size=(0.4, 0.3, 0.2)), place=(0.0, 0.0, 0.1)), friction=friction)


def stack(friction: float) -> Model:
    """Five boxes of 32 kg, one on another."""
    size, height = (0.4, 0.4, 0.2), 0.2
    boxes = [lone(Box(size=size), place=(0.0, 0.0, (n + 0.5) * height), name=f"box{n}") for n in range(5)]
    return model_of(*boxes, friction=friction)


def tower(friction: float) -> Model:
    """The zoo's tower of eight blocks, each set off a little from the one below."""
    return compile(zoo.box_stack().model_copy(update={"surface": Surface(friction=friction)}))


def standing_ant(friction: float) -> Model:
    """The zoo's ant, which lets itself down on its springs and stands."""
    return compile(zoo.ant().model_copy(update={"surface": Surface(friction=friction)}))


@check(
    "LAW-rest",
    kind="law",
    title="What rests, rests",
    source="equilibrium; energy of a step, see the derivation",
)
def rest() -> Iterator[Measurement]:
    """60 s at 1 ms: nothing moves by a micrometre, and no energy comes from anywhere.

    A box, five boxes on one another, the zoo's leaning tower of eight and a standing ant, each with friction 0.2 to 1 (the
    ant after 10 s in which its springs settle, the tower after one: it begins without remembered forces).  In a record of
    100 steps energy may rise by 100·Σλ·τ, Σλ the impulses of a step: dt times the weight above each layer of a stack, so
    three times the whole for five boxes.  Above its value at the start it may not rise at all; the tower's start is when it
    is built.  The tower stands in one world alone: it has more contacts than a lane has room for.
    """
    scenes: dict[str, tuple[Callable[[float], Model], float, float]] = {
        "box": (box, 0.0, 1.0), "five boxes": (stack, 0.0, 3.0), "ant": (standing_ant, SETTLING, 1.0),
        "tower": (tower, 1.0, 4.5),
    }  # fmt: skip
    for name, (make, settling, layers) in scenes.items():
        models = [make(friction) for friction in FRICTIONS]
        weight = G * models[0].total_mass
        for form, width in FORMS.items():
            if make is tower and width > 1:
                continue  # it has 60 contacts, and a lane room for 32
            few = models if width > 1 else models[::3]
            states = [State.neutral(model) for model in few]
            lives = live(few, states, width=width, seconds=settling + 60.0, every=RECORD)
            first = round(settling / DT) // RECORD
            creep = [float(np.abs(life.q[first:] - life.q[first]).max()) for life in lives]
            yield at_most(creep, 1e-6, why="asked for", what=f"{form}: {name}, creep in 60 s [m, rad]")
            energies = [life.energies() for life in lives]
            rises = [max(float(np.diff(E[first:]).max()), 0.0) for E in energies]
            yield at_most(
                rises, RECORD * layers * weight * DT * TOLERANCE * G * DT, why="Σλ·τ in each of 100 steps",
                what=f"{form}: {name}, largest rise of energy in 0.1 s [J]",
            )  # fmt: skip
            since = 0 if make is tower else first
            above = [max(float((E[since:] - E[since]).max()), 0.0) for E in energies]
            yield at_most(
                above,
                1e-13 * float(energies[0][since]),
                why="rounding",
                what=f"{form}: {name}, energy above its start [J]",
            )


def throw(shape: Shape, ground: Terrain, seed: int) -> tuple[Model, State]:
    """A body with a shape, turned at random, half a metre or so over a terrain."""
    rng = np.random.default_rng(seed)
    turn, place = rng.normal(size=4), rng.uniform(-1.0, 1.0, 2)
    x, y = (grid.ravel() for grid in np.meshgrid(*(np.linspace(-0.4, 0.4, 9) + centre for centre in place)))
    above = float(ground.height_at(x, y).max()) + 0.4
    body = lone(shape, turn=(turn / np.linalg.norm(turn)).tolist(), place=(*place.tolist(), above))
    rolling = 0.0 if isinstance(shape, Box) else ROLLING
    model = model_of(body, surface=Surface(friction=0.9, rolling=rolling, torsion=rolling))
    return model, State.neutral(model)


def pits() -> Terrain:
    """Pits with four sides of 63°, 0.4 m wide, side by side; diagonals of cells are ridges across two of their corners."""
    away = np.abs((np.arange(49) + 4) % 8 - 4) * 0.05
    return Terrain(2.0 * np.maximum(away, away[:, None]), (0.05, 0.05), (-1.2, -1.2))


@check(
    "LAW-rest-terrain",
    kind="law",
    title="What fell on rough ground comes to rest, and rests",
    source="equilibrium; energy of a step, see the derivation",
)
def rest_on_terrain() -> Iterator[Measurement]:
    """Bodies dropped on bumps, spikes, stairs and pits at 5 ms: after 15 s nothing moves, and no energy is made.

    A body rests on three points or more; the law fails where one of them is left out in some steps, or pushes another way.
    Round bodies have rolling friction, without which they would roll to and fro in a valley.  Speeds and creep are those
    asked for; energy as for LAW-rest, of one layer.
    """
    spikes = Terrain(
        4.0 * np.random.default_rng(1).uniform(0.0, 0.25, (40, 40)) ** 2, (0.12, 0.12), (-2.4, -2.4)
    )
    grounds = {
        "bumps": Terrain.bumps(seed=3, size=(6.0, 6.0), height=0.2, length=0.6), "spikes": spikes,
        "stairs": Terrain.steps(20, rise=-0.17, run=0.29, start=-2.0), "pits": pits(),
    }  # fmt: skip
    shapes: list[Shape] = [
        Sphere(radius=0.1), Box(size=(0.24, 0.24, 0.09)), Capsule(radius=0.05, length=0.3),
        Cylinder(radius=0.12, length=0.09), Frustum(radius_start=0.12, radius_end=0.08, length=0.09),
    ]  # fmt: skip
    for place, ground in grounds.items():
        for form, width in FORMS.items():
            speeds, creeps, rises = [], [], []
            for shape in shapes:
                thrown = [throw(shape, ground, seed) for seed in range(0, 8, 1 if width > 1 else 4)]
                lives = live(*zip(*thrown, strict=True), width=width, seconds=18.0, dt=COARSE, every=20,
                             habitat=Habitat(ground=ground))  # fmt: skip
                for life in lives:
                    x = life.q[-31:, 4:]
                    speeds.append(float(np.abs(life.v[-31:]).max()))
                    creeps.append(float(np.linalg.norm(x[-1] - x[0])) / 3.0)
                    weight = G * life.model.total_mass
                    rises.append(max(float(np.diff(life.energies()[-31:]).max()), 0.0) / weight)
            what = f"{form}: balls, boxes, capsules, cylinders and frusta on {place}"
            yield at_most(speeds, 1e-3, why="asked for", what=f"{what}, speed in the last 3 s [m/s, rad/s]")
            yield at_most(creeps, 1e-5, why="asked for", what=f"{what}, creep [m/s]")
            yield at_most(
                rises, 20 * COARSE * TOLERANCE * G * COARSE, why="Σλ·τ in each of 20 steps",
                what=f"{what}, largest rise of energy in 0.1 s over the weight [m]",
            )  # fmt: skip


@check(
    "LAW-weight",
    kind="law",
    title="The ground carries the weight of a standing ant",
    source="balance of forces",
)
def weight() -> Iterator[Measurement]:
    """At rest the normal forces add up to m g, and the forces along the ground to nothing.

    The springs push the feet apart, so that each foot is held by friction of about a fifth of the whole weight.
    """
    models = [standing_ant(friction) for friction in FRICTIONS]
    states = [State.neutral(model) for model in models]
    total = G * models[0].total_mass
    for form, width in FORMS.items():
        lives = live(models, states, width=width, seconds=SETTLING, contacts=True)
        forces = np.array([life.contacts[-1].forces.sum(axis=0) for life in lives])
        yield compare(
            forces[:, 2] / total,
            1.0,
            absolute=1e-6,
            why="asked for",
            what=f"{form}: Σ N over m g, 8 frictions",
        )
        yield at_most(
            forces[:, :2] / total, 1e-6, why="as the normal forces", what=f"{form}: Σ of friction over m g"
        )
        feet = [len(life.contacts[-1].gaps) for life in lives]
        yield compare(feet, 4.0, why="all four feet stand", what=f"{form}: contacts")


@check(
    "LAW-pinch",
    kind="law",
    title="A pinched capsule does not slip",
    source="Coulomb's law; MuJoCo's issue 3328",
)
def pinch() -> Iterator[Measurement]:
    """A capsule of 45 g between two pads that could hold 20 to 95 times its weight: it must not slip by 1 µm/s.

    The pads press with N = margin·m g/2μ each; the capsule needs m g/2 of the friction μ N that each can give.  It starts
    with a push and a twist, which friction must stop; its place is compared after 1 s and after 10 s.  MuJoCo's contacts are
    soft, and slip is part of its model: what it lets slip on the same scene (written as MJCF, its own defaults, the same
    step), from 0.5 s to 1.5 s, stands beside ours where that package is there.
    """
    margins = (20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 95.0)
    hands = [held_hand(margin) for margin in margins]
    models = [compile(hand) for hand in hands]
    states = [State.neutral(model).at(v=[0.0, 0.0, *PUSH]) for model in models]
    for dt in (1e-3, 2e-3):
        beside = peer_slip(hands, dt)
        for form, width in FORMS.items():
            space = Habitat(ground=None)
            lives = live(
                models, states, width=width, seconds=10.0, dt=dt, every=round(1.0 / dt), habitat=space
            )
            slip = [slip_of(life) for life in lives]
            what = f"{form}: slip at margins of 20 to 95, dt = {1e3 * dt:g} ms{beside} [µm/s]"
            yield at_most(slip, 1.0, why="asked for", what=what)
            held = max(float(np.abs(life.q[-1, -3:] - (0.0, 0.0, 0.15)).max()) for life in lives)
            yield at_most(
                held,
                0.025 * dt,
                why="0.023 m/s, stopped within a step",
                what=f"{form}: way from the start [m]",
            )


def held_hand(margin: float) -> Description:
    """The zoo's pinch, its hand fixed."""
    hand = zoo.capsule_pinch(margin)
    first, *others = hand.bodies
    position: Any = first.joint.position
    fixed = first.model_copy(update={"joint": Joint(kind="fixed", position=position)})
    return hand.model_copy(update={"bodies": [fixed, *others]})


def slip_of(life: Lived) -> float:
    """Speed at which the capsule has come down since the first second [µm/s]."""
    return float(life.q[1, -1] - life.q[-1, -1]) / float(life.times[-1] - life.times[1]) * 1e6


def peer_slip(hands: list[Description], dt: float) -> str:
    """What MuJoCo lets slip at the smallest and at the largest margin, in words; nothing if it is not installed."""
    if importlib.util.find_spec("mujoco") is None:
        return ""
    import mujoco

    slips = []
    for hand in (hands[0], hands[-1]):
        model = mujoco.MjModel.from_xml_string(mjcf_of(hand, timestep=dt))
        data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qvel[:] = (0.0, 0.0, *PUSH[3:], *PUSH[:3])  # of a free joint: linear first
        heights = []
        for seconds in (0.5, 1.0):
            for _ in range(round(seconds / dt)):
                mujoco.mj_step(model, data)
            heights.append(float(data.body("capsule").xpos[2]))
        slips.append((heights[0] - heights[1]) * 1e6)
    told = ["loses it" if slip > LOST else f"{slip:.0f}" for slip in slips]
    return f" (MuJoCo {mujoco.__version__}: {told[0]} and {told[1]})"


# ---------------------------------------------------------------------------------------------------------------- soaks

MILLION = 10**6


@check(
    "LAW-soak-creatures", kind="law", title="64 random creatures, a million steps each", slow=True,
    source="energy of a step; Coulomb's and Newton's laws",
)  # fmt: skip
def soaked_creatures() -> Iterator[Measurement]:
    """Trees of three to eight boxes and capsules with hinges, limits and motors, dt = 5 ms, in lanes of eight.

    Half of the blocks have different topologies in their lanes, half have limbs that touch one another.  For a second
    motors get random orders, drawn anew every 25 ms; then they are off for a second, and energy may not rise.  What a step
    itself may make, and is allowed: joints turn by ω dt in a step, and inertia that depends on the place is taken as it is
    at one end of it, so that up to ω dt of the kinetic energy (ω and T the largest since the energy was lowest) may come;
    and correction of positions lifts a creature out of a depth, and may overdo it by the slop, 5·10⁻⁴ of its largest shape.

    Motors stop driving at 20 rad/s at most, and no creature is wider than a metre.
    """
    yield from creature_rows(soak_creatures(MILLION))


def creature_rows(account: Account) -> Iterator[Measurement]:
    """What is asked of creatures."""
    yield from common_rows(account, "")
    yield at_most(
        account.beyond,
        0.0175,
        why="a degree, driven at 5 ms",
        what="farthest beyond a hard limit [rad]",
    )
    yield at_most(
        account.pop,
        1e-3,
        why="a millimetre on a limb of a metre",
        what="largest jump of a joint without speed, half a second after its last order [rad]",
    )
    yield at_most(account.speed, 20.0, why="20 rad/s at a metre", what="fastest trunk [m/s]")
    yield at_most(
        account.turning, 100.0, why="blows may turn a limb faster than its motor", what="fastest turn [rad/s]"
    )


@check(
    "LAW-soak-pile", kind="law", title="A pile of 100, a million steps awake and a million with sleep", slow=True,
    source="energy of a step; Coulomb's and Newton's laws",
)  # fmt: skip
def soaked_pile() -> Iterator[Measurement]:
    """100 boxes, balls and capsules of 5 to 20 cm in a pit, dt = 2 ms; every 5 s a third of them is thrown about.

    Between two throws energy may not rise.  What a step itself may make, and is allowed: turning of bodies that are no
    balls makes up to (ω dt)² of the kinetic energy (ω and T the largest since the energy was lowest), and correction of
    depth may lift the pile by the slop, 5·10⁻⁴ of the largest body.  Thrown at 2 m/s along each axis and fallen two
    metres, a body is not faster than 7.2 m/s; a blow of a heavy one may double that, and such a ball of 2.5 cm rolls at 580
    rad/s.

    Nobody may pass another: balls inside two bodies are half the smaller width apart when these only touch.
    """
    piles = {"awake: ": False, "with sleep: ": True}
    accounts = in_parts([partial(soak_pile, MILLION, sleep=sleep) for sleep in piles.values()])
    for words, account in zip(piles, accounts, strict=True):
        yield from pile_rows(account, words)


def pile_rows(account: Account, words: str) -> Iterator[Measurement]:
    """What is asked of a pile."""
    yield from common_rows(account, words)
    yield at_most(
        account.overlap,
        5e-3,
        why="a tenth of the smallest body",
        what=f"{words}deepest overlap of balls inside bodies [m]",
    )
    yield at_most(account.speed, 15.0, why="see the derivation", what=f"{words}fastest body [m/s]")
    yield at_most(account.turning, 580.0, why="see the derivation", what=f"{words}fastest turn [rad/s]")


def common_rows(account: Account, words: str) -> Iterator[Measurement]:
    """What is asked of both."""
    faults = "; ".join(account.faults[:3])
    what = f"{words}all lived through {account.steps:,} steps {faults}".replace(",", " ").rstrip()
    yield holds(not account.faults, what=what)
    yield at_most(
        account.depth,
        2e-3,
        why="below a tenth of the thinnest radius",
        what=f"{words}deepest in the ground or a wall [m]",
    )
    where = f"{words}largest rise of energy over what steps may make ({account.rise:.2g} J; {account.worst})"
    yield at_most(account.gain, 1.0, why="the step's own error, see the derivation", what=where)
