"""Cells: the rows of a run, and what may stand in each of their cells.

Each cell is checked where it is read: the file may be damaged, or a stranger's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.errors import FileError, UsageError, brief, is_number, told
from zoophyte.evolution.chance import SEED_LIMIT
from zoophyte.evolution.populations.schemes import LARGEST, STEP
from zoophyte.evolution.protocols import Breed, Individual, Score
from zoophyte.evolution.report.data import Birth
from zoophyte.evolution.wire import unpack

MOST = 2**63 - 1
"""Of whole numbers in SQLite."""
GENERATIONS = 10**7
"""In a run, at most."""
NAME_LENGTH = 1000
"""Of an operator, a status, a task, a place, a version [letters], at most."""
TEXT_LENGTH = 1 << 24
"""Of any text [letters], at most."""
AXES = "axes"
"""The note that holds names of descriptors and their ranges."""
PARENTS = 1000
"""Of one individual, at most."""
DEPTH = 64
"""Of values within values, at most."""
SURVIVOR = 16
"""Bytes that say who survived, and where."""

COLUMNS = (
    "number", "generation", "parents", "operator", "fitness", "status", "reason", "descriptors", "seconds", "place",
)  # fmt: skip
"""In the order of :class:`Row`, whose last is the genome."""

Read = Callable[[Any], Any]


@dataclass(frozen=True)
class Row(Birth):
    """An individual as it is stored.

    Args:
        genome: as wire bytes; empty where it was not asked for.
    """

    genome: bytes = b""

    @classmethod
    def of(cls, one: Individual, score: Score, seconds: float, genome: bytes) -> Row:
        """An individual that has been judged."""
        return cls(
            one.number, one.generation, one.parents, one.operator, score.fitness, score.status, score.reason,
            score.descriptors, seconds, one.place, genome,
        )  # fmt: skip

    @property
    def score(self) -> Score:
        """What its life was worth."""
        return Score(self.fitness, self.status, self.reason, dict(self.descriptors))


@dataclass(frozen=True)
class Closed:
    """A generation that is complete.

    Args:
        number: of it.
        survivors: number and place of each.
        notes: of the scheme.
        seeds: from which its births followed: seed of the run, generation; and the stage at which they were judged.
        births: how many there were.
        diversity: mean difference of the survivors' genomes.
        seconds: that it took.
    """

    number: int
    survivors: list[tuple[int, int]]
    notes: dict[str, Any] = field(default_factory=dict)
    seeds: list[float] = field(default_factory=list)
    births: int = 0
    diversity: float = math.nan
    seconds: float = 0.0


class _OddError(ValueError):
    """A value that is not allowed; its text says what is."""


# --------------------------------------------------------------------------------------------------- one cell each


def _whole(low: int = 0, high: int = MOST) -> Read:
    def read(cell: Any) -> int:
        if type(cell) is int and low <= cell <= high:
            return cell
        top = "" if high == MOST else f" to {high}"
        raise _OddError("a whole number" + (f", {low}{top or ' or more'}" if low > -MOST else ""))

    return read


def _number(cell: Any) -> float:
    if type(cell) in (float, int) and math.isfinite(cell):
        return float(cell)
    raise _OddError("a finite number")


def _seconds(cell: Any) -> float:
    if type(cell) in (float, int) and 0.0 <= cell < math.inf:
        return float(cell)
    raise _OddError("a number of seconds, 0 or more")


def _diversity(cell: Any) -> float:
    return math.nan if cell is None else _number(cell)


def _text(length: int = NAME_LENGTH) -> Read:
    def read(cell: Any) -> str:
        if isinstance(cell, str) and len(cell) <= length:
            return cell
        raise _OddError(f"a text of at most {length} letters")

    return read


def _blob(cell: Any) -> bytes:
    if isinstance(cell, bytes):
        return cell
    raise _OddError("bytes")


def _survivors(cell: Any) -> list[tuple[int, int]]:
    if isinstance(cell, bytes) and not len(cell) % SURVIVOR:
        pairs = np.frombuffer(cell, "<i8").reshape(-1, 2)
        if not (pairs[:, 0] < 0).any():
            return [(number, place) for number, place in pairs.tolist()]
    raise _OddError(
        f"{SURVIVOR} bytes for each survivor: the number of an individual, 0 or more, and its place"
    )


def json_of(cell: Any) -> Any:
    """What a text in JSON says.

    Raises:
        ValueError: when it is no text, too long, too deep, or no JSON.
    """
    try:
        if isinstance(cell, str) and len(cell) <= TEXT_LENGTH:
            return json.loads(cell)
    except (ValueError, RecursionError):
        pass
    raise _OddError("a text in JSON")


def _parents(cell: Any) -> tuple[int, ...]:
    found = json_of(cell)
    good = isinstance(found, list) and len(found) <= PARENTS
    if good and all(type(one) is int and 0 <= one <= MOST for one in found):
        return tuple(found)
    raise _OddError(f"a list of at most {PARENTS} numbers of individuals")


def _descriptors(cell: Any) -> dict[str, float]:
    found = json_of(cell)
    if isinstance(found, dict) and all(type(value) in (float, int) for value in found.values()):
        try:
            return {name: float(value) for name, value in found.items()}
        except OverflowError:
            pass
    raise _OddError("numbers by name, in JSON")


def _is_shallow(value: Any, depth: int = DEPTH) -> bool:
    """Whether what others walk through by recursion is not too deep for that."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_is_shallow(one, depth - 1) for one in inner)


def _is_note(name: str, value: Any) -> bool:
    """Whether a note is what its scheme wrote: the axes of behaviours, the step of the success rule, or another's."""
    if name == AXES:
        axes = value if isinstance(value, list) else [None]
        return all(
            isinstance(axis, list) and len(axis) == 3 and isinstance(axis[0], str) and _is_range(axis[1:])
            for axis in axes
        )
    return name != STEP or (_is_finite([value]) and value > 0)


def _is_range(ends: Sequence[Any]) -> bool:
    return _is_finite(ends) and ends[0] < ends[1]


def _is_finite(values: Sequence[Any]) -> bool:
    return all(type(one) in (float, int) and abs(one) < 1e300 for one in values)


def _notes(cell: Any) -> dict[str, Any]:
    found = json_of(cell)
    if isinstance(found, dict) and _is_shallow(found) and all(_is_note(*one) for one in found.items()):
        return found
    raise _OddError("notes by name, in JSON")


def _seeds(cell: Any) -> list[float]:
    found = json_of(cell)
    if isinstance(found, list) and len(found) <= 3 and all(type(one) in (float, int) for one in found):
        whole = all(type(one) is int and 0 <= one < SEED_LIMIT for one in found[:2])
        if whole and all(0.0 <= one <= 1.0 for one in found[2:]):
            return found
    raise _OddError("a list of seed, generation, and stage from 0 to 1")


_PLAIN: Mapping[str, Mapping[str, Read]] = {
    "run": {"key": _text(), "value": _text(TEXT_LENGTH)},
    "founder": {"slot": _whole(), "genome": _blob},
    "individual": {
        "number": _whole(), "generation": _whole(0, GENERATIONS), "parents": _parents, "operator": _text(),
        "place": _whole(-MOST - 1), "genome": _blob, "fitness": _number, "status": _text(), "reason": _text(TEXT_LENGTH),
        "descriptors": _descriptors, "seconds": _seconds,
    },
    "generation": {
        "number": _whole(0, GENERATIONS), "survivors": _survivors, "notes": _notes, "seeds": _seeds,
        "births": _whole(0, 10 * LARGEST), "diversity": _diversity, "seconds": _seconds,
    },
}  # fmt: skip
"""How each cell of each table is read."""
KEYS = {"run": "key", "founder": "slot", "individual": "number", "generation": "number"}
"""The column that names a row."""


def read_row(path: object, table: str, columns: Sequence[str], row: Sequence[Any]) -> list[Any]:
    """The cells of a row.

    Args:
        path: of the file.
        table: of it.
        columns: that were read.
        row: the key of the row, then the cells of these columns.

    Raises:
        FileError: names the table, the row, the column, and says what may stand there.
    """
    readers, key, found = _PLAIN[table], row[0], []
    for name, cell in zip(columns, row[1:], strict=True):
        try:
            value = readers[name](cell)
            if (
                name == "parents" and value and max(value) >= key
            ):  # or nobody comes to an end who looks for ancestors
                raise _OddError("numbers of individuals that were born before")
        except _OddError as allowed:
            raise _damaged(path, table, key, name, cell, allowed) from None
        found.append(value)
    return found


def _damaged(path: object, table: str, key: Any, column: str, cell: Any, allowed: Exception) -> FileError:
    what = (
        f"{len(cell)} bytes"
        if isinstance(cell, bytes)
        else brief(cell[:200] if isinstance(cell, str) else cell)
    )
    row = brief(key[:200]) if isinstance(key, str) else f"{key}"
    return FileError(
        f"{path}: damaged: table {table}, row {row}, column {column}: holds {what}, must be {allowed}."
    )


# ------------------------------------------------------------------------------------------------ what was asked


def _named(value: Any) -> bool:
    """Whether a value names something that was chosen, with its settings."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("place", ""), str)
        and isinstance(value.get("settings"), dict)
        and max(len(value["name"]), len(value.get("place", ""))) <= NAME_LENGTH
    )


def _is_whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _is_pick(value: Any) -> bool:
    if not (isinstance(value, dict) and _is_whole(value.get("generation"), 0, GENERATIONS)):
        return False
    lists = [value.get(name, []) for name in ("parents", "keep", "delete")]
    return all(isinstance(one, list) and all(_is_whole(n, 0, MOST) for n in one) for one in lists)


_NAMED = "a name, and settings by name"
_ASKED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "task": (_named, _NAMED),
    "genome": (_named, _NAMED),
    "scheme": (_named, _NAMED),
    "selection": (lambda value: value is None or _named(value), f"null, or {_NAMED}"),
    "population": (lambda value: _is_whole(value, 1, LARGEST), f"a whole number, 1 to {LARGEST}"),
    "generations": (lambda value: _is_whole(value, 1, GENERATIONS), f"a whole number, 1 to {GENERATIONS}"),
    "seed": (lambda value: _is_whole(value, 0, SEED_LIMIT - 1), "a whole number from 0 to 2^63 - 1"),
    "changes": (lambda value: isinstance(value, bool), "true or false"),
    "picks": (
        lambda value: isinstance(value, list) and all(map(_is_pick, value)),
        "a list of choices, each with a generation and lists of individuals",
    ),
    **dict.fromkeys(
        ("version", "physics", "numpy", "python", "machine", "created"),
        (lambda value: isinstance(value, str) and len(value) <= NAME_LENGTH, "a text"),
    ),
}
"""What is asked of a run by each key that this version knows; others are kept as they are."""


def read_asked(path: object, rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """What was asked of a run.

    Args:
        path: of the file.
        rows: keys and values of the table `run`.

    Raises:
        FileError: names the key, and says what may stand there.
    """
    asked: dict[str, Any] = {}
    for key, text in rows:
        try:
            asked[key] = json_of(text)
            is_good, allowed = _ASKED.get(key, (lambda value: True, ""))
            if not is_good(asked[key]):
                raise _OddError(f"{allowed}, in JSON")
            if not _is_shallow(asked[key]):
                raise _OddError(f"nested at most {DEPTH} deep")
        except _OddError as words:
            raise _damaged(path, "run", key, "value", text, words) from None
    return asked


def whole_number(value: Any) -> int:
    """A number that may be the number of an individual; −1, which nobody has, for any other."""
    return int(value) if is_number(value) and 0 <= value <= MOST and value == int(value) else -1


# ----------------------------------------------------------------------------------------------------- genomes


def genome_in(data: bytes, breed: Breed, where: str) -> Any:
    """The genome that bytes hold.

    Args:
        data: wire bytes.
        breed: of it.
        where: they were found, for messages.

    Raises:
        FileError: says where, and what is wrong with them.
    """
    record = unpack(data, where)
    try:
        return breed.restore(record)
    except (FileError, UsageError) as failure:
        raise FileError(f"{where}: {failure}") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as failure:
        raise FileError(f"{where}: damaged: no genome of the kind '{breed.name}': {told(failure)}.") from None


def restored(row: Row, breed: Breed, path: Path) -> Individual:
    """An individual as it was stored in the file of a run."""
    genome = genome_in(row.genome, breed, f"{path}: table individual, row {row.number}, column genome")
    return Individual(
        row.number, row.generation, genome, row.parents, row.operator, row.place, row.score, row.seconds
    )


def niches_held(path: object, closed: Closed, fitness: Mapping[int, float]) -> list[tuple[int, int, float]]:
    """Niche, number and fitness of everyone who survived; a FileError where one of them is nobody."""
    for number, _ in closed.survivors:
        if number not in fitness:
            where = f"table generation, row {closed.number}, column survivors"
            raise FileError(
                f"{path}: damaged: {where}: names individual {number}, who is not in table individual."
            )
    return [(niche, number, fitness[number]) for number, niche in closed.survivors]
