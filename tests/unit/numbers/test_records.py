"""Records: one declaration for the interpreter, scalar code, lanes and CUDA threads.

Oracle: the same loads and stores by hand, one lane after the other, on plain lists.  Equality is exact.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError

from unit.numbers.machines import DTYPES, njit_strict
from zoophyte.numbers import Spec, number, width
from zoophyte.numbers.forms import compiled, link
from zoophyte.numbers.records import Field, FieldAt, Record, Whole, Within

PIN, HINGED = 6, 7


class Pin(Record):
    """What lies within a wheel."""

    play = Field("data", 1)
    pull = Field("scratch", 3, 2)
    kind = Whole()


class Wheel(Record):
    """One number, three that lie apart, and others of its own place."""

    spin = Field("data", 2)
    axis = Field("data", 3, 3, apart=2)
    push = Field("scratch", 0, 3)
    pin = Within(Pin, PIN)
    kind = Whole()


class Hub(Record):
    """What each lane finds in another place."""

    load = FieldAt("scratch", 1)
    force = FieldAt("scratch", 2, 3)


def turn(ints: Any, data: Any, scratch: Any, spec: Any) -> None:
    wheel = Wheel(data, 2 * width(spec), scratch, 0, HINGED, spec)
    hub = Hub(scratch, ints, width(spec), spec)
    pin, axis, force = wheel.pin, wheel.axis, hub.force
    wheel.spin = wheel.spin + axis[0] * axis[1] - axis[2]
    hub.force = (force[1], force[2], wheel.spin)
    hub.load = hub.load + number(1.0, hub.load)
    if pin.kind == HINGED:
        wheel.axis = (axis[2], axis[1], number(0.25, axis[0]))
        pin.play, pin.pull = -pin.play, (force[0], pin.pull[0])
    wheel.push = axis


def turned_by_hand(place: int, data: list[Any], scratch: list[Any]) -> None:
    """The same for one creature, whose hub starts at `place`; numbers are counted from its first."""
    d, s, hub = data[2:], scratch, place
    kind = type(d[0])
    axis, force = (d[3], d[5], d[7]), scratch[hub + 2 : hub + 5]
    d[2] = d[2] + axis[0] * axis[1] - axis[2]
    s[hub + 2 : hub + 5] = force[1], force[2], d[2]
    s[hub + 1] += kind(1.0)
    d[3], d[5], d[7] = axis[2], axis[1], kind(0.25)
    d[PIN + 1] = -d[PIN + 1]
    s[3], s[4] = force[0], s[3]
    s[0:3] = axis
    data[2:] = d


def link_strict(function: Any) -> Any:
    return njit_strict(link(function, njit_strict, {}, {}))


@pytest.mark.parametrize("form", ["interpreter", "scalar", "4", "8", "16", "4 mixed", "8 mixed"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_fields_are_loads_and_stores(dtype: Any, form: str, rng: np.random.Generator) -> None:
    """Law: bit for bit the same in every form, and nothing else is touched."""
    lanes, mixed = int(form.split()[0]) if form[0].isdigit() else 1, "mixed" in form
    data, scratch = rng.normal(size=(12, lanes)).astype(dtype), rng.normal(size=(30, lanes)).astype(dtype)
    places = rng.integers(6, 25, size=lanes) if mixed else np.full(lanes, 11)
    wanted_data, wanted_scratch = data.copy(), scratch.copy()
    for lane in range(lanes):
        one, other = list(data[:, lane]), list(scratch[:, lane])
        turned_by_hand(int(places[lane]), one, other)
        wanted_data[:, lane], wanted_scratch[:, lane] = one, other
    ints = np.concatenate([np.zeros(lanes, np.int64), places * lanes])
    arrays = [ints, data.ravel().copy(), scratch.ravel().copy()]
    if form == "interpreter":
        turn(*arrays, Spec())
    else:
        link_strict(turn)(*arrays, Spec(lanes, mixed))
    assert np.array_equal(arrays[1].reshape(data.shape), wanted_data)
    assert np.array_equal(arrays[2].reshape(scratch.shape), wanted_scratch)


def read_strange(data: Any, scratch: Any, spec: Any) -> Any:
    return Wheel(data, 0, scratch, 0, 0, spec).spinn


def write_strange(data: Any, scratch: Any, spec: Any) -> None:
    wheel = Wheel(data, 0, scratch, 0, 0, spec)
    wheel.axes = wheel.axis


@pytest.mark.parametrize(("kernel", "name"), [(read_strange, "spinn"), (write_strange, "axes")])
def test_an_unknown_field_is_named_with_its_record(kernel: Any, name: str) -> None:
    arrays, told = np.zeros(20), f"the record Wheel has no field '{name}'; it has spin, axis, push, pin"
    with pytest.raises(AttributeError, match=told):
        kernel(arrays, arrays, Spec())
    with pytest.raises(TypingError, match=told):
        link_strict(kernel)(arrays, arrays, Spec())


def forget_the_kind(data: Any, scratch: Any, spec: Any) -> Any:
    return Wheel(data, 0, scratch, 0, spec).spin


def test_a_constructor_says_what_it_takes() -> None:
    arrays = np.zeros(20)
    told = r"Wheel takes \(data, data_start, scratch, scratch_start, kind, spec\) and was given 5 values"
    with pytest.raises(TypeError, match=told):
        forget_the_kind(arrays, arrays, Spec())
    with pytest.raises(TypingError, match=told):
        link_strict(forget_the_kind)(arrays, arrays, Spec())


def test_a_tuple_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="Wheel takes 3 numbers here and was given 2"):
        Wheel([0.0] * 20, 0, [0.0] * 20, 0, 0, Spec()).axis = (1.0, 2.0)


def test_a_record_borrows_its_arrays() -> None:
    """Kernels that made records let go of arrays that they had never held: memory was freed twice."""
    import zoophyte as zp
    from zoophyte.model import Block
    from zoophyte.physics.dynamics.kinematics import velocities

    block = Block([zp.compile(zp.zoo.pendulum())])
    counts = set()
    for _ in range(3):
        compiled(velocities)(block.ints, block.data, block.scratch, block.spec)
        counts.add(sys.getrefcount(block.data))
    assert len(counts) == 1


def test_a_record_moves_to_another_machine() -> None:
    """Law: on CUDA, fields of scratch lie elsewhere and the primitives are others, within other records too."""
    width_there = {width: lambda spec: 10}
    there: Any = Wheel.on(width_there, lambda field: field.offset + 100 * (field.part == "scratch"))
    numbers = [float(n) for n in range(2000)]
    wheel = there(numbers, 5, numbers, 0, HINGED, None)
    assert wheel.spin == 5.0 + 20.0
    assert wheel.push == (1000.0, 1010.0, 1020.0)
    assert (wheel.pin.play, wheel.pin.pull) == (5.0 + 10.0 * (PIN + 1), (1030.0, 1040.0))
    assert Wheel([0.0] * 20, 0, list(range(20)), 0, HINGED, Spec()).push == (0, 1, 2)


def test_fields_become_addresses_in_a_thread() -> None:
    """Oracle: PTX.  A warp lies between two fields, and a field of scratch moves with the constant before it."""
    pytest.importorskip("numba_cuda")
    from numba.core import types

    from zoophyte.numbers.cuda import compile_ptx, device_function

    single = types.float32[::1]
    device = device_function(turn, rebound={"PUSH": (0, 1000), "FURTHER": (3, 2000)})

    def kernel(ints: Any, data: Any, scratch: Any, lane: int) -> None:
        device(ints, data[lane:], scratch[lane:], lane)

    text = compile_ptx(kernel, (types.int32[::1], single, single, types.int64))
    for place in (1000, 1001, 1002, 2000, 2001):
        assert f"+{4 * 32 * place}]" in text
    assert ".f64" not in text
