"""World: a model, a habitat, a controller and a step size; and its life."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.control import Controller
from zoophyte.control.controller import refuse_outliving, refuse_strange
from zoophyte.description import Description
from zoophyte.errors import UsageError, brief, hinting, is_number, nearest
from zoophyte.model import Law, Model, State, needs_contact
from zoophyte.model import compile as compile_model
from zoophyte.model.layout import INTEGRATORS
from zoophyte.model.meetings import refuse_untouchable
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.lifetime.pace import warn_of_step
from zoophyte.simulation.lifetime.units import warn_of_degrees
from zoophyte.simulation.living.alone import Alone
from zoophyte.simulation.living.lifetime import Lifetime, Progress
from zoophyte.simulation.living.setting import AUTO, SOLVING, Setting, refuse_blurred
from zoophyte.simulation.trajectory import Trajectory

MAX_STEPS = 10**9
MAX_NUMBERS = 2**29
"""Numbers that a trajectory may hold: 4 GiB."""


@hinting
@dataclass(frozen=True, eq=False)
class World(Setting):
    """One body in its habitat.

    Args:
        body: a model, or a description to compile.
        habitat: gravity, ground and medium.
        controller: what acts; None leaves the commands of the state as they are.
        dt: step [s].
        integrator: one of `zoophyte.physics.INTEGRATORS`, or "auto": "implicit" where contacts, constraints or limits are
            solved, else the linearly implicit "ros2" for bodies with springs, dampers or servos, else "rk4".
        overlap: what to do with shapes that overlap, constraints that are open and joints beyond hard limits when life
            begins: "refuse", or "resolve": move them where they belong first.
        slots: contacts at one time, for which there is room; as many as occur if left out.
        sweeps: Gauss–Seidel sweeps in a step, at most.
        sleep: whether, in scenes of many bodies, what rests is left alone until something touches it; if left out it is,
            but in float32 and with laws, where nothing sleeps.
        dtype: float64; or float32, for the life that a herd in float32 lives, to the bit: with a body and a controller
            that a herd takes, the integrator "implicit", and no sleep.
        laws: of force, beside joints, actuators and the medium: each adds its own at every evaluation of forces.
        response: the law by which contacts are answered; the production solver if left out.

    A step that is far too long or too short for the body is warned of (`UserWarning`), and so is a hinge's limit that
    looks as if it were in degrees.
    """

    def __post_init__(self) -> None:
        if not isinstance(self.body, Model | Description):
            raise UsageError(f"body is {brief(self.body)}, must be a model or a description; see zp.load.")
        if not isinstance(self.habitat, Habitat):
            is_controller = isinstance(self.habitat, Controller)
            how = " A controller is given by its name: controller=…" if is_controller else ""
            raise UsageError(
                f"habitat is {brief(self.habitat)}, must be a Habitat: Habitat(gravity=(0, 0, -9.81)).{how}"
            )
        if not (is_number(self.dt) and math.isfinite(self.dt) and self.dt > 0.0):
            raise UsageError(f"dt is {self.dt!r}, must be a positive number of seconds.")
        if self.integrator not in (AUTO, *INTEGRATORS):
            known = ", ".join((AUTO, *INTEGRATORS))
            hint = nearest(str(self.integrator), INTEGRATORS)
            raise UsageError(f"integrator {self.integrator!r} is unknown. Known: {known}. {hint}".rstrip())
        if self.laws and self.sleep:
            raise UsageError("sleep is True, but what sleeps feels no law; leave sleep out.")
        if self.controller is not None:
            refuse_strange(self.controller)
        laws: Any = self.laws
        given = (
            (*laws, *([] if self.response is None else [self.response])) if isinstance(laws, tuple) else (0,)
        )
        if not all(isinstance(law, Law) for law in given):
            raise UsageError(
                f"laws is {brief(laws)}, must be a tuple of zp.Law; response is one zp.Law, or None."
            )
        model = compile_model(self.body) if isinstance(self.body, Description) else self.body
        object.__setattr__(self, "body", model)
        if self.dtype != np.float64:
            self._check_single()
        if self.integrator == AUTO:
            object.__setattr__(self, "integrator", natural_integrator(model))
        self._check_contact(model)
        warn_of_step([model], self.habitat.gravity, self.dt, stacklevel=5)
        warn_of_degrees([model], stacklevel=5)

    def _check_single(self) -> None:
        """Refuse what no World in float32 can do; its integrator is that of herds."""
        try:
            dtype = np.dtype(self.dtype)
        except TypeError:
            dtype = np.dtype(object)
        if dtype == np.float64:
            object.__setattr__(self, "dtype", dtype)
            return
        if dtype != np.float32:
            raise UsageError(f"dtype is {brief(self.dtype)}, must be float64 or float32.")
        for name, given, only in (
            ("integrator", self.integrator, "implicit"),
            ("overlap", self.overlap, "refuse"),
        ):
            if given not in (AUTO, only):
                raise UsageError(
                    f"{name} is {given!r}, but a World in float32 lives as in a herd, which has only {only!r}; leave "
                    "it out, or use float64."
                )
        if self.laws or self.response:
            raise UsageError(
                "a World in float32 knows no laws beside that of the medium; leave laws out, or use float64."
            )
        if self.sleep:
            raise UsageError(
                "sleep is True, but a World in float32 lives as in a herd, where nothing sleeps; leave it out, or use "
                "float64."
            )
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "integrator", "implicit")

    def _check_contact(self, model: Model) -> None:
        if self.overlap not in ("refuse", "resolve"):
            raise UsageError(f"overlap is {self.overlap!r}, must be 'refuse' or 'resolve'.")
        counts: dict[str, Any] = {"slots": 1 if self.slots is None else self.slots, "sweeps": self.sweeps}
        for name, value in counts.items():
            if not (isinstance(value, int | np.integer) and 1 <= value <= 10**6):
                raise UsageError(f"{name} is {brief(value)}, must be a whole number from 1 to a million.")
        refuse_untouchable(model)
        if must_be_solved(model) and self.integrator not in SOLVING:
            raise UsageError(
                f"{model.name} has contacts, constraints or dry friction, which are solved with the integrators "
                f"{' and '.join(map(repr, SOLVING))}, not with {self.integrator!r}. Leave the integrator out, or take "
                "the surface off the description."
            )

    def simulate(
        self, seconds: float, state: State | None = None, *, record_rate: float | None = None,
        progress: Progress | None = None,
    ) -> Trajectory:  # fmt: skip
        """Live for `seconds`, in whole steps.

        Args:
            seconds: how long [s]; the life ends with the first step that reaches it.
            state: where to start; the neutral state if left out. A trajectory's `final` state goes on bit for bit with
                the same controller; another controller begins anew.
            record_rate: frames per second to keep; every step if left out. Frames fall on whole steps: every n-th is kept,
                with n the whole number nearest to 1 / (record_rate·dt), at least 1. It never changes the motion.
            progress: called now and then with the share of the life that is lived, from 0 to 1.
        """
        if not (is_number(seconds) and math.isfinite(seconds) and seconds >= 0.0):
            raise UsageError(f"seconds is {seconds!r}, must be a finite number, 0 or more.")
        if seconds / self.dt > MAX_STEPS:
            raise UsageError(
                f"{seconds:g} s at dt {self.dt:g} s are more than {MAX_STEPS:,} steps; raise dt or shorten the life."
            )
        if record_rate is not None and not record_rate > 0.0:
            raise UsageError(
                f"record_rate is {record_rate!r}, must be a positive number of frames per second."
            )
        rate = min(1.0 / self.dt, record_rate or math.inf)
        if seconds * rate * (self.model.nq + 4 * self.model.nv + 16) > MAX_NUMBERS:
            raise UsageError(
                f"{seconds:g} s of {self.model.name} at {rate:g} frames per second do not fit into memory; "
                "give a smaller record_rate."
            )
        if state is not None and not isinstance(state, State):
            raise UsageError(f"state is {brief(state)}, must be a State.")
        state = State.neutral(self.model) if state is None else state
        state = state.checked(self.model)
        refuse_outliving(self.controller, state.time + seconds, self.model.name)
        refuse_blurred(self.model.name, state.time + seconds, self.dt)
        if self.dtype == np.float32:
            return Alone(self, state, record_rate, progress).live(seconds)
        return Lifetime(self, state, seconds, record_rate, progress).run()


def must_be_solved(model: Model) -> bool:
    """Whether the model has what only the solver can do; hard limits alone may be springs instead."""
    dofs = model.dofs
    weak = np.isfinite(dofs.servo_max_force)
    return bool(len(model.touching) or model.constraints or dofs.friction.any() or weak.any())


def natural_integrator(model: Model) -> str:
    """What "auto" means: solving where there is contact, linearly implicit where something is stiff, else fourth order."""
    if needs_contact(model):
        return "implicit"
    dofs = model.dofs
    held = (dofs.stiffness, dofs.damping, dofs.servo_stiffness, dofs.servo_damping, dofs.limit_stiffness)
    return "ros2" if any(np.any(values > 0.0) for values in held) else "rk4"


def simulate(body: Any, seconds: float, **world: Any) -> Trajectory:
    """A life in one call: ``simulate(zoo.pendulum(), 10.0, dt=1e-3, integrator="rk4")``."""
    return World(body, **world).simulate(seconds)
