"""NPZ archives of numbers and texts; whatever a hostile file holds, the answer is arrays or a FileError.

An archive is an ordinary ``.npz`` file (:func:`numpy.load` opens it), uncompressed and without pickles.
Texts are arrays of their UTF-8 bytes.  When reading, every size is known and checked before anything is
unpacked: the directory of the zip file tells how long each entry is, the header of the entry must agree with
it, and the sum is limited.  What is packed may unpack to far less than what is not, since it costs its writer nothing.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from zoophyte.description.files import open_regular, reason, replacing
from zoophyte.errors import FileError, Problem

SIZE_LIMIT = 4 * 2**30
PACKED_LIMIT = 2**28
"""Bytes that the packed entries of an archive may unpack to."""
ENTRY_LIMIT = 4096
HEADER_LIMIT = 10_000  # bytes of one entry's header; ours have about a hundred
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

Array = NDArray[Any]


class Header(NamedTuple):
    """What an entry says about itself.

    Args:
        shape: of the array.
        dtype: of its numbers.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def file_error(path: str | os.PathLike[str], what: str, how: str = "") -> FileError:
    """The error to raise about a file.

    Args:
        path: of the file.
        what: is wrong with it, as a sentence without its subject.
        how: to repair that, where it is known.
    """
    return FileError(str(Problem(os.fspath(path), what, how)))


def write_archive(
    path: str | os.PathLike[str], arrays: Mapping[str, Array], texts: Mapping[str, str]
) -> None:
    """Write an NPZ file, which is replaced whole or not at all; equal contents give equal bytes.

    Args:
        path: of the file.
        arrays: by name.
        texts: by name.

    Raises:
        FileError: when it cannot be written, or would be larger than is read again.
    """
    entries = dict(arrays)
    entries.update({name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()})
    size = sum(array.nbytes for array in entries.values())
    if size > SIZE_LIMIT:
        raise file_error(
            path,
            f"would hold {_gibibytes(size)}; at most {_gibibytes(SIZE_LIMIT)} are read again.",
            "Record less often.",
        )
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in entries.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                npy.write_array(entry, array, allow_pickle=False)


class Archive:
    """An open NPZ file, whose directory was checked and whose arrays were not yet unpacked.

    Args:
        path: of the file, for messages.
        archive: the zip file.
        size: of the file [bytes].
    """

    def __init__(self, path: str | os.PathLike[str], archive: zipfile.ZipFile, size: int) -> None:
        self._path, self._archive = path, archive
        self._entries = _checked_directory(path, archive, size)

    @property
    def names(self) -> list[str]:
        """Of all arrays, sorted."""
        return sorted(self._entries)

    def length(self, name: str) -> int:
        """Bytes of an entry, its header included, as the directory says.

        Args:
            name: of the array.
        """
        return self._entries[name].file_size

    def header(self, name: str) -> Header:
        """Shape and type of an array; plain numbers, and as many as the entry is long.

        Args:
            name: of the array.

        Raises:
            FileError: when it holds anything else.
        """
        length = self.length(name)
        with _telling(self._path), self._archive.open(self._entries[name]) as entry:
            head = entry.read(min(length, HEADER_LIMIT + 16))
            shape, dtype, start = _header(io.BytesIO(head))
        if dtype.kind not in "fiu":
            raise file_error(
                self._path,
                f"holds '{name[:80]}' of type {dtype}; only numbers are read.",
            )
        if any(side < 0 for side in shape) or start + math.prod(shape) * dtype.itemsize != length:
            raise file_error(
                self._path,
                f"holds '{name[:80]}' whose shape {shape} does not fit its {length} bytes; it is damaged.",
            )
        return Header(shape, dtype)

    def read(self, name: str) -> Array:
        """An array, once its header is known to fit.

        Args:
            name: of the array.

        Raises:
            FileError: when it holds anything but plain numbers.
        """
        self.header(name)
        with _telling(self._path), self._archive.open(self._entries[name]) as entry:
            return np.asarray(
                npy.read_array(entry, allow_pickle=False, max_header_size=HEADER_LIMIT), order="C"
            )


@contextmanager
def open_archive(path: str | os.PathLike[str], how: str = "") -> Iterator[Archive]:
    """An NPZ file to read from.

    Args:
        path: of the file.
        how: to make such files, where that is known.

    Raises:
        FileError: when it cannot be read, is no NPZ file, is damaged, too large, or holds anything but plain
        numbers.
    """
    with open_regular(path) as file:
        head = file.read(2)
        file.seek(0)
        with _telling(path, "It may be cut off: write or copy it again." if head == b"PK" else how):
            opened = Archive(path, zipfile.ZipFile(file), os.fstat(file.fileno()).st_size)
        yield opened


@contextmanager
def _telling(path: str | os.PathLike[str], how: str = "") -> Iterator[None]:
    """Turns whatever zipfile and NumPy answer to bytes made to mislead them into a FileError."""
    try:
        yield
    except FileError:
        raise
    except zipfile.BadZipFile as failure:
        raise file_error(path, f"is no NPZ file, or a damaged one ({reason(failure)}).", how) from None
    except OSError as failure:
        raise file_error(path, f"cannot be read: {reason(failure)}.") from None
    except Exception as failure:
        raise file_error(path, f"is a damaged NPZ file ({reason(failure)}).") from None


def text_of(path: str | os.PathLike[str], name: str, array: Array) -> str:
    """The text that an array of bytes holds.

    Args:
        path: of the file it came from.
        name: of the array.
        array: the bytes.

    Raises:
        FileError: when it is not UTF-8 text.
    """
    if array.dtype != np.uint8 or array.ndim != 1:
        raise file_error(
            path, f"holds '{name}' as {array.dtype} of shape {array.shape}, must be a line of bytes."
        )
    try:
        return array.tobytes().decode()
    except UnicodeDecodeError as failure:
        raise file_error(path, f"holds '{name}' that is not UTF-8 text (byte {failure.start}).") from None


def _checked_directory(
    path: str | os.PathLike[str], archive: zipfile.ZipFile, size: int
) -> dict[str, zipfile.ZipInfo]:
    entries = archive.infolist()
    if len(entries) > ENTRY_LIMIT:
        raise file_error(path, f"holds {len(entries)} arrays; at most {ENTRY_LIMIT} are read.")
    whole = sum(entry.file_size for entry in entries)
    packed = sum(entry.file_size for entry in entries if entry.compress_type != zipfile.ZIP_STORED)
    if whole > SIZE_LIMIT:
        raise file_error(path, f"unpacks to {_gibibytes(whole)}; at most {_gibibytes(SIZE_LIMIT)} are read.")
    if packed > PACKED_LIMIT:
        what = f"is packed and unpacks to {_gibibytes(packed)}; of packed arrays at most"
        raise file_error(path, f"{what} {_gibibytes(PACKED_LIMIT)} are read.", "Save it without compression.")
    if whole - packed > size:
        raise file_error(path, f"is a damaged NPZ file: its arrays hold more than its {size} bytes.")
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        name = entry.filename.removesuffix(".npy")
        if name == entry.filename:
            raise file_error(path, f"holds {entry.filename[:80]!r}, which is no array.")
        if name in found:
            raise file_error(path, f"holds {entry.filename[:80]!r} more than once.")
        if entry.compress_type not in METHODS:
            raise file_error(
                path, f"holds {entry.filename[:80]!r} packed in an unusual way; only deflate is read."
            )
        found[name] = entry
    return found


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Shape and type of an entry, and where its data begin."""
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"NPY version {version} holds no plain numbers")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(stream, max_header_size=HEADER_LIMIT)
    return shape, dtype, stream.tell()


def _gibibytes(size: int) -> str:
    return f"{size / 2**30:.3g} GiB"
