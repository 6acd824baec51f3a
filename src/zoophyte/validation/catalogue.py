"""The catalogue of physical checks: what a check is, how it is found, run and reported.

A check is a decorated function that returns, or yields, what it measured beside what is expected::

    @check("GAR-C8", kind="golden", title="Sag of a cantilever by its formula", source="Garcia 2023, 8.3")
    def cantilever_formula() -> Measurement:
        "The derivation, which `zoophyte validate --explain` prints."
        return compare(measured, expected, absolute=5e-9, why="eight printed decimals")

The modules of :mod:`zoophyte.validation.checks` hold them; :func:`catalogue` imports these when it is first
asked.  To add a check, add a function.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from zoophyte.errors import UsageError, nearest

SOURCES = (
    "laws", "identities", "implicit", "contact_laws", "contact_rest", "contact_balance", "contact_specs",
    "arnold", "ref4", "evolution.limbed", "fontijne", "evolution.graph",
    "evolution.farm", "evolution.selection", "evolution.claims_arnold", "evolution.claims_fontijne",
    "garcia", "mckenna", "wilhelms",
)  # fmt: skip

Kind: TypeAlias = Literal["law", "golden", "claim", "timing"]
KINDS: tuple[Kind, ...] = ("law", "golden", "claim", "timing")
Value: TypeAlias = float | str | bool | list[Any]
Figure: TypeAlias = Callable[[], str]


@dataclass(frozen=True)
class Measurement:
    """One comparison of a check; :func:`compare` makes it.

    Args:
        measured: what came out: a number, a (nested) list of numbers, or words.
        expected: what should come out, in the same form.
        tolerance: how far apart the two may lie, absolute, in the same form or one number for all entries.
        passed: whether they are that close.
        why: where the tolerance comes from.
        what: which quantity, when a check compares several.
    """

    measured: Value
    expected: Value
    tolerance: Value
    passed: bool
    why: str
    what: str = ""


Rows: TypeAlias = Measurement | Iterable[Measurement]


@dataclass(frozen=True)
class Check:
    """A function of the catalogue, and what is known before it runs."""

    id: str
    kind: Kind
    title: str
    source: str
    slow: bool
    function: Callable[[], Rows]
    figure: Figure | None = None

    @property
    def derivation(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True)
class Result:
    """One row of the report."""

    id: str
    kind: Kind
    title: str
    measured: Value
    expected: Value
    tolerance: Value
    passed: bool
    source: str
    why: str

    def row(self) -> dict[str, Value]:
        """What `zoophyte validate --json` prints for it."""
        source = f"{self.source}; tolerance: {self.why}" if self.why else self.source
        return {
            "id": self.id, "kind": self.kind, "title": self.title, "measured": self.measured,
            "expected": self.expected, "tolerance": self.tolerance, "passed": self.passed, "source": source,
        }  # fmt: skip


_CHECKS: dict[str, Check] = {}


def check(
    id: str, *, kind: Kind, title: str, source: str, slow: bool = False, figure: Figure | None = None
) -> Callable[[Callable[[], Rows]], Callable[[], Rows]]:
    """Enter the decorated function into the catalogue.

    Args:
        id: as `GAR-C8`, or a law's name as `LAW-free-fall`.
        kind: *law* and *golden* pass or fail; a *claim* is reproduced or not; *timing* counts operations.
        title: what is checked, in a few words.
        source: where the expected value comes from.
        slow: whether it runs only when asked for by name or with `--slow`.
        figure: draws what was measured, as lines of text, for `--explain`.
    """

    def enter(function: Callable[[], Rows]) -> Callable[[], Rows]:
        if id in _CHECKS:
            raise ValueError(f"two checks have the id {id}")
        if not inspect.getdoc(function):
            raise ValueError(f"check {id} has no docstring; it must derive what it expects")
        _CHECKS[id] = Check(id, kind, title, source, slow, function, figure)
        return function

    return enter


def compare(
    measured: Any, expected: Any, *, absolute: Any = 0.0, relative: float = 0.0, why: str, what: str = ""
) -> Measurement:
    """Measured beside expected; passes where every entry differs by at most absolute + relative·|expected|.

    Args:
        measured: a number or an array.
        expected: of the same shape, or one number for all entries.
        absolute: part of the tolerance, one number or one per entry.
        relative: part of the tolerance, times the size of the expected entry.
        why: where the tolerance comes from.
        what: which quantity, when a check compares several.
    """
    found, wanted = np.asarray(measured, float), np.asarray(expected, float)
    if not found.size or (wanted.ndim and found.shape != wanted.shape):
        raise ValueError(f"shape {found.shape} measured, {wanted.shape} expected: nothing to compare.")
    tolerance = np.asarray(absolute, float) + relative * np.abs(wanted)
    with np.errstate(invalid="ignore"):
        passed = bool(np.all(np.abs(found - wanted) <= tolerance))  # false when there is a NaN
    return Measurement(_plain(found), _plain(wanted), _plain(tolerance), passed, why, what)


def at_most(measured: Any, bound: float, *, why: str, what: str = "") -> Measurement:
    """An error (or each of several) that must vanish up to `bound`."""
    return compare(measured, 0.0, absolute=bound, why=why, what=what)


def holds(truth: bool, *, what: str) -> Measurement:
    """A statement that is true or not."""
    return Measurement("yes" if truth else "no", "yes", 0.0, bool(truth), "true or not", what)


def _plain(array: Any) -> Value:
    """Plain numbers and lists; what is not finite as a word, because JSON has no number for it."""
    if array.ndim:
        return [_plain(entry) for entry in array]
    number = float(array)
    return number if np.isfinite(number) else str(number)


def catalogue() -> dict[str, Check]:
    """All checks by id, sorted."""
    for name in SOURCES:
        importlib.import_module(f"zoophyte.validation.checks.{name}")
    return {id: _CHECKS[id] for id in sorted(_CHECKS, key=_order)}


def _order(id: str) -> tuple[str, str, int, str]:
    """GAR-C2 before GAR-C10."""
    match = re.fullmatch(r"([A-Z]+)-([A-Z])(\d+)", id)
    return (match[1], match[2], int(match[3]), "") if match else (id.split("-")[0], "", 0, id)


def canonical(id: str) -> str:
    """The spelling that ids are compared in: `mck-b-05` and `MCK-B05` become `MCK-B5`."""
    match = re.fullmatch(r"([A-Z]+)-?([A-Z])-?0*(\d+)", id.strip().upper())
    return f"{match[1]}-{match[2]}{match[3]}" if match else id.strip().upper().replace("_", "-")


def find(id: str) -> Check:
    """The check with this id, in any of its spellings.

    Raises:
        UsageError: names the nearest id.
    """
    known = {canonical(name): found for name, found in catalogue().items()}
    if (wanted := canonical(id)) in known:
        return known[wanted]
    hint = nearest(wanted, known)
    for key, found in known.items():  # the question should use the spelling that is printed
        hint = hint.replace(f"'{key}'", f"'{found.id}'")
    how = f"{hint} `zoophyte validate --list` lists the checks.".lstrip()
    raise UsageError(f"there is no check {id!r} in the catalogue. {how}")


def run_checks(ids: Iterable[str] = (), slow: bool = False) -> Iterator[Result]:
    """Run checks one after the other, giving each row as soon as it is known.

    Args:
        ids: which ones, in any spelling; all when there are none.
        slow: whether to include the long ones when no ids are given.

    Raises:
        UsageError: for an unknown id, before anything runs.
    """
    chosen = [find(id) for id in ids]
    if not chosen:
        chosen = [found for found in catalogue().values() if slow or not found.slow]
    return (result for found in dict.fromkeys(chosen) for result in run_check(found))


def run_check(found: Check) -> Iterator[Result]:
    """The rows of one check; what it raises becomes a row that failed."""
    count = 0
    try:
        given = found.function()
        for measurement in (given,) if isinstance(given, Measurement) else given:
            count += 1
            yield _result(found, measurement)
        if count == 0:
            yield _result(found, Measurement("nothing", "a measurement", 0.0, False, ""))
    except Exception as error:  # a check that breaks must not hide the others
        told = f"{type(error).__name__}: {error}"
        yield _result(found, Measurement(told, "a measurement", 0.0, False, ""))


def _result(found: Check, m: Measurement) -> Result:
    title = f"{found.title}: {m.what}" if m.what else found.title
    return Result(
        found.id, found.kind, title, m.measured, m.expected, m.tolerance, m.passed, found.source, m.why
    )  # fmt: skip


def explain(found: Check, results: Iterable[Result]) -> str:
    """The derivation and a figure, for a reader of the terminal."""
    from zoophyte.validation.figures import margins

    head = f"{found.id}  {found.title}\n{found.source}"
    drawing = found.figure() if found.figure else margins(list(results))
    return f"{head}\n\n{found.derivation}\n\n{drawing}"
