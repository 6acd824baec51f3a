"""Lives, worlds and scenes as MJCF: what MuJoCo makes of the file, played as the page says, is what the life had."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")

import zoophyte as zp  # noqa: E402
from bodies import every_kind, random_state  # noqa: E402
from commands import Outcome  # noqa: E402
from repository.sources import ROOT  # noqa: E402
from zoophyte.control import Command, Hold, Sine, Table  # noqa: E402
from zoophyte.description import Body, Box, Description, Joint, Motor, Servo, Sphere, Surface, TaperedCapsule  # noqa: E402
from zoophyte.evolution.audit import audit  # noqa: E402
from zoophyte.evolution.evaluation.chunks import compiled_models  # noqa: E402
from zoophyte.evolution.mujoco_lives import Twin, mujoco_life  # noqa: E402
from zoophyte.evolution.protocols import Trial  # noqa: E402
from zoophyte.evolution.retold import CHECK  # noqa: E402
from zoophyte.export.mjcf import write_mjcf  # noqa: E402
from zoophyte.export.mjcf.life import life_document  # noqa: E402
from zoophyte.model import Medium, Terrain  # noqa: E402
from zoophyte.physics import body_velocities  # noqa: E402
from zoophyte.simulation import Habitat  # noqa: E402

pytestmark = pytest.mark.engines

SHORT: dict[str, Any] = {"seconds": 2.0, "settle": 1.0}


def documented_loop() -> str:
    """The block of docs/how-to/mjcf.md that plays a table."""
    page = (ROOT / "docs/how-to/mjcf.md").read_text(encoding="utf-8")
    (loop,) = [
        block for block in re.findall(r"^```python run\n(.*?)^```$", page, re.M | re.S) if "mj_step" in block
    ]
    return loop


def played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the documented loop finds of walk.xml and walk.ctrl.csv in a folder."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(compile(documented_loop(), "docs/how-to/mjcf.md", "exec"), names)
    return names


def test_a_champion_walks_in_mujoco_as_its_audit_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    """A champion's MJCF had no ground, its root at 0 0 0 or inside the floor, and nothing that moved it.

    Claim: written by `zoophyte export run.db walk.xml` and by the library it is one file, and the documented loop makes it
    travel as the audit's own replay says, to the last bit: its controller feels nothing, so both play one text with one
    row per step.
    """
    evolved = zp.evolve(
        "walk",
        genome="limbed",
        population=4,
        generations=1,
        seed=3,
        workers=1,
        store=tmp_path / "run.db",
        task_settings=SHORT,
    )
    best = evolved.best()
    life = evolved.relive(best, record_rate=None)
    notes = life.export(tmp_path / "walk.xml")
    text, table = ((tmp_path / f"walk{ending}").read_bytes() for ending in (".xml", ".ctrl.csv"))
    done: Outcome = run("export", "run.db", "walk.xml")
    assert done.code == 0
    assert [(tmp_path / f"walk{ending}").read_bytes() for ending in (".xml", ".ctrl.csv")] == [text, table]
    assert all(note in done.err for note in notes) and "friction lifts what slides" in done.err

    names = played(tmp_path, monkeypatch)
    path, dt = np.array(names["path"]), evolved.task.dt
    (trial,) = evolved.trials(best)
    (model,) = compiled_models([trial], {})
    there = mujoco_life(trial, model, dt)
    assert np.array_equal(path[:: round(CHECK / dt)], there.root)
    settled = round(SHORT["settle"] / dt)
    travelled = float(np.linalg.norm((path[-1] - path[settled])[:2]))
    told = audit(best.genome.develop(), evolved.task, generation=best.generation, seed=3)
    assert told.in_mujoco == pytest.approx(travelled, abs=1e-12) and travelled > 0.02
    assert path[0] == pytest.approx(life.positions[0, 0], abs=1e-12)
    assert "plane" in text.decode() and names["model"].opt.timestep == dt
    evolved.close()


@pytest.fixture
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path) -> Any:
    """The command line, in the folder of the test."""
    import sys

    from zoophyte.cli import main

    def call(*arguments: str) -> Outcome:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["zoophyte", *arguments])
        with pytest.raises(SystemExit) as end:
            main.run()
        shown = capsys.readouterr()
        return Outcome(end.value.code or 0, shown.out, shown.err)  # type: ignore[arg-type]

    return call


def begun(text: str) -> Any:
    """MuJoCo's data at the keyframe, with poses."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("seed", range(4))
def test_a_life_begins_there_as_here(seed: int) -> None:
    """The keyframe had the initial coordinates of the description, and no velocities.

    Oracle: poses and velocities of all bodies in MuJoCo at the keyframe. Tolerance: rounding.
    """
    rng = np.random.default_rng(seed)
    model = zp.compile(every_kind(rng))
    state = replace(random_state(model, rng), clock=(1.5, 0, 1e-4))
    life = zp.World(model, Habitat(ground=None), dt=1e-4, integrator="semi_implicit").simulate(3e-4, state)
    there, data = begun(life_document(life).text)
    rotations, places = zp.body_poses(model, life.frame(0))
    speeds = body_velocities(model, life.frame(0))
    assert data.time == 1.5
    found = 0
    for n, name in enumerate(model.body_names):
        number = mujoco.mj_name2id(there, mujoco.mjtObj.mjOBJ_BODY, name)
        if n == 0 or number < 0:  # bodies without mass have handed on their joints
            continue
        found += 1
        assert data.xpos[number] == pytest.approx(places[n], abs=1e-9)
        assert data.xmat[number].reshape(3, 3) == pytest.approx(rotations[n], abs=1e-9)
        speed = np.zeros(6)
        mujoco.mj_objectVelocity(there, data, mujoco.mjtObj.mjOBJ_XBODY, number, speed, 1)
        assert speed == pytest.approx(speeds[n], abs=1e-7 * (1.0 + np.abs(speeds[n]).max()))
    assert found > 4


def hopper(actuator: Servo | Motor | None = None) -> Description:
    """A box with a leg, 0.4 m up."""
    trunk = Body(
        name="trunk", joint=Joint(kind="free", position=(0.3, 0.0, 0.2), initial=(1, 0, 0, 0, 0.1, 0.2, 0.2)),
        shapes=[Box(size=(0.3, 0.2, 0.1))],
    )  # fmt: skip
    leg = Body(
        name="leg", parent="trunk", joint=Joint(kind="hinge", axis=(0.0, 1.0, 0.0), actuator=actuator, damping=0.1),
        shapes=[Sphere(radius=0.04, position=(0.0, 0.0, -0.12))],
    )  # fmt: skip
    return Description(name="hopper", bodies=[trunk, leg], surface=Surface(friction=0.7))


def test_ground_medium_gravity_and_step_are_those_of_the_life(tmp_path: Path) -> None:
    """Claim: a life on a terrain in water, on the moon, is written with all three, and stays so after it was saved."""
    habitat = Habitat(
        (0.0, 0.1, -1.62),
        Terrain.bumps(seed=2),
        Surface(friction=0.3),
        Medium(20.0, 0.01, (0.5, 0.0, 0.0), buoyancy=False),
    )
    life = zp.World(hopper(), habitat, dt=4e-3).simulate(0.1)
    life.save(tmp_path / "life.npz")
    back = zp.Trajectory.load(tmp_path / "life.npz")
    assert back.medium == habitat.medium and life_document(back).text == life_document(life).text
    there, data = begun(life_document(back).text)
    option = there.opt
    assert tuple(option.gravity) == habitat.gravity and option.timestep == 4e-3
    assert (option.density, option.viscosity, tuple(option.wind)) == (20.0, 0.01, (0.5, 0.0, 0.0))
    assert option.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    assert there.nhfield == 1 and there.geom("ground").friction[0] == 0.3
    assert data.qpos[:3] == pytest.approx((0.4, 0.2, 0.4), abs=1e-12)
    assert there.qpos0[:3] == pytest.approx((0.4, 0.2, 0.4), abs=1e-12)  # without the keyframe, too


def test_a_world_is_written_before_it_has_lived(tmp_path: Path) -> None:
    world = zp.World(hopper(Servo(stiffness=20.0)), controller=Hold(0.2), dt=3e-3)
    start = zp.State.neutral(world.model).at(v=[0.0, 0.0, 1.0, 0.5, 0.0, 0.0, -2.0])
    notes = write_mjcf(world, tmp_path / "world.xml", start=start)
    there, data = begun((tmp_path / "world.xml").read_text(encoding="utf-8"))
    assert there.opt.timestep == 3e-3 and there.geom("ground").type[0] == mujoco.mjtGeom.mjGEOM_PLANE
    assert tuple(data.qvel) == (0.5, 0.0, 0.0, 0.0, 0.0, 1.0, -2.0)
    assert any("controller" in note for note in notes) and any("rigid here" in note for note in notes)


class Twist:
    """Joint forces of its own: on the hinge, and about the trunk's own axes."""

    period: float | None = 0.05

    def begin(self, model: zp.Model) -> Any:
        return np.zeros(0)

    def command(self, senses: Any, memory: Any) -> Any:
        return Command.torques([0.0, 0.02, 0.01, 0.0, 0.0, 0.0, 0.03 * (1.0 + senses.time)]), memory


def test_joint_forces_of_a_controller_act_there_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: without gravity and contact both programs have one mechanics. Tolerance: of the integrators, 2e-3 of the way."""
    body = hopper().altered(surface=None)
    world = zp.World(body, Habitat((0.0, 0.0, 0.0), None), Twist(), dt=5e-4, integrator="implicit")
    life = world.simulate(0.5)
    life.export(tmp_path / "walk.xml")
    names = played(tmp_path, monkeypatch)
    header = (tmp_path / "walk.ctrl.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header == "time,trunk.turn_y.force,trunk.turn_z.force,leg.force"
    assert names["data"].qpos[7] == pytest.approx(life.q[-1, 7], rel=2e-3) and abs(life.q[-1, 7]) > 0.05
    assert names["data"].qpos[3:7] == pytest.approx(life.q[-1, :4], abs=1e-3)
    assert abs(life.q[-1, 2]) > 0.01


def test_rows_are_what_each_step_reads(tmp_path: Path) -> None:
    """Claim: one row per step, with the command at the step's end; jumps stay where they are. Exact."""
    controller = Table([[0, 0, 0, 0, 0, 0, x] for x in (0.1, 0.5, -0.2)], 10.0, "hold")
    world = zp.World(hopper(Servo(stiffness=20.0)), Habitat(ground=None), controller, dt=1e-2)
    found = life_document(world.simulate(0.3))
    assert found.names == ("leg",) and len(found.rows) == 30
    assert found.rows[:, 0] == pytest.approx(1e-2 * np.arange(30), abs=1e-12)
    assert found.rows[:, 1].tolist() == [0.1] * 10 + [0.5] * 10 + [-0.2] * 10
    coarse = life_document(
        replace_controller(world, Sine(amplitude=0.3, frequency=1.0)).simulate(0.3, record_rate=50.0)
    )
    assert len(coarse.rows) == 30 and any("recorded every 0.02 s" in note for note in coarse.warnings)
    ends = 1e-2 * np.arange(1, 31)
    assert coarse.rows[:, 1] == pytest.approx(0.3 * np.sin(2.0 * np.pi * ends), abs=1e-3)


def replace_controller(world: zp.World, controller: Any) -> zp.World:
    return replace(world, controller=controller)


def test_what_is_asked_in_every_step_is_asked_for_its_end() -> None:
    """The audit asked controllers that are asked in every step for its beginning, and played commands that were a step old.

    Oracle: the rows of a life's table. Exact.
    """

    class Stairs:
        period: float | None = 0.0

        def begin(self, model: zp.Model) -> Any:
            return np.zeros(0)

        def command(self, senses: Any, memory: Any) -> Any:
            return Command.hold([0.0] * 6 + [0.1 * np.floor(senses.time / 0.05 + 1e-9)]), memory

    body, dt = hopper(Servo(stiffness=20.0)), 5e-3
    trial = Trial(body, Stairs(), seconds=0.3)
    (model,) = compiled_models([trial], {})
    rows: list[Any] = []

    class Watched(Twin):
        def step(self, row: Any) -> None:
            rows.append(row.copy())
            super().step(row)

    from zoophyte.evolution import mujoco_lives

    mujoco_lives._lived(Watched(trial, model, dt), trial, model, dt)
    life = zp.World(model, trial.habitat, trial.controller, dt, integrator="implicit").simulate(0.3)
    assert np.array_equal(np.array(rows), life_document(life).rows[:, 1:])


def test_what_mujoco_cannot_say_of_a_life_is_told() -> None:
    """Claim: rigid contacts, round shapes that became meshes, ball servos and controllers are told, in the text too."""
    body = hopper()
    body.bodies[1].shapes = [
        TaperedCapsule(radius_start=0.03, radius_end=0.02, length=0.1, position=(0, 0, -0.2))
    ]
    body.bodies[1].joint = Joint(kind="ball", actuator=Servo(stiffness=5.0))
    life = zp.World(body, controller=Hold(0.0), dt=2e-3).simulate(0.02)
    found = life_document(life, "hopper.ctrl.csv")
    wanted = (
        "tapered_capsule",
        "rigid here and soft there",
        "servos of ball joints",
        "a controller that feels",
    )
    for words in wanted:
        (note,) = [note for note in found.warnings if words in note]
        assert note[:40] in found.text
    bare = {
        name: values for name, values in life.channels.items() if name not in ("command", "actuator_force")
    }
    old = life_document(replace(life, channels=bare))
    assert old.names == () and any("before commands were recorded" in note for note in old.warnings)
    silent = zp.World(zp.zoo.pendulum(), dt=1e-3).simulate(0.01)
    assert life_document(silent).warnings == ()


def test_scenes_of_the_zoo_hold_what_they_had(run: Any, tmp_path: Path) -> None:
    """`zoophyte export walking_ant ant.xml` wrote the body alone: no ground, no commands, another step."""
    done: Outcome = run("export", "rolling_ball", "ball.xml")
    assert done.code == 0 and "MuJoCo cannot say: contacts" in done.err
    there, data = begun((tmp_path / "ball.xml").read_text(encoding="utf-8"))
    assert tuple(data.qvel) == (2.5, 0.0, 0.0, 0.0, -75.0, 0.0) and there.geom("ground").type[0] == 0
    scene = zp.zoo.scene("walking_ant")
    scene.export(tmp_path / "ant.xml", seconds=0.1)
    assert len((tmp_path / "ant.ctrl.csv").read_text(encoding="utf-8").splitlines()) == 1 + round(
        0.1 / scene.dt
    )


class Switch:
    """Commands ±0.5 in turn, at times that are no whole steps."""

    period = 0.0123

    def begin(self, model: zp.Model) -> Any:
        return np.zeros(1)

    def command(self, senses: Any, memory: Any) -> Any:
        return Command.hold(np.full(senses.model.nv, 0.5 * (-1.0) ** int(memory[0]))), memory + 1.0


def test_commands_that_are_held_are_held_in_the_table() -> None:
    """Where a controller's period is no whole number of steps, rows held mixtures of two commands, and nothing said so."""
    body = Description(
        name="rod",
        bodies=[
            Body(
                name="rod",
                joint=Joint(kind="hinge", actuator=Servo(stiffness=1.0)),
                shapes=[Sphere(radius=0.1)],
            )
        ],
    )
    life = zp.World(body, zp.Habitat(ground=None), Switch(), dt=5e-3).simulate(0.2)
    found = life_document(life)
    assert set(np.unique(found.rows[:, 1])) == {-0.5, 0.5}
    assert any("some steps were shortened" in note for note in found.warnings)


def test_bodies_are_found_by_the_names_that_they_have_there() -> None:
    """A body called like MuJoCo's ground is renamed; the audit read the place of the ground instead."""
    ant = zp.zoo.ant()
    ant.bodies[0].name = "world"
    for body in ant.bodies:
        if body.parent == "torso":
            body.parent = "world"
    ant = zp.Description.from_yaml(ant.to_yaml())
    model = zp.compile(ant)
    life = mujoco_life(Trial(ant, Sine(0.5, frequency=1.3), seconds=0.2), model, 5e-3)
    usual = mujoco_life(
        Trial(zp.zoo.ant(), Sine(0.5, frequency=1.3), seconds=0.2), zp.compile(zp.zoo.ant()), 5e-3
    )
    assert life.root[-1].tolist() == usual.root[-1].tolist()
