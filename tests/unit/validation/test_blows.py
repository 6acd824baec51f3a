"""The terms of a step with contact: they sum to what it does, are of the orders derived, and show what a fault puts in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from zoophyte.model.model import Floats
from zoophyte.physics.dynamics import totals
from zoophyte.validation import scenes
from zoophyte.validation.blows import kinetic, read, terms, turned_back
from zoophyte.validation.budget import gains_over_bounds
from zoophyte.validation.checks.contact_balance import random_scene
from zoophyte.validation.scenes import Lived, live

EVEN = (46, 1, 986)
"""Scene, throw and step of a blow of 40 N·s that is scaled back to where it takes no energy."""


def life_of(seed: int, throw: int) -> Lived:
    """A life of LAW-contact-energy-many."""
    model, states = random_scene(seed, jointed=True)
    return live([model], states[throw : throw + 1], width=1, seconds=1.5, every=1, contacts=True)[0]


def struck_once(life: Lived, n: int, dt: float, monkeypatch: pytest.MonkeyPatch) -> Lived:
    """One step of dt from where step n of a life begins, with the change of velocity that its impulses made."""
    start = replace(life, q=life.q[n - 1 : n], v=life.v[n - 1 : n], contacts=life.contacts[n - 1 : n])
    solved = turned_back(life.model, start.q, life.q[n : n + 1], life.v[n : n + 1])
    impulse = solved - start.free_velocities()
    monkeypatch.setattr(scenes, "DT", dt)
    moved = replace(start, v=start.free_velocities() + impulse).moved()
    q, v = np.vstack([start.q, moved.q]), np.vstack([start.v, moved.v])
    return replace(start, q=q, v=v, contacts=life.contacts[n - 1 : n + 1])


def flight_of(life: Lived) -> float:
    """What a step with the velocities after the impulses does by itself, from the energy it would have come from."""
    solved = replace(life, q=life.q[:1], v=turned_back(life.model, life.q[:1], life.q[1:], life.v[1:]))
    came = replace(solved, v=2.0 * solved.v - solved.half_a_step_on()[0])
    sums = came.sums()[0]
    return float(
        read(solved.moved(), np.array([0])).energy[0] - sums[totals.KINETIC] - sums[totals.POTENTIAL]
    )


def change_of(life: Lived) -> float:
    """Ẽ′ − Ẽ of the one step."""
    return float(np.diff(read(life, np.array([0, 1])).energy)[0])


def test_the_terms_sum_to_what_the_step_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim: work, late, flight and corrections are all there is.  Oracle: energy read before and behind, to rounding."""
    life = life_of(*EVEN[:2])
    blows = [n for n, c in enumerate(life.contacts) if np.any(c.forces)]
    for n in blows[:: max(len(blows) // 8, 1)]:
        step = replace(
            life, q=life.q[n - 1 : n + 1], v=life.v[n - 1 : n + 1], contacts=life.contacts[n - 1 : n + 1]
        )
        parts = terms(step, np.array([0]))
        rest = change_of(step) - parts.work[0] - parts.late[0] - parts.moved[0] - flight_of(step)
        assert abs(rest) < 1e-9 * float(kinetic(step)[0])


def test_orders_of_the_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim: in a blow, late is of first order in dt, flight of third.  Oracle: the same blow in half and quarter steps."""
    life = life_of(*EVEN[:2])
    late, flight = [], []
    for dt in (5e-4, 2.5e-4, 1.25e-4):
        monkeypatch.undo()
        step = struck_once(life, EVEN[2], dt, monkeypatch)
        late.append(float(terms(step, np.array([0])).late[0]))
        flight.append(flight_of(step))
    assert orders(late) == pytest.approx([1.0, 1.0], abs=0.05)
    assert orders(flight) == pytest.approx([3.0, 3.0], abs=0.15)


def orders(errors: list[float]) -> Floats:
    """By which powers of the step errors fall when it is halved."""
    sizes = np.abs(errors)
    return np.asarray(np.log2(sizes[:-1] / sizes[1:]))


def test_one_percent_more_in_a_blow_is_seen() -> None:
    """Claim: a blow that puts in 1 % of the energy fails.  Oracle: velocities from the blow on, higher by half a percent.

    The blow itself takes nothing, being scaled back to that; what comes in is not hidden by what it takes.
    """
    life = life_of(*EVEN[:2])
    assert max(gains_over_bounds(life, True)) < 1.0
    v = life.v.copy()
    v[EVEN[2] :] *= np.sqrt(1.01)
    assert gains_over_bounds(replace(life, v=v), True)[1] > 10.0
