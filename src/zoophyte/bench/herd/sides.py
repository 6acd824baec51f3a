"""Both sides of the herd's benchmarks: many creatures, each with its own commands, that can be watched.

As in `zoophyte.bench.contact.sides`, but the commands are the creatures' own: they act from the start, and the last of them
holds for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zoophyte.bench.contact.mujoco import MuJoCoRuler, Twin
from zoophyte.bench.contact.sides import Coordinates, Reading, Timer, Watch, timed
from zoophyte.bench.harness import Quality
from zoophyte.errors import UsageError
from zoophyte.model import State
from zoophyte.model.model import Floats
from zoophyte.simulation.herd import Guards, Herd
from zoophyte.simulation.herd.running import Running

PRECISIONS: tuple[Any, ...] = (np.float64, np.float32)
"""What rows are formed for, each judged by itself: one that reaches its bar in float32 says nothing of float64."""
TRUSTED = Guards(energy=None, speed=None, depth=None)
"""No life is cut short: both sides are followed to the end, whatever happens to them."""


class HerdSide:
    """Creatures of a herd.

    Args:
        herd: they act by its controllers.
        twins: how their coordinates become MuJoCo's.
        states: where they begin; as born if left out.
    """

    def __init__(
        self, herd: Herd, twins: Sequence[Twin], states: Sequence[State | None] | None = None
    ) -> None:
        self.name = "Zoophyte"
        self.herd, self.twins, self.states = herd, twins, states
        self._running: Running | None = None

    def keep(self) -> None:
        """Nothing to do: it always goes back to where lives begin."""

    def restart(self) -> None:
        """Let all lives begin."""
        self._running = self.herd.begin(self.states, guards=TRUSTED)

    @property
    def running(self) -> Running:
        """The creatures as they live."""
        if self._running is None:
            self.restart()
        assert self._running is not None
        return self._running

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        """Step.

        Args:
            steps: how many.
            orders: none; the creatures have their own.

        Raises:
            UsageError: when a life ends before its time.
        """
        self.running.advance(steps)
        for number, life in enumerate(self.running.ended):
            if life is not None:
                raise UsageError(f"{self.herd.models[number].name}: {life.status}.")

    def coordinates(self) -> list[Coordinates]:
        """All creatures in MuJoCo's coordinates."""
        q, v, models = self.running.q(), self.running.v(), self.herd.models
        return [twin.there(q[n, : models[n].nq], v[n, : models[n].nv]) for n, twin in enumerate(self.twins)]

    def timers(self, steps: int, orders: Floats | None = None) -> list[Timer]:
        """One call for all lives from birth to the end, with all that Python does for them."""
        count = steps * len(self.herd)

        def run() -> float:
            return timed(lambda: self.lives(steps)) / count

        return [run]

    def lives(self, steps: int) -> None:
        """All lives, for so many steps.

        Raises:
            UsageError: when one ends before its time.
        """
        seconds = steps * self.herd.dt
        for life in self.herd.simulate(seconds, self.states, guards=TRUSTED, keep_final=False):
            if life.status.kind != "ended":
                raise UsageError(f"a life of the herd ended as {life.status}.")


class Flock:
    """The same creatures in MuJoCo, one after the other.

    Args:
        models: MuJoCo's.
        begin: where they begin.
        controls: of each creature, one row per period; none for creatures at rest.
        period: steps for which a row holds.
        settle: steps without controls before the lives begin.
    """

    def __init__(
        self, models: Sequence[Any], begin: Sequence[Coordinates], controls: Sequence[Floats] | None = None, *,
        period: int = 1, settle: int = 0,
    ) -> None:  # fmt: skip
        import mujoco

        self.name = f"MuJoCo {mujoco.__version__}"
        self.models, self.period = models, period
        self.controls = [np.zeros((1, m.nu)) for m in models] if controls is None else list(controls)
        self.data = [mujoco.MjData(model) for model in models]
        self._kept = [mujoco.MjData(model) for model in models]
        for model, data, (qpos, qvel) in zip(models, self._kept, begin, strict=True):
            data.qpos[:], data.qvel[:] = qpos, qvel
            mujoco.mj_forward(model, data)
            if settle:
                mujoco.mj_step(model, data, settle)
        self.restart()

    def keep(self) -> None:
        """Nothing to do: it always goes back to where lives begin."""

    def restart(self) -> None:
        """Let all lives begin."""
        import mujoco

        self.step = 0
        for model, data, kept in zip(self.models, self.data, self._kept, strict=True):
            mujoco.mj_copyData(data, model, kept)

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        """Step.

        Args:
            steps: how many.
            orders: none; the creatures have their own.
        """
        import mujoco

        for model, data, controls in zip(self.models, self.data, self.controls, strict=True):
            step, end = self.step, self.step + steps
            while step < end:
                row = step // self.period
                data.ctrl[:] = controls[min(row, len(controls) - 1)]
                # The last row holds for ever: no need to come back for the next one.
                count = end - step if row + 1 >= len(controls) else min(end, (row + 1) * self.period) - step
                mujoco.mj_step(model, data, count)
                step += count
        self.step += steps

    def coordinates(self) -> list[Coordinates]:
        """All creatures now."""
        return [(np.array(data.qpos), np.array(data.qvel)) for data in self.data]

    def timers(self, steps: int, orders: Floats | None = None) -> list[Timer]:
        """A loop of `mj_step`; and `mujoco.rollout`, where all creatures have one body and controls for every step."""
        count = steps * len(self.models)

        def loop() -> float:
            self.restart()
            return timed(lambda: self.advance(steps)) / count

        return [loop, self._rollout(steps)] if self.period == 1 else [loop]

    def _rollout(self, steps: int) -> Timer:
        """All lives in one call of `mujoco.rollout`, on one thread."""
        import mujoco
        from mujoco import rollout

        model, whole = self.models[0], mujoco.mjtState.mjSTATE_FULLPHYSICS
        begin = np.zeros((len(self.models), mujoco.mj_stateSize(model, whole)))
        for row, kept in zip(begin, self._kept, strict=True):
            mujoco.mj_getState(model, kept, row, whole)
        warm = np.array([kept.qacc_warmstart for kept in self._kept])
        rows = np.minimum(np.arange(steps), len(self.controls[0]) - 1)
        controls = np.array([own[rows] for own in self.controls])
        states = np.zeros((*controls.shape[:2], begin.shape[1]))
        data = mujoco.MjData(model)

        def run() -> float:
            seconds = timed(
                lambda: rollout.rollout(model, data, begin, controls, state=states, initial_warmstart=warm)
            )
            return seconds / (steps * len(self.models))

        return run


class MeanWatch(Watch):
    """A watch that knows the mean depth too: of the deepest contact of every creature at every look."""

    def __init__(self, side: Any, rulers: Sequence[MuJoCoRuler], stride: int) -> None:
        self._sum, self._looks = 0.0, 0
        super().__init__(side, rulers, stride)

    def look(self) -> list[Reading]:
        """All creatures now."""
        readings = super().look()
        self._sum += sum(reading.depth for reading in readings)
        self._looks += len(readings)
        return readings

    def stand(self, steps: int, dt: float) -> Quality:
        """Stand still for so many steps, and sum up."""
        quality = super().stand(steps, dt)
        return replace(quality, mean_penetration=self._sum / self._looks)
