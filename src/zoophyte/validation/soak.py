"""Soaks: a pile and random creatures that live very long, and are watched.

Both live in *rounds*.  A round begins with a stir (bodies of the pile are thrown up, motors of the creatures get random
orders) and ends with a time in which nothing drives them.  In it the energy is followed: nothing may make it rise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from zoophyte.description import Body, Box, Capsule, Description, Joint, Motor, Shape, Sphere, Surface
from zoophyte.model import Block, ContactSettings, Model, compile
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.simulation.overlaps import deepest_overlaps
from zoophyte.validation.parts import in_parts
from zoophyte.validation.scenes import G, lone
from zoophyte.validation.watching import Account, Watched

# ------------------------------------------------------------------------------------------------------------ creatures

LANES = 8
CREATURE_DT = 5e-3
DRIVEN, FREE = 200, 200
"""Steps of a round with orders, and without."""
REDRAWN, PIECES = 5, 5
"""Steps for which an order stays; looks while there are orders."""
LOOKED = 5
"""Steps from one look to the next."""
CALM = 100
"""Steps without orders after which a creature has come to rest or moves slowly, and nothing of it may pop."""
DRAWS = 40
"""Of a creature, until its limbs do not overlap."""
DIRECTIONS = tuple((axis, sign) for axis in range(3) for sign in (1.0, -1.0))


def creature_block(n: int, seed: int) -> list[Model]:
    """Block n of eight random creatures of three to eight bodies each.

    In every other block they have different topologies; in half of the blocks their limbs touch one another.
    """
    rng = np.random.default_rng([seed, n])
    bodies = 3 + n % 6
    kinds = [str(kind) for kind in rng.choice(["box", "capsule"], bodies)]
    same = _some_parents(rng, bodies)
    lanes = []
    for lane in range(LANES):
        parents = _some_parents(rng, bodies) if n % 2 else same
        lanes.append(grown(rng, kinds, parents, name=f"creature {n}.{lane}", touchy=n % 4 > 1))
    return lanes


def grown(
    rng: np.random.Generator, kinds: Sequence[str], parents: Sequence[tuple[int, int]], *, name: str, touchy: bool
) -> Model:  # fmt: skip
    """A creature as :func:`creature` draws it, drawn anew until none of its limbs overlap.

    Args:
        rng: draws.
        kinds: box or capsule, for every body.
        parents: of every body but the first, with the side.
        name: of the creature.
        touchy: whether its limbs touch one another; left out where no draw is free of overlaps.
    """
    model = compile(creature(rng, kinds, parents, name))
    for _ in range(DRAWS if touchy else 0):
        whole = compile(model.description.model_copy(update={"self_contact": True}))
        block = Block([whole], contact=ContactSettings(ground=None))
        block.set_step(CREATURE_DT)
        if not deepest_overlaps(block, 0.0):
            return whole
        model = compile(creature(rng, kinds, parents, name))
    return model


def _some_parents(rng: np.random.Generator, count: int) -> list[tuple[int, int]]:
    """For each body but the first its parent and the side of the parent on which it sits; no side is taken twice."""
    taken: set[tuple[int, int]] = set()
    found = []
    for n in range(1, count):
        # A limb's own joint is on its side −z.
        free = [(p, s) for p in range(n) for s in range(6) if (p, s) not in taken and (p == 0 or s != 5)]
        chosen = free[int(rng.integers(len(free)))]
        taken.add(chosen)
        found.append(chosen)
    return found


def creature(
    rng: np.random.Generator, kinds: Sequence[str], parents: Sequence[tuple[int, int]], name: str
) -> Description:
    """A trunk and limbs on hinges with limits and motors.

    Args:
        rng: draws.
        kinds: box or capsule, for every body.
        parents: of every body but the first, with the side.
        name: of the creature.
    """
    shapes: list[Floats] = []
    centres: list[Floats] = []
    bodies: list[Body] = []
    for n, kind in enumerate(kinds):
        half = _half_size(rng, kind)
        centre = np.array([0.0, 0.0, 0.0 if n == 0 else half[2] + 0.01])
        shape = _shape(kind, half, centre, float(rng.uniform(300.0, 1000.0)))
        if n == 0:
            turn = rng.normal(size=4)
            joint = Joint(kind="free", initial=(*(turn / np.linalg.norm(turn)), 0.0, 0.0, 1.5))
            bodies.append(Body(name="b0", joint=joint, shapes=[shape]))
        else:
            parent, side = parents[n - 1]
            axis, sign = DIRECTIONS[side]
            place = centres[parent] + sign * shapes[parent][axis] * np.eye(3)[axis]
            mass = Body(name="probe", joint=Joint(kind="free"), shapes=[shape]).mass_properties().mass
            joint = _hinge(rng, place, _turn_to(axis, sign), G * mass * half[2])
            bodies.append(Body(name=f"b{n}", parent=f"b{parent}", joint=joint, shapes=[shape]))
        shapes.append(half)
        centres.append(centre)
    surface = Surface(friction=rng.uniform(0.3, 1.2), restitution=float(rng.choice([0.0, 0.0, 0.3])))
    return Description(name=name, bodies=bodies, surface=surface)


def _half_size(rng: np.random.Generator, kind: str) -> Floats:
    if kind == "box":
        return np.asarray(rng.uniform(0.05, 0.15, 3))
    radius = rng.uniform(0.03, 0.08)
    return np.array([radius, radius, radius + rng.uniform(0.08, 0.18)])


def _shape(kind: str, half: Floats, centre: Floats, density: float) -> Shape:
    place = tuple(float(x) for x in centre)
    if kind == "box":
        return Box(size=tuple(2.0 * half), position=place, density=density)
    radius = float(half[0])
    return Capsule(radius=radius, length=2.0 * float(half[2] - radius), position=place, density=density)


def _turn_to(axis: int, sign: float) -> tuple[float, float, float, float]:
    """Unit quaternion that turns z to a direction."""
    if axis == 2:
        return (1.0, 0.0, 0.0, 0.0) if sign > 0.0 else (0.0, 1.0, 0.0, 0.0)
    half = float(np.sqrt(0.5))
    return (half, 0.0, sign * half, 0.0) if axis == 0 else (half, -sign * half, 0.0, 0.0)


def _hinge(rng: np.random.Generator, place: Floats, turn: Any, strength: float) -> Joint:
    """A hinge across the limb whose motor can lift the limb two to six times over."""
    angle = rng.uniform(0.0, 2.0 * np.pi)
    soft = {"limit_stiffness": 50.0 * strength, "limit_damping": strength} if rng.random() < 0.3 else {}
    return Joint(
        kind="hinge", axis=(np.cos(angle), np.sin(angle), 0.0), position=tuple(place), rotation=turn,
        limits=(-rng.uniform(0.2, 1.3), rng.uniform(0.2, 1.3)), stiffness=rng.uniform(0.0, 2.0) * strength,
        damping=rng.uniform(0.02, 0.1) * strength, friction=float(rng.choice([0.0, 0.1])) * strength,
        actuator=Motor(strength=rng.uniform(2.0, 6.0) * strength, max_speed=rng.uniform(5.0, 20.0)), **soft,
    )  # fmt: skip


def soak_creatures(steps: int, *, blocks: int = 8, seed: int = 0) -> Account:
    """64 creatures (eight blocks of eight), that many steps each.

    Args:
        steps: of every creature; rounded to whole rounds.
        blocks: how many.
        seed: of creatures and orders.
    """
    account = Account()
    for part in in_parts([partial(soak_block, steps, n, seed) for n in range(blocks)]):
        account.join(part)
    return account


def soak_block(steps: int, n: int, seed: int) -> Account:
    """One of the blocks of `soak_creatures`."""
    watched = Watched(creature_block(n, seed), CREATURE_DT, mixed=bool(n % 2))
    for turn in range(max(1, round(steps / (DRIVEN + FREE)))):
        if not creature_round(watched, np.random.default_rng([seed, n, turn]), f"round {turn}"):
            break
    return watched.account


def creature_round(watched: Watched, rng: np.random.Generator, when: str) -> bool:
    """Orders, and then none; whether all still live."""
    nv = watched.models[0].nv
    orders = rng.uniform(-1.0, 1.0, (DRIVEN // REDRAWN, nv, watched.width)).repeat(REDRAWN, axis=0)
    for piece in np.split(orders, PIECES):
        watched.advance(len(piece), piece)
        watched.forget()
        watched.look(when)
    for lane in range(watched.width):
        watched.block.set_dofs(at.COMMAND, 0.0, lane)
    watched.forget()
    for n in range(FREE // LOOKED):
        watched.advance(LOOKED - 1)
        watched.look(f"{when}, look {n}", calm=n * LOOKED > CALM)
        if not watched.is_sound(when):
            return False
    return True


# ----------------------------------------------------------------------------------------------------------------- pile

PILE_DT = 2e-3
PIT, WALL = 1.0, 0.1
"""Width of the square pit in which the pile lies, and of its walls [m]."""
ROUND, WATCHED = 2500, 25
"""Steps from one stir to the next, and from one look to the next."""
STIRRED = 0.3
"""Part of the bodies that are thrown at once."""
THROWN = np.array([5.0, 5.0, 5.0, 2.0, 2.0, 2.0])
"""How fast, at most: angular and linear velocity [rad/s, m/s]."""


def pile(count: int, seed: int) -> Description:
    """Boxes, balls and capsules above a pit, none touching another.

    Args:
        count: of bodies.
        seed: of everything.
    """
    rng = np.random.default_rng([seed, 7])
    bodies, row = [], 4
    for n in range(count):
        level, cell = divmod(n, row * row)
        shape: Shape
        if n % 3 == 0:
            shape = Box(size=tuple(rng.uniform(0.06, 0.14, 3)), density=700.0)
        elif n % 3 == 1:
            bouncy = Surface(friction=0.5, restitution=0.3)
            shape = Sphere(radius=rng.uniform(0.03, 0.07), density=700.0, surface=bouncy)
        else:
            shape = Capsule(radius=rng.uniform(0.025, 0.045), length=rng.uniform(0.05, 0.12), density=700.0)
        x, y = (PIT * ((place + 0.5) / row - 0.5) for place in divmod(cell, row))
        turn = rng.normal(size=4)
        bodies.append(
            lone(shape, place=(x, y, 0.15 + 0.25 * level), turn=turn / np.linalg.norm(turn), name=f"b{n}")
        )
    return Description(name=f"pile of {count}", bodies=[*bodies, *walls()], surface=Surface(friction=0.5))


def walls() -> list[Body]:
    """Four walls, eight metres high."""
    far = 0.5 * (PIT + WALL)
    return [
        Body(
            name=name, joint=Joint(kind="fixed", position=(x, y, 4.0)),
            shapes=[Box(size=(WALL if x else PIT + 2 * WALL, WALL if y else PIT + 2 * WALL, 8.0))],
        )
        for name, x, y in (("east", far, 0.0), ("west", -far, 0.0), ("north", 0.0, far), ("south", 0.0, -far))
    ]  # fmt: skip


class Pile(Watched):
    """A pile that is stirred.

    Args:
        count: of bodies.
        sleep: whether what rests may sleep.
        seed: of everything.
    """

    def __init__(self, count: int, *, sleep: bool, seed: int = 0) -> None:
        super().__init__([compile(pile(count, seed))], PILE_DT, sleep=sleep)
        self.count = count
        shapes: list[Any] = [body.shapes[0] for body in self.models[0].description.bodies[:count]]
        self._inner = np.array([0.5 * min(s.size) if isinstance(s, Box) else s.radius for s in shapes])

    def clearances(self) -> Floats:
        """Of every point over the ground and from the walls; on the way the balls inside of bodies are watched."""
        x = self.points()
        starts = np.array(self.block.layout.scratch_offsets)[1:, None]
        centres = self.block.work[starts + np.arange(at.WORLD_P, at.WORLD_P + 3), 0]
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) - (
            self._inner[:, None] + self._inner
        )
        np.fill_diagonal(apart, np.inf)
        self.account.overlap = max(self.account.overlap, -float(apart.min()))
        walled = (0.5 * PIT - np.abs(x[:, :2])).min(axis=1)
        return np.asarray(np.concatenate([x[:, 2], walled]) - np.concatenate([self._radii, self._radii]))

    def stir(self, rng: np.random.Generator) -> None:
        """Throw some bodies up, and wake them."""
        tables = self.block.contact
        assert tables is not None
        v = self.block.v().reshape(-1, 6).copy()
        for n in np.flatnonzero(rng.random(self.count) < STIRRED):
            v[n] = rng.uniform(-THROWN, THROWN)
            if tables.island_count > 1:
                start = tables.sleep + int(n) * cl.SLEEP_RECORD
                self.block.fields[[start + cl.SLEEP_ASLEEP, start + cl.SLEEP_TIMER]] = 0.0
        self.block.set_dofs(at.VELOCITY, v.ravel())
        self.forget()

    def allowance(self) -> Floats:
        """Energy that steps may make [J]; see LAW-soak-pile."""
        return np.asarray((self.dt * self._fastest) ** 2 * self._kinetic + self._slop * self._weight)


def soak_pile(steps: int, *, count: int = 100, sleep: bool = False, seed: int = 0) -> Account:
    """A pile that is stirred again and again.

    Args:
        steps: rounded to whole rounds.
        count: of bodies.
        sleep: whether what rests may sleep.
        seed: of everything.
    """
    heap = Pile(count, sleep=sleep, seed=seed)
    for turn in range(max(1, round(steps / ROUND))):
        heap.stir(np.random.default_rng([seed, turn]))
        for n in range(ROUND // WATCHED):
            heap.advance(WATCHED - 1)
            heap.look(f"round {turn}, look {n}")
            if not heap.is_sound(f"round {turn}"):
                return heap.account
    return heap.account
