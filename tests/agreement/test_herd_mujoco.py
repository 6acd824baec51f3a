"""Distances of random creatures in a herd and in MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")

from zoophyte.bench.herd import boxes, unlike

pytestmark = [pytest.mark.engines, pytest.mark.slow]

COUNT = 50


@pytest.mark.parametrize("sweeps", [unlike.SWEEPS, 30])
def test_who_goes_far_in_a_herd_goes_far_in_mujoco(sweeps: int) -> None:
    """Law: Newton's, and Coulomb's of dry friction. Oracle: MuJoCo, same commands, bodies from our exporter.

    Tolerance: motion on the ground is chaotic, so a distance after 10 s can be found again only in the mean.  How well, is
    what MuJoCo says of itself when it replaces its pyramid of friction by a cone: 0.1 less is allowed, and 0.6 demanded.
    """
    bodies = [boxes.box_creature(seed) for seed in range(COUNT)]
    texts = unlike.peer_texts(bodies)
    ours = unlike.our_distances(bodies, boxes.SECONDS, sweeps=sweeps)
    pyramid = unlike.peer_distances(texts, boxes.SECONDS)
    cone = unlike.peer_distances(texts, boxes.SECONDS, elliptic=True)
    assert np.all(np.isfinite([ours, pyramid, cone]))
    itself = unlike.rank_correlation(pyramid, cone)
    for peer in (pyramid, cone):
        found = unlike.rank_correlation(ours, peer)
        assert found >= 0.6, f"rank correlation {found:.3f}, MuJoCo with itself {itself:.3f}"
        assert found >= itself - 0.1, f"rank correlation {found:.3f}, MuJoCo with itself {itself:.3f}"
