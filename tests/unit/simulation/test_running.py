"""Herds that live a few steps at a time: what pens of one worker leave in their common scratch, and who is never born."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Box
from zoophyte.errors import UsageError
from zoophyte.validation.scenes import lone, model_of

STANDS, SUNK = 0.05, -0.1
"""Height of a box of 10 cm that touches the ground, and of one that is deep in it [m]."""


def box(height: float) -> zp.Model:
    return model_of(lone(Box(size=(0.1, 0.1, 0.1)), place=(0.0, 0.0, height)))


@pytest.mark.parametrize("again", [False, True])
def test_nobody_is_blamed_for_the_depth_of_another(again: bool) -> None:
    """Law: a life depends on nobody else.  Oracle: the same herd without those that are sunk.

    Pens of one worker share their scratch.  The guard looks at birth, and must not take the contacts that a look at another
    pen has left there for its own: those who stand would be cheats, 15 cm deep.  With `again` all are born a second
    time, which turns nobody away.
    """
    sunk, stands = box(SUNK), box(STANDS)
    for models in ([sunk] * 8 + [stands] * 8, [stands] * 8 + [sunk] * 8):  # whichever pen is looked at last
        running, alone = (zp.Herd(m, workers=1).begin() for m in (models, [stands] * 8))
        if again:
            running.advance(3)
            running.reset_all(dict.fromkeys(range(16)))
            assert running.depths(range(16)).max() == pytest.approx(STANDS - SUNK)
        running.advance(20)
        alone.advance(20)
        for number, model in enumerate(models):
            life = running.ended[number]
            if model is sunk:
                assert life is not None and life.status.kind == ("cheated" if again else "overlapping")
            else:
                assert life is None
                assert running.state(number).q.tobytes() == alone.state(0).q.tobytes()
        running.close()
        alone.close()


def test_who_was_never_born_has_no_state() -> None:
    running = zp.Herd([box(SUNK)]).begin()
    with pytest.raises(
        UsageError, match=r"creature 0 has no state, for it was never born: \w+ in ground, 150 mm deep"
    ):
        running.state(0)
    running.close()


def test_forces_and_poses_of_unlike_bodies_are_those_of_each_alone() -> None:
    """Rows behind the bodies that a creature does not have are zero; to the bit, whoever else is there."""
    models = [zp.compile(zp.zoo.get(name)) for name in ("ant", "humanoid", "ant", "ref4")]
    together = zp.Herd(models, dt=0.01, workers=1).begin()
    together.advance(60)
    forces, (R, p) = together.contact_forces(), together.body_poses()
    assert forces.shape == (4, max(model.body_count for model in models), 3)
    for number, model in enumerate(models):
        alone = zp.Herd([model], dt=0.01, workers=1).begin()
        alone.advance(60)
        count = model.body_count
        assert np.array_equal(forces[number, :count], alone.contact_forces()[0])
        assert np.array_equal(R[number, :count], alone.body_poses()[0][0])
        assert np.array_equal(p[number, :count], alone.body_poses()[1][0])
        assert not forces[number, count:].any() and not p[number, count:].any()
        assert p[number, :count] == pytest.approx(zp.body_poses(model, together.state(number))[1], abs=1e-15)
    assert np.any(forces[0]) and np.any(forces[1]) and not np.any(forces[3])
    before = together.q()
    together.body_poses()
    assert np.array_equal(together.q(), before)
