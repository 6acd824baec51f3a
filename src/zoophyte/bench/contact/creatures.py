"""Creatures on the ground: the ant at rest and driven, alone and in lanes; the humanoid; the six-legged walker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from zoophyte.bench.contact import mujoco, scenes
from zoophyte.bench.contact.duel import Duel, duel_row, guarded, settled_duel
from zoophyte.bench.contact.ours import Ours, random_orders
from zoophyte.bench.contact.sides import Effort, Watch, race
from zoophyte.bench.dynamics import isa_factor
from zoophyte.bench.harness import Quality, Row, benchmark
from zoophyte.control import Senses
from zoophyte.model import ContactSettings, Model
from zoophyte.model import compile as compile_model
from zoophyte.model.model import Floats
from zoophyte.zoo.walkers import ant

DT = 0.005
SWEEPS = 4
"""Sweeps of the creatures' solves; the rows tell whether contact still holds as well as the peer's."""
LANES = 8
FULL = Effort()
REST, REDRAWN = "at rest", "controls redrawn every step"
ANT = f"ant, 14 dof, dt 5 ms, {SWEEPS} sweeps"
ANT_TOLERANCE = 5e-3
"""Of bodies after 25 ms [m]: what soft contact gives way in that time, and the difference of two first-order integrators."""


# ------------------------------------------------------------------------------------------------------------ ant


def ant_side(models: list[Model], mixed: bool = False) -> Ours:
    """Ants on a plane, one per lane."""
    return Ours(
        models,
        ContactSettings(sweeps=SWEEPS, surface=scenes.ground_for(ant()).surface),
        DT,
        mixed=mixed,
    )


def ant_duel(models: list[Model], effort: Effort, *, driven: bool, mixed: bool = False) -> Duel:
    """Ants side by side against one ant in MuJoCo.

    Args:
        models: one per lane.
        effort: how long.
        driven: whether controls are redrawn every step.
        mixed: whether the form for different topologies is used.
    """
    theirs = mujoco.exported(models[0].description, DT, scenes.ground_for(ant()))
    ours = ant_side(models, mixed)
    ours.twins = [mujoco.Twin(model, theirs) for model in models]
    peer = mujoco.MuJoCo(theirs, ours.twins[0])
    orders = _orders(models, effort.steps) if driven else None
    return settled_duel(ours, peer, [mujoco.MuJoCoRuler(theirs)] * len(models), effort, DT, orders=orders)


def _orders(models: list[Model], steps: int) -> Floats:
    return random_orders(models[0], steps, len(models))


def ant_rows(effort: Effort) -> Iterator[Row]:
    """One world, one core: at rest, and with controls redrawn every step."""
    model = compile_model(ant())
    for driven, bar in ((False, 1.7), (True, 3.0)):
        workload = f"{ANT}, {REDRAWN if driven else REST}"
        if not mujoco.available():
            ours = ant_side([model])
            ours.advance(effort.settle)
            ours.keep()
            orders = _orders([model], effort.steps) if driven else None
            yield _alone("contact-ant", workload, ours, orders, effort, f"≥ {bar:g}")
            continue
        duel = ant_duel([model], effort, driven=driven)
        yield duel_row(("contact-ant", workload, _peer_name(driven)), duel, bar, ANT_TOLERANCE)


def lane_rows(effort: Effort) -> Iterator[Row]:
    """Eight ants in a register, of one topology and mixed; the worse of rest and redrawn controls counts."""
    alike = [compile_model(ant())] * LANES
    other = [compile_model(each) for each in scenes.ants_of_many_orders(ant(), LANES)]
    for models, mixed, bar in ((alike, False, 10.0 * isa_factor()), (other, True, 6.0 * isa_factor())):
        topology = "mixed topologies" if mixed else "one topology"
        workload = f"{LANES} lanes of the {ANT}, {topology}"
        if not mujoco.available():
            ours = ant_side(models, mixed)
            ours.advance(effort.settle)
            ours.keep()
            orders = _orders(models, effort.steps)
            yield _alone("contact-lanes", f"{workload}, {REDRAWN}", ours, orders, effort, f"≥ {bar:g}")
            continue
        duels = {driven: ant_duel(models, effort, driven=driven, mixed=mixed) for driven in (False, True)}
        each = f"ratios: {REST} {duels[False].ratio:.2f}, {REDRAWN} {duels[True].ratio:.2f}"
        rows = {
            driven: duel_row(
                ("contact-lanes", f"{workload}, {REDRAWN if driven else REST}", _peer_name(driven)),
                duel, bar, ANT_TOLERANCE, more=each,
            )
            for driven, duel in duels.items()
        }  # fmt: skip
        worse = min(duels, key=lambda driven: duels[driven].ratio)
        rows[worse] = replace(rows[worse], reached=all(row.reached for row in rows.values()))
        rows[not worse] = replace(rows[not worse], bar="", reached=None)
        yield from rows.values()


def _peer_name(driven: bool) -> str:
    import mujoco as theirs

    return f"MuJoCo {theirs.__version__} {'mj_step or rollout, the faster' if driven else 'mj_step'}"


def _alone(name: str, workload: str, ours: Ours, orders: Floats | None, effort: Effort, bar: str) -> Row:
    """Our time where the peer is not installed."""
    (seconds,) = race(ours.timers(effort.steps, orders), rounds=effort.rounds)
    return Row(name, workload, seconds * 1e6, None, mujoco.MISSING, "µs", None, bar)


# ------------------------------------------------------------------------------------------------------- humanoid


def humanoid_rows(effort: Effort) -> Iterator[Row]:
    """MuJoCo's own file on both sides: falls from standing and lies, controls redrawn every step."""
    workload = (
        f"MuJoCo's humanoid, 27 dof, falling and lying, {REDRAWN}, no self-contact, dt 5 ms, {SWEEPS} sweeps"
    )
    text = scenes.humanoid_on_a_floor()
    if text is None:
        yield Row("contact-humanoid", workload, None, None, "its file is not installed: pip install --no-deps mujoco-mjx",
                  "µs", None, "≥ 1.5")  # fmt: skip
        return
    model = compile_model(scenes.description_of(text))
    ours = Ours([model], ContactSettings(sweeps=SWEEPS), DT)
    orders = random_orders(model, effort.steps, 1)
    if not mujoco.available():
        yield _alone("contact-humanoid", workload, ours, orders, effort, "≥ 1.5")
        return
    import mujoco as program

    theirs = program.MjModel.from_xml_string(text)
    ours.twins = [mujoco.Twin(model, theirs, by_name=False)]
    peer = mujoco.MuJoCo(theirs, ours.twins[0])
    duel = settled_duel(ours, peer, [mujoco.MuJoCoRuler(theirs)], effort, DT, orders=orders)
    yield duel_row(("contact-humanoid", workload, _peer_name(True)), duel, 1.5, HUMANOID_TOLERANCE)


HUMANOID_TOLERANCE = 1e-2
"""Of bodies after 25 ms [m]; motors of up to 120 N·m move the limbs by centimetres in that time, damped here implicitly."""


# -------------------------------------------------------------------------------------------------- six-legged walker


ARNOLD = 1.6
"""Times real time, published for a creature of up to 18 degrees of freedom with contacts (Arnold 1997)."""
LEAST_SPEED, LEAST_HEIGHT = 0.1, 0.3
"""What counts as walking: way forward per time [m/s], and the trunk's height at the end [m]."""


def creature_rows(effort: Effort) -> Iterator[Row]:
    """A six-legged creature that walks on sines: how many times faster than its own time."""
    model = compile_model(scenes.six_legs())
    ours = Ours([model], ContactSettings(), DT)
    _command(ours, 1.0)
    ours.keep()
    before = ours.block.q()[4:7].copy()
    (seconds,) = race(ours.timers(effort.steps), rounds=effort.rounds)
    after = ours.block.q()[4:7]  # the source's y is up
    speed = float(after[0] - before[0]) / (effort.steps * DT)
    quality = _walker_quality(model, ours, effort)
    walks = speed > LEAST_SPEED and after[1] > LEAST_HEIGHT
    times = DT / seconds
    checked = f"it walks {speed:.2f} m/s, its trunk {after[1]:.2f} m high after {effort.steps * DT:g} s"
    yield Row("creature-18dof", "a six-legged 18-dof creature walking on sines, dt 5 ms", times if walks else None,
              ARNOLD, "Arnold 1997, as published", "× real time", times / ARNOLD if walks else None,
              "≥ 500 × real time", bool(walks and times >= 500.0), checked, quality)  # fmt: skip


def _walker_quality(model: Model, ours: Ours, effort: Effort) -> tuple[Quality, ...]:
    if not mujoco.available():
        return ()
    theirs = mujoco.exported(scenes.six_legs(as_springs=True), DT, scenes.ground_for(model.description))
    ours.twins = [mujoco.Twin(model, theirs)]
    watch = Watch(ours, [mujoco.MuJoCoRuler(theirs)], effort.stride)
    watch.drive(effort.steps)
    _command(ours, 0.0)
    ours.advance(effort.settle)
    return (watch.stand(effort.standing, DT),)


def _command(ours: Ours, swing: float) -> None:
    """Load the sines into the state."""
    model, block = ours.models[0], ours.block
    command, _ = scenes.gait(swing).command(Senses(model, 0.0, block.q(), block.v()), np.zeros(0))
    block.set_command(command.signals, np.zeros(0))


# -------------------------------------------------------------------------------------------------------------- table


@benchmark("contact-ant")
def contact_ant() -> Iterator[Row]:
    """A four-legged ant at rest, and with controls redrawn every step, against MuJoCo."""
    yield from guarded("contact-ant", ant_rows(FULL))


@benchmark("contact-humanoid")
def contact_humanoid() -> Iterator[Row]:
    """MuJoCo's humanoid falling and lying, controls redrawn every step, against MuJoCo."""
    yield from guarded("contact-humanoid", humanoid_rows(Effort(settle=0, rounds=20)))


@benchmark("creature-18dof")
def creature_18dof() -> Iterator[Row]:
    """A six-legged creature walking on sines, against Arnold's published 1.6 times real time."""
    yield from guarded("creature-18dof", creature_rows(FULL))


@benchmark("contact-lanes")
def contact_lanes() -> Iterator[Row]:
    """Eight ants in a register, of one topology and mixed, per core, against MuJoCo."""
    yield from guarded("contact-lanes", lane_rows(FULL))
