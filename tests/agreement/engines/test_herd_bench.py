"""The herd's benchmarks, made tiny: both sides have one body and one set of commands; and every row can be formed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")

import zoophyte as zp  # noqa: E402
from zoophyte.bench.contact import mujoco as peer  # noqa: E402
from zoophyte.bench.contact import scenes  # noqa: E402
from zoophyte.bench.contact.creatures import ANT_TOLERANCE  # noqa: E402
from zoophyte.bench.harness import Row  # noqa: E402
from zoophyte.bench.herd import alike, boxes, unlike  # noqa: E402
from zoophyte.bench.herd.sides import Flock  # noqa: E402
from zoophyte.simulation.herd import Herd  # noqa: E402
from zoophyte.zoo.walkers import ant  # noqa: E402

pytestmark = pytest.mark.engines

DOUBLE = (np.float64,)
"""What the usual tests have compiled; forms for float32 take minutes."""
TINY = alike.Effort(
    count=3, peers=2, watched=2, steps=10, rounds=1, settle=20, standing=20, stride=10, precisions=DOUBLE
)
FEW = unlike.Effort(count=9, seconds=1.0, rounds=1, watched=2, rest=10, standing=20, precisions=DOUBLE)


def test_commands_of_every_step_reach_both_sides() -> None:
    """Law: the same torques turn the same joints. Oracle: MuJoCo, while the ants still fall.

    Tolerance: commands of another step or joint would not be correlated at all; two integrators of first order are to 0.98.
    """
    body = ant()
    model, habitat = zp.compile(body), scenes.ground_for(body)
    flight = alike.Flight(model, peer.exported(body, alike.DT, habitat), habitat, TINY, driven=True)
    assert flight.apart() < ANT_TOLERANCE and flight.twin is not None
    ours, theirs = flight.ours(2), flight.peers(2, 0)
    for side in (ours, theirs):
        side.advance(8)
    before = flight.twin.there(flight.state.q, flight.state.v)[1]
    for (_, mine), (_, other) in zip(ours.coordinates(), theirs.coordinates(), strict=True):
        moved, there = mine[6:] - before[6:], other[6:] - before[6:]
        assert np.corrcoef(moved, there)[0, 1] > 0.98 and np.max(np.abs(moved)) > 0.1
    assert np.max(np.abs(ours.coordinates()[0][1] - ours.coordinates()[1][1])) > 0.1


def test_the_last_command_holds() -> None:
    model = peer.exported(ant(), alike.DT, scenes.ground_for(ant()))
    begin = (np.array(model.qpos0), np.zeros(model.nv))
    flock = Flock([model], [begin], [np.linspace(0.1, 0.3, 3)[:, None] * np.ones((1, model.nu))], period=4)
    seen = []
    for _ in range(5):
        flock.advance(3)
        seen.append(float(flock.data[0].ctrl[0]))
    assert seen == pytest.approx([0.1, 0.2, 0.3, 0.3, 0.3])
    assert flock.data[0].time == pytest.approx(15 * alike.DT)


def apart_in_flight(seed: int, dt: float) -> float:
    """Distance of boxes from their twins after 20 ms of free fall in steps of dt, before any hinge meets its limit [m]."""
    model, steps = zp.compile(boxes.box_creature(seed)), round(0.02 / dt)
    theirs = peer.exported(model.description, dt, unlike.HABITAT)
    twin, state = peer.Twin(model, theirs), zp.State.neutral(model)
    table = boxes.sampled_sines(model)
    controls = twin.controls(table.samples[:, :, None])
    flock = Flock([theirs], [twin.there(state.q, state.v)], [controls], period=steps)
    flock.advance(steps)
    running = Herd([model], unlike.HABITAT, table, dt=dt, workers=1).begin()
    running.advance(steps)
    ruler = peer.MuJoCoRuler(theirs)
    here = ruler.read(twin.there(running.q()[0], running.v()[0])).places
    return float(np.max(np.linalg.norm(here - ruler.read(flock.coordinates()[0]).places, axis=1)))


def test_box_creatures_are_the_same_bodies() -> None:
    """Law: free fall with servos and dampers. Oracle: MuJoCo, bodies from our exporter.

    Tolerance: both integrators are of first order, so what is between them shrinks with the step, tenfold for a tenth of
    it; half of that must be seen.
    """
    for seed in range(8):
        coarse, fine = apart_in_flight(seed, 5e-3), apart_in_flight(seed, 5e-4)
        assert fine < 0.2 * coarse and fine < 1e-4


def test_every_row_can_be_formed() -> None:
    rest, driven = alike.ant_rows(TINY)
    assert rest.ratio is not None and driven.ratio is not None and (rest.bar == "") != (driven.bar == "")
    assert len(driven.quality) == 2 and driven.quality[0].mean_penetration is not None
    (mixed,) = unlike.mixed_rows("herd-mixed", "box creatures", boxes.box_creature, 5.0, FEW)
    assert "rank correlation" in mixed.checked and len(mixed.quality) == 2
    herd, whole = unlike.thread_rows(FEW)
    assert herd.checked == "equal distances, bit for bit" and whole.bar == ""


@pytest.mark.slow
def test_every_precision_has_rows_of_its_own() -> None:
    """Claim: each is timed, watched and judged by itself, against one measurement of the peer."""
    precisions = (np.float64, np.float32)
    ants = list(alike.ant_rows(replace(TINY, precisions=precisions)))
    assert [row.workload.rpartition(", ")[2] for row in ants] == ["float64"] * 2 + ["float32"] * 2
    for pair in (ants[:2], ants[2:]):
        assert sorted(bool(row.bar) for row in pair) == [False, True]
    assert ants[0].peer == ants[2].peer and ants[1].peer == ants[3].peer
    assert ants[1].quality[1] == ants[3].quality[1] and ants[1].quality[0] != ants[3].quality[0]
    few = replace(FEW, precisions=precisions)
    mixed = list(unlike.mixed_rows("herd-mixed", "box creatures", boxes.box_creature, 5.0, few))
    assert [row.workload.rpartition(", ")[2] for row in mixed] == ["float64", "float32"]
    assert mixed[0].peer == mixed[1].peer and mixed[0].ours != mixed[1].ours
    assert mixed[0].quality[0] != mixed[1].quality[0] and mixed[0].quality[1] == mixed[1].quality[1]


def row(ratio: float | None, reached: bool) -> Row:
    return Row("herd-ant", "ants", 1.0, ratio, "peer", "µs", ratio, "≥ 10", reached)


def test_the_worse_of_two_is_held_against_the_bar() -> None:
    """Claim: and it is not reached where the better one holds worse than the peer."""
    rest, driven = alike.worse_of([row(12.0, True), row(11.0, True)])
    assert (rest.bar, rest.reached, driven.bar, driven.reached) == ("", None, "≥ 10", True)
    rest, driven = alike.worse_of([row(9.0, False), row(11.0, True)])
    assert (rest.bar, rest.reached, driven.bar, driven.reached) == ("≥ 10", False, "", None)
    rest, driven = alike.worse_of([row(12.0, False), row(11.0, True)])
    assert (driven.bar, driven.reached, rest.reached) == ("≥ 10", False, None)
    both = [row(12.0, True), row(None, False)]
    assert alike.worse_of(both) == both


def test_who_does_not_agree_gets_no_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unlike, "CORRELATION", 1.5)
    (found,) = unlike.mixed_rows("herd-mixed", "box creatures", boxes.box_creature, 5.0, FEW)
    assert (found.ours, found.ratio, found.reached) == (None, None, False)
