"""What lies in scratch before a life is another's, or nothing at all: no bit of a life depends on it."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from determinism.test_contact_bits import WIDTH, bits, scene, start
from herds import DT, controller, model
from herds import bits as state_bits
from zoophyte.model import Block, ContactSettings
from zoophyte.model import layout as at
from zoophyte.physics.living import advance

FILLS = (float("nan"), float("inf"), -3.0)
CHUNKS, CHUNK = 8, 50


def dirty(block: Block, fill: float) -> None:
    """All of scratch but the one number of each link that the block itself writes there, once."""
    own = np.array(block.layout.scratch_offsets) + at.OWN
    kept = block.work[own].copy()
    block.scratch[:] = fill
    block.work[own] = kept


def lived(models: list[zp.Model], fill: float) -> Block:
    """A life in pieces; before each of them scratch is filled.

    Steps are long and sweeps are few, so that the guard of the energy, a sum over all slots, has something to do.
    """
    block = Block(models, contact=ContactSettings(sweeps=4))
    for lane, body in enumerate(models):
        block.set_state(lane, start(body, lane))
    block.set_step(DT)
    block.set_integrator("implicit")
    for _ in range(CHUNKS):
        dirty(block, fill)
        advance(block, CHUNK)
    return block


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("width", [1, WIDTH])
def test_a_block_does_not_read_what_it_has_not_written(width: int, held: bool) -> None:
    """Contacts, rolling, bounces, holds, limits, dry friction and a weak servo, before and amid touches."""
    models = [scene(seed, held=held) for seed in range(width)]
    clean = lived(models, 0.0)
    assert all(np.all(np.isfinite([*clean.q(lane), *clean.v(lane)])) for lane in range(width))
    assert any(clean.fields[clean.contact.memory] > 0.0)  # type: ignore[union-attr]
    for fill in FILLS:
        found = lived(models, fill)
        assert [bits(found, lane) for lane in range(width)] == [bits(clean, lane) for lane in range(width)], (
            fill
        )


COUNT = 24


def herded(herd: zp.Herd, fill: float) -> list[bytes]:
    """Final states of all creatures; before every piece of their lives the scratch of all workers is filled."""
    running = herd.begin()
    for _ in range(CHUNKS):
        for scratch in running._scratch:
            scratch[:] = fill
        running._layouts = [None] * len(running._layouts)  # as if another pen had worked there last
        running.advance(CHUNK)
    running.close()
    ended = running.ended
    return [state_bits(life.final if (life := ended[n]) else running.state(n)) for n in range(len(herd))]


def test_a_herd_does_not_read_what_it_has_not_written() -> None:
    """Unlike bodies share registers: lanes with fewer slots and links than their neighbours pass by what these filled."""
    models = [model(seed) for seed in range(COUNT)]
    controllers = [controller(body, seed) for seed, body in enumerate(models)]
    herd = zp.Herd(models, controllers=controllers, dt=DT, workers=1)
    clean = herded(herd, 0.0)
    assert sum(map(bool, clean)) > 0.8 * COUNT  # most were born, with no shapes in each other
    for fill in FILLS:
        found = herded(herd, fill)
        assert [n for n in range(COUNT) if found[n] != clean[n]] == [], fill
