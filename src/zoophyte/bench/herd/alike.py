"""Herds of one body: ants at rest and driven, and humanoids that fall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.bench.contact import mujoco, scenes
from zoophyte.bench.contact.creatures import ANT_TOLERANCE, HUMANOID_TOLERANCE, REDRAWN, REST, SWEEPS
from zoophyte.bench.contact.duel import AGREE_STEPS, NO_ENERGY, guarded
from zoophyte.bench.contact.sides import apart, is_no_worse, race
from zoophyte.bench.dynamics import isa_factor
from zoophyte.bench.harness import Row, benchmark
from zoophyte.bench.herd.sides import PRECISIONS, Flock, HerdSide, MeanWatch
from zoophyte.control import Hold, Table
from zoophyte.description import Description
from zoophyte.model import Model, State
from zoophyte.model import compile as compile_model
from zoophyte.model.model import Floats
from zoophyte.simulation import Habitat
from zoophyte.simulation.herd import Herd
from zoophyte.zoo.walkers import ant

DT = 0.005


@dataclass(frozen=True)
class Effort:
    """How long a benchmark takes; tests make it small.

    Args:
        count: creatures of the herd.
        peers: how many of them live in MuJoCo, whose time per step does not depend on that.
        watched: how many are watched on both sides.
        steps: of every life.
        rounds: of each side, in turns; the fastest counts.
        settle: steps from birth to rest before lives begin.
        standing: steps of standing still that are watched.
        stride: steps between two looks.
        precisions: in each of which our side lives.
    """

    count: int
    peers: int = 16
    watched: int = 8
    steps: int = 1000
    rounds: int = 5
    settle: int = 600
    standing: int = 2000
    stride: int = 5
    precisions: tuple[Any, ...] = PRECISIONS


class Flight:
    """One body, many times, on both sides.

    Commands are drawn before: one for every creature, step and motor.  A table with one row per step is read inside the
    kernel, so that Python is not entered; its last row is zero, and so are all commands after it.

    Args:
        model: the body.
        theirs: the same body in MuJoCo.
        habitat: where it lives.
        effort: how many, how long.
        driven: whether commands are drawn; else there are none.
        by_name: whether joints there are called like our bodies.
    """

    def __init__(
        self, model: Model, theirs: Any, habitat: Habitat, effort: Effort, *, driven: bool, by_name: bool = True
    ) -> None:  # fmt: skip
        self.model, self.theirs, self.habitat, self.effort, self.driven = (
            model,
            theirs,
            habitat,
            effort,
            driven,
        )
        self.twin = None if theirs is None else mujoco.Twin(model, theirs, by_name=by_name)
        self.weight = 9.81 * float(np.sum(model.links.mass))
        self.state = settled(model, habitat, effort.settle)
        self.orders = [random_orders(model, effort.steps, n) for n in range(effort.count)] if driven else None

    def ours(self, count: int, dtype: Any = np.float64) -> HerdSide:
        """The first few of our creatures."""
        controllers: Any = None
        if self.orders is not None:
            controllers = [Table(own, rate=1.0 / DT, interpolation="hold") for own in self.orders[:count]]
        herd = Herd(
            [self.model] * count, self.habitat, controllers, dt=DT, workers=1, sweeps=SWEEPS, dtype=dtype
        )
        twins = [] if self.twin is None else [self.twin] * count
        return HerdSide(herd, twins, [self.state] * count)

    def peers(self, count: int, settle: int) -> Flock:
        """The first few in MuJoCo, from the state of ours, where they stand for a while first."""
        assert self.twin is not None
        begin = self.twin.there(self.state.q, self.state.v)
        controls = None
        if self.orders is not None:
            controls = [self.twin.controls(own[:, :, None]) for own in self.orders[:count]]
        return Flock([self.theirs] * count, [begin] * count, controls, settle=settle)

    def ruler(self) -> mujoco.MuJoCoRuler:
        """Measures both."""
        return mujoco.MuJoCoRuler(self.theirs)

    def apart(self, dtype: Any = np.float64) -> float:
        """Distance of a body from its twin after a few steps from one state under the same commands [m]."""
        ours, peer, ruler = self.ours(1, dtype), self.peers(1, 0), self.ruler()
        return apart(ours, peer, (ruler, ruler), AGREE_STEPS)

    def quality(self, side: Any) -> Any:
        """How well contact holds while commands act, and after."""
        effort = self.effort
        watch = MeanWatch(side, [self.ruler()] * effort.watched, effort.stride)
        if self.driven:
            watch.drive(effort.steps)
            watch.release(effort.standing)
        return watch.stand(effort.standing, DT)


def settled(model: Model, habitat: Habitat, steps: int) -> State:
    """How a creature stands some steps after its birth, with the clock at zero."""
    state = State.neutral(model)
    if not steps:
        return state
    (life,) = Herd([model], habitat, Hold(0.0), dt=DT, workers=1, sweeps=SWEEPS).simulate(steps * DT)
    assert life.final is not None
    final = life.final
    return replace(state, q=final.q, v=final.v, contact=final.contact, lived=final.lived)


def random_orders(model: Model, steps: int, seed: int) -> Floats:
    """Commands of all motors, drawn anew from −1 … 1 for every step, and a last row of zeros; shape (steps + 1, nv)."""
    orders = np.random.default_rng([seed, 3]).uniform(-1.0, 1.0, (steps + 1, model.nv))
    orders[:, model.dofs.motor_strength == 0.0] = 0.0
    orders[-1] = 0.0
    return orders


def flight_rows(name: str, workload: str, flight: Flight, bar: float, tolerance: float) -> list[Row]:
    """Time per step and creature on both sides, in each precision; without a ratio if they did not agree."""
    effort, dtypes = flight.effort, flight.effort.precisions
    wanted = f"≥ {bar:g} per core, holding no worse"
    words = [f"{workload}, {np.dtype(dtype)}" for dtype in dtypes]
    ours = [flight.ours(effort.count, dtype).timers(effort.steps) for dtype in dtypes]
    if flight.theirs is None:
        times = race(*ours, rounds=effort.rounds)
        return [
            Row(name, each, seconds * 1e6, None, mujoco.MISSING, "µs", None, wanted)
            for each, seconds in zip(words, times, strict=True)
        ]
    watched = flight.peers(effort.watched, effort.settle)
    held = flight.quality(watched)
    peer = f"{watched.name} mj_step or rollout, the faster, {effort.peers} creatures"
    qualities = [(flight.quality(flight.ours(effort.watched, dtype)), held) for dtype in dtypes]
    distances = [flight.apart(dtype) for dtype in dtypes]
    *mine, theirs = race(
        *ours, flight.peers(effort.peers, effort.settle).timers(effort.steps), rounds=effort.rounds
    )
    rows = []
    for each, seconds, distance, quality in zip(words, mine, distances, qualities, strict=True):
        checked = f"from one state, bodies are at most {distance:.1e} m apart after {AGREE_STEPS} steps"
        if not distance <= tolerance:
            rows.append(Row(name, each, None, None, peer, "µs", None, wanted, False, checked, quality))
            continue
        holds, ratio = is_no_worse(*quality, NO_ENERGY * flight.weight), theirs / seconds
        checked += "; we hold no worse" if holds else "; we hold WORSE"
        rows.append(Row(name, each, seconds * 1e6, theirs * 1e6, peer, "µs", ratio, wanted, ratio >= bar and holds,
                        checked, quality))  # fmt: skip
    return rows


# ---------------------------------------------------------------------------------------------------------------- rows


def ant_rows(effort: Effort) -> Iterator[Row]:
    """At rest, and with controls redrawn every step; in each precision the worse of the two is held against the bar."""
    body: Description = ant()
    model, habitat = compile_model(body), scenes.ground_for(body)
    theirs = mujoco.exported(body, DT, habitat) if mujoco.available() else None
    found = []
    for driven in (False, True):
        flight = Flight(model, theirs, habitat, effort, driven=driven)
        words = f"{effort.count} ants, {effort.steps} steps of 5 ms, {SWEEPS} sweeps, {REDRAWN if driven else REST}"
        found.append(flight_rows("herd-ant", words, flight, 10.0 * isa_factor(), ANT_TOLERANCE))
    for pair in zip(*found, strict=True):
        yield from worse_of(pair)


def worse_of(pair: Sequence[Row]) -> list[Row]:
    """Two rows of which only the worse is held against the bar, and for both."""
    rows, ratios = list(pair), [row.ratio for row in pair]
    if None not in ratios:
        worse = int(np.argmin(np.array(ratios, float)))
        rows[worse] = replace(rows[worse], reached=all(row.reached for row in rows))
        rows[1 - worse] = replace(rows[1 - worse], bar="", reached=None)
    return rows


def humanoid_rows(effort: Effort) -> Iterator[Row]:
    """MuJoCo's own file on both sides: falls from standing and lies, controls redrawn every step."""
    words = (
        f"{effort.count} of MuJoCo's humanoid, 27 dof, {effort.steps} steps of 5 ms, falling and lying, {REDRAWN}, "
        f"no self-contact, {SWEEPS} sweeps"
    )
    text = scenes.humanoid_on_a_floor()
    if text is None:
        yield Row("herd-humanoid", words, None, None, "its file is not installed: pip install --no-deps mujoco-mjx",
                  "µs", None, "≥ 5 per core")  # fmt: skip
        return
    theirs = None
    if mujoco.available():
        import mujoco as program

        theirs = program.MjModel.from_xml_string(text)
    model = compile_model(scenes.description_of(text))
    flight = Flight(model, theirs, Habitat(), effort, driven=True, by_name=False)
    yield from flight_rows("herd-humanoid", words, flight, 5.0 * isa_factor(), HUMANOID_TOLERANCE)


@benchmark("herd-ant")
def herd_ant() -> Iterator[Row]:
    """1024 ants at rest, and with controls redrawn every step, per core, against MuJoCo."""
    yield from guarded("herd-ant", ant_rows(Effort(count=1024)))


@benchmark("herd-humanoid")
def herd_humanoid() -> Iterator[Row]:
    """256 of MuJoCo's humanoids, controls redrawn every step, per core, against MuJoCo."""
    yield from guarded("herd-humanoid", humanoid_rows(Effort(count=256, settle=0)))
