"""Whether sweeps came to an end: where they do not, light things are pressed into what they lie on."""

from __future__ import annotations

import numpy as np

from zoophyte.model import Block
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.simulation.touching import Contacts

CHANGING = 0.1
"""Part of the margin that the last sweep's change of a velocity moves in a step, from which on it is called unfinished."""
DEEP = 10.0
"""Margins: what lies deeper in another shape was pressed there.  Limbs that are swung hard reach one of both bounds; what
lies under a load that sweeps cannot carry stays beyond both."""
SHARE = 0.05
"""Of the recorded frames in which both are so, from which on a life tells.  Blows make a few: of the zoo 1.6 % at most."""

MANY_SWEEPS = 200
"""That carry most of what the usual ones do not; at least so many are advised."""


class Sinking:
    """Looks at recorded frames for shapes that sweeps leave in each other.

    Args:
        block: of one creature, with contact.
    """

    def __init__(self, block: Block) -> None:
        assert block.contact is not None
        fields, head = block.fields[:, 0], block.contact.head
        self._names, self._fields = block.models[0].body_names, fields
        self._residual, self._margin = head + cl.RESIDUAL, head + cl.MARGIN
        self._sweeps = int(block.ints[block.ints[at.CONTACT] + cl.MAX_SWEEPS])
        self._frames = self._sunken = 0
        self._deepest, self._bodies, self._time = 0.0, (0, 0), 0.0

    def look(self, contacts: Contacts, time: float) -> None:
        """Count a frame.

        Args:
            contacts: that its step solved.
            time: of the frame [s].
        """
        self._frames += 1
        margin = float(self._fields[self._margin])
        way = float(self._fields[at.DT] * self._fields[self._residual])
        if not len(contacts.gaps) or way <= CHANGING * margin:
            return
        deepest = int(np.argmin(contacts.gaps))
        depth = -float(contacts.gaps[deepest])
        if depth <= DEEP * margin:
            return
        self._sunken += 1
        if depth > self._deepest:
            a, b = contacts.bodies[deepest].tolist()
            self._deepest, self._bodies, self._time = depth, (a, b), time

    @property
    def told(self) -> str:
        """What to tell of it at the end; nothing if all was well."""
        if self._sunken <= SHARE * self._frames:
            return ""
        first, second = (self._names[body] for body in self._bodies)
        more = max(MANY_SWEEPS, 4 * self._sweeps)
        return (
            f"in {100.0 * self._sunken / self._frames:.0f} % of its frames sweeps did not come to an end, and shapes were "
            f"pressed into each other: {first} was {1e3 * self._deepest:.2g} mm deep in {second} at {self._time:.3g} s; "
            f"masses are too unlike, or loads too strong. Take more sweeps: World(…, sweeps={more}) (--sweeps {more} on the "
            "command line), or a smaller dt"
        )
