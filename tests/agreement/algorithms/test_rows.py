"""Rows of the solver, the block and velocity of each slot, and the response to w, against Jacobians and a dense inverse.

The solver makes its rows by screws on ways to the root; the oracle differentiates positions of points (reference) and
inverts the mass matrix (LAPACK). Forests of all kinds of joints, driven ones among them, hung on the ground and free, with
constraints within a tree, between two trees in either order, and to the ground. In the interpreter.

Tolerance: largest relative error of the four seeds was 2e-14; a hundred times that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from agreement import reference
from bodies import every_kind, random_state
from herds import rows_of_whole_trees
from zoophyte.description import Body, Box, Connect, Description, Joint, Sphere, Weld
from zoophyte.model import Block, ContactSettings
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.physics.contact.runs import slot_entries
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.contact.touch import look
from zoophyte.physics.dynamics.screws import respond

TOLERANCE = 2e-12
OTHERS = [
    Body(name="free", joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0)), shapes=[Sphere(radius=0.3)]),
    Body(name="post", joint=Joint(kind="fixed", position=(0.5, 1.0, 0.2))),
    Body(
        name="hung", joint=Joint(kind="hinge", axis=(1.0, 2.0, 0.5), position=(2.0, 0.0, 1.0)),
        shapes=[Box(size=(0.2, 0.3, 0.4))],
    ),
    Body(name="arm", parent="hung", joint=Joint(kind="ball", position=(0.5, 0.1, 0.0)), shapes=[Box(size=(0.3, 0.2, 0.4))]),
    Body(
        name="hand", parent="arm", joint=Joint(kind="slide", axis=(0.0, 1.0, 1.0), position=(0.5, 0.1, 0.0)),
        shapes=[Box(size=(0.3, 0.2, 0.1))],
    ),
]  # fmt: skip


def forest(rng: Any, driven: bool) -> zp.Model:
    bodies = [*every_kind(rng, driven=driven).bodies, *OTHERS]
    names = [body.name for body in bodies if body.name != "post"]
    held = []
    for n in range(10):
        one, other = (str(name) for name in rng.choice(names, 2, replace=False))
        if n < 2:  # what does not move, as either end
            one, other = (one, "ground") if n else ("post", one)
        kind, points = Weld if n % 2 else Connect, rng.normal(size=(2, 3))
        held.append(kind(body=one, other=other, point=tuple(points[0]), other_point=tuple(points[1])))
    return zp.compile(Description(name="forest", bodies=bodies, constraints=held))


def looked(model: zp.Model, state: zp.State, alike: bool) -> tuple[Any, list[int], list[float]]:
    """The block with all rows made, by ways together or apart."""
    block = Block([model], contact=ContactSettings(ground=None, slots=40))
    block.set_state(0, state)
    block.set_step(1e-3)
    ints, scratch = block.ints.tolist(), block.scratch.tolist()
    if not alike:
        ints[ints[at.CONTACT] + cl.FEATURES] &= ~cl.FEATURE_ALIKE
    look(ints, block.data.tolist(), scratch, block.terrain.tolist(), block.spec)
    return block.spec, ints, scratch


def apart(found: Any, expected: Any) -> float:
    expected = np.asarray(expected, float)
    return float(np.abs(np.asarray(found, float) - expected).max() / max(np.abs(expected).max(), 1e-12))


def fan(rng: Any) -> zp.Model:
    """Five limbs of five hinges and balls whose bodies take turns, so that no two dofs of a path are neighbours."""
    bodies = [Body(name="0.0", joint=Joint(kind="free"), shapes=[Sphere(radius=0.3)])]
    for depth in range(5):
        for limb in range(5):
            kind: dict[str, Any] = (
                {"kind": "ball"} if limb == 2 else {"kind": "hinge", "axis": tuple(rng.normal(size=3))}
            )
            joint = Joint(position=tuple(rng.normal(size=3)), **kind)
            parent = "0.0" if depth == 0 else f"{limb}.{depth}"
            shape = Box(size=(0.2, 0.3, 0.4))
            bodies.append(Body(name=f"{limb}.{depth + 1}", parent=parent, joint=joint, shapes=[shape]))
    names = [
        ("0.5", "3.5"),
        ("3.5", "0.4"),
        ("2.5", "2.1"),
        ("2.2", "2.4"),
        ("4.5", "0.0"),
        ("0.0", "1.3"),
        ("1.5", "ground"),
    ]
    points = [tuple(map(tuple, rng.normal(size=(2, 3)))) for _ in names]
    held = [
        Weld(body=a, other=b, point=x, other_point=y) for (a, b), (x, y) in zip(names, points, strict=True)
    ]
    return zp.compile(Description(name="fan", bodies=bodies, constraints=held))


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_those_of_jacobians(seed: int) -> None:
    """Law: Λ = J M⁻¹ Jᵀ, whatever paths the two links have in common, and however they go through the numbers of dofs."""
    rng = np.random.default_rng(seed)
    model = forest(rng, driven=seed == 2) if seed < 4 else fan(rng)
    state = random_state(model, rng)
    spec, ints, scratch = looked(model, state, alike=True)
    free = ~model.dofs.driven
    inverse = np.zeros((model.nv, model.nv))
    inverse[np.ix_(free, free)] = np.linalg.inv(zp.mass_matrix(model, state)[np.ix_(free, free)])
    c, slot_number = ints[at.CONTACT], 0

    def jacobian(name: str, point: Any, turn: bool) -> Any:
        if name in ("ground", "post"):
            return np.zeros((3, model.nv))
        both = reference.point_jacobian(model.description, state.q, name, np.array(point))
        return both[:3] if turn else both[3:]

    for held in model.description.constraints:
        for turn in (False, True) if isinstance(held, Weld) else (False,):
            slot = slot_offset(ints, slot_number)
            slot_number += 1
            frame = np.reshape(scratch[slot + cl.SLOT_FRAME : slot + cl.SLOT_FRAME + 9], (3, 3))
            J = jacobian(held.body, held.point, turn) - jacobian(held.other, held.other_point, turn)
            J = frame @ J
            nn, nt, nu, tt, tu, uu = scratch[slot + cl.SLOT_BLOCK : slot + cl.SLOT_BLOCK + 6]
            block = [[nn, nt, nu], [nt, tt, tu], [nu, tu, uu]]
            assert apart(block, J @ inverse @ J.T) < TOLERANCE
            assert apart(scratch[slot + cl.SLOT_FREE : slot + cl.SLOT_FREE + 3], J @ state.v) < TOLERANCE
            impulse = rng.normal(size=3)
            w = np.zeros(model.nv)
            run = slot + cl.SLOT_RUNS
            while (length := int(scratch[run])) > 0:
                place, dof = int(scratch[run + cl.RUN_PLACE]), int(scratch[run + cl.RUN_DOF])
                for n in range(3):
                    start = slot_entries(ints, slot, spec) + n * ints[c + cl.ROW_STRIDE] + place
                    w[dof : dof + length] += impulse[n] * np.array(scratch[start : start + length])
                run += cl.RUN_SIZE
            place, answered = ints[c + cl.WORK_START], list(scratch)
            answered[place : place + model.nv] = w.tolist()
            respond(ints, answered, place, place + model.nv, spec)
            change = answered[place + model.nv : place + 2 * model.nv]
            assert apart(change, inverse @ J.T @ impulse) < TOLERANCE


@pytest.mark.parametrize("seed", range(4))
def test_ways_together_and_apart_have_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = forest(rng, driven=seed == 2)
    state = random_state(model, rng)
    with rows_of_whole_trees():
        (_, ints, together), (_, _, alone) = (
            looked(model, state, alike=True),
            looked(model, state, alike=False),
        )
    first, last = slot_offset(ints, 0), slot_offset(ints, 15)
    assert np.array(together[first:last]).tobytes() == np.array(alone[first:last]).tobytes()
