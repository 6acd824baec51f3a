"""``zoophyte simulate --controller``: a body of one's own is moved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import zoophyte as zp
from commands import Run
from zoophyte.description import Servo


def test_a_body_of_ones_own_is_moved(run: Run, tmp_path: Path) -> None:
    """Held at 0.2 rad; swung by a sine of 0.3 rad, as from Python."""
    body = zp.zoo.pendulum()
    body.bodies[0].joint.actuator = Servo(stiffness=20.0, damping=8.0)
    body.save(tmp_path / "arm.yaml")
    options = ("--gravity", "0,0,0", "--seconds", "5", "--controller")
    assert run("simulate", "arm.yaml", *options, "hold", "--amplitude", "0.2").code == 0
    assert zp.Trajectory.load(tmp_path / "out" / "pendulum.npz").q[-1, 0] == pytest.approx(0.2, abs=1e-3)
    assert run("simulate", "arm.yaml", *options, "sine", "--amplitude", "0.3", "--frequency", "2").code == 0
    world = zp.World(body, zp.Habitat((0.0, 0.0, 0.0)), zp.control.Sine(amplitude=0.3, frequency=2.0))
    assert (zp.Trajectory.load(tmp_path / "out" / "pendulum.npz").q == world.simulate(5.0).q).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--controller", "sin"],
            r"--controller 'sin' is unknown\. Known: sine, hold\. Did you mean 'sine'\?",
        ),
        (["--amplitude", "1"], "--amplitude needs --controller sine or hold"),
        (["--controller", "hold", "--frequency", "2"], "--frequency goes with --controller sine"),
        (["--controller", "sine", "--amplitude", "nan"], "--amplitude is nan, must be a finite number"),
    ],
)
def test_controllers_that_cannot_be(run: Run, options: list[str], words: str) -> None:
    done = run("simulate", "pendulum", "--seconds", "0.01", *options)
    assert (done.code, done.out) == (2, "")
    assert re.search(words, done.err)


def test_a_body_without_actuators_is_not_moved_in_silence(run: Run) -> None:
    done = run("simulate", "pendulum", "--seconds", "0.01", "--controller", "sine")
    assert done.code == 1
    assert "no joint that it commands has an actuator" in done.err
