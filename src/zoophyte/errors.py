"""Everything that Zoophyte raises on purpose.

::

    ZoophyteError
    ├── DescriptionError      a body is described wrongly; holds every problem found, not only the first
    ├── FileError             a file cannot be read, or does not hold what it should
    │   └── UntrustedError    a file names code that is not Zoophyte's, and nobody has said that it may be imported
    ├── UsageError            a function was called with something it cannot use (also a ValueError)
    ├── OwnCodeError          a task, genome or reward of the user's own raised something, or gave what cannot be used
    └── MissingExtraError     an optional package is not installed (also an ImportError)

A message says where, what was given, what is allowed and what to do.  A life that blows up is no error: it is
the status of its trajectory.  Ctrl-C in a herd is an Interrupted, which is a KeyboardInterrupt with what was lived.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = TypeVar("Kind")


class ZoophyteError(Exception):
    """Base of all errors that Zoophyte raises on purpose."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Args:
        where: the place, as a person would look for it: ``"roach.yaml:12: body 'knee': joint.stiffness"``.
        what: what was given and what is allowed: ``"is -3, must be 0 or more [N·m/rad]."``.
        how: what to do about it, when that is known: ``"Did you mean 'hinge'?"``.
    """

    where: str
    what: str
    how: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.what} {self.how}".rstrip()


class DescriptionError(ZoophyteError):
    """A body is described wrongly.

    Args:
        problems: a sentence, one problem, or all the problems found.
        source: the file or the name of the description, put at the head of a list of problems.

    Attributes:
        problems: everything that is wrong, in the order of the description.
        source: as given.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem], *, source: str = "") -> None:
        if isinstance(problems, str):
            problems = Problem("", problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.source = source
        super().__init__(self._text())

    def _text(self) -> str:
        head = f"{self.source}: " if self.source else ""
        if len(self.problems) == 1:
            return f"{head}{self.problems[0]}"
        return "\n  ".join([f"{head}{len(self.problems)} problems", *map(str, self.problems)])


class FileError(ZoophyteError):
    """A file cannot be read or written, or does not hold what it should."""


class UntrustedError(FileError):
    """A file names code outside of Zoophyte, and the caller has not said that it may be imported.

    Args:
        message: says which code, and how to trust it.
        places: that would have to be trusted; none where trust alone would not do.
    """

    def __init__(self, message: str, places: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.places = places


class UsageError(ZoophyteError, ValueError):
    """A function was called with something it cannot use."""


class OwnCodeError(ZoophyteError):
    """A task, a genome, a reward or another piece of the user's own code raised something, or gave what cannot be used."""


class MissingExtraError(ZoophyteError, ImportError):
    """An optional package is not installed.

    Args:
        package: the package that is missing.
        extra: the extra of Zoophyte that brings it.
        purpose: what it is needed for, as the object of "needs": ``"drawing figures"``.
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(package, extra, purpose)
        self.package, self.extra, self.purpose = package, extra, purpose

    def __str__(self) -> str:
        return (
            f"{self.purpose} needs the package '{self.package}', which is not installed. "
            f"Install it with {install_command(self.extra)}"
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a herd lived; what was lived until then is kept.

    Args:
        lives: a Life of each creature, in the order of the models: how it went, with the status ``interrupted`` if it was
            under way; None if it had not begun.
    """

    def __init__(self, lives: list[Any]) -> None:
        ended = sum(life is not None and life.status.kind != "interrupted" for life in lives)
        begun = sum(life is not None for life in lives)
        super().__init__(
            f"{ended} of {len(lives)} lives had ended, {begun - ended} were under way; see `lives`"
        )
        self.lives = lives

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.lives,)


def install_command(extra: str) -> str:
    """How to install an extra; the package is on no index, so its source folder is what pip is given.

    Args:
        extra: its name.
    """
    return f"pip install '.[{extra}]' in Zoophyte's source folder"


def told(failure: BaseException) -> str:
    """An exception in one line; of the user's own code with its file and line: ``my.py, line 3: KeyError: 'far'``."""
    words = " ".join(str(failure).split())
    name = type(failure).__name__
    if isinstance(failure, ZoophyteError):
        return words or name
    place = own_place(failure)
    return f"{place}: {name}: {words}".removeprefix(": ").removesuffix(": ")


def own_place(failure: BaseException) -> str:
    """File and line of the innermost call on the way to an exception that is code of the user, if there is one."""
    import sysconfig
    import traceback
    from pathlib import Path

    strangers = [str(Path(__file__).parent), sysconfig.get_path("stdlib"), "<frozen "]
    strangers += [sysconfig.get_path(kind) for kind in ("purelib", "platlib")]
    for frame in reversed(traceback.extract_tb(failure.__traceback__)):
        if not frame.filename.startswith(tuple(strangers)):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""


def is_number(value: object) -> bool:
    """Whether a value that somebody gave is a real number, be it finite or not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def real_numbers(values: Any, what: str, wanted: str = "numbers") -> NDArray[np.float64]:
    """An array of float64; what NumPy would make numbers of in silence is refused: masked, complex, texts, nothing.

    Args:
        values: one number or many, as they were given.
        what: they are, as the subject of the message: ``"state.q"``.
        wanted: what they must be.

    Raises:
        UsageError: says what they are instead.
    """
    import numpy as np

    parts = values if isinstance(values, list | tuple) else (values,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise UsageError(
            f"{what} is a masked array with entries that are masked out; fill them: values.filled(0.0)."
        )
    numbers, kind = None, ""
    try:
        array = np.asarray(values)
        kind = str(array.dtype.kind)
        if kind in "biuf" or (kind == "O" and None not in array):
            numbers = np.asarray(array, np.float64)
    except (TypeError, ValueError, OverflowError):  # the last of integers beyond the largest float64
        pass
    if kind == "c":
        raise UsageError(f"{what} holds complex numbers, must be real; take their .real if that is meant.")
    if numbers is None:
        raise UsageError(f"{what} is {brief(values)}, must be {wanted}.")
    return numbers


def hinting(kind: type[Kind]) -> type[Kind]:
    """A class whose constructor answers an unknown keyword with the nearest one that it knows.

    Args:
        kind: the class, which is changed in place.
    """
    make = vars(kind)["__init__"]
    known = [name for name in inspect.signature(make).parameters if name != "self"]

    @functools.wraps(make)
    def checked(self: Any, *given: Any, **named: Any) -> None:
        for name in named:
            if name not in known:
                told = f"{kind.__name__} has no argument {name!r}. Known: {', '.join(known)}."
                raise UsageError(f"{told} {nearest(name, known)}".rstrip())
        make(self, *given, **named)

    type.__setattr__(kind, "__init__", checked)
    return kind


def brief(value: object, length: int = 60) -> str:
    """A value as Python prints it, in one line; of a long one the beginning, cut between words.

    Args:
        value: what was given.
        length: of the text, at most.
    """
    text = " ".join(repr(value).split())
    if len(text) <= length:
        return text
    whole_words = text[: length - 1].rpartition(" ")[0] or text[: length - 2]
    return f"{whole_words} …"


def shown(text: object, *, lines: bool = True) -> str:
    r"""Text of a file or of a stranger, for a terminal to print and not to obey: control characters are spelt out, as \x1b.

    Those go, too, that nobody sees or that turn the direction of writing.

    Args:
        text: what is to be printed.
        lines: whether it may break into lines; a name may not.
    """
    import unicodedata

    told = str(text)
    if told.isprintable():
        return told
    kept = "\n\t" if lines else ""
    return "".join(
        letter
        if letter.isprintable() or letter in kept or unicodedata.category(letter) == "Zs"
        else letter.encode("unicode_escape").decode()
        for letter in told
    )


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things: ``1 body``, ``2 bodies``.

    Args:
        number: how many.
        one: the word for one of them.
        many: the word for several; with an s at the end if left out.
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The question to end a message about an unknown word with, or nothing when no known word is close.

    Args:
        word: what was given.
        known: the words that would have been accepted.
    """
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"Did you mean '{close[0]}'?" if close else ""
