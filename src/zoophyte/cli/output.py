"""What verbs share: arguments, tables, JSON, times, and progress that stays out of the way."""

from __future__ import annotations

import io
import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import typer

from zoophyte.errors import UsageError, shown

Item = TypeVar("Item")

PATIENCE = 2.0  # seconds that pass before progress is shown


@contextmanager
def wrong_usage(how: str = "") -> Iterator[None]:
    """What a function cannot use came from the command line, and is answered as wrong usage: exit code 2.

    Args:
        how: where the right words are listed, added to the message.
    """
    try:
        yield
    except UsageError as error:
        raise typer.BadParameter(f"{error} {how}".strip()) from None


def ignore_interrupts() -> None:
    """From here on Ctrl-C changes nothing: the program is leaving, and its exit code says that it was interrupted.

    The interpreter, interrupted while it ends, would end itself by the signal.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def make_writable() -> None:
    """Let the program print, whatever its output is: to nobody where it is closed, as escapes what it cannot hold.

    A closed output is no file at all in Python, and one of ASCII refuses every dash and every Greek letter.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def given_path(text: str | Path) -> Path:
    """A path that was given: an empty one, which the operating system would take for the present folder, is none."""
    if not str(text).strip():
        raise typer.BadParameter("the path is empty; give a name, or '.' for this folder.")
    if "\0" in str(text):
        raise typer.BadParameter("the path holds a null character, which no name may have.")
    return Path(text)


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers that JSON does not have become words.

    Letters that the output does not have, and those that a terminal would obey, are spelt in JSON's own way.
    """
    text = json.dumps(_plain(value), indent=2, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
        is_plain = shown(text) == text
    except UnicodeEncodeError:
        is_plain = False
    print(text if is_plain else json.dumps(_plain(value), indent=2).replace("\x7f", "\\u007f"))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print aligned columns, without wrapping or cutting anything.

    Args:
        header: of the columns.
        rows: their texts.
        right: indices of columns to align at the right.
    """
    lines = [list(header), *([shown(text, lines=False) for text in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for line in lines:
        cells = [
            text.rjust(width) if column in right else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    rows = list(facts)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{shown(name, lines=False).ljust(width)}  {shown(value)}")


def with_progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The same items, with a progress bar once they take longer than two seconds, on a terminal only.

    Args:
        items: passed through.
        total: how many there will be.
        what: they are, in a word or two.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    start, bar = time.monotonic(), None
    try:
        for done, item in enumerate(items, start=1):
            if bar is None and time.monotonic() - start > PATIENCE:
                bar = _progress_bar()
                task = bar.add_task(what, total=total)
                bar.start()
            if bar is not None:
                bar.update(task, completed=done)
            yield item
    finally:
        if bar is not None:
            bar.stop()


@contextmanager
def progress_of(what: str) -> Iterator[Callable[[float], None] | None]:
    """A function that is told the share that is done, and shows it after two seconds; None where nobody looks.

    Args:
        what: is done, in a word or two.
    """
    if not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()
    bars: list[tuple[Any, Any]] = []

    def show(share: float) -> None:
        if not bars and time.monotonic() - start > PATIENCE:
            bars.append((bar := _progress_bar(), bar.add_task(what, total=1.0)))
            bar.start()
        for bar, task in bars:
            bar.update(task, completed=share)

    try:
        yield show
    finally:
        for bar, _ in bars:
            bar.stop()


def _progress_bar() -> Any:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)


def as_duration(seconds: float) -> str:
    """A time that a person can read: ``340 µs``, ``12 ms``, ``3.4 s``, ``2 min 5 s``."""
    if seconds >= 60.0:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def as_size(count: float) -> str:
    """A number of bytes: ``312 B``, ``4.2 KiB`` and so on."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < (1024.0 if unit == "B" else 999.5) or unit == "GiB":
            return f"{count:.3g} {unit}" if unit != "B" else f"{count:.0f} B"
        count /= 1024.0
    raise AssertionError("unreachable")
