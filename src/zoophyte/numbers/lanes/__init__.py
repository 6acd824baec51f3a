"""SIMD lanes for Numba: a number type backed by an LLVM vector, and every primitive on it.

Importing this package registers the types and the primitives with Numba, once.  It depends on nothing of the
package but :mod:`zoophyte.numbers.primitives` and :mod:`zoophyte.numbers.records`.
"""

from zoophyte.numbers.lanes import arithmetic, bits, calls, memory, operators, records
from zoophyte.numbers.lanes.kinds import LaneType, MaskType, SpecType

__all__ = [
    "LaneType",
    "MaskType",
    "SpecType",
    "arithmetic",
    "bits",
    "calls",
    "memory",
    "operators",
    "records",
]
