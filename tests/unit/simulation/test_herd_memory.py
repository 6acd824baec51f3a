"""What a large herd needs: memory."""

from __future__ import annotations

import os
import sys

import pytest

from processes import run_python

ANTS = """
import resource
import sys
import zoophyte as zp
ant = zp.compile(zp.zoo.ant())
lives = zp.Herd([ant] * 100_000, zp.zoo.scene("ant").habitat).simulate(0.025)
assert len(lives) == 100_000 and {life.status.kind for life in lives} == {"ended"}
assert {life.final.clock[1] for life in lives} == {5.0}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="asks a POSIX system for the memory of a process")
def test_a_hundred_thousand_ants_fit_in_two_gibibytes_and_step() -> None:
    """Claim: design of the herd, "100 000 ants fit in 2 GiB and step". The most that the process ever had in memory."""
    told, _ = run_python(ANTS, {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert int(told) < 2 << 30
