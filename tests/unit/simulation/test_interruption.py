"""Ctrl-C is heard between short slices of steps, and what was lived until then can be read."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import zoophyte as zp
from zoophyte.errors import Interrupted
from zoophyte.simulation.herd import worker
from zoophyte.simulation.lifetime.slices import FIRST, GROWTH, Slices

GUARD = 100.0
"""Against hanging: lives in these tests would take hours [s]."""
CHILD = """
import itertools, json, os, signal
import numpy as np
import zoophyte as zp
from zoophyte.simulation.lifetime.slices import Slices

signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started in the background of a shell would ignore it
learn, model = Slices._learn, zp.compile(zp.zoo.ant())

def presser():
    calls = itertools.count(1)

    def press_ctrl_c(self, steps, seconds):
        if next(calls) == 3:  # calls of a kernel: lives are under way
            os.kill(os.getpid(), signal.SIGINT)
        learn(self, steps, seconds)

    return press_ctrl_c

def interrupted(function, *given, **named):
    Slices._learn = presser()
    try:
        function(*given, **named)
    except KeyboardInterrupt as stop:
        return stop
    finally:
        Slices._learn = learn

def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("q", "v", "contact", "clock", "lived"))

def simulated(workers):
    herd = zp.Herd([model] * 20, workers=workers)
    lives = interrupted(herd.simulate, 1e5, sample_every=1e3).lives
    begun = [n for n, life in enumerate(lives) if life is not None]
    n = begun[0]
    short = herd.world(n).simulate(lives[n].status.time, record_rate=1.0)
    again = herd.simulate(0.1, [lives[n].final] * 20)[n]
    return {
        "count": len(lives), "begun": len(begun), "kinds": [lives[n].status.kind for n in begun],
        "longest": max(lives[n].status.time for n in begun), "same": same(lives[n].final, short.final),
        "goes on": same(again.final, herd.world(n).simulate(0.1, short.final).final),
    }

def running(workers):
    herd = zp.Herd([model] * 20, workers=workers)
    stopped, other = herd.begin(), herd.begin()
    other.advance(4000)
    heard = interrupted(stopped.advance, 4000) is not None
    behind = stopped.q()
    stopped.advance(0)
    found = {
        "heard": heard, "readable": bool(np.isfinite(behind).all()), "behind": bool((behind != other.q()).any()),
        "same": all(same(stopped.state(n), other.state(n)) for n in range(20)),
    }
    stopped.close(), other.close()
    return found

def world(body):
    return interrupted(zp.World(zp.zoo.get(body)).simulate, 1e6, record_rate=1e-6) is not None

print(json.dumps({
    "simulated": [simulated(1), simulated(2)], "running": [running(1), running(2)],
    "worlds": [world("pendulum"), world("humanoid32")],
}))
"""


@cache
def child() -> Any:
    """What a process tells that presses Ctrl-C in the midst of lives, again and again."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=GUARD, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_herd_hears_ctrl_c_and_keeps_what_was_lived(workers: int) -> None:
    """It was heard when a life had ended, 37 s later and more; and then nothing of the lives was left.

    Lives of 10⁵ s, which would take an hour.  A World lives the same to the bit, as long as they were, and all go on.
    """
    told = child()["simulated"][workers - 1]
    assert told["count"] == 20 and told["begun"] in [8 * n for n in range(1, workers + 1)]
    assert set(told["kinds"]) == {"interrupted"} and 0.0 < told["longest"] < 5e4
    assert told["same"] and told["goes on"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_herd_that_runs_hears_ctrl_c_and_catches_up(workers: int) -> None:
    """The creatures of a part of the threads were left behind, and nothing told by how many steps."""
    told = child()["running"][workers - 1]
    assert told == {"heard": True, "readable": True, "behind": True, "same": True}


def test_a_world_with_few_frames_hears_ctrl_c() -> None:
    """A World called its kernel from frame to frame: with one in a thousand seconds nobody heard anything meanwhile."""
    assert child()["worlds"] == [True, True]


def test_slices_grow_slowly_and_end_with_the_steps() -> None:
    """However quick the first steps were, the next call is only a little longer; a life that ends is the end."""
    asked: list[int] = []
    slices = Slices()
    assert slices.run(lambda n: asked.append(n) or n, 1000) == 1000
    assert sum(asked) == 1000 and asked[0] == FIRST
    assert all(after <= GROWTH * before for before, after in pairwise(asked))
    assert Slices().run(lambda n: n // 2, 1000) == FIRST // 2
    assert Slices().run(lambda n: n, 1000, lambda: True) == 0


def test_slices_of_slow_steps_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of steps of 20 ms each a call asks for no more than a few, ever; a clock that is told, not the machine's."""
    now = [0.0]
    monkeypatch.setattr("zoophyte.simulation.lifetime.slices.perf_counter", lambda: now[0])
    asked: list[int] = []

    def advance(steps: int) -> int:
        asked.append(steps)
        now[0] += 0.02 * steps
        return steps

    assert Slices().run(advance, 100) == 100
    assert max(asked[1:]) <= 3


def test_what_fails_in_one_thread_stops_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in one worker was told when all others had lived to their end."""
    asked, first = threading.Event(), worker.Worker._move_in

    def fail_once(self: Any, *given: Any) -> bool:
        if not asked.is_set():
            asked.set()
            raise zp.UsageError("this one fails")
        return first(self, *given)

    monkeypatch.setattr(worker.Worker, "_move_in", fail_once)
    herd = zp.Herd([zp.zoo.ant()] * 16, workers=2)
    with pytest.raises(zp.UsageError, match="this one fails"):
        herd.simulate(1e5, sample_every=1e3)


def test_an_interruption_tells_how_far_it_came() -> None:
    """As a KeyboardInterrupt, so that whoever catches these catches it."""
    (life,) = zp.Herd([zp.zoo.ant()]).simulate(0.1)
    stop = Interrupted([life, None])
    assert isinstance(stop, KeyboardInterrupt) and stop.lives == [life, None]
    assert str(stop) == "1 of 2 lives had ended, 0 were under way; see `lives`"
