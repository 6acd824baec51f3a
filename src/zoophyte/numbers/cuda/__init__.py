"""CUDA: a number is a float in a thread, a creature is a thread, a block of creatures is a warp.

Nothing here is imported unless somebody asks for CUDA; then the package numba-cuda must be there, and for running (not
for compiling) an NVIDIA GPU.
"""

from zoophyte.numbers.cuda.linking import Launcher, compile_ptx, device_function, jitted
from zoophyte.numbers.cuda.toolkit import WARP, device_problem, import_cuda, require_device, simulated

__all__ = [
    "WARP", "Launcher", "compile_ptx", "device_function", "device_problem", "import_cuda", "jitted", "require_device",
    "simulated",
]  # fmt: skip
