"""The contact benchmarks, made tiny: both sides have one body, one state and one ruler; and every row can be formed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")

import zoophyte as zp  # noqa: E402
from bodies import random_state  # noqa: E402
from zoophyte.bench.contact import bullet, creatures, crowds, scenes  # noqa: E402
from zoophyte.bench.contact import mujoco as peer  # noqa: E402
from zoophyte.bench.contact.ours import Ours, random_orders  # noqa: E402
from zoophyte.bench.contact.sides import Effort  # noqa: E402
from zoophyte.bench.harness import Row  # noqa: E402
from zoophyte.description import Description  # noqa: E402
from zoophyte.model import ContactSettings  # noqa: E402
from zoophyte.zoo.blocks import dominoes  # noqa: E402
from zoophyte.zoo.walkers import ant  # noqa: E402

pytestmark = pytest.mark.engines

TINY = Effort(rounds=1, steps=12, settle=20, standing=20, stride=10)
HABITAT = zp.Habitat()


def several_dominoes() -> Description:
    return dominoes(3)


@pytest.mark.parametrize("make", [ant, scenes.six_legs, several_dominoes])
def test_both_sides_have_the_same_energy(make: Callable[[], Description], rng: np.random.Generator) -> None:
    """Law: energy of one body in one state. Oracle: ours. Tolerance: MuJoCo keeps principal moments, known to 1e-12."""
    model = zp.compile(make())
    theirs = peer.exported(model.description, 0.005, HABITAT)
    twin, ruler = peer.Twin(model, theirs), peer.MuJoCoRuler(theirs)
    for _ in range(3):
        state = random_state(model, rng)
        expected = zp.energy(model, state)
        assert ruler.read(twin.there(state.q, state.v)).energy == pytest.approx(expected.total, rel=1e-9)


def test_another_body_is_refused() -> None:
    theirs = peer.exported(ant(), 0.005, HABITAT)
    lighter = ant()
    lighter.bodies[0].shapes[0].density = 70.0
    with pytest.raises(zp.UsageError, match="weighs"):
        peer.Twin(zp.compile(lighter), theirs)
    with pytest.raises(zp.UsageError, match="no joint"):
        peer.Twin(zp.compile(zp.zoo.ref4()), theirs)


def test_orders_reach_the_same_motors() -> None:
    """Order of actuators there is that of bodies in the text; a command of one hinge here moves the joint of its name."""
    model = zp.compile(ant())
    theirs = peer.exported(ant(), 0.005, HABITAT)
    twin = peer.Twin(model, theirs)
    orders = np.zeros((1, model.nv, 1))
    orders[0, model.dof_index("lower2"), 0] = 0.5
    (control,) = twin.controls(orders)
    names = [mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_ACTUATOR, n) for n in range(theirs.nu)]
    assert {name: value for name, value in zip(names, control, strict=True) if value} == {"lower2": 0.5}
    drawn = random_orders(model, 50, 2)
    assert drawn.shape == (50, model.nv, 2) and not drawn[:, :6].any() and np.ptp(drawn[:, 6:]) > 1.9


def test_a_side_goes_back_to_what_it_kept() -> None:
    model = zp.compile(ant())
    theirs = peer.exported(ant(), 0.005, HABITAT)
    ours = Ours([model], ContactSettings(), 0.005)
    ours.twins = [peer.Twin(model, theirs)]
    for side in (ours, peer.MuJoCo(theirs, ours.twins[0])):
        side.advance(30)
        side.keep()
        (before,) = side.coordinates()
        side.advance(5, random_orders(model, 5, 1))
        assert not np.array_equal(side.coordinates()[0][0], before[0])
        side.restart()
        assert np.array_equal(side.coordinates()[0][0], before[0])


def test_released_creatures_have_no_command() -> None:
    """Oracle: the same creature that never had one."""
    model = zp.compile(ant())
    one, other = (Ours([model], ContactSettings(), 0.005) for _ in range(2))
    one.advance(1, np.zeros((1, model.nv, 1)))
    other.advance(1)
    one.keep()
    one.advance(1, random_orders(model, 1, 1))
    one.restart()
    one.advance(9)
    other.advance(9)
    assert np.array_equal(one.block.q(), other.block.q())


def test_ants_of_many_orders_are_one_ant() -> None:
    models = [zp.compile(each) for each in scenes.ants_of_many_orders(ant(), 8)]
    assert len({tuple(model.links.parent) for model in models}) == 4
    for model in models:
        assert sorted(model.bodies.names) == sorted(models[0].bodies.names)
        parents = {body.name: body.parent for body in model.description.bodies}
        assert parents == {body.name: body.parent for body in models[0].description.bodies}


# ------------------------------------------------------------------------------------------------------------------ rows


def assert_formed(rows: Iterator[Row], count: int, sides: int = 2) -> None:
    """Every row has its figures; neither speed nor quality is judged here."""
    formed = list(rows)
    assert len(formed) == count
    for row in formed:
        assert row.ours is not None and row.ours > 0.0, row.checked
        assert len(row.quality) == sides
        for side in row.quality:
            assert side.penetration >= 0.0 and side.creep >= 0.0 and side.energy_gain >= 0.0
            assert np.isfinite(side.energy_drift)
        assert (row.ratio is not None) == (row.peer is not None)


def test_rows_of_the_ant() -> None:
    assert_formed(creatures.ant_rows(TINY), 2)


def test_rows_of_the_humanoid() -> None:
    if scenes.humanoid_on_a_floor() is None:
        pytest.skip("MuJoCo's humanoid is not installed")
    assert_formed(creatures.humanoid_rows(Effort(rounds=1, steps=12, settle=0, standing=20, stride=10)), 1)


def test_the_humanoid_is_one_file_on_both_sides() -> None:
    text = scenes.humanoid_on_a_floor()
    if text is None:
        pytest.skip("MuJoCo's humanoid is not installed")
    theirs = mujoco.MjModel.from_xml_string(text)
    ours = scenes.description_of(text)
    assert not ours.self_contact and not ours.constraints
    on_floor = {pair.bodies[0] for pair in ours.pairs if pair.bodies[1] == "ground" and pair.friction == 1.0}
    assert len(on_floor) == sum(bool(body.shapes) for body in ours.bodies)
    data = mujoco.MjData(theirs)
    data.qpos[2] = -3.0  # all of it below the floor
    mujoco.mj_forward(theirs, data)
    pairs = data.contact.geom[: data.ncon]
    assert set(pairs[:, 0]) == {0} and set(pairs[:, 1]) == set(
        range(1, theirs.ngeom)
    )  # the floor meets all of it


def test_the_creature_walks() -> None:
    """Law: three feet at a time carry it forward. It does about 0.2 m/s, 0.4 m high; half of that still is walking."""
    (row,) = creatures.creature_rows(Effort(rounds=1, steps=600, settle=20, standing=20, stride=50))
    assert row.ours is not None, row.checked
    assert len(row.quality) == 1 and row.peer == creatures.ARNOLD


def test_rows_of_the_wall() -> None:
    effort = Effort(rounds=1, steps=5, settle=10, standing=40, stride=20)
    rows = (row for row in crowds.crowd_rows(crowds.wall(effort=effort)) if row.peer_name != bullet.MISSING)
    assert_formed(rows, 2 + 2 * bullet.available())


def test_rows_of_dominoes_that_all_fall() -> None:
    effort = Effort(rounds=1, steps=200, settle=0, standing=40, stride=20)
    scene = crowds.falling_dominoes(4, 400, effort)
    rows = [row for row in crowds.crowd_rows(scene) if row.peer_name != bullet.MISSING]
    assert_formed(iter(rows), 2 + 2 * bullet.available())
    assert all("lying in the end: ours 4, the peer's 4 of 4" in row.checked for row in rows)


def test_dominoes_that_still_stand_make_no_ratio() -> None:
    effort = Effort(rounds=1, steps=20, settle=0, standing=20, stride=20)
    row = next(crowds.crowd_rows(crowds.falling_dominoes(4, 20, effort)))
    assert (row.ours, row.ratio, row.reached) == (None, None, False)
    assert "ours 0" in row.checked


def test_rows_of_piles() -> None:
    effort = Effort(rounds=1, steps=2, settle=150, standing=10, stride=10)
    first, *piles = crowds.scaling_rows(effort, (6, 12))
    assert first.unit == "log–log slope" and first.ours is not None
    assert_formed(iter(piles), 2, sides=1)


def test_without_mujoco_rows_say_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "available", lambda: False)
    effort = Effort(rounds=1, steps=5, settle=5, standing=10, stride=10)
    rows = [*creatures.ant_rows(effort), *crowds.crowd_rows(crowds.wall(effort=effort))]
    assert len(rows) == 6
    for row in rows:
        assert row.ours is not None and row.peer is None and row.ratio is None and row.reached is None
        assert "pip install" in row.peer_name


@pytest.mark.slow
def test_rows_of_lanes() -> None:
    """Slow: two more forms of the largest kernel are compiled."""
    assert_formed(creatures.lane_rows(TINY), 4)
