"""What a thread needs while it works, laid out so that as many warps as possible fit into a multiprocessor.

On a GPU the scratch of a warp lies in shared memory, and its size decides how many warps can hide each other's waiting.  So
the record of a link holds only what the kernel at hand uses, and the joint part takes the place of the bias force P,
which is read before the joint part is written (:func:`zoophyte.physics.dynamics.forward.inward`).  The kernels are the
same; only these constants of :mod:`zoophyte.model.layout` have other values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zoophyte.model import layout as at
from zoophyte.numbers.cuda.toolkit import WARP
from zoophyte.physics.step import IMPLICIT, STAGES

_TRANSFORM = 12  # E 9, R 3
_INERTIA = 21
_SPATIAL = 6


def _joint_part(kind: int, method: int | None) -> int:
    """Numbers in the joint part of a link: U, D, u; then implicit terms; then the integrator's copies."""
    stages = 1 if method is None else STAGES[method]
    if stages > 1:
        return at.scratch_record_size(kind) - at.JOINT
    return at.JOINT_SIZE[kind] + (at.EXTRA[kind] if method == IMPLICIT else 0)


@dataclass(frozen=True)
class ThreadLayout:
    """Offsets in the scratch of a thread, in numbers, for creatures of these link kinds.

    Args:
        offsets: of every link's record, the ground's first.
        size: numbers per thread.
        constants: name → value of the constants of :mod:`zoophyte.model.layout` that differ.
    """

    offsets: tuple[int, ...]
    size: int
    constants: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, kinds: Sequence[int], method: int | None = None) -> ThreadLayout:
        """The smaller of two arrangements; `method` is the integrator, None for forward dynamics alone."""
        joints = [_joint_part(kind, method) for kind in kinds]
        after = _SPATIAL + _INERTIA + max([_SPATIAL, *joints])
        # The transform comes last, so that the ground (V, IA and P alone) needs no room for it; or it comes before the
        # joint part, so that only links with a large joint part are large.
        last = cls._arranged(
            [_SPATIAL + _INERTIA + _SPATIAL, *[after + _TRANSFORM] * len(joints[1:])],
            after,
            _SPATIAL + _INERTIA,
        )
        middle = _SPATIAL + _INERTIA + _TRANSFORM
        sizes = [middle + _SPATIAL, *[middle + max(_SPATIAL, part) for part in joints[1:]]]
        first = cls._arranged(sizes, _SPATIAL + _INERTIA, middle)
        return min(last, first, key=lambda layout: layout.size)

    @classmethod
    def _arranged(cls, sizes: Sequence[int], transform: int, joint: int) -> ThreadLayout:
        offsets = [sum(sizes[:link]) for link in range(len(sizes))]
        constants = {
            "V": 0, "IA": _SPATIAL, "A": _SPATIAL, "E": transform, "R": transform + 9, "P": joint, "JOINT": joint,
        }  # fmt: skip
        return cls(tuple(offsets), sum(sizes), tuple(constants.items()))

    @property
    def rebound(self) -> dict[str, tuple[int, int]]:
        """The constants as :func:`zoophyte.numbers.cuda.device_function` wants them."""
        return {name: (getattr(at, name), value) for name, value in self.constants}

    def shared_bytes(self, itemsize: int) -> int:
        """Shared memory that one warp takes."""
        return self.size * WARP * itemsize
