"""Bodies of more links than a genome makes, in herds: what lives in a World lives there, with the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Capsule, Description, Joint, Surface
from zoophyte.model.herd import packing
from zoophyte.physics.entries import LANES, Form, herd_forms

DT, SECONDS = 2e-3, 0.06


def plant(count: int, carried: int = 3, kind: str = "ball") -> zp.Model:
    """Capsules that lie on the ground, flexibly joined."""
    joint: dict[str, Any] = {"kind": kind, "damping": 0.01, "stiffness": 0.1}
    shapes = [Capsule(radius=0.02, length=0.1, position=(0.0, 0.0, 0.05))]
    bodies = [Body(name="b0", joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 0.021)), shapes=shapes)]
    for n in range(1, count):
        place = (0.05 * (n % carried - 1), 0.0, 0.1 if n % 2 else 0.0)
        parent = f"b{(n - 1) // carried}"
        bodies.append(Body(name=f"b{n}", parent=parent, joint=Joint(position=place, **joint), shapes=shapes))
    return zp.compile(Description(name="plant", bodies=bodies, surface=Surface()))


@pytest.mark.parametrize("count", [2, 1])
def test_a_herd_takes_bodies_of_more_than_64_links(count: int) -> None:
    """A herd refused bodies of more links than 64.  Claim: the life has the bits of the World's, in contact."""
    model = plant(90)
    herd = zp.Herd([model] * count, dt=DT, workers=1)
    lives = herd.simulate(SECONDS, keep=["contacts"])
    final = herd.world(0).simulate(SECONDS).final
    for life in lives:
        assert life.final is not None and life.touches("b0", "ground").any()
        for part in ("q", "v", "contact"):
            assert np.array_equal(getattr(life.final, part), getattr(final, part)), part


def test_one_alone_lives_in_the_kernel_of_a_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """A herd of one had eight lanes, seven of them empty: a tree in it took several times what it takes in a World.

    Where only the kernel of herds is compiled, it serves: nobody waits for another one.
    """
    model = plant(5)
    own = set(herd_forms(1, mixed=False))
    there = own | set(herd_forms(LANES, mixed=False)) | set(herd_forms(LANES, mixed=True))
    monkeypatch.setattr(Form, "is_at_hand", lambda form: form in there)
    assert [zp.Herd([model] * count, dt=DT).lanes for count in (1, 2)] == [1, LANES]
    assert zp.Herd([model], dt=DT, width=4).lanes == 4 and zp.Herd([model], dt=DT, dtype=np.float32).lanes > 1
    assert zp.Herd([model], dt=DT).halved().lanes == 1
    there -= own
    assert zp.Herd([model], dt=DT).lanes == LANES


def test_large_bodies_that_are_unlike_share_no_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sequence that holds two unlike bodies is looked for in a table of all their links: of 10 000 each, 100 million."""

    def refuse(a: Any, b: Any) -> list[Any]:
        assert not a, "two bodies were laid over each other"
        return list(b)

    monkeypatch.setattr(packing, "common_supersequence", refuse)
    small, large = zp.zoo.double_pendulum(), [plant(300, kind="hinge"), plant(301, 2)]
    herd = zp.Herd([*large, small, large[0]], dt=DT)
    terms = herd.terms(1.0, None, None, 0.0, 1.0, 0.05)
    pens = [herd.pen(list(queue.waiting), terms, mixed=queue.mixed) for queue in herd.queues()]
    assert sorted(len(pen.tokens) for pen in pens) == sorted(
        {len(creature.body.links) for creature in herd.creatures}
    )
