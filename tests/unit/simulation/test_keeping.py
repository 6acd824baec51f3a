"""What lives keep at their samples when they are asked to: joints, bodies and contacts, for tasks of users' own."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import herds
import zoophyte as zp
from zoophyte.description import Body, Box, Description, Joint, Sphere, Surface
from zoophyte.simulation.living import keeping
from zoophyte.simulation.living.conditions import Stops

COUNT, SECONDS, EVERY = 14, 0.8, 0.05


@cache
def bodies() -> tuple[tuple[zp.Model, ...], tuple[Any, ...]]:
    models = tuple(herds.model(seed) for seed in range(COUNT))
    return models, tuple(herds.controller(model, seed) for seed, model in enumerate(models))


def lived(**options: Any) -> list[zp.Life]:
    """Fourteen unlike creatures; more than a register's worth, so that lanes are filled again."""
    asked = {name: options.pop(name) for name in ("keep", "sample_every", "settle") if name in options}
    models, controllers = bodies()
    herd = zp.Herd(models, zp.Habitat(), controllers, dt=herds.DT, **{"workers": 1, **options})
    return herd.simulate(SECONDS, **{"sample_every": EVERY, **asked})


@cache
def kept() -> tuple[zp.Life, ...]:
    return tuple(lived(keep=["joints", "contacts"], settle=0.12))


def told(life: zp.Life) -> bytes:
    numbers = (
        life.times,
        life.com,
        life.root,
        life.upright,
        life.work,
        np.array([life.path, life.effort, life.leap]),
    )
    return b"".join(np.asarray(part, float).tobytes() for part in numbers) + herds.bits(life.final)


def everything(life: zp.Life) -> bytes:
    assert life.kept is not None and life.kept.touches is not None
    return told(life) + life.q.tobytes() + life.v.tobytes() + life.kept.touches.tobytes()


def test_keeping_changes_no_life() -> None:
    """Lives that are looked at in between have the bits of those that are not."""
    assert [told(life) for life in kept()] == [told(life) for life in lived(settle=0.12)]


def test_joints_are_kept_at_the_samples() -> None:
    """A Herd's life told of its joints nothing at all; its last sample is its final state, its first its birth."""
    models, _ = bodies()
    for model, life in zip(models, kept(), strict=True):
        if life.final is None:  # born with a shape in the ground
            continue
        assert life.q.shape == (len(life.times), model.nq) and life.v.shape == (len(life.times), model.nv)
        assert np.array_equal(life.q[0], model.q_initial) and np.array_equal(life.q[-1], life.final.q)
        assert np.array_equal(life.v[-1], life.final.v)
        turned = [body.name for body in model.description.bodies if body.joint.kind == "hinge"]
        for name in turned:
            assert life.joint(name).shape == life.joint_velocity(name).shape == life.times.shape


def test_joints_are_those_of_a_world() -> None:
    """Claim: the very numbers of the World with the same body, controller and step."""
    models, controllers = bodies()
    for number in (2, 5, 9):
        world = zp.World(
            models[number],
            zp.Habitat(),
            controllers[number],
            herds.DT,
            integrator="implicit",
            slots=128,
            sleep=False,
        )
        life, seen = kept()[number], world.simulate(SECONDS, record_rate=None)
        frames = np.rint(life.times / herds.DT).astype(int)
        assert np.array_equal(life.q, seen.q[frames]) and np.array_equal(life.v, seen.v[frames])
        name = models[number].body_names[1]
        told_there = seen.contact_force(name)[frames][1:]
        scale = np.abs(told_there).max() + 1.0
        assert np.allclose(life.contact_force(name)[1:], told_there, rtol=0.0, atol=1e-9 * scale)


def test_bodies_are_those_of_a_world() -> None:
    """A life in a Herd kept its root only: where a hand was, only the World of that life told.

    Claim: the poses of the World with the same body, controller and step, to the bit.
    """
    models, controllers = bodies()
    lives = lived(keep=["bodies"], settle=0.12)
    assert [told(life) for life in lives] == [told(life) for life in kept()]
    herd = zp.Herd(models, zp.Habitat(), controllers, dt=herds.DT)
    for number in (2, 5):
        life, seen = lives[number], herd.world(number).simulate(SECONDS, record_rate=None)
        frames = np.rint(life.times / herds.DT).astype(int)
        R, p = zp.body_poses(models[number], seen.frame(int(frames[-1])))
        for n, name in enumerate(models[number].body_names[1:]):
            assert np.array_equal(life.position(name), seen.positions[frames, n])
            assert np.array_equal(life.rotation(name)[-1], R[n + 1])
            assert np.array_equal(life.position(name)[-1], p[n + 1])
        assert life.rotation("ground").shape == (len(life.times), 3, 3)
        assert life.bodies == models[number].body_names
    with pytest.raises(zp.UsageError, match=r"kept no joints"):
        lives[0].q  # noqa: B018 - a property that refuses
    with pytest.raises(zp.UsageError, match=r"kept no bodies.*keep=\['bodies'\]"):
        kept()[0].position("body0")


@pytest.mark.parametrize("options", [{"workers": 8}, {"width": 4}, {"workers": 2, "width": 16}], ids=str)
def test_workers_and_width_change_nothing_that_is_kept(options: dict[str, Any]) -> None:
    assert [everything(life) for life in lived(keep=["contacts", "joints"], settle=0.12, **options)] == [
        everything(life) for life in kept()
    ]


def test_who_dies_between_samples_lets_nobody_keep_a_sample_twice() -> None:
    """Law: a life keeps as many rows as it has samples, those at its birth and at its death included.

    Lives end at different times, between the samples of their neighbours and at them: the pen stops then, and what is read
    is only whose samples were taken.  The rows are those of the same creature alone.
    """
    models, controllers = bodies()
    options: dict[str, Any] = {"stops": Stops(distance=0.03), "keep": ["joints", "contacts"]}
    for sample, check in ((EVERY, EVERY), (0.1, 0.015)):
        herd = zp.Herd(models, zp.Habitat(), controllers, dt=herds.DT, workers=1)
        lives = herd.simulate(SECONDS, sample_every=sample, check_every=check, **options)
        assert len({life.status.time for life in lives}) > 5
        for life in lives:
            assert len(life.q) == len(life.v) == len(life.touches("ground")) == len(life.times)
        for number in (1, 3, 5):
            herd = zp.Herd([models[number]], zp.Habitat(), [controllers[number]], dt=herds.DT, workers=1)
            (alone,) = herd.simulate(SECONDS, sample_every=sample, check_every=check, **options)
            assert everything(alone) == everything(lives[number])


def falling() -> Description:
    """A box on a ball's shoulders: the ball touches the ground, the box the ball, and nothing else does."""
    free = [Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, z)) for z in (0.1, 0.27)]
    ball = Body(name="ball", joint=free[0], shapes=[Sphere(radius=0.1)])
    box = Body(name="box", joint=free[1], shapes=[Box(size=(0.3, 0.3, 0.1))])
    flea = Body(
        name="flea",
        joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 5.0, 0.0, 9.0)),
        shapes=[Sphere(radius=0.1)],
    )
    return Description(
        name="pile", bodies=[ball, box, flea], surface=Surface(friction=1.0), self_contact=True
    )


def test_contacts_say_who_touches_whom_and_how_hard() -> None:
    (life,) = zp.Herd([falling()], zp.Habitat(), dt=1e-3, workers=1).simulate(
        0.4, sample_every=0.02, keep="contacts"
    )
    assert (
        life.touches("ball", "ground")[-1] and life.touches("box", "ball")[-1] and life.touches("ground")[-1]
    )
    assert not life.touches("box", "ground").any() and not life.touches("flea").any()
    assert not life.touches("box")[0]  # nobody has pressed on anybody at birth
    weight = 9.81 * zp.compile(falling()).bodies.mass[2]
    assert life.contact_force("box")[-1][2] == pytest.approx(weight, rel=0.05)
    assert np.array_equal(life.contact_force("box", "ball"), -life.contact_force("ball", "box"))


def test_what_is_not_asked_for_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is read, and pens run to their next death in one go."""

    def refuse(*_: Any) -> None:
        raise AssertionError("a life was read that nobody asked about")

    monkeypatch.setattr(keeping.Keeper, "read", refuse)
    monkeypatch.setattr(keeping.Keeper, "steps", refuse)
    assert all(life.kept is None for life in lived())


def test_what_was_not_asked_for_is_told_with_the_way_to_ask() -> None:
    joints = lived(keep=["joints"])[0]
    with pytest.raises(zp.UsageError, match=r"kept no contacts.*keep=\['contacts'\].*zp\.Samples"):
        joints.touches("body0")
    with pytest.raises(zp.UsageError, match=r"kept no joints.*keep=\['joints'\]"):
        lived()[0].q  # noqa: B018 - a property that refuses


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda life: life.joint("body00"), r"no joint 'body00'.*Did you mean 'body0'"),
        (lambda life: life.touches("fot"), r"no body 'fot'. Known: ground, body0"),
        (lambda life: life.contact_force("body0", "gruond"), r"no body 'gruond'.*Did you mean 'ground'"),
    ],
)
def test_unknown_names_are_told_with_the_known(ask: Any, words: str) -> None:
    with pytest.raises(zp.UsageError, match=words):
        ask(kept()[0])


@pytest.mark.parametrize("ask", ["touches", "contact_force"])
@pytest.mark.parametrize("body", ["body0", "ground"])
def test_a_body_that_is_asked_about_itself_is_refused(ask: str, body: str) -> None:
    """The answer used to be that for anybody: a loop over all pairs of bodies counted the ground as a leg."""
    with pytest.raises(zp.UsageError, match=f"both bodies are '{body}'"):
        getattr(kept()[0], ask)(body, body)


@pytest.mark.parametrize("keep", [["joint"], "contact", 3, [3]], ids=str)
def test_words_that_nobody_can_keep_are_refused(keep: Any) -> None:
    with pytest.raises(zp.UsageError, match="keep "):
        lived(keep=keep)


def test_one_who_is_not_born_keeps_nothing() -> None:
    body = falling()
    inside = body.altered(
        bodies=[body.bodies[0], body.bodies[1].model_copy(update={"joint": body.bodies[0].joint})]
    )
    (life,) = zp.Herd([inside], zp.Habitat(), workers=1).simulate(0.1, keep=["joints", "bodies", "contacts"])
    assert life.position("ball").shape == (0, 3) and life.rotation("box").shape == (0, 3, 3)
    assert (
        life.status.kind == "overlapping"
        and life.joint("ball").shape == (0, 7)
        and not len(life.touches("box"))
    )


def test_single_precision_keeps_too() -> None:
    (life,) = zp.Herd([falling()], zp.Habitat(), dt=1e-3, workers=1, dtype=np.float32).simulate(
        0.1, sample_every=0.02, keep=["joints", "contacts"]
    )
    assert (
        life.final is not None
        and np.array_equal(life.q[-1], life.final.q)
        and life.touches("ball", "ground")[-1]
    )


def test_a_gpu_refuses_to_keep() -> None:
    from zoophyte.simulation.herd.device import refuse_keeping

    refuse_keeping(())
    with pytest.raises(zp.UsageError, match="keep is joints, but lives on a GPU"):
        refuse_keeping(("joints",))
