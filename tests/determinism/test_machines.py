"""Equal bits on unlike machines: other vector units for NumPy's libraries, other processors for our kernels.

A machine is imitated by telling OpenBLAS (`OPENBLAS_CORETYPE`) and Numba (`NUMBA_CPU_NAME`) to be one.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

from processes import run_python

TESTS = Path(__file__).resolve().parent.parent

COMPILED_MODEL = """
import hashlib
import numpy as np
import zoophyte as zp
from bodies import every_kind
from zoophyte.model import Block
digest = hashlib.sha256()
for seed in range(10):
    text = open(FOLDER + f"/{seed}.yaml", encoding="utf-8").read()
    model = zp.compile(zp.Description.from_yaml(text))
    for table in (model.links, model.bodies, model.dofs):
        for values in vars(table).values():
            if isinstance(values, np.ndarray):
                digest.update(values.tobytes())
    digest.update(Block([model]).data.tobytes())
print(digest.hexdigest())
"""

FORWARD = """
import hashlib
import numpy as np
from agreement.forms.creatures import creature, packed, start
from zoophyte.numbers.forms import compiled
from zoophyte.physics.dynamics.forward import forward_dynamics
digest = hashlib.sha256()
for seed in range(10):
    model = creature(seed)
    block = packed([model], [start(model, seed)], "semi_implicit")
    compiled(forward_dynamics)(block.ints, block.data, block.scratch, block.spec)
    digest.update(block.data.tobytes())
print(digest.hexdigest())
"""

LIFE = """
import hashlib
from agreement.forms.creatures import alone, creature, start
digest = hashlib.sha256()
for integrator in ("semi_implicit", "rk4", "ros2"):
    model = creature(0)
    digest.update(alone(model, start(model, 0), integrator).tobytes())
print(digest.hexdigest())
"""


HERD = """
import hashlib
import zoophyte as zp
from herds import DT, bits, controller, model
models = [model(seed) for seed in range(24)]
controllers = [controller(each, seed) for seed, each in enumerate(models)]
herd = zp.Herd(models, zp.Habitat(), controllers, dt=DT, width=8, workers=1)
lives = herd.simulate(0.6, guards=zp.Guards(energy=None))
assert sum(life.status.kind == "ended" for life in lives) >= 18
assert sum(life.airborne < 0.9 for life in lives) >= 18  # contact is what this is about
digest = hashlib.sha256()
for life in lives:
    digest.update(str(life.status).encode() + bits(life.final) + life.com.tobytes() + life.work.tobytes())
print(digest.hexdigest())
"""
COMPILING = 1200.0
"""Limit for programs that compile the herd's kernel anew: about two minutes, on a busy machine many more [s]."""


def result_on(machine: dict[str, str], program: str, limit: float = 300.0) -> str:
    environment = {
        **os.environ,
        **machine,
        "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)]),
    }
    return run_python(program, environment, limit=limit)[0]


only_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="imitates x86-64 processors")


@only_x86
@pytest.mark.parametrize("core", ["Prescott", "Haswell", "SkylakeX"])
def test_a_model_has_the_same_bits_whatever_blas_does(core: str, tmp_path: Path) -> None:
    """Law: the physics starts from equal numbers (design §6, "equal bits on unlike machines").

    OpenBLAS multiplies even 3×3 matrices in another order, with or without fused steps, on each processor.
    Oracle: the same descriptions compiled here; exact.
    """
    import numpy as np

    from bodies import every_kind

    for seed in range(10):
        every_kind(np.random.default_rng(seed)).save(tmp_path / f"{seed}.yaml")
    program = f"FOLDER = {str(tmp_path)!r}\n{COMPILED_MODEL}"
    assert result_on({"OPENBLAS_CORETYPE": core}, program) == result_on(
        {"OPENBLAS_CORETYPE": "Nehalem"}, program
    )


@only_x86
def test_kernels_have_the_same_bits_on_a_plain_processor() -> None:
    """Law: no contraction, no fast-math: forward dynamics without AVX or FMA gives the bits of this machine. Exact."""
    assert result_on({"NUMBA_CPU_NAME": "generic"}, FORWARD) == result_on({}, FORWARD)


@only_x86
@pytest.mark.slow
@pytest.mark.parametrize(
    "machine",
    [{"NUMBA_CPU_NAME": "generic"}, {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"}],
)
def test_lives_have_the_same_bits_on_other_processors(machine: dict[str, str]) -> None:
    """Law: the same for 200 steps of three integrators. Exact."""
    assert result_on(machine, LIFE) == result_on({}, LIFE)


@only_x86
@pytest.mark.slow
def test_a_herd_in_contact_has_the_same_bits_on_another_processor(tmp_path: Path) -> None:
    """Law: the same for herds, contacts, controllers and unlike bodies in one register included. Exact.

    The other processor's machine code goes to a cache of its own: that of the user keeps what it has.
    """
    other = {
        "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma", "ZOOPHYTE_CACHE_DIR": str(tmp_path),
    }  # fmt: skip
    assert result_on(other, HERD, COMPILING) == result_on({}, HERD, COMPILING)
    assert any(tmp_path.iterdir())
