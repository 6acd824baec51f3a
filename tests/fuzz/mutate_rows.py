"""Harm for the file of a run: odd cells, odd values deep in JSON and in genomes, rows that go or come, tables, bytes."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.errors import FileError
from zoophyte.evolution.wire import unpack

TEXTS = (
    "", "x", "null", "[]", "{}", "0", "-1", "1e999", "NaN", "Infinity", "true", '"', "[" * 5000, '{"a":' * 300, "9" * 400,
    "9" * 5000,
    "\x1b[2J\x1b]0;title\x07", "\u202egnp", "subprocess:Popen", "../../etc/passwd", "\x00", "walk", "[[1, 2], 3]", "[-1]",
    "[18446744073709551616]", '{"a": "b"}', '{"a": 1e400}',
)  # fmt: skip
CELLS: tuple[Any, ...] = (
    0, 1, -1, 2**31, 2**62, 2**63 - 1, -(2**63), 0.5, -0.0, 1e308, -1e308, float("inf"), float("-inf"), b"", b"\x00" * 16,
    b"\xff" * 16, b"\xff" * 17, *TEXTS,
)  # fmt: skip
PLAIN: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 10**6, 2**63, -(2**64), 10**300, 0.0, -0.5, 1e-300, 1e308, -1e308, float("nan"),
    float("inf"), "", "x", "\x1b[31m", "tune", "zoophyte.cli.main:run", [], {}, [[]], [None], ["x"] * 3, {"name": "x"},
    {"": 0}, [0.1] * 1000,
)  # fmt: skip
ARRAYS: tuple[Any, ...] = (
    np.zeros(0), np.array(3.0), np.ones((2, 2)), np.full(3, np.nan), np.full(4, np.inf), np.array([1 + 2j]),
    np.arange(3), np.full(12, -(2**63)), np.full(5, 1e308), np.zeros((1, 0, 3)), np.ones(4096),
)  # fmt: skip
"""What a genome may hold beside plain values."""
TABLES = {
    "run": ("value",), "founder": ("genome",),
    "individual": (
        "generation", "parents", "operator", "place", "genome", "fitness", "status", "reason", "descriptors", "seconds",
    ),
    "generation": ("survivors", "notes", "seeds", "births", "diversity", "seconds"),
}  # fmt: skip
PROGRAMS = (
    "CREATE VIEW extra AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
    "CREATE TRIGGER extra AFTER INSERT ON individual BEGIN DELETE FROM run; END",
    "ALTER TABLE run ADD COLUMN more",
    "DROP TABLE generation",
    "DROP INDEX by_fitness",
    "ALTER TABLE run RENAME TO old; CREATE VIEW run AS SELECT key, value FROM old",
)

Random = random.Random


def nested(depth: int) -> Any:
    """A value within values."""
    found: Any = 1
    for n in range(depth):
        found = [found] if n % 2 else {"a": found}
    return found


def altered(value: Any, chance: Random, pool: tuple[Any, ...]) -> Any:
    """The same value, of which one part somewhere is another, or is missing, or stands there twice."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        made = dict(value)
        deed = chance.random()
        if deed < 0.1:
            del made[key]
        elif deed < 0.15:
            made[chance.choice(("more", "", "place", "\x1b[1m"))] = chance.choice(pool)
        else:
            made[key] = altered(value[key], chance, pool)
        return made
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        deed = chance.random()
        if deed < 0.1:
            return value[:place] + value[place + 1 :]
        if deed < 0.2:
            return [*value, *value[: place + 1]]
        return [*value[:place], altered(value[place], chance, pool), *value[place + 1 :]]
    if isinstance(value, np.ndarray) and value.size and chance.random() < 0.6:
        made = value.copy()
        odd = (np.nan, np.inf, -1.0, 1e308, 0.0, 2.0) if made.dtype.kind == "f" else (0, -1, 2**62, 7)
        made.flat[chance.randrange(made.size)] = chance.choice(odd)
        return made
    if isinstance(value, float | int) and not isinstance(value, bool) and chance.random() < 0.4:
        return value * chance.choice((-1, 0, 2, 10, 1000))
    if chance.random() < 0.05:
        return nested(chance.choice((10, 63, 64, 65, 200)))
    return chance.choice(pool)


def written(value: Any) -> bytes:
    """A value in the wire format, without the limits that `pack` has."""
    if value is None or isinstance(value, bool):
        return {None: b"N", True: b"T", False: b"F"}[value]
    if isinstance(value, int):
        if -(1 << 63) <= value < 1 << 63:
            return b"i" + struct.pack("<q", value)
        size = value.bit_length() // 8 + 1
        return b"I" + struct.pack("<I", size) + value.to_bytes(size, "little", signed=True)
    if isinstance(value, float):
        return b"f" + struct.pack("<d", value)
    if isinstance(value, str):
        text = value.encode()
        return b"s" + struct.pack("<I", len(text)) + text
    if isinstance(value, np.ndarray):
        letter = {"i": b"i", "f": b"f", "c": b"c"}[value.dtype.kind]
        shape = struct.pack(f"<B{value.ndim}Q", value.ndim, *value.shape)
        return b"a" + letter + shape + np.ascontiguousarray(value).tobytes()
    if isinstance(value, list):
        return b"l" + struct.pack("<I", len(value)) + b"".join(map(written, value))
    body = b"".join(written(str(key)) + written(one) for key, one in value.items())
    return b"d" + struct.pack("<I", len(value)) + body


def sealed(body: bytes) -> bytes:
    """A record around a body, with a checksum that fits."""
    data = struct.pack("<4sHQ", b"ZOOW", 1, len(body)) + body
    return data + struct.pack("<I", zlib.crc32(data))


def odd_genome(data: bytes, chance: Random) -> bytes:
    """A genome with odd values in it, or with odd bytes."""
    deed = chance.random()
    if deed < 0.75:
        return sealed(written(altered(unpack(data), chance, PLAIN + ARRAYS)))
    if deed < 0.95:
        body = bytearray(data[14:-4])
        for _ in range(chance.randint(1, 4)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        return sealed(bytes(body))
    return data[: chance.randrange(len(data))]


def odd_cell(cell: Any, chance: Random) -> Any:
    """Another cell."""
    if isinstance(cell, bytes) and cell[:4] == b"ZOOW" and chance.random() < 0.9:
        return odd_genome(cell, chance)
    if isinstance(cell, str) and cell[:1] in ("{", "[") and chance.random() < 0.7:
        return json.dumps(altered(json.loads(cell), chance, PLAIN))
    if isinstance(cell, bytes) and cell and chance.random() < 0.5:
        harmed = bytearray(cell)
        harmed[chance.randrange(len(cell))] ^= 1 << chance.randrange(8)
        return bytes(harmed)
    return chance.choice(CELLS)


def _cell(base: sqlite3.Connection, chance: Random) -> None:
    table = chance.choices(list(TABLES), (4, 1, 6, 3))[0]
    rows = [row[0] for row in base.execute(f"SELECT rowid FROM {table}")]
    if rows:
        column, row = chance.choice(TABLES[table]), chance.choice(rows)
        (cell,) = base.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()
        base.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (odd_cell(cell, chance), row))


def _best(base: sqlite3.Connection, chance: Random) -> None:
    """The genome of the best, which every reader looks at."""
    row, cell = base.execute(
        "SELECT number, genome FROM individual ORDER BY fitness DESC, number LIMIT 1"
    ).fetchone()
    base.execute("UPDATE individual SET genome = ? WHERE number = ?", (odd_genome(cell, chance), row))


def _asked(base: sqlite3.Connection, chance: Random) -> None:
    """What was asked."""
    key, text = chance.choice(base.execute("SELECT key, value FROM run").fetchall())
    value = json.dumps(altered(json.loads(text), chance, PLAIN))
    base.execute("UPDATE run SET value = ? WHERE key = ?", (value, key))


def _rows(base: sqlite3.Connection, chance: Random) -> None:
    table = chance.choice(list(TABLES))
    rows = [row[0] for row in base.execute(f"SELECT rowid FROM {table}")]
    if not rows:
        return
    row = chance.choice(rows)
    if chance.random() < 0.6 or table == "run":
        base.execute(f"DELETE FROM {table} WHERE rowid {chance.choice('<=>')} ?", (row,))
    else:
        key = "slot" if table == "founder" else "number"
        number = chance.choice((-1, -(2**63), 2**62, max(rows) + 1))
        base.execute(f"UPDATE {table} SET {key} = ? WHERE {key} = ?", (number, row))


def _schema(base: sqlite3.Connection, chance: Random) -> None:
    base.executescript(chance.choice(PROGRAMS))


DEEDS: tuple[tuple[Callable[[sqlite3.Connection, Random], None], float], ...] = (
    (_cell, 6.0), (_best, 3.0), (_asked, 3.0), (_rows, 1.0), (_schema, 0.3),
)  # fmt: skip


def harm(source: Path, target: Path, chance: Random) -> None:
    """Copy the file of a run, and harm the copy.

    Args:
        source: a whole one.
        target: of the copy.
        chance: what is harmed.
    """
    for ending in ("", "-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
    shutil.copy(source, target)
    if chance.random() < 0.05:
        data = bytearray(target.read_bytes())
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        target.write_bytes(bytes(data))
        return
    base = sqlite3.connect(target, isolation_level=None)
    try:
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            deed = chance.choices([deed for deed, _ in DEEDS], [weight for _, weight in DEEDS])[0]
            try:
                deed(base, chance)
            except sqlite3.DatabaseError:
                pass  # what the table itself refuses, as a row without a value
            except (FileError, OverflowError, RecursionError, ValueError):
                pass  # what SQLite cannot hold, or was harmed before so that nothing in it can be found
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        base.close()
