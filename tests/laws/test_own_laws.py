"""Laws of force and of response that a user writes: one function each, called by address, compiled alone."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import toy_laws
import zoophyte as zp
from processes import run_python
from zoophyte.algebra.rotations import unrotate
from zoophyte.algebra.spatial import spatial, spatial_add
from zoophyte.model import Block, ContactSettings, Law
from zoophyte.model.layout import LINK_COUNT, STAGE_TIME
from zoophyte.numbers import load, number, where, width
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.solver import solve
from zoophyte.physics.dynamics.links import link_of
from zoophyte.physics.lives.lives import live

FORCE = (3.0, -2.0, 5.0)
DRAG = 0.4


def ball() -> zp.Description:
    text = "name: ball\nbodies:\n- name: ball\n  joint: {kind: free}\n  mass: {mass: 2.0, inertia: [1.0, 1.0, 1.0]}\n"
    return zp.Description.from_yaml(text)


def wheel() -> zp.Description:
    text = (
        "name: wheel\nbodies:\n- name: wheel\n  joint: {kind: hinge}\n"
        "  mass: {mass: 1.0, inertia: [1.0, 1.0, 1.0]}\n"
    )
    return zp.Description.from_yaml(text)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4", "rkf45", "implicit", "ros2"])
def test_a_law_of_force_adds_to_what_acts(integrator: str) -> None:
    """Law: v = (F/m + g) t. Oracle: closed form; with a constant force every integrator is exact but for rounding."""
    weather = Law(toy_laws.steady_wind, FORCE)
    life = zp.World(ball(), dt=0.01, integrator=integrator, laws=(weather,)).simulate(1.0)
    expected = (np.array(FORCE) / 2.0 + (0.0, 0.0, -9.81)) * life.times[-1]
    assert np.allclose(life.v[-1, 3:6], expected, rtol=1e-12, atol=1e-12)


def test_laws_of_force_add_up_and_so_does_the_medium() -> None:
    """Law: each law adds, none overwrites. Oracle: two winds and buoyancy are their sum."""
    habitat = zp.Habitat(medium=zp.Medium(density=1.0, viscosity=0.0))
    body = zp.zoo.double_pendulum()
    half = Law(toy_laws.steady_wind, tuple(0.5 * f for f in FORCE))
    whole = Law(toy_laws.steady_wind, FORCE)
    lives = [zp.World(body, habitat, dt=1e-3, integrator="rk4", laws=laws).simulate(0.2) for laws in
             ((half, half), (whole,))]  # fmt: skip
    assert np.allclose(lives[0].v[-1], lives[1].v[-1], rtol=1e-12, atol=1e-12)
    still = zp.World(body, habitat, dt=1e-3, integrator="rk4").simulate(0.2)
    assert np.linalg.norm(lives[0].v[-1] - still.v[-1]) > 0.1


def test_a_law_of_joint_forces_has_its_own_numbers() -> None:
    """Law: I·v̇ = −c·v³, so v = v₀/√(1 + 2 c v₀² t/I). Oracle: closed form; tolerance: fourth order at dt = 5 ms."""
    laws = (Law(toy_laws.stiffening, (DRAG,), adds_force=False),)
    model = zp.compile(wheel())
    turning = zp.State.neutral(model).at(v=[2.0])
    life = zp.World(model, dt=5e-3, integrator="rk4", laws=laws).simulate(2.0, turning)
    expected = 2.0 / np.sqrt(1.0 + 2.0 * DRAG * 4.0 * life.times)
    assert np.abs(life.v[:, 0] - expected).max() < 1e-8


def tilted_box() -> zp.Description:
    text = (
        "name: box\nsurface: {friction: 1.0}\nbodies:\n- name: box\n  joint: {kind: free, position: [0, 0, 0.05]}\n"
        "  shapes: [{kind: box, size: [0.1, 0.1, 0.1], density: 1000}]\n"
    )
    return zp.Description.from_yaml(text)


def test_a_law_of_response_takes_the_place_of_the_solver() -> None:
    """Law: without friction a box on a slope of 30° gains g·sin 30°·t; with μ = 1 it rests. Oracle: closed form.

    Tolerance: the box begins to press within the first step.
    """
    slope = math.radians(30.0)
    habitat = zp.Habitat(gravity=(9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)))
    rests = zp.World(tilted_box(), habitat, dt=2e-3).simulate(0.5)
    slides = zp.World(tilted_box(), habitat, dt=2e-3, response=Law(toy_laws.slippery, (1.0,))).simulate(0.5)
    assert abs(rests.v[-1, 3]) < 1e-3
    assert slides.v[-1, 3] == pytest.approx(9.81 * math.sin(slope) * 0.5, rel=1e-3)
    assert np.abs(slides.q[:, 6]).max() < 1e-3


@pytest.mark.parametrize("law", ["force", "response"])
def test_lanes_and_the_interpreter_know_laws_too(law: str) -> None:
    """Law: every form has the bits of the scalar one. Oracle: ==."""
    model = zp.compile(tilted_box())
    given: dict[str, Any] = {"laws": (Law(toy_laws.steady_wind, FORCE),)}
    if law == "response":
        given["response"] = Law(toy_laws.slippery, (1.0,))

    def lived(width: int, entry: Any) -> Any:
        block = Block([model] * width, contact=ContactSettings(), **given)
        block.set_integrator("implicit")
        block.set_step(2e-3)
        arrays = (block.ints, block.data, block.scratch, block.terrain, block.orders)
        entry(*arrays, 12, block.spec)
        return [(*block.q(lane), *block.v(lane)) for lane in range(width)]

    scalar = lived(1, compiled(live))
    assert lived(1, live) == scalar
    assert lived(8, compiled(live)) == scalar * 8


COUNTING = """
import sys
from zoophyte.numbers import forms
told = []
forms.announce = told.append
sys.path.insert(0, {folder!r})
import toy_laws
import zoophyte as zp
from zoophyte.model import Law
body = zp.zoo.pendulum()
zp.World(body, dt=1e-3, integrator="rk4").simulate(0.01)
told.clear()
zp.World(body, dt=1e-3, integrator="rk4", laws=(Law(toy_laws.steady_wind, (1.0, 0.0, 0.0)),)).simulate(0.01)
print([line.split()[2] for line in told])
"""


def test_only_the_law_is_compiled(tmp_path: Path) -> None:
    """Law: an edit compiles what it touches. Oracle: the names that the compiler announces, with all else warm.

    The law's constant is one that no other process has compiled.
    """
    source = Path(toy_laws.__file__).read_text(encoding="utf-8")
    own = source.replace("SWEEPS = 60", f"SWEEPS = 60\nOWN = {time.time_ns()}.0")
    own = own.replace("z = number(0.0, force[0])", "z = number(0.0, force[0]) * number(OWN, force[0])")
    (tmp_path / "toy_laws.py").write_text(own, encoding="utf-8")
    out, _ = run_python(COUNTING.format(folder=str(tmp_path)), dict(os.environ))
    assert out == "['steady_wind']"


def test_what_is_no_law_is_refused() -> None:
    for wrong in (
        {"laws": [Law(toy_laws.steady_wind, FORCE)]},
        {"laws": (toy_laws.steady_wind,)},
        {"response": 3},
    ):
        with pytest.raises(zp.UsageError, match="laws is "):
            zp.World(wheel(), **wrong)  # type: ignore[arg-type]
    with pytest.raises(zp.UsageError, match="float32 knows no laws"):
        zp.World(wheel(), dtype=np.float32, laws=(Law(toy_laws.steady_wind, FORCE),))


def twice(ints: Any, data: Any, scratch: Any, slots: Any, first: Any, spec: Any) -> None:
    """Leaves it to the production solver."""
    solve(ints, data, scratch, slots, spec)


def test_a_law_of_response_may_call_the_solver() -> None:
    """Fault: units in whose place a law stands were not loaded, and the law jumped to nowhere."""
    own = zp.World(tilted_box(), dt=2e-3, response=Law(twice, ())).simulate(0.1)
    usual = zp.World(tilted_box(), dt=2e-3, sleep=False).simulate(0.1)
    assert own.q.tobytes() == usual.q.tobytes()


def test_a_law_with_other_arguments_is_refused() -> None:
    """Fault: a law of response in the place of a law of force ended the program."""
    for wrong in (
        {"laws": (Law(toy_laws.slippery, (1.0,)),)},
        {"response": Law(toy_laws.steady_wind, FORCE)},
    ):
        with pytest.raises(zp.UsageError, match="must take "):
            zp.World(tilted_box(), **wrong).simulate(0.1)  # type: ignore[arg-type]


def lifting(start: Any) -> Any:
    """A law that lifts every link from a time on."""

    def lift(ints: Any, data: Any, scratch: Any, first: Any, spec: Any) -> None:
        late = load(data, STAGE_TIME * width(spec), spec) > number(start, load(data, first, spec))
        z = number(0.0, load(data, first, spec))
        force = where(late, load(data, first, spec), z)
        for link in range(1, ints[LINK_COUNT]):
            L = link_of(ints, data, scratch, link, spec)
            L.F = spatial_add(L.F, spatial((z, z, z), unrotate(L.R_WL, (z, z, force))))

    return lift


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_what_a_law_closes_over_counts(kind: Any) -> None:
    """Fault: two laws that differ in a NumPy number that they close over ran the code of the first."""
    lives = [zp.World(ball(), dt=0.01, integrator="rk4", laws=(Law(lifting(kind(start)), (100.0,)),)).simulate(0.5)
             for start in (0.25, 0.375)]  # fmt: skip
    assert lives[0].v[-1, 5] > lives[1].v[-1, 5] + 1.0


def test_nothing_sleeps_where_there_are_laws() -> None:
    """Fault: a law that lifts boxes after they fell asleep lifted nothing."""
    boxes = [
        zp.description.Body(name=f"box{n}", joint=zp.description.Joint(kind="free", initial=(1, 0, 0, 0, 0.5 * n, 0, 0.05)),
                            shapes=[zp.description.Box(size=(0.1, 0.1, 0.1))])
        for n in range(20)
    ]  # fmt: skip
    many = zp.Description(name="boxes", bodies=boxes, surface=zp.Surface(friction=0.5))
    life = zp.World(many, dt=5e-3, laws=(Law(lifting(1.5), (50.0,)),)).simulate(2.0)
    assert life.q[-1, 6] > 1.0
    with pytest.raises(zp.UsageError, match="feels no law"):
        zp.World(many, sleep=True, laws=(Law(lifting(1.5), (50.0,)),))
