"""Wire: what goes in comes out, equal values are equal bytes, and damage is refused (FON-E13, FON-98)."""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.wire import DEPTH_LIMIT, SIZE_LIMIT, VERSION, pack, unpack

SAMPLE = {
    "name": "Zoophyte ✓", "none": None, "flags": [True, False], "counts": [0, -1, 2**63 - 1, -(2**63), 2**90, -(2**90)],
    "numbers": [0.1, -0.0, math.inf, 1e-320], "complex": 1 - 2j, "raw": b"\0\xff", "nested": {"a": {"b": []}},
    "arrays": [np.arange(6.0).reshape(2, 3), np.array([1 + 1j]), np.array([-5]), np.zeros((0, 3)), np.array(2.5)],
}  # fmt: skip

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.complex_numbers(allow_nan=False)
    | st.text(max_size=20) | st.binary(max_size=20)
    | hnp.arrays(st.sampled_from([np.int64, np.float64, np.complex128]), hnp.array_shapes(max_dims=3, max_side=3)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


def same(a: Any, b: Any) -> bool:
    """Equal in type and value, down to the bits of arrays; signs of zeros count."""
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and a.shape == b.shape
            and a.tobytes() == b.tobytes()
        )
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and repr(a) == repr(b)


@given(st.dictionaries(st.text(max_size=6), plain, max_size=5))
def test_round_trip(record: dict[str, Any]) -> None:
    data = pack(record)
    again = unpack(data)
    assert same(record, again)
    assert pack(again) == data


def test_every_type_round_trips_and_tuples_become_lists() -> None:
    assert same(unpack(pack(SAMPLE)), SAMPLE)
    assert unpack(pack({"pair": (1, 2.0)})) == {"pair": [1, 2.0]}
    assert unpack(pack({"n": np.float64(0.5), "i": np.int32(3), "b": np.bool_(True)})) == {
        "n": 0.5,
        "i": 3,
        "b": True,
    }


def test_bytes_are_the_same_on_every_machine() -> None:
    """Oracle: written out by hand from the table at the top of the module: header, dict, key, list, 7, true, CRC-32."""
    body = b"d\1\0\0\0s\1\0\0\0xl\2\0\0\0i" + struct.pack("<q", 7) + b"T"
    data = b"ZOOW" + struct.pack("<HQ", 1, len(body)) + body
    assert pack({"x": [7, True]}) == data + struct.pack("<I", zlib.crc32(data))


def test_arrays_of_another_byte_order_and_layout_are_the_same_arrays() -> None:
    array = np.arange(6.0).reshape(2, 3)
    assert (
        pack({"a": np.asfortranarray(array)}) == pack({"a": array}) == pack({"a": np.array(array.tolist())})
    )


def test_a_read_array_is_nobody_elses() -> None:
    array = unpack(pack({"a": np.zeros(3)}))["a"]
    array[0] = 1.0  # would raise if it were a view of the bytes
    assert array[0] == 1.0


@pytest.mark.parametrize("record", [SAMPLE, {}], ids=["all types", "empty"])
def test_every_single_flipped_bit_is_refused(record: dict[str, Any]) -> None:
    data = pack(record)
    for place in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[place] ^= 1 << bit
            with pytest.raises(FileError):
                unpack(bytes(damaged))


def test_every_truncation_and_every_extra_byte_is_refused() -> None:
    data = pack({"a": [1, 2.0, "three"]})
    for length in range(len(data)):
        with pytest.raises(FileError, match="cut short"):
            unpack(data[:length])
    with pytest.raises(FileError, match="too long"):
        unpack(data + b"\0")


def forged(body: bytes, version: int = VERSION) -> bytes:
    """Bytes with a fitting checksum, whatever they say."""
    data = b"ZOOW" + struct.pack("<HQ", version, len(body)) + body
    return data + struct.pack("<I", zlib.crc32(data))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "ends in the middle"),
        (b"N", "no record"),
        (b"?", "which is no type"),
        (b"d\xff\xff\xff\xff", "promises 4294967295 things"),
        (b"d\1\0\0\0i" + bytes(8), "should begin a key"),
        (b"d\2\0\0\0s\1\0\0\0aNs\1\0\0\0aN", "stands there twice"),
        (b"d\1\0\0\0s\1\0\0\0\xffN", "not UTF-8"),
        (b"d\1\0\0\0s\1\0\0\0aaf\x09" + bytes(72), "too many dimensions"),
        (b"d\1\0\0\0s\1\0\0\0aaf\1" + struct.pack("<Q", 1 << 60), "too long"),
        (b"d\1\0\0\0s\1\0\0\0aaf\2" + struct.pack("<QQ", 1 << 20, 1 << 20), "ends in the middle"),
        (b"d\1\0\0\0s\1\0\0\0a" + b"l\1\0\0\0" * (DEPTH_LIMIT + 2) + b"N", "nested deeper"),
        (b"d\0\0\0\0N", "more than one"),
    ],
)
def test_forgeries_are_refused_and_cost_nothing(body: bytes, what: str) -> None:
    with pytest.raises(FileError, match=what):
        unpack(forged(body), "genome 3")


def test_messages_say_what_it_is() -> None:
    with pytest.raises(FileError, match=r"pop\.yaml: written in version 9 of the format"):
        unpack(forged(b"d\0\0\0\0", version=9), "pop.yaml")
    with pytest.raises(FileError, match="no record of Zoophyte"):
        unpack(b"SQLite format 3\0 and more than that", "x")
    huge = b"ZOOW" + struct.pack("<HQ", VERSION, SIZE_LIMIT + 1) + bytes(8)
    with pytest.raises(FileError, match="more than the"):
        unpack(huge)


@pytest.mark.parametrize(
    ("record", "where"),
    [
        ({"a": {"b": [1, object()]}}, r"record\.a\.b\[1\]: <object"),
        ({"a": {1: 2}}, "the key 1 is no text"),
        ({"a": np.zeros(2, np.float32)}, "an array of float32"),
        ({"a": {1, 2}}, "is a set"),
        ({"a": 1 << 10_000}, "an integer of"),
        ({"a": "\ud800"}, "no text that UTF-8 can hold"),
        ([1], "a record is a dict"),
    ],
)
def test_what_has_no_place_is_refused_by_its_place(record: Any, where: str) -> None:
    with pytest.raises(UsageError, match=where):
        pack(record)


def test_deep_nesting_is_refused() -> None:
    nested: Any = []
    for _ in range(DEPTH_LIMIT + 5):
        nested = [nested]
    with pytest.raises(UsageError, match="nested deeper"):
        pack({"a": nested})
