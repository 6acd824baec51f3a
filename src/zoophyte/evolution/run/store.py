"""Store: one SQLite file per run. What it holds survives whatever happens to the process.

    run          what was asked, as JSON; by which version
    founder      genomes that were given, if any
    individual   everyone who was judged: parents, genome (wire bytes), fitness, descriptors, status, reason, seconds
    generation   everyone who survived, and where; notes of the scheme; seeds; diversity; seconds

A generation is written when it is complete, an individual when its chunk is.  All is in write-ahead mode, in transactions: a
reader may look at any time, and after a crash the last complete chunk is there.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.description.files import KINDS
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.run.cells import COLUMNS, KEYS, Closed, Row, read_asked, read_row, whole_number
from zoophyte.evolution.run.lock import Lock, keep_from_children, unfinished_twin
from zoophyte.trust import trust_options

__all__ = ["MEMORY", "SCHEMA", "Closed", "Row", "Store"]

APPLICATION = 0x5A4F4F52  # "ZOOR"
SCHEMA = 1
MEMORY = ":memory:"
CELL_LIMIT = (1 << 26) + (1 << 12)
"""Bytes of one cell, at most: a genome's, and a little."""

TABLES = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE founder (slot INTEGER PRIMARY KEY, genome BLOB NOT NULL);
CREATE TABLE individual (
    number INTEGER PRIMARY KEY, generation INTEGER NOT NULL, parents TEXT NOT NULL, operator TEXT NOT NULL,
    place INTEGER NOT NULL, genome BLOB NOT NULL, fitness REAL NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    descriptors TEXT NOT NULL, seconds REAL NOT NULL
);
CREATE INDEX by_generation ON individual (generation);
CREATE INDEX by_fitness ON individual (fitness DESC, number);
CREATE TABLE generation (
    number INTEGER PRIMARY KEY, survivors BLOB NOT NULL, notes TEXT NOT NULL, seeds TEXT NOT NULL, births INTEGER NOT NULL,
    diversity REAL, seconds REAL NOT NULL
);
"""
MADE_BY = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL OR type NOT IN ('table', 'index')"
"""How everything in a file was made; an index that SQLite makes by itself says nothing."""


class Store:
    """A run in a file.

    Args:
        path: of it, or ":memory:".
        mode: "create" a new one, "write" one that is there, or "read".
        configuration: of a new one. A file appears under its name only when it holds this, so that a run can be resumed
            from the moment on that its file is there.
        founders: of a new one: genomes that were given, if any.

    Raises:
        FileError: when it is no run, is damaged, was written by another version, or is written by another process.
    """

    def __init__(
        self, path: str | Path, mode: str = "read", *, configuration: dict[str, Any] | None = None,
        founders: Sequence[bytes] = (),
    ) -> None:  # fmt: skip
        if mode not in ("create", "write", "read"):
            raise UsageError(f"mode is {mode!r}, must be 'create', 'write' or 'read'.")
        self.path = Path(path)
        self.lock: Lock | None = None
        self.process = os.getpid()
        keep_from_children(self)
        in_memory = str(path) == MEMORY
        if not in_memory:
            _refuse(self.path, mode)
            if mode != "read":
                self.lock = Lock(self.path)
        try:
            with self.told():
                if mode == "create":
                    self._create(configuration or {}, founders, in_memory)
                if not in_memory:
                    if self.lock is not None:
                        self.lock.follow()
                    self._connect(_unchanging(self.path) if mode == "read" else self.path)
                    self._check()
                if mode != "read":
                    self.base.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            self.close()
            raise

    def _connect(self, path: Path | str) -> None:
        is_address = str(path).startswith("file:")
        self.base = sqlite3.connect(str(path), isolation_level=None, check_same_thread=False, uri=is_address)
        self.base.execute("PRAGMA synchronous = NORMAL")
        self.base.execute("PRAGMA busy_timeout = 10000")
        self.base.execute("PRAGMA trusted_schema = OFF")
        self.base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_LIMIT)

    def _create(self, configuration: dict[str, Any], founders: Sequence[bytes], in_memory: bool) -> None:
        """Write a new file under another name; then give it its own."""
        part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        part.unlink(missing_ok=True)
        try:
            self._connect(MEMORY if in_memory else part)
            with self.transaction():
                for statement in TABLES.split(";")[:-1]:
                    self.base.execute(statement)
                self.base.execute(f"PRAGMA application_id = {APPLICATION}")
                self.base.execute(f"PRAGMA user_version = {SCHEMA}")
                self.base.executemany("INSERT INTO run VALUES (?, ?)", _as_rows(configuration))
                self.base.executemany("INSERT INTO founder VALUES (?, ?)", list(enumerate(founders)))
            if not in_memory:
                self.base.close()
                part.rename(self.path)
        finally:
            part.unlink(missing_ok=True)

    def _check(self) -> None:
        """Refuse what is no run, or one of another format."""
        application, schema = (
            self.base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application != APPLICATION:
            raise FileError(f"{self.path}: a database, but no run of Zoophyte.")
        if schema != SCHEMA:
            raise FileError(
                f"{self.path}: written in version {schema} of the format of runs; this Zoophyte reads version {SCHEMA}."
            )
        # Views, triggers and columns that are computed are programs, too, and may never end.
        made = {" ".join(str(row[0]).split()) for row in self.base.execute(MADE_BY)}
        if made != {" ".join(each.split()) for each in TABLES.split(";")[:-1]}:
            raise FileError(
                f"{self.path}: damaged, or no run of Zoophyte: it has other tables than a run, or views or triggers."
            )

    def resume_line(self) -> str:
        """The command that goes on with this run; it names code of the user's own, which a file alone may not."""
        from zoophyte.evolution.registry import foreign

        try:
            places = foreign(self.configuration()).values()
        except (FileError, KeyError):
            places = {}.values()
        return f"zoophyte resume {shlex.quote(str(self.path))}{trust_options(places)}"

    def way_on(self) -> str:
        """How to go on after something in a user's code was mended; nothing for a run in memory."""
        return "" if str(self.path) == MEMORY else f" Mend it, then go on with: {self.resume_line()}"

    def close(self) -> None:
        """Write what is still to be written, and let others write."""
        if getattr(self, "process", 0) != os.getpid():
            return  # forked from the process that opened it: the connection and the lock are that one's
        if base := getattr(self, "base", None):
            if getattr(self, "lock", None):
                # The last to close does this by itself; but a reader may stay open, and people copy the one file.
                with suppress(sqlite3.Error):
                    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            base.close()
        if lock := getattr(self, "lock", None):
            lock.release()

    def __del__(self) -> None:
        self.close()

    @contextmanager
    def told(self) -> Iterator[None]:
        """What goes wrong in SQLite, in words."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            name = getattr(error, "sqlite_errorname", "") or ""
            if "FULL" in name or "full" in str(error):
                raise FileError(
                    f"{self.path}: the disk is full. Everything up to the last chunk is saved; make room, then go on with "
                    f"`zoophyte resume {self.path}`."
                ) from None
            if "READONLY" in name or "CANTOPEN" in name or "IOERR" in name:
                saved = (
                    " Everything up to the last chunk is saved; see to the disk, or copy the file to another, then go on "
                    f"with `zoophyte resume {self.path}`."
                ) * (self.lock is not None and "IOERR" in name)
                raise FileError(f"{self.path}: cannot be read or written: {error}.{saved}") from None
            if "BUSY" in name or "LOCKED" in name:
                raise FileError(f"{self.path}: another program holds this file. Try again later.") from None
            if "NOTADB" in name or "not a database" in str(error):
                raise FileError(
                    f"{self.path}: is no database, or damaged, or no run of Zoophyte; `zoophyte evolve` writes runs."
                ) from None
            what = str(error).partition(" with text")[0]  # and not the text, which is garbage and long
            raise FileError(f"{self.path}: damaged, or no run of Zoophyte: {what}.") from None
        except UnicodeDecodeError:  # of a name in the file, which SQLite wanted to tell
            raise FileError(
                f"{self.path}: damaged, or no run of Zoophyte: a name in it is no text."
            ) from None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what follows, or nothing of it."""
        with self.told():
            self.base.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.base.execute("COMMIT")
            except BaseException:
                if self.base.in_transaction:
                    self.base.execute("ROLLBACK")
                raise

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query."""
        with self.told():
            return self.base.execute(sql, values).fetchall()

    # ------------------------------------------------------------------------------------------ configuration

    def configure(self, **values: Any) -> None:
        """Keep what was asked, as JSON."""
        with self.transaction():
            self.base.executemany("INSERT OR REPLACE INTO run VALUES (?, ?)", _as_rows(values))

    def lengthen(self, generations: int) -> None:
        """Ask for another number of generations, from which other stages follow.

        Who was judged by a stage of the former plan, in a generation that is not complete, goes with it and lives again: the
        judged of one generation have had one and the same task.
        """
        with self.transaction():
            self.base.executemany(
                "INSERT OR REPLACE INTO run VALUES (?, ?)", _as_rows({"generations": generations})
            )
            self.base.execute(
                "DELETE FROM individual WHERE generation NOT IN (SELECT number FROM generation)"
            )

    def configuration(self) -> dict[str, Any]:
        """What was asked.

        Raises:
            FileError: says which key is damaged.
        """
        return read_asked(self.path, self.query("SELECT key, value FROM run ORDER BY rowid"))

    def given(self) -> list[bytes]:
        """The genomes that the first generation is bred from, if any were given."""
        return [row[0] for row in self.cells("founder", ("genome",), "ORDER BY slot")]

    # ----------------------------------------------------------------------------------- individuals, generations

    def add(self, rows: Iterable[Row]) -> None:
        """Keep individuals that have been judged."""
        values = [
            (
                row.number, row.generation, json.dumps(row.parents), row.operator, row.fitness, row.status, row.reason,
                json.dumps(row.descriptors), row.seconds, row.place, row.genome,
            )
            for row in rows
        ]  # fmt: skip
        insert = f"INSERT INTO individual ({', '.join(COLUMNS)}, genome) VALUES ({', '.join('?' * 11)})"
        with self.transaction():
            self.base.executemany(insert, values)

    def forget(self, generation: int) -> None:
        """Let go of those of a generation that is not complete: they are judged anew."""
        with self.transaction():
            self.base.execute("DELETE FROM individual WHERE generation = ?", (generation,))

    def rows(
        self, where: str = "1", values: Sequence[Any] = (), *, order: str = "number", genomes: bool = False
    ) -> list[Row]:
        """Individuals.

        Args:
            where: condition in SQL.
            values: for its question marks.
            order: in SQL.
            genomes: whether to read them, too.
        """
        columns = [*COLUMNS, "genome"] if genomes else COLUMNS
        return [
            Row(*cells)
            for cells in self.cells("individual", columns, f"WHERE {where} ORDER BY {order}", values)
        ]

    def end(self, closed: Closed) -> None:
        """Keep that a generation is complete."""
        survivors = np.array(closed.survivors, "<i8").reshape(-1, 2).tobytes()
        diversity = closed.diversity if math.isfinite(closed.diversity) else None
        with self.transaction():
            self.base.execute(
                "INSERT INTO generation VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    closed.number, survivors, json.dumps(closed.notes), json.dumps(closed.seeds), closed.births,
                    diversity, closed.seconds,
                ),
            )  # fmt: skip

    def generations(self, number: int | None = None) -> list[Closed]:
        """Those that are complete; or one of them."""
        where, values = ("", ()) if number is None else ("WHERE number = ?", (whole_number(number),))
        rows = self.cells(
            "generation", [one.name for one in fields(Closed)], f"{where} ORDER BY number", values
        )
        return [Closed(*cells) for cells in rows]

    def largest_fitness(self, where: str) -> float:
        """Of those for whom a condition in SQL holds; NaN where there is nobody."""
        found = self.cells("individual", ("fitness",), f"WHERE {where} ORDER BY fitness DESC LIMIT 1")
        return next((float(row[0]) for row in found), math.nan)

    def cells(
        self, table: str, columns: Sequence[str], rest: str = "", values: Sequence[Any] = ()
    ) -> Iterator[list[Any]]:
        """Cells of a table, each of which is checked: the file may be damaged, or a stranger's.

        Args:
            table: run, founder, individual or generation.
            columns: of it.
            rest: of the question in SQL: which rows, in what order.
            values: for its question marks.

        Raises:
            FileError: names the row and the column that hold what they must not.
        """
        found = self.query(f"SELECT {KEYS[table]}, {', '.join(columns)} FROM {table} {rest}", values)
        return (read_row(self.path, table, columns, row) for row in found)


def _as_rows(values: dict[str, Any]) -> list[tuple[str, str]]:
    return [(key, json.dumps(value, ensure_ascii=False)) for key, value in values.items()]


def _unchanging(path: Path) -> Path | str:
    """The path; where SQLite could not put its files beside it, an address that says that nobody writes it."""
    path = (
        path.resolve()
    )  # as SQLite does, whose files lie beside the file itself and not beside a link to it
    waiting = path.with_name(f"{path.name}-wal")
    if os.access(path.parent, os.W_OK) or (waiting.exists() and waiting.stat().st_size):
        return path
    return f"{path.as_uri()}?immutable=1"


def _refuse(path: Path, mode: str) -> None:
    """Say what stands in the way before SQLite does, in its own words."""
    if mode == "create":
        if path.exists():
            raise FileError(
                f"{path}: exists already. Go on with it by `zoophyte resume {path}`, or give another name for the new run."
            )
        if not path.parent.is_dir():
            raise FileError(f"{path}: the folder {path.parent} does not exist.")
        _refuse_pipes(path)
        return
    if path.is_dir():
        raise FileError(f"{path}: this is a folder, not a run.")
    if not path.exists():
        raise FileError(f"{path}: there is no such file.")
    _refuse_pipes(path)
    if mode == "write" and (other := unfinished_twin(path)):
        raise FileError(
            f"{path}: is another name of {other}, which was being written when the program ended; go on with "
            f"`zoophyte resume {other}`, beside which the last chunks wait."
        )
    # Only SQLite may open the file: to close any handle of it lets go of all locks that SQLite has on it in this process.
    if not path.stat().st_size:
        raise FileError(f"{path}: is empty, so it is no run of Zoophyte; `zoophyte evolve` writes them.")


def _refuse_pipes(path: Path) -> None:
    """Refuse a run that is, or has beside it, what is opened only when somebody opens its other end."""
    whole = path.resolve()
    for ending in ("", "-journal", "-wal", "-shm"):
        file = whole.with_name(whole.name + ending)
        with suppress(FileNotFoundError):
            mode = file.stat().st_mode
            if not stat.S_ISREG(mode):
                what = KINDS.get(stat.S_IFMT(mode), "no file")
                raise FileError(f"{file if ending else path}: is {what}; only ordinary files are read.")
