"""Tasks: what lives are worth, by what was measured of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from farms import QUICK, Rower, order_of
from zoophyte import control
from zoophyte.control import Neuron, Neurons, Sensor
from zoophyte.description import Body, Box, Description, Ellipsoid, Joint, MassProperties, Servo
from zoophyte.errors import UsageError
from zoophyte.evolution.evaluation import evaluate
from zoophyte.evolution.evaluation.chunks import compiled_models
from zoophyte.evolution.genomes.graph import Graph
from zoophyte.evolution.genomes.nets import KINDS
from zoophyte.evolution.protocols import Grown, Score, Task, is_changing
from zoophyte.evolution.registry import breed, found_breed, found_task, seeing
from zoophyte.evolution.tasks import (
    TASKS,
    Climb,
    Follow,
    HitBall,
    HitMovedBall,
    JumpAway,
    JumpUp,
    Move,
    Own,
    Swim,
    Walk,
    make_task,
)
from zoophyte.evolution.tasks.aiming import target_of
from zoophyte.evolution.tasks.measures import descriptors, part_count
from zoophyte.simulation.herd import Herd, Life
from zoophyte.simulation.living.life import unborn
from zoophyte.simulation.status import Status
from zoophyte.zoo.standing import lowest_height

GROWN = Rower(0.8, 2.0, 0.2).develop()


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def made_life(com: Any, *, root: Any = None, settled: int = 1, status: str = "ended", **more: Any) -> Life:
    """A life that went as told, with samples every second."""
    com = np.asarray(com, float)
    given: dict[str, Any] = {
        "times": np.arange(float(len(com))), "com": com, "root": com if root is None else np.asarray(root, float),
        "upright": np.ones(len(com)), "work": np.zeros(len(com)), "settled": settled, "path": 5.0,
        "status": Status(status, 1.0), **more,
    }  # fmt: skip
    return replace(unborn(Status("ended", 0.0)), **given)


def fitness(task: Any, life: Life, grown: Grown = GROWN) -> float:
    trials = task.trials(grown, 0.0, rng())
    score: Score = task.score(grown, trials[:1], [life])
    return score.fitness


WAY = [(0.0, 0.0, 1.0), (9.0, 0.0, 0.5), (10.0, 1.0, 0.6), (12.0, 4.0, 0.5)]
"""After settling: 3 along x, 4 along y."""


def test_walk_is_the_way_of_the_trunk_since_it_had_settled() -> None:
    """ARN-66: net displacement over the ground; not that of the centre of mass, not the length of the path."""
    root = np.array(WAY) * (2.0, 2.0, 1.0)
    assert fitness(Walk(**QUICK), made_life(WAY, root=root)) == 10.0
    walk = Walk()
    assert (walk.seconds, walk.settle, walk.passive) == (20.0, 10.0, False)


def test_move_is_the_way_along_x_over_that_off_it() -> None:
    """FON-76 with the denominator 1 + |y|; the height of birth does not disqualify, that of a leap does."""
    task = Move(**QUICK, passive=False)
    assert fitness(task, made_life(WAY)) == 3.0 / (1.0 + 4.0)
    assert fitness(task, made_life([*WAY[:2], (10.0, 1.0, 0.76), WAY[3]])) == 0.0
    assert fitness(task, made_life([*WAY[:3], (8.0, 0.0, 0.5)])) == 0.0


def test_jumps_are_leaps_over_and_times_distance() -> None:
    """FON-74, FON-75; size is that of a cube of water of the same mass: 3.5 kg and its arms."""
    away, still = made_life(WAY, leap=0.3), made_life([WAY[1]] * 4, leap=0.3)
    mass = 1000.0 * (0.3 * 0.2 * 0.1 + 2 * 0.05 * 0.05 * 0.2)
    assert fitness(JumpAway(**QUICK, passive=False), away) == pytest.approx(0.3 * 5.0, rel=1e-15)
    assert fitness(JumpUp(**QUICK, passive=False), away) == pytest.approx(0.3 / 5.0, rel=1e-15)
    size = (mass / 1000.0) ** (1.0 / 3.0)
    assert fitness(JumpUp(**QUICK, passive=False), still) == pytest.approx(0.3 / size, rel=1e-14)


def test_climb_counts_the_way_and_the_height() -> None:
    assert fitness(Climb(**QUICK, passive=False), made_life([*WAY[:3], (12.0, 4.0, 0.9)])) == pytest.approx(
        3.4, rel=1e-15
    )
    for ground in ("bumps", "steps", "slope"):
        task = Climb(**QUICK, passive=False, ground=ground, seed=4)
        first, second = (task.habitat(0.0, rng()).ground for _ in range(2))
        assert first is second, "creatures on it can share a herd"
        assert first is not None and float(first.height_at(0.0, 0.0)) == 0.0
        assert float(np.max(first.height_at(np.linspace(2.0, 15.0, 50), 0.0))) > 0.0
    with pytest.raises(UsageError, match="Did you mean 'steps'"):
        Climb(ground="step")


def test_terms_of_fitness_are_weighed() -> None:
    """ARN-67: effort in metres of lift, roughness, height; by hand, from the samples."""
    life = made_life(WAY, effort=100.0)
    mass = 1000.0 * (0.3 * 0.2 * 0.1 + 2 * 0.05 * 0.05 * 0.2)
    assert fitness(Walk(**QUICK, energy=0.5), life) == pytest.approx(
        5.0 - 0.5 * 100.0 / (9.81 * mass), rel=1e-14
    )
    assert fitness(Walk(**QUICK, height=2.0), life) == pytest.approx(
        5.0 + 2.0 * (0.5 + 0.6 + 0.5) / 3.0, rel=1e-14
    )
    change = math.sqrt(1.0 + 4.0 + 0.04)  # of the velocity, from (1, 1, 0.1) to (2, 3, −0.1), in a second
    assert fitness(Walk(**QUICK, smoothness=1.0), life) == pytest.approx(5.0 - change, rel=1e-12)
    assert fitness(Walk(**QUICK, energy=1e3), life) == 0.0


@pytest.mark.parametrize("kind", ["diverged", "cheated", "overlapping", "overflowed"])
def test_faulty_lives_are_never_parents(kind: str) -> None:
    life = made_life(WAY, status=kind)
    task = Walk(**QUICK)
    score = task.score(GROWN, task.trials(GROWN, 0.0, rng()), [life])
    assert (score.fitness, score.status) == (-1.0, kind)
    assert kind in score.reason


@pytest.mark.parametrize("kind", ["fell", "idle", "strayed"])
def test_lives_that_were_stopped_are_judged(kind: str) -> None:
    assert fitness(Walk(**QUICK), made_life(WAY, status=kind)) == 5.0


def test_the_lowest_of_several_lives_counts() -> None:
    task = Walk(**QUICK, lives=2)
    trials = task.trials(GROWN, 0.0, rng())
    assert len(trials) == 2
    short = made_life([*WAY[:3], (10.0, 0.0, 0.5)])
    assert task.score(GROWN, trials, [made_life(WAY), short]).fitness == 1.0
    assert task.score(GROWN, trials, [made_life(WAY), made_life(WAY, status="cheated")]).fitness == -1.0


def test_creatures_are_born_a_centimetre_over_the_ground() -> None:
    (trial,) = Walk(**QUICK).trials(GROWN, 0.0, rng())
    assert lowest_height(trial.description) == pytest.approx(0.01, abs=1e-15)


def test_gravity_follows_the_stage() -> None:
    """FON-77: from its start in the first generation to its value in the last, in a straight line."""
    task = Walk(**QUICK, gravity=8.0, gravity_start=2.0)
    found = [task.trials(GROWN, stage, rng())[0].habitat.gravity[2] for stage in (0.0, 0.5, 1.0)]
    assert found == [-2.0, -5.0, -8.0]


@pytest.mark.parametrize(
    ("task", "changes"),
    [
        (Walk(), False), (Walk(gravity_start=9.81), False), (JumpUp(gravity_start=0.2), True), (HitBall(), True),
        (HitBall(near=1.0, far=1.0), False), (HitMovedBall(near=1.0, far=1.0, gravity_start=1.0), True),
    ],
)  # fmt: skip
def test_tasks_say_whether_they_change_over_the_generations(task: Any, changes: bool) -> None:
    """Oracle: the trials of the first and of the last generation."""
    first, last = (task.trials(GROWN, stage, rng())[0] for stage in (0.0, 1.0))
    differ = first.habitat.gravity != last.habitat.gravity
    differ |= first.description.bodies[-1].joint.initial != last.description.bodies[-1].joint.initial
    assert is_changing(task) is differ is changes
    assert not is_changing(make_task(path, **QUICK))
    assert is_changing(make_task(path, **QUICK, gravity_start=1.0))


def test_noise_stays_within_its_bounds() -> None:
    """FON-71: ±5 % of gravity; friction of two surfaces is the root of their product, so the ground's is ±10 %."""
    task, chances = Walk(**QUICK, noise=0.05, lives=200), rng()
    habitats = [trial.habitat for trial in task.trials(GROWN, 0.0, chances)]
    gravity = np.array([-habitat.gravity[2] / 9.81 for habitat in habitats])
    usual = Walk(**QUICK).habitat(0.0, rng()).surface.friction
    friction = np.array([math.sqrt(habitat.surface.friction / usual) for habitat in habitats])
    for found in (gravity, friction):
        assert 0.95 <= found.min() < 0.96 and 1.04 < found.max() <= 1.05
    assert len(np.unique(gravity)) == 200


def test_nothing_acts_while_a_creature_settles() -> None:
    """FON-70: until then the life is that of a creature without commands. Oracle: Hold(0). Tolerance: none."""
    (trial,) = Move(seconds=1.0, settle=0.5).trials(GROWN, 0.0, rng())
    (model,) = compiled_models([trial], {})
    acting, still = (
        Herd([model], trial.habitat, [controller], dt=0.005).simulate(0.6, settle=0.5, sample_every=0.1)[0]
        for controller in (trial.controller, control.Hold(0.0))
    )
    assert np.array_equal(acting.com[:2], still.com[:2]) and not np.array_equal(acting.com[-1], still.com[-1])


@pytest.mark.parametrize("name", ["limbed", "graph", "tune"])
@pytest.mark.parametrize("task", [Walk(seconds=90.0), Move(seconds=90.0, settle=2.0)])
def test_oscillators_swing_for_the_whole_of_a_life(name: str, task: Any) -> None:
    """They stopped after 30 s (of `tune`, 60 s), and tasks of longer lives judged those who lay still."""
    body = {"body": "ant"} if name == "tune" else {}
    grown = breed(name, controller="oscillators", **body).random(rng()).develop()
    usual: Any = grown.controller
    (trial,) = task.trials(grown, 0.0, rng())
    longer: Any = trial.controller
    assert longer.lasts == 90.0 > usual.lasts == 30.0
    inner = longer.controller if isinstance(longer, control.After) else longer
    assert np.array_equal(inner.signals()[: len(usual.signals())], usual.signals())
    assert Walk().trials(grown, 0.0, rng())[0].controller is usual  # 20 s


def arm() -> Grown:
    """An arm along x on a hinge about z, which beats towards −y."""
    trunk = Body(name="trunk", joint=Joint(kind="free"), shapes=[Box(size=(0.2, 0.2, 0.2))])
    joint = Joint(
        kind="hinge",
        axis=(0.0, 0.0, 1.0),
        position=(0.15, 0.0, 0.0),
        initial=0.6,
        actuator=Servo(stiffness=300.0),
    )
    beam = Body(
        name="beam", parent="trunk", joint=joint, shapes=[Box(size=(0.9, 0.1, 0.1), position=(0.5, 0.0, 0.0))]
    )
    return Grown(Description(name="arm", bodies=[trunk, beam]), control.Hold({"beam": -0.8}))


def lived(task: Any, grown: Grown, stage: float = 0.0) -> tuple[Any, Any]:
    trials = task.trials(grown, stage, rng())
    lives = []
    for trial, model in zip(trials, compiled_models(trials, {}), strict=True):
        herd = Herd([model], trial.habitat, [trial.controller], dt=task.dt, sweeps=task.sweeps)
        lives += herd.simulate(trial.seconds, settle=trial.settle, sample_every=trial.sample_every)
    return trials, lives


def test_a_ball_that_is_hit_flies_and_counts() -> None:
    """FON-72: how far it is towards −y in the end, over the number of parts. Oracle: its coordinates in the last state."""
    task = HitBall(seconds=2.0, near=0.9, far=2.0)
    grown = arm()
    trials, (life,) = lived(task, grown)
    score = task.score(grown, trials, [life])
    assert life.final is not None and score.status == "ended"
    assert score.fitness == -float(life.final.q[-2]) / 2 > 0.1
    far, _ = lived(task, grown, stage=1.0)
    assert target_of(far[0].description) == (2.0, 0.0, 0.0)
    assert [body.joint.kind for body in trials[0].description.bodies] == ["fixed", "hinge", "free"]


def test_parts_are_what_has_a_shape_or_a_mass() -> None:
    """FON-72. Graph creatures have a body without either for every further axis of a joint, and it was counted too."""
    trunk = Body(name="trunk", joint=Joint(kind="free"), shapes=[Box(size=(0.2, 0.2, 0.2))])
    joint = Joint(kind="hinge", actuator=Servo(stiffness=300.0))
    axis, hand = (
        Body(name=name, parent=on, joint=joint) for name, on in (("beam/1", "trunk"), ("hand", "beam"))
    )
    beam = Body(name="beam", parent="beam/1", joint=joint, shapes=[Box(size=(0.9, 0.1, 0.1))])
    hand = hand.model_copy(update={"mass": MassProperties(mass=1.0)})
    description = Description(name="arm", bodies=[trunk, axis, beam, hand])
    assert part_count(description) == 3
    assert part_count(Description(name="dot", bodies=[Body(name="dot")])) == 1
    grown = Graph().random(np.random.default_rng(4)).develop()
    assert part_count(grown.description) == sum(bool(body.shapes) for body in grown.description.bodies)
    assert part_count(grown.description) < len(grown.description.bodies)
    assert descriptors(grown.description, made_life(WAY))["parts"] == part_count(grown.description)


def test_a_ball_counts_by_parts_and_not_by_bodies() -> None:
    """An arm on a joint of two axes hits as one on a joint of one, and gets as much for it."""
    plain = arm()
    trunk, beam = plain.description.bodies
    stand = Body(name="stand", parent="trunk", joint=Joint(position=beam.joint.position))
    moved = beam.model_copy(
        update={"parent": "stand", "joint": beam.joint.model_copy(update={"position": (0.0,) * 3})}
    )
    stood = Grown(plain.description.altered(bodies=[trunk, stand, moved]), plain.controller)
    task = HitBall(seconds=2.0, near=0.9)
    one, two = (task.score(grown, *lived(task, grown)).fitness for grown in (plain, stood))
    assert one > 0.1 and two == pytest.approx(one, rel=1e-6)


def test_shapes_that_no_ball_can_touch_do_not_fail_their_creature() -> None:
    grown = arm()
    head = Body(
        name="head",
        parent="trunk",
        joint=Joint(position=(0.0, 0.0, 0.3)),
        shapes=[Ellipsoid(semi_axes=(0.1,) * 3)],
    )
    grown = replace(grown, description=grown.description.copy().add(head))
    task = HitBall(seconds=2.0, near=0.9)
    assert task.score(grown, *lived(task, grown)).fitness > 0.1


def test_the_moved_ball_is_in_three_places() -> None:
    """FON-73: moved by 10 to 20 % of its distance, each time elsewhere; the worst counts."""
    trials = HitMovedBall(seconds=2.0).trials(arm(), 0.0, rng())
    ways = [np.array(target_of(trial.description)) - (0.5, 0.0, 0.0) for trial in trials]
    lengths = [float(np.linalg.norm(way)) for way in ways]
    assert len(trials) == 3 and all(0.05 <= length <= 0.1 for length in lengths)
    assert len({tuple(way) for way in ways}) == 3


def test_neurons_feel_the_target() -> None:
    neurons = Neurons({"n": Neuron("add", ("x",))}, {"x": Sensor("toward", "elsewhere")}, {"beam": "n"})
    trial = HitBall(seconds=2.0).trials(replace(arm(), controller=neurons), 0.0, rng())[0]
    assert trial.controller.sensors["x"].of == "ball"  # type: ignore[union-attr]


def eyes(genome: Any) -> set[tuple[str, int]]:
    """The bodies, with an axis each, of which the neurons of a creature feel where they are."""
    controller: Any = genome.develop().controller
    sensors = controller.sensors.values() if controller is not None else ()
    return {(sensor.of, sensor.axis) for sensor in sensors if sensor.kind == "toward"}


@pytest.mark.parametrize("genome", ["graph", "limbed"])
@pytest.mark.parametrize(("name", "body"), [("hit_moved_ball", "ball"), ("follow", "target")])
def test_who_has_neurons_sees_what_is_elsewhere_each_time(name: str, body: str, genome: str) -> None:
    """FON-73 asks for three sensors of the world. There were none, unless one knew of the setting `world`."""
    task = make_task(name, seconds=1.0, settle=0.0)
    run = zp.evolve(task, genome=genome, controller="neurons", population=2, generations=2, seed=3, workers=2,
                    selection="comma")  # fmt: skip
    everyone = [run.individual(number) for number in range(len(run))]
    assert set().union(*(eyes(one.genome) for one in everyone)) == {(body, axis) for axis in range(3)}
    again = found_breed(run.configuration["genome"])
    assert again.settings()["world"] == [body]
    assert [eyes(again.restore(one.genome.record())) for one in everyone] == [
        eyes(one.genome) for one in everyone
    ]
    assert not any("toward" in row.reason or "sensor" in row.reason for row in run.births())
    reads = [
        s for one in everyone for net in nets_of(one.genome) for s in net.sources[..., 0].ravel().tolist()
    ]
    assert KINDS.index("world") in reads


def nets_of(genome: Any) -> list[Any]:
    """All nets of neurons of a genome."""
    return (
        [limb.motion for limb in genome.limbs]
        if hasattr(genome, "limbs")
        else [node.net for node in genome.nodes]
    )


@pytest.mark.parametrize("name", ["graph", "limbed"])
def test_who_has_nothing_to_see_is_as_ever(name: str) -> None:
    """Runs without such a body draw the same numbers as before; a breed that says what it sees, or has no nets, is left."""
    blind = breed(name, controller="neurons")
    assert seeing(blind, make_task("walk")) is blind and seeing(blind, make_task("hit_ball")) is blind
    assert blind.settings().get("world", []) == []
    own = breed(name, controller="neurons", world=("else",))
    deaf = breed(name, controller="sine")
    assert seeing(own, make_task("follow")) is own and seeing(deaf, make_task("follow")) is deaf
    with pytest.raises(UsageError, match="only neurons feel"):
        breed(name, controller="sine", world=("ball",))


def test_limbed_nets_see_along_the_root() -> None:
    """A net that reads the world drives a hip. Oracle: the ball's place in the axes of the root, which is held at birth."""
    genome = breed("limbed", controller="neurons", world=("ball",)).random(np.random.default_rng(0))
    task = HitMovedBall(seconds=1.0)
    trial = task.trials(genome.develop(), 0.0, rng())[0]
    assert isinstance(trial.controller, Neurons)
    assert {name for name, s in trial.controller.sensors.items() if s.kind == "toward"} == {
        "ball.x",
        "ball.y",
        "ball.z",
    }
    Herd(compiled_models([trial], {}), trial.habitat, [trial.controller], dt=task.dt).simulate(0.1)


def test_following_is_being_nearer_on_average() -> None:
    task = Follow(**QUICK, passive=False, away=3.0)
    trials = task.trials(GROWN, 0.0, rng())
    places = [target_of(trial.description) for trial in trials]
    assert len(set(places)) == 3
    assert [math.hypot(x, y) for x, y, _ in places] == pytest.approx([3.0] * 3, rel=1e-15)
    x, y, _ = places[0]
    life = made_life([(0, 0, 1), (0, 0, 1), (0.5 * x, 0.5 * y, 1), (x, y, 1)])
    assert task.measure(GROWN, trials[0], life) == pytest.approx((0.0 + 1.5 + 3.0) / 3.0, rel=1e-14)


def test_swimming_needs_water() -> None:
    """Law: with nothing to push against, the centre of mass stays where it was.

    Tolerance: the step is of first order, so what is left of the way in a vacuum halves with it (0.7 is asked); in water the
    way is at least five times as long.
    """
    vacuum, finer, water = (
        evaluate(order_of([Rower(1.0, 1.0, 0.3)], Swim(seconds=3.0, viscosity=0.0, density=density, dt=dt)))[
            0
        ]
        for density, dt in ((0.0, 0.005), (0.0, 0.0025), (1000.0, 0.005))
    )
    assert {score.status for score in (vacuum, finer, water)} == {"ended"}
    assert finer.fitness < 0.7 * vacuum.fitness
    assert water.fitness > 5.0 * vacuum.fitness


def path(life: Life) -> float:
    return life.path


def test_a_function_of_a_life_is_a_task() -> None:
    task = make_task(path, **QUICK)
    (score,) = evaluate(order_of([Rower(0.8, 2.0, 0.2)], task))
    assert score.fitness > 0.0 and score.descriptors["mass"] > 0.0
    again = make_task("own", **task.settings()) if ":" in task.place else None
    assert again is not None and again.function.__name__ == "path"
    assert isinstance(task, Own) and isinstance(task, Task)


@pytest.mark.parametrize("name", ["energy", "smoothness", "height"])
def test_a_function_has_no_weights(name: str) -> None:
    """They were taken and had no effect. A run of old that keeps one goes on all the same."""
    with pytest.raises(UsageError, match=rf"no setting '{name}': what a life is worth is the function's own"):
        make_task(path, **{name: 1.0})
    with pytest.raises(UsageError) as refused:
        make_task(path, colour=1)
    assert name not in str(refused.value) and "seconds" in str(refused.value)
    kept = {**make_task(path, **QUICK).settings(), name: 1.0}
    record = {"name": "own", "settings": kept, "place": "?"}
    assert found_task(record, trust=[kept["place"]]).settings() == {**kept, name: 0.0}


@pytest.mark.parametrize(
    ("answer", "reason"), [(float("nan"), "nan"), ("far", "must be a number"), (None, "None")]
)
def test_a_function_that_returns_no_number_fails_its_creature(answer: Any, reason: str) -> None:
    (score,) = evaluate(order_of([Rower(0.8, 2.0, 0.2)], make_task(lambda life: answer, **QUICK)))
    assert (score.fitness, score.status) == (-1.0, "failed") and reason in score.reason


def test_tasks_from_files_are_found(tmp_path: Any) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def high(life):\n    return life.highest\n", encoding="utf-8")
    task = make_task(f"{file}:high", **QUICK)
    assert make_task("own", **task.settings()).place == f"{file}:high"
    with pytest.raises(UsageError, match="has no 'low'"):
        make_task(f"{file}:low")
    (tmp_path / "bad.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"cannot be run: bad\.py, line 1: ZeroDivisionError"):
        make_task(f"{tmp_path / 'bad.py'}:high")
    with pytest.raises(UsageError, match="there is no file"):
        make_task("no_such.py:high")


@pytest.mark.parametrize("name", TASKS)
def test_settings_make_the_same_task_again(name: str) -> None:
    task = make_task(name)
    assert make_task(name, **task.settings()) == task and isinstance(task, Task)


def test_what_makes_no_task_is_refused() -> None:
    for given, reason in [
        ("wlak", "Did you mean 'walk'"),
        (3, "must be a name, a function"),
        ({"seconds": -1}, "settle"),
        ({"secnds": 3.0}, "Did you mean 'seconds'"),
        ({"dt": 0.0}, "dt is 0.0"),
        ({"lives": 1.5}, "a whole number"),
        ({"noise": float("nan")}, "finite"),
        ({"passive": 1}, "true or false"),
    ]:
        with pytest.raises(UsageError, match=reason):
            make_task("walk", **given) if isinstance(given, dict) else make_task(given)
