"""Whole lives on a GPU: a warp of threads lives the lives of a pen, each creature with a team of them.

A pen is a block whose lanes share the kind of every link and shape (:class:`zoophyte.model.herd.pen.Pen`).  A warp reads the
table of integers of its own pen, so its threads take the same branches on kinds, while other warps live other bodies.  A
team goes on until its own life ends, and then leaves.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from zoophyte.model.layout import LINK_COUNT, OWN, ROW_SCRATCH
from zoophyte.numbers import Array, Spec, any_lane, load, number, store, width
from zoophyte.numbers.cuda import WARP, compile_ptx, import_cuda, simulated
from zoophyte.numbers.cuda.toolkit import QUICK
from zoophyte.physics.contact.touch import begin_contacts, see
from zoophyte.physics.cuda.together import device_life
from zoophyte.physics.dynamics.kinematics import row
from zoophyte.physics.lives.lives import life_features, live_step, living
from zoophyte.physics.lives.observe import deepest, observe

if TYPE_CHECKING:
    from zoophyte.numbers.cuda.binaries import KeptLauncher

cuda: Any = None
"""numba.cuda; a global, because its simulator takes the place of globals of that name."""
LANES, MANY_LANES = 8, WARP
"""Creatures in a warp, the others being threads of their teams; and if there are so many that a thread each will do."""
MANY = 24576
"""Creatures from which on they are many."""
INTS, DATA, SCRATCH, STARTS = 0, 1, 2, 3
"""Where the numbers of a pen start in the arrays of all pens; so many entries has a pen in the table of starts."""
NOBODY = -1
"""In place of where a pen starts: there is none."""
FOUND, ALLOWED, DEPTHS = 0, 1, 2
"""How deep shapes are in each other, negative as long as nobody has looked, and how deep they may be; so many numbers has a
creature in the table of depths."""


def live(
    ints: Array, data: Array, scratch: Array, terrain: Array, depths: Array, steps: int, spec: Spec
) -> None:
    """One thread's life; at its beginning also how deep its shapes are in each other.

    As :func:`zoophyte.physics.lives.lives.live`, but who dies leaves, and the other threads of the warp go on.  Who was
    found deeper than allowed does not live.
    """
    W = width(spec)
    like = load(data, 0, spec)
    for link in range(ints[LINK_COUNT]):  # records know where they lie: scratch is nobody's before
        start = ints[row(ints, link) + ROW_SCRATCH]
        store(scratch, start + OWN * W, number(start, like), spec)
    begin_contacts(ints, data, scratch, spec)
    if any_lane(load(depths, FOUND * W, spec) < number(0.0, like)):
        see(ints, data, scratch, terrain, spec)
        store(depths, FOUND * W, deepest(ints, data, scratch, spec), spec)
    if load(depths, FOUND * W, spec) > load(depths, ALLOWED * W, spec):
        return
    features = life_features(ints)
    for _ in range(steps):
        observe(ints, data, scratch, spec)
        if not living(ints, data, spec):
            return
        live_step(ints, data, scratch, terrain, features, spec)
    observe(ints, data, scratch, spec)


def _from(array: Any, start: int) -> Any:
    return array[start:]


def lanes_for(count: int) -> int:
    """Creatures in a warp of a herd of so many."""
    return MANY_LANES if count >= MANY else LANES


def team_size(lanes: int) -> int:
    """Threads of each creature, where a warp holds so many; the simulator has no teams."""
    return 1 if simulated() else WARP // lanes


def entry(lanes: int) -> Any:
    """The kernel, undecorated: a block of threads is a warp, and lives a pen of so many creatures."""
    global cuda
    cuda = import_cuda()
    team = team_size(lanes)
    of_data, of_scratch, of_depths, constant = _from, _from, _from, _from
    if not simulated():
        from zoophyte.numbers.cuda.places import constant_in, data_in, depths_in, scratch_in

        of_data, of_scratch, of_depths, constant = data_in, scratch_in, depths_in, constant_in
    work = device_life(live, lanes)

    def herd_lives(
        starts: Any, ints: Any, data: Any, scratch: Any, terrain: Any, depths: Any, pens: int, steps: int
    ) -> None:
        thread, count = cuda.threadIdx.x, lanes * team
        pen, lane = cuda.blockIdx.x * (cuda.blockDim.x // count) + thread // count, thread % count // team
        first = pen * STARTS
        if pen < pens and starts[first + INTS] != NOBODY:
            work(
                constant(ints, starts[first + INTS]), of_data(data, starts[first + DATA] + lane),
                of_scratch(scratch, starts[first + SCRATCH] + lane), constant(terrain, 0),
                of_depths(depths, pen * lanes * DEPTHS + lane), steps, lane,
            )  # fmt: skip

    return herd_lives


def arguments() -> tuple[Any, ...]:
    """Numba types of the kernel's arguments: starts, ints, data, scratch, terrain, depths, pens, steps."""
    from numba.core import types

    return (types.int64[::1], types.int32[::1], *[types.float32[::1]] * 4, types.int64, types.int64)


def ptx(lanes: int = LANES, capability: tuple[int, int] = (9, 0)) -> str:
    """What the compiler makes of it; needs no device."""
    return compile_ptx(entry(lanes), arguments(), capability, QUICK)


def label(lanes: int) -> str:
    """What the kernel is called where it is kept."""
    return f"herd-lives-{lanes}"


@cache
def launcher(lanes: int) -> KeptLauncher:
    """The kernel for the current device; compiled once, and then kept on disk."""
    from zoophyte.numbers.cuda.binaries import KeptLauncher

    return KeptLauncher(label(lanes), lambda: entry(lanes), arguments(), rules=QUICK)
