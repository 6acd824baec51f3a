"""Whether sweeps came to an end: where they do not, light things are pressed into what they lie on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zoophyte.model import Block
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats

CHANGING = 0.1
"""Part of the margin that the last sweep's change of a velocity moves in a step, from which on it is called unfinished."""
DEEP = 10.0
"""Margins: what lies deeper in another shape was pressed there.  Limbs that are swung hard reach one of both bounds; what
lies under a load that sweeps cannot carry stays beyond both."""
SHARE = 0.05
"""Of the recorded frames in which both are so, from which on a life tells.  Blows make a few: of the zoo 1.6 % at most."""

MANY_SWEEPS = 200
"""That carry most of what the usual ones do not; at least so many are advised."""


def sunken(block: Block, times: Floats, ways: Floats, counts: Sequence[int], contacts: Floats) -> str:
    """What to tell of shapes that sweeps left in each other; nothing if all was well.

    Args:
        block: of one creature, with contact.
        times: of recorded frames [s].
        ways: what the last sweep's change moves in the step of each [m].
        counts: of contacts that the step of each has solved.
        contacts: all these, one after the other: two bodies, gap [m].
    """
    assert block.contact is not None
    margin = float(block.fields[block.contact.head + cl.MARGIN, 0])
    found = 0
    worst, bodies, time = 0.0, (0, 0), 0.0
    ends = np.cumsum(counts)
    for n in np.flatnonzero(~(ways <= CHANGING * margin) & (np.array(counts) > 0)).tolist():
        own = contacts[ends[n] - counts[n] : ends[n]]
        a, b, gap = own[np.argmin(own[:, 2]), :3].tolist()
        if -gap <= DEEP * margin:
            continue
        found += 1
        if -gap > worst:
            worst, bodies, time = -gap, (int(a), int(b)), float(times[n])
    if found <= SHARE * len(counts):
        return ""
    first, second = (block.models[0].body_names[body] for body in bodies)
    more = max(MANY_SWEEPS, 4 * int(block.ints[block.ints[at.CONTACT] + cl.MAX_SWEEPS]))
    return (
        f"in {100.0 * found / len(counts):.0f} % of its frames sweeps did not come to an end, and shapes were "
        f"pressed into each other: {first} was {1e3 * worst:.2g} mm deep in {second} at {time:.3g} s; "
        f"masses are too unlike, or loads too strong. Take more sweeps: World(…, sweeps={more}) (--sweeps {more} on the "
        "command line), or a smaller dt"
    )
