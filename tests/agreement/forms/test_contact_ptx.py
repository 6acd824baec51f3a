"""The step with contact on CUDA, without a GPU: what the compiler makes of the same source, one creature per thread."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agreement.forms.test_cuda import stack_bytes
from zoophyte.numbers.cuda import WARP, compile_ptx, device_function, import_cuda
from zoophyte.physics.contact.touch import touching_life

pytest.importorskip("numba_cuda")

LOCAL_BYTES = 64
"""Local memory that a thread may have: a frame of an outlined function, which keeps a few numbers there."""


def contact_ptx() -> str:
    """PTX of lives with contact in float32, for one warp in global memory."""
    cuda = import_cuda()
    from numba.core import types

    live: Any = device_function(touching_life)

    def kernel(ints: Any, data: Any, scratch: Any, terrain: Any, orders: Any, steps: int) -> None:
        lane = cuda.threadIdx.x % WARP
        live(ints, data[lane:], scratch[lane:], terrain, orders[lane:], steps, lane)

    numbers = types.float32[::1]
    return compile_ptx(kernel, (types.int32[::1], numbers, numbers, numbers, numbers, types.int64))


def test_contact_compiles_to_single_precision() -> None:
    """Law: one source for all machines, no number is widened. Oracle: the PTX that NVVM makes."""
    text = contact_ptx()
    assert ".f64" not in text
    assert "fma.rn.f32" in text and "mul.rn.f32" in text
    assert not re.search(r"\b(?:mul|add|sub)\.f32", text)  # without .rn they may be contracted
    assert "__nv_" not in text
    assert stack_bytes(text) <= LOCAL_BYTES
