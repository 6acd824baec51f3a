"""What a reader finds on its way: what is wrong, what Zoophyte does not have, and what is worth knowing."""

from __future__ import annotations

from dataclasses import dataclass, field

from zoophyte.description.problems import listed
from zoophyte.errors import DescriptionError, Problem, nearest

PARTIAL = "Read the rest with partial=True (--partial on the command line)."
LISTED_NOTES = 200


@dataclass
class Report:
    """Collects everything, so that it can be told at once.

    Args:
        source: the file, as messages call it.
        wrong: what keeps the file from being read in any case.
        left_out: what the file asks for and Zoophyte does not have; refused, unless a part is enough.
        mended: what is wrong and can be put right, each with what becomes of it; refused, unless a part is enough.
        notes: what is read differently, or passed over without harm.
    """

    source: str
    wrong: list[Problem] = field(default_factory=list)
    left_out: list[Problem] = field(default_factory=list)
    mended: list[tuple[Problem, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _told: set[str] = field(default_factory=set, init=False, repr=False)

    def place(self, line: int | None, what: str) -> str:
        """``robot.urdf:12: joint 'knee'``."""
        head = f"{self.source}:{line}" if line is not None else self.source
        return f"{head}: {what}" if what else head

    def problem(self, line: int | None, where: str, what: str, how: str = "") -> None:
        """Something wrong."""
        self.wrong.append(Problem(self.place(line, where), what, how))

    def missing(self, line: int | None, where: str, what: str = "is not supported.") -> None:
        """Something that Zoophyte does not have."""
        self.left_out.append(Problem(self.place(line, where), what))

    def mend(self, line: int | None, where: str, problem: Problem | str, change: str) -> None:
        """Something wrong that the reader goes on with, changed.

        Args:
            line: of the file.
            where: the place in it.
            problem: what is wrong; of a part that refused it, the first that it said.
            change: what was done about it, as a sentence without its subject: ``"the inertia was left out."``.
        """
        if isinstance(problem, str):
            problem = Problem("", problem)
        place = f"{where}: {problem.where}" if problem.where else where
        self.mended.append((Problem(self.place(line, place), problem.what, problem.how), change))

    def note(self, words: str) -> None:
        """Something worth knowing, once."""
        if words not in self._told:
            self._told.add(words)
            self.notes.append(words)

    def adopt(self, line: int | None, where: str, failure: DescriptionError) -> None:
        """The problems of a part that was made from this file."""
        for problem in failure.problems:
            self.problem(line, where, str(Problem(problem.where, problem.what)), problem.how)

    def settle(self, partial: bool) -> None:
        """Refuse what must be refused.

        Args:
            partial: whether to go on without what Zoophyte does not have, and with what was mended.

        Raises:
            DescriptionError: with everything that is wrong, and what is missing or was mended unless `partial`.
        """
        problems = list(self.wrong)
        refused = [*(problem for problem, _ in self.mended), *self.left_out]
        if refused and not partial:
            problems += [*refused[:-1], _with_hint(refused[-1])]
        if problems:
            raise DescriptionError(listed(problems))

    def words(self, head: str) -> str:
        """The notes of the description: where it came from, what was changed and what was left out.

        Args:
            head: the first line.
        """
        found = [*self.notes[:LISTED_NOTES]]
        found += [
            f"Changed: {problem.where}: {problem.what} So {change}"
            for problem, change in self.mended[:LISTED_NOTES]
        ]
        found += [f"Left out: {problem}" for problem in self.left_out[:LISTED_NOTES]]
        lines = [head, *(line.replace(f"{self.source}:", "line ", 1) for line in found)]
        return "\n".join("".join(c if c.isprintable() else "?" for c in line) for line in lines)


def _with_hint(problem: Problem) -> Problem:
    return Problem(problem.where, problem.what, f"{problem.how} {PARTIAL}".strip())


def unknown(word: str, known: tuple[str, ...]) -> str:
    """What to say about an unknown word."""
    return f"is not known. Known: {', '.join(known)}. {nearest(word, known)}".rstrip()


class NameList:
    """Names of bodies: printable, short enough, each given once, and none the ground's."""

    def __init__(self) -> None:
        self.taken = {"ground"}
        self.next: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """The name wanted, or the first free one like it."""
        clean = "".join(c if c.isprintable() else "_" for c in wanted)[:190] or "body"
        name, number = clean, self.next.get(clean, 2)
        while name in self.taken:
            name, number = f"{clean}_{number}", number + 1
        self.taken.add(name)
        self.next[clean] = number
        return name
