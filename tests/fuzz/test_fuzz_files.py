"""Fuzz: faulty bodies, lives, terrains and pictures end in results or errors of ours, within 10 s and 1 GiB each."""

from __future__ import annotations

import sys

import pytest

from fuzz.reading import faults

pytest.importorskip("mujoco")
pytest.importorskip("trimesh")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads memory from /proc")

FEW = {"yaml": 40, "mjcf": 60, "urdf": 40, "life": 25, "terrain": 20, "picture": 20}
MANY = {"yaml": 1500, "mjcf": 2500, "urdf": 1500, "life": 1000, "terrain": 750, "picture": 750}
"""Cases; what is tried each time has numbers below those of the long run."""


def test_some_faulty_files_end_in_results_or_errors() -> None:
    found, _ = faults((kind, number) for kind, count in FEW.items() for number in range(count))
    assert not found, "\n\n".join(found[:5])


@pytest.mark.slow
@pytest.mark.parametrize("kind", MANY)
def test_many_faulty_files_end_in_results_or_errors(kind: str) -> None:
    found, outcomes = faults((kind, number) for number in range(1000, 1000 + MANY[kind]))
    told = f"{kind}: cases 1000 to {1000 + MANY[kind] - 1}: {dict(outcomes)}"
    assert not found, f"{told}\n{len(found)} faults\n" + "\n\n".join(found[:10])
    assert outcomes["result"] > 0 and len(outcomes) > 1, "all cases end alike: nothing was tried"
