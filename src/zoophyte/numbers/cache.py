"""Names the folder of compiled kernels, so that none is ever stale.

Numba's own cache looks only at the file of the entry point; an edit in a called module would go unseen and old physics be
served.  Here a file is named by the fingerprint of the functions and constants that a kernel was compiled from
(:mod:`zoophyte.numbers.fingerprints`), in a folder named by what compiles: the sources of :mod:`zoophyte.numbers`, which
give the primitives their meaning, the compiler's version and the CPU.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
import uuid
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from zoophyte.errors import FileError

KERNEL_FOLDERS = ("numbers", "algebra", "model", "physics")
COMPILING = ("numbers",)
"""The folder whose sources tell what primitives mean; all others count function by function."""
KEPT_GENERATIONS = 6
OUR_NAME = re.compile("[0-9a-f]{24}")
"""Folders of this cache; others that lie beside them are left alone."""


def package_root() -> Path:
    """Folder of the installed package."""
    return Path(__file__).resolve().parent.parent


def cache_home() -> Path:
    """Where compiled kernels are kept: ZOOPHYTE_CACHE_DIR, else the user's cache folder."""
    if chosen := os.environ.get("ZOOPHYTE_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "zoophyte" / "kernels"


def source_hash(root: Path | None = None, folders: Sequence[str] = KERNEL_FOLDERS) -> str:
    """Hash of every source file in some folders below `root` (default: all that kernels are made of, of this package)."""
    root = root or package_root()
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def folder_named(digest: str) -> Path:
    """The folder of this name, made if it is not there; one that is there may be for reading only.

    Raises:
        FileError: when it cannot be made.
    """
    folder = cache_home() / digest[:24]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(
            f"{folder}: compiled kernels cannot be kept there ({problem.strerror}). Set ZOOPHYTE_CACHE_DIR to a folder "
            "that can be written to."
        ) from None
    with suppress(OSError):
        os.utime(folder)  # its generation is in use
    return folder


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all; what cannot be kept is told, and compiled again next time."""
    unfinished = path.with_suffix(f".{uuid.uuid4().hex[:8]}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    except OSError as problem:
        warnings.warn(
            f"{path.parent}: a compiled kernel could not be kept ({problem.strerror}).", stacklevel=2
        )
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


@cache
def cache_folder() -> Path:
    """The folder for exactly this compiler and this CPU; older generations are pruned."""
    import llvmlite
    import numba
    from llvmlite import binding

    now = source_hash(folders=COMPILING)
    # Sources that changed after they were imported must not store old code under the new name.
    digest = hashlib.sha256((now if now == COMPILER else f"{COMPILER} {now} {os.getpid()}").encode())
    for word in (sys.version, platform.machine(), numba.__version__, llvmlite.__version__,
                 binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(),
                 os.environ.get("NUMBA_CPU_NAME", ""), os.environ.get("NUMBA_CPU_FEATURES", "")):  # fmt: skip
        digest.update(word.encode() + b"\0")
    folder = folder_named(digest.hexdigest())
    ours = (p for p in cache_home().iterdir() if p.is_dir() and OUR_NAME.fullmatch(p.name))
    generations = sorted(ours, key=lambda p: p.stat().st_mtime)
    for old in generations[:-KEPT_GENERATIONS]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


IMPORTED = source_hash()
"""The sources of kernels as they were when this process began to import them."""
COMPILER = source_hash(folders=COMPILING)
"""Those of them that tell what primitives mean."""
