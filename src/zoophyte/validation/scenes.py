"""Lives with contact for the checks: the same creatures alone, each in a block of one, and side by side in lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.description import Body, Description, Joint, MassProperties, Shape, Surface
from zoophyte.model import STANDARD_GRAVITY, Block, ContactSettings, Model, State, compile
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.motion import free_velocities, move
from zoophyte.physics.dynamics import totals
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.living import advance
from zoophyte.physics.step import accelerate
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.touching import Contacts, read_contacts

FORMS = {"one world": 1, "8 lanes": 8}
"""Both ways to live, by the name that a row shows, and the width of their blocks."""
DT = 1e-3
G = 9.81
SPACE = Habitat((0.0, 0.0, 0.0), ground=None)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
SWEEPS, TOLERANCE = ContactSettings().sweeps, ContactSettings().tolerance


@dataclass(frozen=True)
class Lived:
    """What was recorded of one creature: `times` (T,), `q` (T, nq), `v` (T, nv), contacts, the state at the end.

    `sweeps` and `residuals` are the solver's own account at every recorded step.
    """

    model: Model
    times: Floats
    q: Floats
    v: Floats
    contacts: tuple[Contacts, ...]
    sweeps: Floats
    residuals: Floats
    end: State
    sound: bool

    def sums(self, gravity: Any = STANDARD_GRAVITY) -> Floats:
        """The sums of :func:`zoophyte.physics.dynamics.totals.totals` at every recorded time."""
        block = Block([self.model], gravity=gravity)
        sums, found = np.zeros(totals.TOTALS_SIZE), []
        arguments = (block.ints, block.data, block.scratch, sums, block.spec)
        kernel, state = compiled(totals.totals).ready(*arguments), State.neutral(self.model)
        for q, v in zip(self.q, self.v, strict=True):
            block.set_state(0, state.at(q=q, v=v))
            sums[:] = 0.0
            kernel(*arguments)
            found.append(sums.copy())
        return np.array(found)

    def half_a_step_on(self) -> tuple[Floats, Floats]:
        """Velocities at the time of the places they are recorded with, and the largest turn of a link in a step [rad].

        Velocities stand half a step before.  The step's own kernel advances them by the rest, under gravity alone: of ball
        and free links it is momentum that is late, not what a turn of their axes makes of it.
        """
        block = Block([self.model])
        block.set_step(0.5 * DT)
        arrays, spec = (block.ints, block.data, block.scratch), block.spec
        rates = compiled(forward_dynamics).ready(*arrays, spec)
        advance = compiled(free_velocities).ready(*arrays, False, spec)
        links = np.array(block.layout.scratch_offsets)[1:, None] + np.arange(at.V, at.V + 3)
        state, found, turns = State.neutral(self.model), [], []
        for q, v in zip(self.q, self.v, strict=True):
            block.set_state(0, state.at(q=q, v=v))
            rates(*arrays, spec)
            turns.append(DT * float(np.linalg.norm(block.work[links, 0], axis=1).max()))
            advance(*arrays, False, spec)
            found.append(block.v().copy())
        return np.array(found), np.array(turns)

    def free_velocities(self) -> Floats:
        """What the step with contact makes of each velocity before its impulses, in the axes before; no springs, no motors.

        How fast is fast depends on whether anything was near in the step before, which the recorded contacts tell.
        """
        block = Block([self.model], contact=ContactSettings())
        block.set_step(DT)
        arrays, spec = (block.ints, block.data, block.scratch), block.spec
        accelerations = compiled(accelerate).ready(*arrays, spec)
        near = int(block.ints[block.ints[at.CONTACT] + cl.MEMORY_START])
        state, found = State.neutral(self.model), []
        for q, v, contact in zip(self.q, self.v, self.contacts, strict=True):
            block.set_state(0, state.at(q=q, v=v))
            block.data[near] = len(contact.gaps)
            refined = bool(accelerations(*arrays, spec))
            compiled(free_velocities)(*arrays, refined, spec)
            found.append(block.v().copy())
        return np.array(found)

    def moved(self) -> Lived:
        """Each place a step on with its velocity, given in the axes before, and what that velocity is in those behind."""
        block = Block([self.model])
        block.set_step(DT)
        advance = compiled(move).ready(block.ints, block.data, block.spec)
        state, places, velocities = State.neutral(self.model), [], []
        for q, v in zip(self.q, self.v, strict=True):
            block.set_state(0, state.at(q=q, v=v))
            advance(block.ints, block.data, block.spec)
            places.append(block.q().copy())
            velocities.append(block.v().copy())
        return replace(self, q=np.array(places), v=np.array(velocities))

    def energies(self, gravity: Any = STANDARD_GRAVITY) -> Floats:
        """Kinetic, potential and elastic energy together at every recorded time [J]."""
        sums = self.sums(gravity)
        return np.asarray(sums[:, totals.KINETIC] + sums[:, totals.POTENTIAL] + sums[:, totals.ELASTIC])


def lone(
    *shapes: Shape, place: Any = (0.0, 0.0, 0.0), turn: Any = UPRIGHT, name: str = "body",
    mass: MassProperties | None = None,
) -> Body:  # fmt: skip
    """A free body.

    Args:
        shapes: of the body.
        place: where life begins [m].
        turn: unit quaternion in which it begins.
        name: of the body.
        mass: that of the shapes if left out.
    """
    joint = Joint(kind="free", initial=(*turn, *place))
    return Body(name=name, joint=joint, shapes=list(shapes), mass=mass)


def model_of(*bodies: Body, friction: float = 1.0, restitution: float = 0.0, **more: Any) -> Model:
    """Bodies with one surface, compiled.

    Args:
        bodies: of the scene.
        friction: of all shapes.
        restitution: of all shapes.
        more: fields of the description.
    """
    surface = Surface(friction=friction, restitution=restitution)
    return compile(Description(name="scene", bodies=list(bodies), **{"surface": surface, **more}))


def on(friction: float, **habitat: Any) -> Habitat:
    """A habitat whose ground has that friction; where two frictions are equal, so is their geometric mean."""
    return Habitat(surface=Surface(friction=friction), **habitat)


def live(
    models: Sequence[Model], states: Sequence[State], *, width: int, seconds: float, dt: float = DT,
    habitat: Habitat = STANDARD_HABITAT, every: int = 0, contacts: bool = False, sweeps: int = SWEEPS,
) -> list[Lived]:  # fmt: skip
    """Advance every creature by `seconds`, in blocks of `width`; contacts solved.

    Args:
        models: what lives.
        states: where each starts.
        width: creatures in a block; the last one is repeated where a block is not full.
        seconds: rounded to whole steps.
        dt: step [s].
        habitat: gravity and what is below.
        every: record every so many steps, the start and the end included; 0 records only these two.
        contacts: whether to record contacts too.
        sweeps: Gauss–Seidel sweeps in a step, at most.
    """
    found: list[Lived] = []
    for first in range(0, len(models), width):
        group = list(models[first : first + width])
        starts = list(states[first : first + width])
        missing = width - len(group)
        block = block_of(
            group + group[-1:] * missing,
            starts + starts[-1:] * missing,
            dt=dt,
            habitat=habitat,
            sweeps=sweeps,
        )
        found += _lives(block, round(seconds / dt), every, contacts)[: len(group)]
    return found


def _lives(block: Block, steps: int, every: int, contacts: bool) -> list[Lived]:
    assert block.contact is not None
    head, dt = block.contact.head, float(block.fields[at.DT, 0])
    marks = [*range(0, steps, every or max(steps, 1)), steps]
    lanes = range(block.width)
    q: Any = [[] for _ in lanes]
    v: Any = [[] for _ in lanes]
    touched: Any = [[] for _ in lanes]
    account = np.zeros((len(marks), 2, block.width))
    for n, mark in enumerate(marks):
        if n:
            advance(block, mark - marks[n - 1])
        account[n] = block.fields[[head + cl.SWEEPS_DONE, head + cl.RESIDUAL]]
        for lane in lanes:
            q[lane].append(block.q(lane))
            v[lane].append(block.v(lane))
            if contacts:
                touched[lane].append(read_contacts(block, lane))
    sound = (block.fields[at.FAILED_LINK] < 0.0) & (block.fields[head + cl.OVERFLOW] == 0.0)
    return [
        Lived(block.models[lane], np.array(marks) * dt, np.array(q[lane]), np.array(v[lane]), tuple(touched[lane]),
              account[:, 0, lane], account[:, 1, lane], block.state(lane), bool(sound[lane]))
        for lane in lanes
    ]  # fmt: skip


def block_of(
    models: Sequence[Model], states: Sequence[State], *, dt: float = DT, habitat: Habitat = STANDARD_HABITAT,
    sweeps: int = SWEEPS,
) -> Block:  # fmt: skip
    """Creatures ready to live.

    Args:
        models: one for each lane.
        states: where each starts.
        dt: step [s].
        habitat: gravity and what is below.
        sweeps: Gauss–Seidel sweeps in a step, at most.
    """
    settings = ContactSettings(habitat.ground, habitat.surface, sweeps)
    block = Block(models, gravity=habitat.gravity, contact=settings)
    for lane, state in enumerate(states):
        block.set_state(lane, state)
    block.set_step(dt)
    block.set_integrator("implicit")
    return block


def together(measure: Callable[[int], Any]) -> dict[str, Any]:
    """`measure`(width) for both forms."""
    return {name: measure(width) for name, width in FORMS.items()}
