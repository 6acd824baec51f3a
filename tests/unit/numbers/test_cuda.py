"""CUDA threads without a GPU: what the primitives become in PTX, and what is said where nothing can run.

NVVM is the oracle: PTX names the precision and the rounding of every instruction.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zoophyte.errors import MissingExtraError, UsageError
from zoophyte.numbers import functions, primitives
from zoophyte.numbers.cuda import (
    Launcher,
    compile_ptx,
    device_function,
    device_problem,
    require_device,
    toolkit,
)

pytest.importorskip("numba_cuda")
types = pytest.importorskip("numba.core.types")

SINGLE, DOUBLE = types.float32, types.float64


def ptx_of(function: Callable[..., Any], number: Any = SINGLE, results: int = 1) -> str:
    """PTX of a kernel that applies a plain function of one, two or three numbers to the head of an array."""
    device = device_function(function)
    count = function.__code__.co_argcount

    def one(x: Any) -> None:
        x[0] = device(x[1])

    def two(x: Any) -> None:
        x[0] = device(x[1], x[2])

    def three(x: Any) -> None:
        x[0] = device(x[1], x[2], x[3])

    def pair(x: Any) -> None:
        x[0], x[1] = device(x[2])

    return compile_ptx(pair if results == 2 else (one, two, three)[count - 1], (number[::1],))


def instructions(ptx: str) -> set[str]:
    """Everything with a precision: `fma.rn.f32`, `sqrt.rn.f32` and so on."""
    return set(re.findall(r"^\s+(?:@%p\d+ )?([a-z][a-z0-9._]*\.[fsub]\d+)\s", ptx, re.MULTILINE))


def test_every_primitive_has_a_meaning_in_a_thread() -> None:
    from zoophyte.numbers.cuda.thread import REPLACEMENTS
    from zoophyte.physics.cuda.together import OTHERS

    laws = {primitives.call_force_law, primitives.call_response_law}  # which kernels put there by themselves
    assert set(REPLACEMENTS) | laws == set(primitives.PRIMITIVES)
    assert laws <= set(OTHERS)


# Linked functions find their callees among the globals of their module, so the primitives are named here.
fma, sqrt, number, constant, where = (
    primitives.fma, primitives.sqrt, primitives.number, primitives.constant, primitives.where,
)  # fmt: skip
load, store = primitives.load, primitives.store
floor, copysign, bit, horner = primitives.floor, primitives.copysign, primitives.bit, primitives.horner
exponent_field, fraction_field, power_of_two = (
    primitives.exponent_field, primitives.fraction_field, primitives.power_of_two,
)  # fmt: skip


def _fma(a: Any, b: Any, c: Any) -> Any:
    return fma(a, b, c)


def _sum_of_product(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def _square_root(a: Any) -> Any:
    return sqrt(a)


def _quotient(a: Any, b: Any) -> Any:
    return a / b


def _literals(a: Any) -> Any:
    x = number(0.1, a) * constant(0.2, 0.3, a)
    return where(x > number(1.0, a), floor(x), horner(x, (0.5, 0.25), (0.5, 0.25, 0.125)))


def _bits(a: Any, b: Any) -> Any:
    x = where(bit(a, 1), copysign(a, b), fraction_field(b))
    return x + exponent_field(a) * power_of_two(b)


@pytest.mark.parametrize(
    ("function", "needed"),
    [(_fma, "fma.rn"), (_square_root, "sqrt.rn"), (_quotient, "div.rn")],
)
@pytest.mark.parametrize(("kind", "suffix"), [(SINGLE, "f32"), (DOUBLE, "f64")])
def test_rounding_is_that_of_ieee_754(function: Any, needed: str, kind: Any, suffix: str) -> None:
    assert f"{needed}.{suffix}" in instructions(ptx_of(function, kind))


def test_a_product_and_a_sum_are_not_fused() -> None:
    found = instructions(ptx_of(_sum_of_product))
    assert {"mul.rn.f32", "add.rn.f32"} <= found
    assert "fma.rn.f32" not in found


def test_machine_code_is_made_of_the_ptx(monkeypatch: pytest.MonkeyPatch) -> None:
    """nvJitLink used to make it of NVVM's intermediate code, and fused what the PTX keeps apart."""
    from numba.cuda import decorators, dispatcher
    from numba.cuda.cudadrv import driver

    made: list[Any] = []

    def note(self: Any, signature: Any) -> None:
        made.append(self)
        raise StopIteration  # there may be no device to compile for

    for module in (decorators, driver):
        monkeypatch.setattr(module, "_have_nvjitlink", lambda: True)
    monkeypatch.setattr(dispatcher.CUDADispatcher, "compile", note)
    with pytest.raises(StopIteration):
        Launcher(lambda x: None, (SINGLE[::1],), max_registers=64)
    for found in (*made, device_function(_sum_of_product)):
        assert found.targetoptions["lto"] is False
    assert made[0].targetoptions["max_registers"] == 64


def _two_roundings(data: Any, count: Any, spec: Any) -> None:
    for i in range(count):
        a, b = load(data, i, spec), load(data, count + i, spec)
        store(data, 2 * count + i, a * b + load(data, 2 * count + i, spec), spec)


@pytest.mark.gpu
@pytest.mark.skipif(bool(device_problem()), reason="no GPU")
def test_a_device_rounds_a_product_and_a_sum() -> None:
    """Law: what is not fused by name is rounded twice. Oracle: NumPy in single precision; exact."""
    count, cuda = 1000, toolkit.import_cuda()
    a, b, c = np.random.default_rng(1).normal(size=(3, count)).astype(np.float32)
    work = device_function(_two_roundings)

    def kernel(x: Any, count: Any) -> None:
        work(x, count, 0)

    numbers = cuda.to_device(np.concatenate([a, b, c]))
    Launcher(kernel, (SINGLE[::1], types.int64))(1, 1, numbers, count)
    np.testing.assert_array_equal(numbers.copy_to_host()[2 * count :], a * b + c)


def test_by_other_rules_nvvm_fuses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: it is the rule that keeps them apart."""
    from contextlib import nullcontext

    from zoophyte.numbers.cuda import linking

    monkeypatch.setattr(linking, "arithmetic", lambda rules: nullcontext())
    assert "fma.rn.f32" in instructions(ptx_of(_sum_of_product))


@pytest.mark.parametrize("function", [_literals, _bits, _fma, _square_root])
def test_literals_take_the_precision_of_the_data(function: Any) -> None:
    assert ".f64" not in ptx_of(function)
    assert ".f32" not in ptx_of(function, DOUBLE)


@pytest.mark.parametrize("name", ["sincos", "tan", "exp", "log", "power", "atan2", "asin", "acos"])
def test_elementary_functions_stay_in_single_precision(name: str) -> None:
    ptx = ptx_of(getattr(functions, name), results=2 if name == "sincos" else 1)
    assert ".f64" not in ptx
    assert not re.search(r"\.local\b", ptx)  # no stack: everything in registers
    assert "__nv_" not in ptx  # no library's function


def test_compiling_leaves_numba_cuda_as_it_was() -> None:
    from numba.cuda import dispatcher
    from numba.cuda.cudadrv import nvvm

    before = nvvm.compile_ir, dispatcher.get_current_device
    ptx_of(_fma)
    assert (nvvm.compile_ir, dispatcher.get_current_device) == before


OFFSET = 3


def _shifted(a: Any) -> Any:
    return a + number(OFFSET, a)


def test_a_constant_can_be_bound_otherwise() -> None:
    device = device_function(_shifted, rebound={"OFFSET": (3, 5)})

    def kernel(x: Any) -> None:
        x[0] = device(x[1])

    ptx = compile_ptx(kernel, (SINGLE[::1],))
    assert "0f40A00000" in ptx.replace("0F", "0f")  # 5.0
    assert OFFSET == 3


def test_a_constant_of_the_same_name_is_not_mistaken() -> None:
    with pytest.raises(UsageError, match="OFFSET is 3, but CUDA rebinds the constant OFFSET, which is 4"):
        device_function(_shifted, rebound={"OFFSET": (4, 5)})


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refuse(name: str, *args: Any, **options: Any) -> Any:
        if name.split(".")[0] == "numba_cuda":
            raise ImportError(name)
        return original(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"numba-cuda.*pip install '\.\[gpu\]'"):
        toolkit.import_cuda()
    assert "'.[gpu]'" in device_problem()


def test_without_a_device_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = toolkit.import_cuda()
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match=r"no usable NVIDIA GPU.*nvidia-smi"):
        require_device()
