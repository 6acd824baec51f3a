"""Pens as arrays for a GPU: what goes there, and what comes back."""

from __future__ import annotations

from typing import Any

import numpy as np

from herds import DT, model
from zoophyte.model.herd.life_layout import ALIVE, CAUSE, ENDED, SAMPLES, STEP
from zoophyte.physics.cuda.lives import ALLOWED, DATA, FOUND, LANES
from zoophyte.simulation.habitat import STANDARD_HABITAT
from zoophyte.simulation.herd.crowd import Crowd
from zoophyte.simulation.herd.litter import litter_of
from zoophyte.simulation.overlaps import TOLERANCE

COUNT = 5


def crowd() -> Crowd:
    settings = {"habitat": STANDARD_HABITAT, "dt": DT, "sweeps": 4, "slots": 32}
    litter = litter_of([model(3 * seed) for seed in range(COUNT)], None, COUNT, settings)
    return Crowd(litter, [None] * COUNT, litter.terms(4 * DT, None, None, 0.0, DT, DT))


def ended(own: Crowd) -> Any:
    """The numbers of all pens after lives of three steps of which nothing is told but that they ended."""
    data = own.packed.data.copy()
    for filled, start in zip(own.pens, own.packed.starts, strict=True):
        head = data[start[DATA] : start[DATA] + len(filled.data)].reshape(-1, LANES)[filled.pen.life.head :]
        head[ALIVE], head[CAUSE], head[STEP], head[SAMPLES] = 0.0, ENDED, 3.0, 2.0
    return data


def test_a_part_of_the_numbers_tells_of_lives() -> None:
    """Law: lives read from the part that is sent back are those read from all numbers. Oracle: the latter."""
    own = crowd()
    data = ended(own)
    part = own.packed.part(data)
    assert len(part) < len(data) / 3
    whole = own.read(data, own.packed.depths, keep_final=False)
    again = own.read(own.packed.take_part(part), own.packed.depths, keep_final=False)
    assert [life.status for life in whole] == [life.status for life in again]
    assert {life.status.kind for life in whole} == {"ended"}
    assert all(np.array_equal(a.com, b.com) for a, b in zip(whole, again, strict=True))


def test_who_is_too_deep_is_not_born() -> None:
    """Law: a creature whose shapes are deeper in each other than allowed has the status `overlapping`, and no other has."""
    own = crowd()
    depths, pen = own.packed.depths.copy(), own.pens[0]
    first = pen.residents[0]
    assert first is not None
    np.testing.assert_allclose(depths[0, ALLOWED, 0], TOLERANCE * first.fit.smallest_reach(), rtol=1e-6)
    depths[:, FOUND] = 0.5 * depths[:, ALLOWED]
    depths[0, FOUND, 0] = 2.0 * depths[0, ALLOWED, 0]
    kinds = [life.status.kind for life in own.read(ended(own), depths, keep_final=False)]
    assert [n for n, kind in enumerate(kinds) if kind == "overlapping"] == [pen.tenants[0]]
