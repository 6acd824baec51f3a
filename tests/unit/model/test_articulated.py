"""Inertias at q = 0 that the compiler needs, against the kernels and NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from bodies import every_kind, random_description, relative_error
from zoophyte.model.articulated import Neutral
from zoophyte.model.filling.loosening import put_rigid


@pytest.mark.parametrize("seed", range(12))
def test_what_each_joint_feels(seed: int) -> None:
    """Law: felt = 1/(M⁻¹)ᵢᵢ over the mobile coordinates, rotors included; driven ones feel nothing.

    Oracle: composite rigid bodies (the kernel) and LAPACK's inverse; tolerance: condition (below 1e6) × rounding.
    """
    rng = np.random.default_rng(seed)
    model = zp.compile(random_description(rng, 8, driven=seed % 2 == 1))
    mobile = ~model.dofs.driven
    M = zp.mass_matrix(model, zp.State.neutral(model))[np.ix_(mobile, mobile)]
    expected = np.zeros(model.nv)
    expected[mobile] = 1.0 / np.diag(np.linalg.inv(M))
    felt = np.array(Neutral.of(model).felt)
    assert np.max(np.abs(felt - expected) / np.where(expected > 0.0, expected, 1.0)) < 1e-10


def test_composites(rng: np.random.Generator) -> None:
    """Law: the composite inertia of a root is that of everything on it, frozen. Oracle: M of the free root; rounding."""
    model = zp.compile(every_kind(rng, extras=False))
    neutral, M = Neutral.of(model), zp.mass_matrix(model, zp.State.neutral(model))
    roots = [link for link in range(1, len(model.links.kind)) if model.links.kind[link] == 4]
    assert roots
    for link in roots:
        first = model.v_start[link]
        rigid = np.zeros((6, 6))
        put_rigid(
            rigid.ravel(), 0, neutral.mass[link], tuple(neutral.moment[link]), tuple(neutral.inertia[link])
        )
        assert relative_error(rigid, M[first : first + 6, first : first + 6]) < 1e-13
        assert neutral.mass[link] == pytest.approx(M[first + 3, first + 3], rel=1e-13)
