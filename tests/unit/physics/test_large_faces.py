"""A small box at a large face keeps its corners, also near the edge of that face."""

from __future__ import annotations

import numpy as np
import pytest

from zoophyte.description import Body, Box, Joint
from zoophyte.model import State
from zoophyte.physics.living import look
from zoophyte.simulation.touching import read_contacts
from zoophyte.validation.oracles import rotation_of
from zoophyte.validation.scenes import SPACE, block_of, lone, model_of

HALF = 0.06


@pytest.mark.parametrize("above", [1e-3, 5e-3, 0.015, 0.03])
@pytest.mark.parametrize("first", ["box", "wall"])
def test_corners_near_the_edge_of_a_wall(above: float, first: str) -> None:
    """Claim: the corner that is nearest to a wall is found.  Oracle: its distance.  Tolerance: the tilt's second order.

    The wall is eight metres high and its lower edge a little below the box, which leans by a milliradian, so that its lower
    corners are nearest, and its own face decides.  Where the edge of a face was a part of that face, two centimetres of this
    one belonged to nobody, and boxes of a pile were pressed into it there.
    """
    wall = Body(
        name="wall", joint=Joint(kind="fixed", position=(0.5, 0.0, 4.0)), shapes=[Box(size=(0.1, 1.2, 8.0))]
    )
    box = lone(Box(size=(2 * HALF,) * 3), name="box")
    model = model_of(*((box, wall) if first == "box" else (wall, box)))
    turn = np.array([np.cos(5e-4), 0.0, -np.sin(5e-4), 0.0])
    corners = HALF * np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, 8).T @ np.array(rotation_of(turn)).T
    low = corners[corners[:, 0].argmax()]
    place = np.array([0.45 + 1e-5 - low[0], 0.0, above - low[2]])  # its nearest corners are 10 µm deep
    block = block_of([model], [State.neutral(model).at(q=np.concatenate([turn, place]))], habitat=SPACE)
    look(block)
    found = read_contacts(block, 0)
    assert min(found.gaps, default=1.0) == pytest.approx(-1e-5, abs=1e-6)
