"""Herds on CUDA: the glue in numba-cuda's simulator, the results on a device, and what is said where there is none.

The simulator runs one Python thread per creature, in a process of its own, because it takes the place of numba.cuda.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from herds import DT, description
from zoophyte.control import Sine
from zoophyte.errors import UsageError
from zoophyte.numbers.cuda import device_problem
from zoophyte.simulation.herd.nursery import Nursery

pytest.importorskip("numba_cuda")

SEEDS = (0, 1, 3)
SECONDS, FALL = 4 * DT, 0.5
SINGLE = 1e-4
"""Relative: a few steps of float32 (6e-8 each operation, some hundreds of them a step) beside float64."""


def bodies(count: int = len(SEEDS)) -> list[Any]:
    """Unlike creatures, none of which touches itself."""
    return [description(3 * seed) for seed in range(count)]


def lived(
    device: str, count: int = len(SEEDS), seconds: float = SECONDS, states: Any = None, **options: Any
) -> list[Any]:
    herd = zp.Herd(
        bodies(count), zp.Habitat(), Sine(amplitude=0.3, frequency=1.0), dt=DT, device=device, **options
    )
    begin = None if states is None else [
        replace(zp.State.neutral(model), q=np.array(q), v=np.array(v))
        for model, (q, v) in zip(herd.models, states, strict=True)
    ]  # fmt: skip
    return herd.simulate(seconds, begin, sample_every=DT)


def told(lives: list[Any]) -> list[Any]:
    """Statuses and ways as plain lists."""
    return [
        [life.status.kind, life.com.tolist(), life.final.q.tolist() if life.final else []] for life in lives
    ]


def develop(seed: int) -> tuple[Any, Any]:
    """Body and controller, as `lived` has them."""
    return description(3 * seed), Sine(amplitude=0.3, frequency=1.0)


def com(life: Any) -> list[Any]:
    """What is wanted of a life."""
    return [life.status.kind, life.com.tolist()]


def raised() -> list[Any]:
    """The same creatures from a nursery of two makers, and what it says of a genotype that is none."""
    with Nursery(develop, dt=DT, makers=2) as nursery:
        judged = nursery.lives(range(len(SEEDS)), SECONDS, sample_every=DT, judge=com)
        ordered = nursery.lives(range(len(SEEDS)), SECONDS, sample_every=DT, judge=com, size=float)
        assert ordered == judged, "lives depend on the order in which they are made"
        try:
            nursery.lives(["no number"], SECONDS)
        except UsageError as error:
            return [judged, str(error)]
    return [judged, ""]


def main() -> None:
    given = json.load(sys.stdin)
    if given is None:
        sys.stdout.write(json.dumps([[com(life) for life in lived("cuda")], raised()]))
    else:
        sys.stdout.write(json.dumps(told(lived("cuda", states=given))))


def simulated(given: Any) -> Any:
    """What `main` prints in a process where numba-cuda's simulator stands in for a GPU."""
    tests = Path(__file__).parents[2]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join(
        [str(tests), str(Path(zp.__file__).parents[1])])}  # fmt: skip
    done = subprocess.run([sys.executable, __file__], input=json.dumps(given), capture_output=True, text=True,
                          env=environment, check=False, timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.skipif(not device_problem(), reason="there is a GPU")
def test_without_a_gpu_a_herd_says_so() -> None:
    """Law: what cannot run says why and what to do."""
    with pytest.raises(UsageError, match=r"no usable NVIDIA GPU.*Run on the CPU"):
        zp.Herd(bodies(1), device="cuda")


def test_devices_are_named() -> None:
    """Law: errors say what was given and what is allowed."""
    with pytest.raises(UsageError, match="device is 'gpu', must be 'cpu' or 'cuda'"):
        zp.Herd(bodies(1), device="gpu")


def test_simulated_threads_live_as_lanes_do() -> None:
    """Law: one source for all machines. Oracle: the same herd on the CPU in float64; tolerance: float32's rounding.

    They begin where they lie on the ground, so that contacts and limits are solved.
    """
    fallen = [life.final for life in lived("cpu", seconds=FALL, workers=1)]
    states = [[state.q.tolist(), state.v.tolist()] for state in fallen]
    found = simulated(states)
    expected = told(lived("cpu", states=states, workers=1))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours[0] == theirs[0]
        np.testing.assert_allclose(ours[1], theirs[1], rtol=SINGLE, atol=SINGLE)
        np.testing.assert_allclose(ours[2], theirs[2], rtol=SINGLE, atol=SINGLE)


def test_lives_from_a_nursery_are_those_of_a_herd() -> None:
    """Law: a life has the same bits whoever makes it, and with whom it shares a pen. Oracle: the herd on the same device."""
    lives, (judged, said) = simulated(None)
    assert judged == lives
    assert "no number" in said or "seed" in said


@pytest.mark.skipif(not device_problem(), reason="there is a GPU")
def test_without_a_gpu_a_nursery_says_so() -> None:
    """Law: what cannot run says why and what to do."""
    with pytest.raises(UsageError, match=r"no usable NVIDIA GPU.*Run on the CPU"):
        Nursery(develop)


@pytest.mark.gpu
@pytest.mark.skipif(bool(device_problem()), reason=device_problem())
def test_lives_on_a_device_end_as_on_lanes() -> None:
    """Law: statuses equal those of float32 lanes on 99 % of lives. Oracle: float32 lanes."""
    ours = lived("cuda", 200, 5.0)
    theirs = lived("cpu", 200, 5.0, dtype=np.float32)
    equal = [a.status.kind == b.status.kind for a, b in zip(ours, theirs, strict=True)]
    assert np.mean(equal) >= 0.99


if __name__ == "__main__":
    main()
