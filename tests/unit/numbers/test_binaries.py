"""Kernels for GPUs that are kept on disk: what is kept, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from zoophyte.errors import FileError
from zoophyte.numbers import cache

pytest.importorskip("numba_cuda")

from zoophyte.numbers.cuda.binaries import binary_folder, keep, kept


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ZOOPHYTE_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_what_is_kept_is_found_again() -> None:
    """Law: a kernel's name and its machine code, zeros included, come back as they were; where nothing was kept, nothing."""
    path = binary_folder() / "a.cubin"
    assert kept(path) is None
    keep(path, "name", b"\0code\0\0")
    assert kept(path) == ("name", b"\0code\0\0")
    assert [p.name for p in path.parent.iterdir()] == ["a.cubin"]  # nothing half done is left


def test_a_full_disk_is_told_and_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: a kernel that cannot be kept still runs; the next process compiles it again."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    path = binary_folder() / "a.cubin"
    with pytest.warns(UserWarning, match=r"could not be kept \(No space left on device\)"):
        keep(path, "name", b"code")
    assert kept(path) is None and not list(path.parent.iterdir())


def test_a_folder_that_can_only_be_read_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: compiled kernels may come with an image whose files belong to somebody else."""
    before = binary_folder()

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.utime", refused)
    assert binary_folder() == before


def test_other_sources_have_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: a kernel of other sources is never found; its folder is one of those that the cache prunes."""
    before = binary_folder()
    assert before == binary_folder() and cache.OUR_NAME.fullmatch(before.name)
    monkeypatch.setattr(cache, "IMPORTED", "other sources")
    assert binary_folder() != before


def test_a_folder_that_cannot_be_made_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: errors say where and what to do."""
    (folder / "file").write_text("")
    monkeypatch.setenv("ZOOPHYTE_CACHE_DIR", str(folder / "file"))
    with pytest.raises(FileError, match="Set ZOOPHYTE_CACHE_DIR"):
        binary_folder()
