"""``zoophyte simulate``: what it tells and writes, and how a life is put together."""

from __future__ import annotations

import csv
import errno
import os
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from commands import Run
from zoophyte.cli.simulate import INTEGRATOR_NAMES
from zoophyte.description import Body, Box, Joint, Sphere
from zoophyte.errors import DescriptionError, FileError
from zoophyte.physics import INTEGRATORS


def test_simulate_says_what_it_did_and_writes_its_files(run: Run, tmp_path: Path) -> None:
    done = run("simulate", "double_pendulum", "--seconds", "0.2", "--out", "results/here", "--csv")
    assert done.code == 0
    for words in (
        "2 bodies, 2 degrees of freedom",
        "0.2 s in 200 steps of 1 ms, rk4",
        "times real time",
        "ended at 0.2 s",
    ):
        assert words in done.out
    folder = tmp_path / "results" / "here"
    names = {f"double_pendulum{ending}" for ending in (".npz", ".csv", ".energy.svg", ".html")}
    assert {path.name for path in folder.iterdir()} == names
    assert all(f"results/here/{name}" in done.out for name in names)
    assert done.out.endswith("\nopen results/here/double_pendulum.html in a browser\n")
    life = zp.Trajectory.load(folder / "double_pendulum.npz")
    assert (len(life), life.times[-1], life.dt) == (201, pytest.approx(0.2), 1e-3)
    with (folder / "double_pendulum.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:5] == ["time", "q:upper", "q:lower", "v:upper", "v:lower"]
    assert len(rows) == 202


def test_simulate_obeys_its_options(run: Run, tmp_path: Path) -> None:
    done = run(
        "simulate", "pendulum", "--seconds", "0.1", "--dt", "2e-3", "--integrator", "implicit", "--record-rate", "100",
        "--gravity", "0,0,-1.62", "--seed", "7", "--json",
    )  # fmt: skip
    found = done.json
    assert (found["steps"], found["frames"], found["dt"], found["integrator"]) == (50, 11, 2e-3, "implicit")
    assert (found["gravity"], found["seed"], found["sound"]) == ([0.0, 0.0, -1.62], 7, True)
    assert [Path(path).suffix for path in found["files"]] == [
        ".npz",
        ".svg",
        ".html",
    ]  # no table unasked: it may be large
    assert [Path(path).exists() for path in found["files"]] == [True] * 3
    life = zp.Trajectory.load(tmp_path / "out" / "pendulum.npz")
    assert (life.seed, life.gravity) == (7, (0.0, 0.0, -1.62))
    world = zp.World(zp.zoo.pendulum(), habitat=zp.Habitat((0.0, 0.0, -1.62)), dt=2e-3, integrator="implicit")
    assert (world.simulate(0.1, record_rate=100.0).q == life.q).all()


@pytest.mark.parametrize(("name", "integrator"), [("chain", "rk4"), ("sapling", "ros2"), ("ref4", "ros2")])
def test_simulate_chooses_an_integrator_that_suits_the_body(run: Run, name: str, integrator: str) -> None:
    assert run("simulate", name, "--seconds", "0.01", "--json").json["integrator"] == integrator


def test_simulate_knows_every_integrator() -> None:
    assert set(INTEGRATOR_NAMES) == {"auto", *INTEGRATORS}


def test_a_life_that_is_longer_than_asked_says_so(run: Run) -> None:
    done = run("simulate", "pendulum", "--seconds", "0.1", "--dt", "0.2")
    assert "0.2 s in 1 step of 200 ms, rk4 (0.1 s were asked; a life ends on a whole step)" in done.out
    assert "1 body, 1 degree of freedom" in done.out
    found = run("simulate", "pendulum", "--seconds", "0.1", "--dt", "0.2", "--json").json
    assert (found["seconds"], found["seconds_asked"]) == (0.2, 0.1)
    assert "asked" not in run("simulate", "pendulum", "--seconds", "0.3", "--dt", "0.1").out


def test_a_rate_that_does_not_divide_the_steps_says_so(run: Run, tmp_path: Path) -> None:
    """1000 steps per second, of which 300 are asked for: every third is kept, 333.333 per second."""
    done = run("simulate", "pendulum", "--seconds", "0.3", "--record-rate", "300")
    assert "101 frames, one every 3 steps, 333.333 per second (300 were asked; frames fall on" in done.out
    assert len(zp.Trajectory.load(tmp_path / "out" / "pendulum.npz")) == 101
    done = run("simulate", "pendulum", "--seconds", "0.3", "--record-rate", "100")
    assert "31 frames, one every 10 steps, 100 per second\n" in done.out
    found = run("simulate", "pendulum", "--seconds", "0.3", "--json").json
    assert (found["steps_per_frame"], found["frames_per_second_asked"]) == (1, None)


def test_help_names_the_files_that_can_be_simulated(run: Run) -> None:
    shown = run("simulate", "--help").out
    assert all(ending in shown for ending in (".yaml", ".xml", ".urdf"))


def test_simulate_reads_a_robot_and_holds_it_as_told(run: Run, tmp_path: Path) -> None:
    link = '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{link}</robot>')
    done = run("simulate", "robot.urdf", "--root", "free", "--seconds", "0.01", "--json")
    assert done.json["dofs"] == 6
    done = run("simulate", "robot.urdf", "--root", "loose")
    assert done.code == 2
    assert "'loose' must be fixed or free" in done.err


@pytest.mark.parametrize(
    ("ground", "heights"),
    [("slope:45", [0.0, 10.0]), ("steps:2", [0.17, 0.34]), ("bumps:7", []), ("hills.npz", [0.0, 6.0])],
)
def test_simulate_on_a_terrain(run: Run, tmp_path: Path, ground: str, heights: list[float]) -> None:
    """Heights by hand: tan 45° times 10 m; risers of 0.17 m; the file's own, doubled."""
    zp.Terrain([[0.0, 1.0], [2.0, 3.0]], (1.0, 1.0)).save(tmp_path / "hills.npz")
    more = ["--ground-height", "2"] if ground == "hills.npz" else []
    assert run("simulate", "pendulum", "--seconds", "0.01", "--ground", ground, *more).code == 0
    found = zp.Trajectory.load(tmp_path / "out" / "pendulum.npz").ground
    assert isinstance(found, zp.Terrain)
    assert all(np.isclose(found.heights, height, atol=1e-12).any() for height in heights)


@pytest.mark.parametrize(("ground", "kind"), [("plane", zp.Plane), ("none", type(None))])
def test_simulate_on_a_plane_or_in_open_space(run: Run, tmp_path: Path, ground: str, kind: type) -> None:
    assert run("simulate", "pendulum", "--seconds", "0.01", "--ground", ground).code == 0
    assert isinstance(zp.Trajectory.load(tmp_path / "out" / "pendulum.npz").ground, kind)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (
            ["--ground", "bumbs"],
            2,
            "--ground is 'bumbs', must be plane, none, slope:DEGREES, .* Did you mean 'bumps'?",
        ),
        (["--ground", "steps:x"], 2, "a whole number must stand behind the colon"),
        (["--ground", "steps:0"], 2, "count of steps is 0, must be a whole number"),
        (["--ground", "slope:85"], 2, "between -80 and 80 degrees"),
        (["--ground", "no.png"], 1, "no.png: does not exist."),
        (["--ground", "bare.npz"], 2, "how far its points lie apart. .*--ground-spacing 0.1"),
        (["--ground", "bare.npz", "--ground-spacing", "0"], 2, "--ground-spacing is 0, must be"),
        (["--ground-height", "2"], 2, "go with a file of heights"),
    ],
)
def test_simulate_refuses_grounds(
    run: Run, tmp_path: Path, options: list[str], code: int, words: str
) -> None:
    np.savez(tmp_path / "bare.npz", heights=np.zeros((3, 3)))
    done = run("simulate", "pendulum", *options)
    assert (done.code, done.out) == (code, "")
    assert re.search(words, done.err)


def ball(path: Path, height: float) -> None:
    """A free ball of 0.1 m over the ground, whose description says nothing of surfaces."""
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height))
    bodies = [Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1)])]
    zp.Description(name="ball", bodies=bodies).save(path)


@pytest.mark.parametrize(
    ("options", "rests"), [([], False), (["--friction", "0.8"], True), (["--restitution", "0"], True)]
)
def test_a_surface_makes_a_body_touch(run: Run, tmp_path: Path, options: list[str], rests: bool) -> None:
    """After 1 s a ball from 0.3 m rests on the ground, its centre one radius up; a ghost has fallen by g/2 = 4.9 m."""
    ball(tmp_path / "ball.yaml", 0.3)
    assert run("simulate", "ball.yaml", "--seconds", "1", *options).code == 0
    height = zp.Trajectory.load(tmp_path / "out" / "ball.npz").channel("height:ball")[-1]
    assert height == pytest.approx(0.1 if rests else 0.3 - 9.81 / 2, abs=0.01)


NOTE = "ball touches nothing: its shapes have no surface and it falls through the ground; --friction 0.8 gives them one.\n"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], True),  # as long as nobody asked for a ground, nothing was said, and a figure fell for 490 m
        (["--gravity", "0,0,0"], False),
        (["--ground", "none"], False),
        (["--ground", "steps:3"], True),
        (["--ground", "steps:3", "--friction", "1"], False),
    ],
)
def test_a_ghost_over_a_ground_is_told(run: Run, tmp_path: Path, options: list[str], told: bool) -> None:
    ball(tmp_path / "ball.yaml", 0.3)
    done = run("simulate", "ball.yaml", "--seconds", "0.01", *options)
    assert (done.code, NOTE in done.err) == (0, told)


@pytest.mark.parametrize("ground", ["slope:15", "slope:-15", "steps:10", "bumps:3"])
def test_who_stands_at_the_origin_stands_before_slopes_and_stairs(
    run: Run, tmp_path: Path, ground: str
) -> None:
    """The ground is level for 1 m around; a ball that lies there on z = 0 is not refused as overlapping."""
    ball(tmp_path / "ball.yaml", 0.1)
    assert run("simulate", "ball.yaml", "--friction", "1", "--ground", ground, "--seconds", "0.01").code == 0
    found = zp.Trajectory.load(tmp_path / "out" / "ball.npz").ground
    assert isinstance(found, zp.Terrain)
    assert not np.any(found.height_at(np.linspace(-1.0, 1.0, 101) * (1.0 - 1e-9), 0.0))
    assert np.any(found.height_at(np.linspace(1.0, 2.0, 101), 0.0))


def test_a_loss_larger_than_any_motion_is_no_share_of_it(run: Run, tmp_path: Path) -> None:
    """The ant sinks onto its legs and stands: what it lost is more than it ever had in motion, and is told in joules."""
    ball(tmp_path / "ball.yaml", 0.3)
    assert "of the largest kinetic energy" in run("simulate", "ball.yaml", "--seconds", "0.1").out
    assert re.search(r"changed by -[\d.]+ J\)$", run("simulate", "ant", "--seconds", "0.5").out, re.MULTILINE)


def test_shapes_that_overlap_are_refused_or_pushed_apart(run: Run, tmp_path: Path) -> None:
    ball(tmp_path / "ball.yaml", 0.05)
    done = run("simulate", "ball.yaml", "--friction", "1", "--seconds", "0.1")
    assert (done.code, done.out) == (1, "")
    assert "ball in ground, 50 mm deep" in done.err and "--overlap resolve" in done.err
    assert (
        run("simulate", "ball.yaml", "--friction", "1", "--seconds", "0.1", "--overlap", "resolve").code == 0
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--friction", "-1"], "--friction is -1, must be a finite number, 0 or more"),
        (["--restitution", "1.5"], "--restitution is 1.5, must lie between 0 and 1"),
        (
            ["--overlap", "resolv"],
            "--overlap 'resolv' is unknown. Known: refuse, resolve. Did you mean 'resolve'",
        ),
        (["--friction", "1", "--integrator", "rk4"], "not with 'rk4'. Leave the integrator out"),
    ],
)
def test_simulate_refuses_surfaces(run: Run, options: list[str], words: str) -> None:
    done = run("simulate", "pendulum", *options)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_a_life_is_no_body(run: Run) -> None:
    done = run("simulate", "life.npz")
    assert done.code == 2
    assert "`zoophyte export life.npz body.yaml` takes its body out" in done.err


def test_simulate_reads_a_file(run: Run, tmp_path: Path) -> None:
    zp.zoo.rod().save(tmp_path / "my rod.yaml")
    done = run("simulate", "my rod.yaml", "--seconds", "0.01")
    assert done.code == 0
    assert (tmp_path / "out" / "rod.npz").exists()


def test_simulate_reports_everything_wrong_with_a_file(run: Run, tmp_path: Path) -> None:
    text = (
        zp.zoo.two_rods()
        .to_yaml()
        .replace("kind: hinge", "kind: hing")
        .replace("radius: 0.015", "radius: -1")
    )
    (tmp_path / "bad.yaml").write_text(text)
    done = run("simulate", "bad.yaml")
    assert done.code == 1
    with pytest.raises(DescriptionError) as caught:
        zp.load("bad.yaml")
    assert done.err == f"zoophyte: {caught.value}\n"
    assert len(caught.value.problems) >= 4
    assert "Did you mean 'hinge'?" in done.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("zzz", "neither a file nor an inhabitant of the zoo. `zoophyte zoo` lists the inhabitants"),
        (".", "'.' is a folder, not a body. Give a file or a name."),
        ("", "'' is neither a file nor an inhabitant"),
    ],
)
def test_simulate_refuses_names_that_nobody_has(run: Run, name: str, message: str) -> None:
    done = run("simulate", name)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("name", "head", "message"),
    [
        (
            "run.db",
            b"SQLite format 3\0",
            "as a run of evolution is, and no body. `zoophyte replay run.db` shows",
        ),
        ("life.npy", b"PK\3\4", "as a recorded life is, and no body. `zoophyte replay life.npy` plays"),
        ("map.png", b"\x89PNG\r\n", "map.png: is a picture, and no body. As ground"),
        ("page.yaml", b"<!DOCTYPE html>", "page.yaml: is a page for a browser, and no body."),
    ],
)
def test_a_file_of_another_kind_is_told_for_what_it_is(
    run: Run, name: str, head: bytes, message: str
) -> None:
    """The call that reads it is named, and nobody is asked to save it as UTF-8."""
    Path(name).write_bytes(head + bytes(40))
    done = run("simulate", name)
    assert done.code == 1 and message in done.err and "UTF-8" not in done.err
    with pytest.raises(FileError, match=re.escape(message)):
        zp.load(name)


def test_a_picture_becomes_no_picture(run: Run) -> None:
    Path("map.png").write_bytes(b"\x89PNG\r\n")
    done = run("export", "map.png", "a.png")
    assert (done.code, "map.png: is a picture, and no body" in done.err) == (1, True)


def test_a_folder_names_a_body_in_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bodies").mkdir()
    (tmp_path / "bodies" / "arm.yaml").write_text("name: arm")
    done = run("simulate", "bodies")
    assert done.code == 2 and f"Give one of its files: {Path('bodies', 'arm.yaml')}" in done.err


def test_the_height_of_a_ground_is_a_number(run: Run) -> None:
    done = run("simulate", "pendulum", "--ground", "hills.png", "--ground-height", "nan")
    assert done.code == 2 and "--ground-height is nan, must be a finite number" in done.err


@pytest.mark.parametrize("name", ["no.yaml", "no.xml", "no.urdf"])
def test_simulate_refuses_files_that_are_not_there(run: Run, name: str) -> None:
    done = run("simulate", name)
    assert (done.code, done.err) == (1, f"zoophyte: {name}: does not exist.\n")


def test_a_folder_hides_no_inhabitant(run: Run, tmp_path: Path) -> None:
    """`simulate frog --out frog` leaves such a folder, and may be asked for again."""
    for name in ("ant", "frog"):
        (tmp_path / name).mkdir()
        assert run("export", name, f"{name}.yaml").code == 0


def test_simulate_refuses_a_folder_that_is_a_file_before_it_works(run: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("precious")
    done = run("simulate", "pendulum", "--out", "taken")
    assert (done.code, done.out) == (1, "")
    assert "taken: the folder cannot be made: it is a file. Choose another with --out." in done.err
    done = run("simulate", "pendulum", "--out", "taken/below")
    assert done.code == 1
    assert "cannot be made" in done.err
    assert (tmp_path / "taken").read_text() == "precious"


def test_simulate_refuses_a_folder_it_cannot_write_to(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    done = run("simulate", "pendulum", "--out", "closed")
    assert (done.code, done.out) == (1, "")
    assert "closed: the folder cannot be written to. Choose another with --out." in done.err


def test_a_life_that_diverges_is_told_and_kept(run: Run, tmp_path: Path) -> None:
    done = run("simulate", "cantilever", "--seconds", "1", "--integrator", "semi_implicit")
    assert done.code == 1
    last = done.err.splitlines()[-1]  # lines about compiling may stand before it
    assert last.startswith("zoophyte: cantilever50 diverged at ")
    assert "in body 'piece" in last
    life = zp.Trajectory.load(tmp_path / "out" / "cantilever50.npz")
    assert not life.status.is_sound
    steps = round(life.status.time / life.dt)
    assert f"{life.status.time:.6g} s in {steps} steps of 1 ms" in done.out  # as long as it was sound


@pytest.mark.parametrize("name", ["../../etc/passwd", "a b/c", "...", "<script>", "ü"])
def test_names_cannot_lead_out_of_the_folder(run: Run, tmp_path: Path, name: str) -> None:
    zp.Description(name=name, bodies=zp.zoo.rod().bodies).save(tmp_path / "body.yaml")
    assert run("simulate", "body.yaml", "--seconds", "0.01", "--out", "results").code == 0
    files = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.split("/")[0] for path in files) == ["body.yaml", *["results"] * 3]
    assert all(path.count("/") == 1 for path in files if path != "body.yaml")


def test_progress_changes_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the life pauses to show its progress; not a bit of what is written may differ, nor who touched."""
    ball(tmp_path / "ball.yaml", 0.2)
    command = (
        "simulate",
        "ball.yaml",
        "--seconds",
        "2.5",
        "--friction",
        "1",
        "--record-rate",
        "0.8",
        "--out",
    )
    assert run(*command, "quiet").code == 0
    monkeypatch.setattr("zoophyte.cli.output.PATIENCE", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    done = run(*command, "shown")
    assert done.code == 0 and "simulating" in done.err
    assert (tmp_path / "quiet" / "ball.npz").read_bytes() == (tmp_path / "shown" / "ball.npz").read_bytes()


def test_progress_goes_from_nothing_towards_the_whole() -> None:
    shares: list[float] = []
    zp.World(zp.zoo.pendulum(), dt=1e-3).simulate(3.0, record_rate=0.1, progress=shares.append)
    assert shares == pytest.approx([0.0, 1 / 3, 2 / 3], abs=1e-9)


@pytest.mark.parametrize("ending", [".npz", ".energy.svg", ".html"])
def test_a_full_disk_is_a_failure_whatever_file_it_meets(
    ending: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written before is whole, and of the file itself nothing is left."""
    sync = os.fsync

    def full(handle: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{handle}")).name.startswith(f".pendulum{ending}."):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    done = run("simulate", "pendulum", "--seconds", "0.1")
    assert done.code == 1
    assert f"pendulum{ending}: cannot be written: no space left on device." in done.told
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert left <= {"pendulum.npz", "pendulum.energy.svg"} and f"pendulum{ending}" not in left


def test_a_program_is_no_body(run: Run, tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text("import zoophyte\n")
    done = run("simulate", "my.py")
    assert done.code == 2
    assert "'my.py' is a Python program, not a body. Run it with `python my.py`" in done.told
    assert "See: zoophyte simulate --help" in done.told


def test_more_contacts_than_slots_name_the_option(run: Run) -> None:
    done = run("simulate", "box_stack", "--seconds", "0.1", "--slots", "2")
    assert (
        done.code == 1
        and "more than 2 contacts at one time; make room for more: World(…, slots=4) (--slots" in done.told
    )
    assert run("simulate", "box_stack", "--seconds", "0.01", "--slots", "200").code == 0
    assert run("simulate", "box_stack", "--slots", "0").code == 2


def test_an_absurd_step_is_warned_of(run: Run) -> None:
    with pytest.warns(UserWarning, match="pendulum: dt is 1 s"):
        assert run("simulate", "pendulum", "--seconds", "2", "--dt", "1").code == 0
    assert warnings.formatwarning("dt is 1 s", UserWarning, "scenes.py", 1) == "zoophyte: dt is 1 s\n"


def test_more_sweeps_carry_what_few_press_into_the_ground(run: Run, tmp_path: Path) -> None:
    """`--sweeps`, which the status advises, reaches the solver; see tests/unit/simulation/test_sinking.py."""
    cubes = [
        Body(
            name=name,
            joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height)),
            shapes=[Box(size=(0.2, 0.2, 0.2), density=density)],
        )
        for name, height, density in (("light", 0.1, 125.0), ("heavy", 0.3, 125e3))
    ]
    zp.Description(name="cubes", bodies=cubes, surface=zp.Surface()).save(tmp_path / "cubes.yaml")
    told = run("simulate", "cubes.yaml", "--seconds", "1").out
    assert "sweeps did not come to an end" in told and "--sweeps 200" in told
    assert "sweeps did not" not in run("simulate", "cubes.yaml", "--seconds", "1", "--sweeps", "200").out
