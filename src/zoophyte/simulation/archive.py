"""NPZ archives of numbers and texts; whatever a hostile file holds, the answer is arrays or a FileError.

An archive is an ordinary ``.npz`` file (:func:`numpy.load` opens it), uncompressed and without pickles.
Texts are arrays of their UTF-8 bytes.  When reading, every size is known and checked before anything is
unpacked: the directory of the zip file tells how long each entry is, the header of the entry must agree with
it, and the sum is limited.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from zoophyte.description.files import missing_file, reason, replacing
from zoophyte.errors import FileError, Problem

SIZE_LIMIT = 4 * 2**30
ENTRY_LIMIT = 4096
HEADER_LIMIT = 10_000  # bytes of one entry's header; ours have about a hundred

Array = NDArray[Any]


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


def read_archive(path: str | os.PathLike[str]) -> dict[str, Array]:
    """The arrays of an NPZ file, of type float64 or uint8, by name.

    Args:
        path: of the file.

    Raises:
        FileError: when it cannot be read, is no NPZ file, is damaged, too large, or holds anything but plain
        numbers.
    """
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            names = _checked_directory(path, archive)
            return {name.removesuffix(".npy"): _read_entry(path, archive, name) for name in names}
    except FileError:
        raise
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as failure:
        raise file_error(path, f"cannot be read: {reason(failure)}.") from None
    except zipfile.BadZipFile as failure:
        how = (
            "It may be cut off: write or copy it again."
            if _looks_like_zip(path)
            else "`zoophyte simulate` and Trajectory.save write such files."
        )
        raise file_error(path, f"is no NPZ file, or a damaged one ({reason(failure)}).", how) from None
    except (
        Exception
    ) as failure:  # zipfile and numpy answer bytes made to mislead them with almost any exception
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


def _checked_directory(path: str | os.PathLike[str], archive: zipfile.ZipFile) -> list[str]:
    entries = archive.infolist()
    if len(entries) > ENTRY_LIMIT:
        raise file_error(path, f"holds {len(entries)} arrays; at most {ENTRY_LIMIT} are read.")
    size = sum(entry.file_size for entry in entries)
    if size > SIZE_LIMIT:
        raise file_error(path, f"unpacks to {_gibibytes(size)}; at most {_gibibytes(SIZE_LIMIT)} are read.")
    names: set[str] = set()
    for entry in entries:
        if not entry.filename.endswith(".npy"):
            raise file_error(path, f"holds {entry.filename[:80]!r}, which is no array.")
        if entry.filename in names:
            raise file_error(path, f"holds {entry.filename[:80]!r} more than once.")
        names.add(entry.filename)
    return sorted(names)


def _read_entry(path: str | os.PathLike[str], archive: zipfile.ZipFile, name: str) -> Array:
    length = archive.getinfo(name).file_size
    with archive.open(name) as entry:
        head = entry.read(min(length, HEADER_LIMIT + 16))
    shape, _, dtype, data_start = _header(io.BytesIO(head))
    label = name.removesuffix(".npy")[:80]
    if dtype not in (np.dtype("<f8"), np.dtype("u1")):
        raise file_error(
            path, f"holds '{label}' of type {dtype}; only plain numbers (float64) and texts are read."
        )
    if any(side < 0 for side in shape) or data_start + math.prod(shape) * dtype.itemsize != length:
        raise file_error(
            path, f"holds '{label}' whose shape {shape} does not fit its {length} bytes; it is damaged."
        )
    with archive.open(name) as entry:
        return np.asarray(npy.read_array(entry, allow_pickle=False, max_header_size=HEADER_LIMIT), order="C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"NPY version {version} holds no plain numbers")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, dtype = read(stream, max_header_size=HEADER_LIMIT)
    return shape, is_fortran, dtype, stream.tell()


def _looks_like_zip(path: str | os.PathLike[str]) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def _gibibytes(size: int) -> str:
    return f"{size / 2**30:.3g} GiB"
