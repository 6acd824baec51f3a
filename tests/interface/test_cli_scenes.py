"""Scenes of the zoo on the command line: habitat, controller, start and step come along, and options change them."""

from __future__ import annotations

from pathlib import Path

import pytest

import zoophyte as zp
from commands import Run


def test_a_scene_brings_its_start_and_its_surface(run: Run, tmp_path: Path) -> None:
    """The ball begins with ½ m v² + ½·⅖ m r² ω² = 103.2 J, by hand; the file holds the life of the scene, bit for bit."""
    found = run("simulate", "rolling_ball", "--seconds", "0.1", "--json").json
    assert found["kinetic_peak"] == pytest.approx(0.5 * 6.35 * (2.5**2 + 0.4 * (0.108 * 75.0) ** 2))
    life = zp.Trajectory.load(tmp_path / "out" / "rolling_ball.npz")
    assert (life.q == zp.zoo.scene("rolling_ball").simulate(0.1).q).all()


def test_a_scene_brings_its_controller(run: Run, tmp_path: Path) -> None:
    """The hand is told to rise by 25 mm·(1 − cos π t), 7.3 mm in a quarter second; its servo lags by c v/k, 0.6 mm."""
    assert run("simulate", "capsule_pinch", "--seconds", "0.25").code == 0
    hand = zp.Trajectory.load(tmp_path / "out" / "capsule_pinch.npz").channel("q:hand")
    assert hand[-1] == pytest.approx(0.025 * (1.0 - 0.5**0.5), abs=1e-3)


def test_a_scene_brings_its_step_rate_and_length(run: Run) -> None:
    found = run("simulate", "ragdoll", "--json").json
    scene = zp.zoo.scene("ragdoll")
    assert (found["seconds"], found["dt"]) == (pytest.approx(scene.seconds), scene.dt)
    assert found["frames_per_second"] == pytest.approx(scene.record_rate)


def test_options_change_a_scene(run: Run, tmp_path: Path) -> None:
    options = (
        "--seconds",
        "0.02",
        "--dt",
        "1e-3",
        "--record-rate",
        "1000",
        "--gravity",
        "0,0,-1.62",
        "--ground",
        "none",
    )
    found = run("simulate", "box_stack", *options, "--json").json
    assert (found["steps"], found["frames"], found["gravity"]) == (20, 21, [0.0, 0.0, -1.62])
    life = zp.Trajectory.load(tmp_path / "out" / "box_stack.npz")
    assert life.ground is None
    fallen = life.q[0, 6] - life.q[-1, 6]
    assert fallen == pytest.approx(0.5 * 1.62 * 0.02**2, rel=0.06)  # first order in dt: a twentieth


def test_friction_changes_the_ground_of_a_scene(run: Run, tmp_path: Path) -> None:
    """On ice the ball neither slows down nor turns back."""
    assert run("simulate", "rolling_ball", "--seconds", "0.5", "--friction", "0").code == 0
    life = zp.Trajectory.load(tmp_path / "out" / "rolling_ball.npz")
    assert life.q[-1, 4] == pytest.approx(2.5 * 0.5, rel=1e-9)


def test_the_gallery_shows_scenes_as_they_are(run: Run, tmp_path: Path) -> None:
    assert run("zoo", "capsule_pinch", "--gallery", "all").code == 0
    page = (tmp_path / "all" / "gallery.html").read_text(encoding="utf-8")
    assert "capsule_pinch" in page and "weightless" not in page
    assert run("zoo", "book", "--gallery", "all").code == 0
    assert "weightless" in (tmp_path / "all" / "gallery.html").read_text(encoding="utf-8")
