"""Forward dynamics that asks for the next link's numbers while it works on this one's.

Two functions of the articulated-body algorithm are wrapped, one in each of the first two passes: each asks for the lines of
memory that its pass reads at the next link, then does its own work.  (What the third pass reads, the second has just
read.)  A line holds one field of a warp's 32 creatures and comes in four sectors, so eight lines take one instruction, in
which every thread asks for another sector.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zoophyte.model.layout import (
    ARMATURE,
    CONFIGURATION,
    HEADER_SIZE,
    HINGE,
    INERTIA,
    TAU,
    TREE_R,
    VELOCITY,
    data_record_size,
)
from zoophyte.numbers import Array
from zoophyte.numbers.cuda import WARP, device_function, jitted
from zoophyte.physics.dynamics.kinematics import link_velocity, parent_index
from zoophyte.physics.dynamics.project import project_axis

_SECTOR = 8  # numbers of 4 bytes in a sector of 32
_STEP = data_record_size(HINGE) * WARP
_FIRST = HEADER_SIZE * WARP
_DOF = CONFIGURATION + 1


def ahead(links: int, rebound: Any, replaced: Mapping[Any, Any]) -> dict[Any, Any]:
    """Replacements for herds of hinges: a sixth faster on an H200 (`docs/performance.md`)."""
    from zoophyte.numbers.cuda.prefetch import into_cache

    def jit(function: Any) -> Any:
        return jitted(function, device=True, forceinline=True)

    velocity_here, project_here, parents_here = (
        device_function(function, rebound=rebound, replaced=replaced)
        for function in (link_velocity, project_axis, parent_index)
    )
    final = _FIRST + (links - 2) * _STEP

    def next_velocity(ints: Array, data: Array, scratch: Array, link: int, spec: Any) -> Any:
        lane = spec % WARP
        slot, sector = lane // 4, lane % 4 * _SECTOR - lane
        start = min(_FIRST + link * _STEP, final) + sector
        last = INERTIA + slot if slot < 6 else CONFIGURATION - 6 + slot  # I, then q and v
        into_cache(data, start + slot * WARP)
        into_cache(data, start + (8 + slot) * WARP)
        into_cache(data, start + last * WARP)
        into_cache(ints, parents_here(ints, min(link + 1, links - 1), spec) + spec + sector)
        return velocity_here(ints, data, scratch, link, spec)

    def next_projection(ints: Array, data: Array, scratch: Array, link: int, spec: Any) -> None:
        lane = spec % WARP
        slot, sector = lane // 4, lane % 4 * _SECTOR - lane
        start = max(_FIRST + (link - 2) * _STEP, _FIRST) + sector
        dof = VELOCITY if slot == 3 else TAU if slot == 4 else ARMATURE
        into_cache(data, start + (TREE_R + slot if slot < 3 else _DOF + dof) * WARP)
        into_cache(ints, parents_here(ints, max(link - 1, 1), spec) + spec + sector)
        project_here(ints, data, scratch, link, spec)

    return {link_velocity: jit(next_velocity), project_axis: jit(next_projection)}
