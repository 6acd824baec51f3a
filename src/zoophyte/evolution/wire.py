"""Wire: plain values as bytes that any machine reads alike, and that refuse damage (FON-98, FON-E13).

::

    "ZOOW"  version  length of the body   body                      checksum
    4       u16      u64                  a dict, value by value    u32 (CRC-32 of all before)

All numbers are little-endian. A value is a letter that tells its type, and what follows from that:

    N None   T true   F false   i 64-bit integer   I longer integer   f float   c complex   s text   b bytes
    l list   d dict with texts as keys   a array of int64, float64 or complex128, row by row

Equal values give equal bytes, and `pack(unpack(data)) == data`. Tuples come back as lists.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from zoophyte.errors import FileError, UsageError, brief, counted

MAGIC = b"ZOOW"
VERSION = 1
SIZE_LIMIT = 1 << 26
"""Bytes of one record, at most: 64 MiB."""
DEPTH_LIMIT = 64
DIMENSION_LIMIT = 8
LONG_INTEGER_LIMIT = 1024
"""Bytes of one integer, at most."""

_HEAD = struct.Struct("<4sHQ")
_CHECKSUM = struct.Struct("<I")
_COUNT = struct.Struct("<I")
_KEY = struct.Struct("<BI")
_INTEGER = struct.Struct("<q")
_FLOAT = struct.Struct("<d")
_COMPLEX = struct.Struct("<dd")
_DTYPES = {b"i": np.dtype("<i8"), b"f": np.dtype("<f8"), b"c": np.dtype("<c16")}
_LETTERS = {np.dtype(np.int64): b"i", np.dtype(np.float64): b"f", np.dtype(np.complex128): b"c"}
KNOWN = "None, bool, int, float, complex, str, bytes, list, tuple, dict, or an array of int64, float64 or complex128"


def pack(record: dict[str, Any]) -> bytes:
    """A record as bytes.

    Args:
        record: plain values; see the top of this module.

    Raises:
        UsageError: says where a value stands that has no place here.
    """
    if not isinstance(record, dict):
        raise UsageError(f"a record is a dict, and {brief(record)} is none.")
    parts: list[bytes] = []
    _write(record, parts, "record", 0)
    body = b"".join(parts)
    if len(body) > SIZE_LIMIT:
        raise UsageError(f"the record has {len(body)} bytes, more than the {SIZE_LIMIT} allowed.")
    data = _HEAD.pack(MAGIC, VERSION, len(body)) + body
    return data + _CHECKSUM.pack(zlib.crc32(data))


def unpack(data: bytes, where: str = "record") -> dict[str, Any]:
    """The record that these bytes hold.

    Args:
        data: as `pack` made them.
        where: they came from, for messages.

    Raises:
        FileError: says what is wrong: no record, another version, cut short, damaged.
    """
    data = bytes(data)
    smallest = _HEAD.size + _CHECKSUM.size
    if len(data) < smallest:
        raise FileError(
            f"{where}: cut short: {counted(len(data), 'byte')}, and a record has {smallest} or more."
        )
    magic, version, length = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise FileError(f"{where}: no record of Zoophyte: it begins with {magic!r}, not with {MAGIC!r}.")
    if version != VERSION:
        raise FileError(
            f"{where}: written in version {version} of the format, and this Zoophyte reads version {VERSION}."
        )
    if length > SIZE_LIMIT:
        raise FileError(f"{where}: says that it has {length} bytes, more than the {SIZE_LIMIT} allowed.")
    if len(data) != length + smallest:
        verb = "cut short" if len(data) < length + smallest else "too long"
        raise FileError(
            f"{where}: {verb}: {len(data)} bytes, and it says that there are {length + smallest}."
        )
    (checksum,) = _CHECKSUM.unpack_from(data, len(data) - _CHECKSUM.size)
    if checksum != zlib.crc32(data[: -_CHECKSUM.size]):
        raise FileError(f"{where}: damaged: its checksum does not fit its bytes.")
    reader = _Reader(data[_HEAD.size : -_CHECKSUM.size], where)
    record = reader.value(0)
    if reader.at != len(reader.data) or not isinstance(record, dict):
        raise FileError(f"{where}: damaged: it holds no record, or more than one.")
    return record


# ----------------------------------------------------------------------------------------------------- writing


def _write(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    """Append the bytes of a value."""
    if depth > DEPTH_LIMIT:
        raise UsageError(f"{where}: nested deeper than {DEPTH_LIMIT}.")
    for kind, writer in _WRITERS:
        if isinstance(value, kind):
            writer(value, parts, where, depth)
            return
    raise UsageError(f"{where}: {brief(value)} is a {type(value).__name__}; allowed are {KNOWN}.")


def _write_none(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    parts.append(b"N")


def _write_bool(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    parts.append(b"T" if value else b"F")


def _write_integer(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    value = int(value)
    if -(1 << 63) <= value < 1 << 63:
        parts += (b"i", _INTEGER.pack(value))
        return
    size = value.bit_length() // 8 + 1
    if size > LONG_INTEGER_LIMIT:
        raise UsageError(f"{where}: an integer of {size} bytes; at most {LONG_INTEGER_LIMIT} are allowed.")
    parts += (b"I", _COUNT.pack(size), value.to_bytes(size, "little", signed=True))


def _write_float(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    parts += (b"f", _FLOAT.pack(value))


def _write_complex(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    parts += (b"c", _COMPLEX.pack(value.real, value.imag))


def _write_text(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    try:
        text = value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{where}: {brief(value)} is no text that UTF-8 can hold.") from None
    parts += (b"s", _COUNT.pack(len(text)), text)


def _write_bytes(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    parts += (b"b", _COUNT.pack(len(value)), bytes(value))


def _write_list(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    parts += (b"l", _COUNT.pack(len(value)))
    for number, item in enumerate(value):
        _write(item, parts, f"{where}[{number}]", depth + 1)


def _write_dict(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    parts += (b"d", _COUNT.pack(len(value)))
    for key, item in value.items():
        if not isinstance(key, str):
            raise UsageError(f"{where}: the key {brief(key)} is no text.")
        _write_text(key, parts, where, depth)
        _write(item, parts, f"{where}.{key}", depth + 1)


def _write_array(value: Any, parts: list[bytes], where: str, depth: int) -> None:
    letter = _LETTERS.get(value.dtype)
    if letter is None:
        raise UsageError(f"{where}: an array of {value.dtype}; allowed are int64, float64 and complex128.")
    if value.ndim > DIMENSION_LIMIT:
        raise UsageError(
            f"{where}: an array of {value.ndim} dimensions; at most {DIMENSION_LIMIT} are allowed."
        )
    parts += (b"a", letter, struct.pack(f"<B{value.ndim}Q", value.ndim, *value.shape))
    parts.append(np.ascontiguousarray(value, _DTYPES[letter]).tobytes())


_Writer = Callable[[Any, list[bytes], str, int], None]
_WRITERS: tuple[tuple[Any, _Writer], ...] = (
    # bool before int, of which it is a kind; the frequent ones early
    (float, _write_float),
    ((bool, np.bool_), _write_bool),
    ((int, np.integer), _write_integer),
    (str, _write_text),
    ((list, tuple), _write_list),
    (np.ndarray, _write_array),
    (dict, _write_dict),
    (type(None), _write_none),
    (complex, _write_complex),
    ((bytes, bytearray), _write_bytes),
)


# ----------------------------------------------------------------------------------------------------- reading


class _Reader:
    """Bytes, and how far they are read. What they claim is never believed before it is checked against what is left."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data, self.where, self.at, self.end = data, where, 0, len(data)

    def skip(self, count: int) -> int:
        """Where the next `count` bytes begin, which are then read."""
        start = self.at
        if count > self.end - start:
            raise self.damage(f"it ends in the middle of a value, at byte {self.end}")
        self.at = start + count
        return start

    def take(self, count: int) -> bytes:
        """The next bytes."""
        start = self.skip(count)
        return self.data[start : self.at]

    def damage(self, what: str) -> FileError:
        return FileError(f"{self.where}: damaged: {what}.")

    def count(self) -> int:
        """How many things follow; each takes a byte or more."""
        number: int = _COUNT.unpack_from(self.data, self.skip(4))[0]
        if number > self.end - self.at:
            raise self.promise(number)
        return number

    def promise(self, number: int) -> FileError:
        return self.damage(f"it promises {number} things, and {self.end - self.at} bytes are left")

    def text(self) -> str:
        """A text whose letter is read."""
        return self.letters(self.count())

    def letters(self, count: int) -> str:
        """A text of so many bytes, which are there."""
        start = self.at
        self.at = end = start + count
        try:
            return self.data[start:end].decode()
        except UnicodeDecodeError:
            raise self.damage(f"a text before byte {end} is not UTF-8") from None

    def value(self, depth: int) -> Any:
        """The next value."""
        if depth > DEPTH_LIMIT:
            raise self.damage(f"it is nested deeper than {DEPTH_LIMIT}")
        letter = self.data[self.skip(1)]
        if letter == _ARRAY:
            return self.array()
        if letter == _DICT:
            return self.record(depth)
        if letter == _NUMBER:
            return _FLOAT.unpack_from(self.data, self.skip(8))[0]
        if letter == _WHOLE:
            return _INTEGER.unpack_from(self.data, self.skip(8))[0]
        if letter == _TEXT:
            return self.text()
        return self.larger(bytes((letter,)), depth)

    def larger(self, letter: bytes, depth: int) -> Any:
        """A value of one of the rarer types."""
        if letter in _SIMPLE:
            return _SIMPLE[letter]
        if letter == b"l":
            return [self.value(depth + 1) for _ in range(self.count())]
        if letter == b"c":
            return complex(*_COMPLEX.unpack(self.take(16)))
        if letter == b"b":
            return self.take(self.count())
        if letter == b"I":
            return int.from_bytes(self.take(self.count()), "little", signed=True)
        raise self.damage(f"byte {self.at - 1} is {letter!r}, which is no type")

    def record(self, depth: int) -> dict[str, Any]:
        """A dict."""
        found: dict[str, Any] = {}
        for _ in range(self.count()):
            letter, length = _KEY.unpack_from(self.data, self.skip(_KEY.size))
            if letter != _TEXT:
                raise self.damage(f"byte {self.at - _KEY.size} should begin a key")
            if length > self.end - self.at:
                raise self.promise(length)
            key = self.letters(length)
            if key in found:
                raise self.damage(f"the key {key!r} stands there twice")
            found[key] = self.value(depth + 1)
        return found

    def array(self) -> Any:
        """An array."""
        start = self.skip(2)
        types, dimensions = _ARRAYS.get(self.data[start]), self.data[start + 1]
        if types is None or dimensions > DIMENSION_LIMIT:
            raise self.damage(f"the array before byte {self.at} has no type, or too many dimensions")
        stored, native = types
        shape = _SHAPES[dimensions].unpack_from(self.data, self.skip(8 * dimensions))
        if shape and max(shape) > SIZE_LIMIT:
            raise self.damage(f"the array before byte {self.at} is too long")
        start = self.skip(math.prod(shape) * stored.itemsize)
        return np.ndarray(shape, stored, self.data, start).astype(native)


_SIMPLE: dict[bytes, Any] = {b"N": None, b"T": True, b"F": False}
_ARRAY, _DICT, _NUMBER, _WHOLE, _TEXT = b"adfis"
_ARRAYS = {letter[0]: (dtype, dtype.newbyteorder("=")) for letter, dtype in _DTYPES.items()}
_SHAPES = [struct.Struct(f"<{n}Q") for n in range(DIMENSION_LIMIT + 1)]
