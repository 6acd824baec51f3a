"""The store: what a run keeps, who may write it, and what is refused."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import zoophyte as zp
from toys import Near, Toys
from zoophyte.errors import FileError
from zoophyte.evolution.run import lock as locking
from zoophyte.evolution.run.store import SCHEMA, Closed, Row, Store

ROW = Row(3, 1, (0, 2), "mix", 0.25, "fell", "tired", {"x": 1.5}, 0.125, 5, b"genome")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


def test_what_is_written_is_read(path: Path) -> None:
    asked = {"seed": 3, "task": {"name": "walk", "settings": {"seconds": 15.0}}}
    store = Store(path, "create", configuration=asked, founders=[b"a", b"b"])
    store.configure(seed=4)
    store.add([ROW])
    closed = Closed(0, [(3, 1), (3, 2)], {"step": 1.5}, [4, 0], 6, 0.5, 2.0)
    store.end(closed)
    store.close()
    again = Store(path)
    assert again.configuration() == {"task": {"name": "walk", "settings": {"seconds": 15.0}}, "seed": 4}
    assert again.given() == [b"a", b"b"]
    assert again.rows(genomes=True) == [ROW]
    assert again.rows("number = ?", (3,))[0].genome == b""
    assert again.generations() == [closed] and again.generations(7) == []


def test_it_is_in_write_ahead_mode_and_says_what_it_is(path: Path) -> None:
    Store(path, "create").close()
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert base.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
    base.close()


def test_a_chunk_is_written_whole_or_not_at_all(path: Path) -> None:
    store = Store(path, "create")
    store.add([ROW])
    with pytest.raises(FileError, match="damaged"):
        store.add([Row(4, 1, operator="mix", fitness=1.0, genome=b"x"), ROW])  # the same number again
    assert [row.number for row in store.rows()] == [3]


def test_a_reader_may_look_while_another_writes(path: Path) -> None:
    writer = Store(path, "create")
    reader = Store(path)
    writer.add([ROW])
    assert len(reader.rows()) == 1


def test_a_second_writer_in_this_process_is_refused(path: Path) -> None:
    first = Store(path, "create")
    with pytest.raises(FileError, match=rf"this process \(pid {os.getpid()}\) is writing this run already"):
        Store(path, "write")
    first.close()
    Store(path, "write").close()
    assert sorted(each.name for each in path.parent.iterdir()) == ["run.db"]


LOCKED = """
import sys, time
from zoophyte.evolution.run.lock import Lock
from pathlib import Path
lock = Lock(Path(sys.argv[1]))
print("locked", flush=True)
time.sleep(60)
"""


def test_a_second_process_is_refused_by_name_until_the_first_is_killed(path: Path) -> None:
    """A real SIGKILL: the operating system must let go of the lock by itself."""
    Store(path, "create").close()
    with subprocess.Popen(
        [sys.executable, "-c", LOCKED, str(path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(FileError, match=rf"process {other.pid} on .* is writing this run"):
            Store(path, "write")
        other.kill()
    store = Store(path, "write")
    store.close()


def test_an_existing_file_is_not_overwritten(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(FileError, match=r"exists already\. Go on with it by `zoophyte resume"):
        Store(path, "create")
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "there is no such file"),
        (b"", "is empty"),
        (b"PK\3\4 something else entirely", "is no database"),
        (b"PK\3\4 something else entirely" * 400, "is no database"),
        (b"SQLite format 3\0" + bytes(2000), "damaged, or no run|cannot be read"),
    ],
)
def test_what_is_no_run_is_refused(path: Path, content: bytes | None, what: str) -> None:
    if content is not None:
        path.write_bytes(content)
    for mode in ("read", "write"):
        with pytest.raises(FileError, match=what):
            Store(path, mode)


def test_folders_and_foreign_databases_are_refused(tmp_path: Path, path: Path) -> None:
    with pytest.raises(FileError, match="this is a folder"):
        Store(tmp_path)
    with pytest.raises(FileError, match=r"the folder .* does not exist"):
        Store(tmp_path / "none" / "run.db", "create")
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE songs (title)")
    base.commit()
    base.close()
    with pytest.raises(FileError, match="a database, but no run of Zoophyte"):
        Store(path)


def test_another_version_of_the_format_is_told(path: Path) -> None:
    store = Store(path, "create")
    store.base.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    store.close()
    with pytest.raises(FileError, match=rf"written in version {SCHEMA + 1} of the format of runs"):
        Store(path)


def evolved(path: Path, generations: int = 3) -> zp.Run:
    return zp.evolve(
        Near(), genome=Toys(), population=4, generations=generations, seed=2, store=path, workers=1
    )


def test_damage_anywhere_is_told_and_never_a_traceback(path: Path, tmp_path: Path) -> None:
    """A page of the file is overwritten, each in turn: every reading ends well or in a FileError."""
    evolved(path)
    whole = path.read_bytes()
    told = 0
    for start in range(0, len(whole), 4096):
        broken = tmp_path / "broken.db"
        broken.write_bytes(whole[:start] + b"\xa5" * 4096 + whole[start + 4096 :])
        try:
            run = zp.Run(broken, task=Near(), genome=Toys())
            run.history(), run.births(), run.best(3), run.configuration
        except FileError as problem:
            assert str(broken) in str(problem) or "genome of individual" in str(problem)
            told += 1
        except zp.UsageError:
            pass
        finally:
            for name in ("broken.db-wal", "broken.db-shm"):
                (tmp_path / name).unlink(missing_ok=True)
    assert told > 0


def test_a_full_disk_stops_the_run_and_it_goes_on_later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite is told that the file may not grow: what it answers is what it answers on a full disk."""
    connect = Store._connect

    def small(self: Store, path: Path | str) -> None:
        connect(self, path)
        self.base.execute("PRAGMA max_page_count = 20")

    monkeypatch.setattr(Store, "_connect", small)
    with pytest.raises(
        FileError, match=r"the disk is full\. Everything up to the last chunk is saved; make room, then go on"
    ):
        evolved(path, 30)
    monkeypatch.undo()
    broken = zp.Run(path, task=Near(), genome=Toys())
    assert 0 < len(broken) < 30 * 24
    whole = broken.resume(workers=1)
    assert (
        whole.best().genome.values.tolist()
        == evolved(path.with_name("b.db"), 30).best().genome.values.tolist()
    )


def named_otherwise(path: Path, how: str) -> Path:
    """Another name of the same file, in another folder."""
    other = path.parent / "elsewhere" / "other.db"
    other.parent.mkdir()
    if how == "symbolic link":
        other.symlink_to(path)
    elif how == "hard link":
        other.hardlink_to(path)
    elif how == "linked folder":
        other.parent.rmdir()
        other.parent.symlink_to(path.parent)
        return other.with_name(path.name)
    else:
        path.rename(other)
    return other


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("how", ["symbolic link", "hard link", "linked folder", "new name"])
@pytest.mark.parametrize("where", ["here", "another process"])
def test_a_run_is_not_written_twice_at_once_by_whatever_name(path: Path, how: str, where: str) -> None:
    """Through a symbolic link or a hard link two resumers got in: each had a lock beside the name that it was given."""
    Store(path, "create").close()
    if where == "here":
        first = Store(path, "write")
        other = named_otherwise(path, how)
        with pytest.raises(FileError, match="is writing this run already"):
            Store(other, "write")
        first.close()
    else:
        with subprocess.Popen(
            [sys.executable, "-c", LOCKED, str(path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "locked\n"
            other = named_otherwise(path, how)
            with pytest.raises(FileError, match=rf"process {process.pid} on .* is writing this run"):
                Store(other, "write")
            process.kill()
    Store(other, "write").close()  # who held it is gone
    assert where != "here" or not list(path.parent.rglob("*-lock"))


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_what_waits_beside_another_name_of_a_run_is_not_lost(path: Path) -> None:
    """SQLite keeps the last chunks beside the name by which it was opened; by a hard link they would be overlooked."""
    Store(path, "create").close()
    (path.parent / "twin.db").hardlink_to(path)
    path.with_name("run.db-wal").write_bytes(b"what was written last")
    with pytest.raises(
        FileError, match=r"is another name of .*run\.db.*go on with `zoophyte resume .*run\.db`"
    ):
        Store(path.parent / "twin.db", "write")
    path.with_name("run.db-wal").unlink()
    Store(path.parent / "twin.db", "write").close()


def test_a_faulty_disk_says_how_to_go_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`disk I/O error` was all that was told, and nobody knew whether anything was left of the run."""
    store = Store(path, "create")
    failure = sqlite3.OperationalError("disk I/O error")
    failure.sqlite_errorname = "SQLITE_IOERR_WRITE"

    def broken() -> None:
        with store.told():
            raise failure

    with pytest.raises(
        FileError, match=r"disk I/O error\. Everything up to .* go on with `zoophyte resume .*run\.db`"
    ):
        broken()
    store.close()


WRITER = """
import sys
from zoophyte.evolution.run.store import Row, Store
store = Store(sys.argv[1], "write")
Store(sys.argv[1]).close()  # as a window of the same program does that shows how far the run is
try:
    Store(sys.argv[1], "write")
except Exception:
    pass
print("open", flush=True)
sys.stdin.readline()
store.add([Row(4, 1, operator="mix", fitness=1.0, genome=b"x")])
print("written", flush=True)
sys.stdin.readline()
"""


def test_what_is_written_after_a_look_at_the_own_run_is_not_lost(path: Path) -> None:
    """To open and close the file beside SQLite let go of SQLite's locks: the next reader deleted what was waiting."""
    store = Store(path, "create")
    store.add([ROW])
    store.close()
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None and writer.stdin is not None
        assert writer.stdout.readline() == "open\n"
        reader = Store(path)
        assert len(reader.rows()) == 1
        reader.close()
        assert path.with_name("run.db-wal").exists()
        writer.stdin.write("\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "written\n"
        reader = Store(path)
        assert [row.number for row in reader.rows()] == [3, 4]
        reader.close()
        writer.kill()
    assert [row.number for row in Store(path).rows()] == [3, 4]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
@pytest.mark.parametrize("ending", ["", "-journal", "-wal", "-shm", "-lock"])
def test_named_pipes_are_refused_before_they_are_opened(path: Path, ending: str) -> None:
    """A pipe by the name of a run, or of a file beside it, kept whoever read runs waiting for ever."""
    if ending:
        Store(path, "create").close()
    os.mkfifo(f"{path}{ending}")
    for mode in ("read", "write") if ending != "-lock" else ("write",):
        with pytest.raises(FileError, match=r"is a named pipe; only ordinary files|must be an ordinary file"):
            Store(path, mode)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_two_folders_for_what_is_temporary_are_no_way_to_write_a_run_twice(
    path: Path, tmp_path: Path
) -> None:
    """By a hard link, and with another TMPDIR, a second resumer got in: the lock of all names lay in TMPDIR."""
    Store(path, "create").close()
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "twin.db").hardlink_to(path)
    with subprocess.Popen(
        [sys.executable, "-c", LOCKED, str(path)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(other)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(FileError, match=rf"process {process.pid} on .* is writing this run"):
            Store(other / "twin.db", "write")
        process.kill()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners there")
@pytest.mark.parametrize("user", [0, 12345])
def test_a_folder_of_somebody_else_holds_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int
) -> None:
    """Root used a folder that anybody had made for it: the number 0 was taken for a system without users."""
    whose, own = tmp_path / "whose", tmp_path / "own"
    whose.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: user)
    lstat = Path.lstat

    def owned(self: Path) -> os.stat_result:
        found = list(lstat(self))
        found[4] = user if self == own else user + 1
        return os.stat_result(found)

    monkeypatch.setattr(Path, "lstat", owned)
    monkeypatch.setattr(locking, "_places", lambda: [whose, own])
    assert locking._folder_of_user() == own
    monkeypatch.setattr(locking, "_places", lambda: [whose])
    assert locking._folder_of_user() is None


FORKED = """
import gc, os, sys
from zoophyte.evolution.run.store import Row, Store
store = Store(sys.argv[1], "create")
store.add([Row(3, 1, operator="mix", fitness=1.0, genome=b"x")])
child = os.fork()
if child == 0:
    try:
        Store(sys.argv[1], "write")
    except Exception as problem:
        print(problem, flush=True)
    store.lock.release()
    store.close()
    del store
    gc.collect()
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
print("ended", flush=True)
sys.stdin.readline()
store.add([Row(4, 1, operator="mix", fitness=1.0, genome=b"x")])
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked there")
def test_a_forked_process_that_ends_leaves_the_run_to_its_parent(path: Path) -> None:
    """Its end deleted the locks of its parent, and closed its connection: another process could write the same run."""
    with subprocess.Popen(
        [sys.executable, "-c", FORKED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None and parent.stdin is not None
        assert f"process {parent.pid} on" in parent.stdout.readline()
        assert parent.stdout.readline() == "ended\n"
        with pytest.raises(FileError, match=rf"process {parent.pid} on .* is writing this run"):
            Store(path, "write")
        assert path.with_name("run.db-wal").exists()
        parent.stdin.write("\n")
        parent.stdin.flush()
        parent.wait()
    assert [row.number for row in Store(path).rows()] == [3, 4]
