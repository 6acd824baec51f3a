"""Choice: what a person decided by eye, as numbers of individuals."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from zoophyte.errors import UsageError, brief

LIMIT = 10_000  # individuals in one choice
TOLD = 5  # unknown ones named in a message


@dataclass(frozen=True)
class Choice:
    """Whom to breed from, whom to keep, whom to delete.

    Args:
        parents: numbers of those whose children are the next generation.
        keep: those who stay in the population beside the parents.
        delete: those who go.

    Raises:
        UsageError: when somebody is both kept and deleted, or nobody is named.
    """

    parents: tuple[int, ...] = ()
    keep: tuple[int, ...] = ()
    delete: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            numbers = tuple(dict.fromkeys(getattr(self, each.name)))
            object.__setattr__(self, each.name, numbers)
        if torn := sorted({*self.parents, *self.keep} & {*self.delete}):
            raise UsageError(f"choice: {_listed(torn)} cannot be deleted and stay. Name each of them once.")
        if not self:
            raise UsageError("choice: nobody is chosen. Name parents, or those to keep or to delete.")

    def __bool__(self) -> bool:
        return bool(self.parents or self.keep or self.delete)

    def command(self, path: str) -> str:
        """The command that makes this choice.

        Args:
            path: of the run.
        """
        parts = ["zoophyte", "runs", "pick", path]
        for option, numbers in (("--choose", self.parents), ("--keep", self.keep), ("--delete", self.delete)):
            if numbers:
                parts += [option, ",".join(map(str, numbers))]
        return shlex.join(parts)


def numbers_in(text: str, option: str = "choice") -> tuple[int, ...]:
    """Numbers as a person writes them: ``12,17,40`` or ``12 17 40-43``.

    Args:
        text: what was written.
        option: what it was given for, to begin a message with.

    Raises:
        UsageError: when it holds something else, or too much.
    """
    found: list[int] = []
    for word in re.split(r"[\s,;]+", text.strip()):
        match = re.fullmatch(r"#?(\d{1,12})(?:[-–]#?(\d{1,12}))?", word)
        if match is None:
            raise UsageError(
                f"{option}: {brief(word)} is no number of an individual; give numbers with commas, as 12,17,40 or 12-15."
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or len(found) + last - first >= LIMIT:
            raise UsageError(
                f"{option}: {brief(word)} is no range from a smaller to a larger number, or too long."
            )
        found += range(first, last + 1)
    return tuple(dict.fromkeys(found))


def choice_from(record: Any) -> Choice:
    """The choice that a page sent, as JSON gave it.

    Args:
        record: should be a dict with lists of numbers.

    Raises:
        UsageError: when it is anything else.
    """
    names = [each.name for each in fields(Choice)]
    if not isinstance(record, dict) or not set(record) <= set(names):
        raise UsageError(f"choice: must be an object with {', '.join(names)}.")
    for name, numbers in record.items():
        whole = isinstance(numbers, list) and all(type(n) is int and 0 <= n < 2**53 for n in numbers)
        if not whole or len(numbers) > LIMIT:
            raise UsageError(f"choice: {name} must be a list of at most {LIMIT} numbers of individuals.")
    return Choice(**{name: tuple(numbers) for name, numbers in record.items()})


def checked(choice: Choice, known: Collection[int], *, members: Collection[int] | None = None) -> Choice:
    """The same choice, when it can be made.

    Args:
        choice: to be checked.
        known: numbers of all individuals who can be parents.
        members: numbers of those in the population, who can be deleted; as `known` if left out.

    Raises:
        UsageError: when it names somebody who is not there, or leaves nobody.
    """
    members = known if members is None else members
    unknown = [number for number in (*choice.parents, *choice.keep) if number not in known]
    if unknown:
        raise UsageError(
            f"choice: there is no individual {_listed(unknown)} that could be a parent in this run."
        )
    absent = [number for number in choice.delete if number not in members]
    if absent:
        raise UsageError(f"choice: {_listed(absent)} cannot be deleted: not in the population.")
    if not (choice.parents or choice.keep) and not set(members) - set(choice.delete):
        raise UsageError("choice: nobody would be left. Keep at least one, or name parents.")
    return choice


def picked(
    survivors: Sequence[tuple[int, int]], choice: Choice, *, is_placed: bool = False
) -> list[tuple[int, int]]:
    """Who lives where, once the choice is made.

    Those who stay are the parents and the kept; where none are named, all but the deleted.

    Args:
        survivors: number and place of each.
        choice: a checked one.
        is_placed: whether every place must stay taken, as on islands and lattices: those who stay then take the free
            places, in turn.
    """
    staying = list(dict.fromkeys((*choice.parents, *choice.keep)))
    if not staying:
        gone = set(choice.delete)
        staying = list(dict.fromkeys(number for number, _ in survivors if number not in gone))
    stays, placed = set(staying), {number for number, _ in survivors}
    newcomers = [number for number in staying if number not in placed]
    if not is_placed:
        kept = [(number, place) for number, place in survivors if number in stays]
        return kept + [(number, survivors[0][1]) for number in newcomers]
    # Parents from earlier generations come first, so that each of them finds a place if any is free.
    turn = newcomers + staying
    made, free = [], 0
    for number, place in survivors:
        if number in stays:
            made.append((number, place))
        else:
            made.append((turn[free % len(turn)], place))
            free += 1
    return made


def _listed(numbers: Iterable[int]) -> str:
    every = [str(number) for number in numbers]
    more = f" and {len(every) - TOLD} more" if len(every) > TOLD else ""
    return ", ".join(every[:TOLD]) + more
