"""Gaps: what the file of a run should hold and does not."""

from __future__ import annotations

from zoophyte.errors import FileError, counted
from zoophyte.evolution.run.store import Store

WAY_ON = "Nothing was changed; go on with a whole copy of the file, if there is one."


def refuse_gaps(store: Store) -> None:
    """Refuse a run that lacks some of what came before, from which the next generation would be bred.

    Args:
        store: of the run.

    Raises:
        FileError: names the generation or the individual that is missing.
    """
    numbers: dict[int, set[int]] = {}
    for number, generation in store.cells("individual", ("number", "generation")):
        numbers.setdefault(generation, set()).add(number)
    everyone = set[int]().union(*numbers.values())
    first = 0
    for position, closed in enumerate(store.generations()):
        if closed.number != position:
            raise FileError(
                f"{store.path}: damaged: generation {position} is missing, though later ones are there. {WAY_ON}"
            )
        there = {number for number in numbers.get(position, ()) if first <= number < first + closed.births}
        if lacking := closed.births - len(there):
            missing = next(number for number in range(first, first + closed.births) if number not in there)
            are = "is" if lacking == 1 else "are"
            among = f"of the {counted(closed.births, 'individual')} of generation {position}"
            raise FileError(
                f"{store.path}: damaged: {among}, {lacking} {are} missing, the first is {missing}. {WAY_ON}"
            )
        if absent := {number for number, _ in closed.survivors} - everyone:
            who = f"individual {min(absent)}, a survivor of generation {position},"
            raise FileError(f"{store.path}: damaged: {who} is missing. {WAY_ON}")
        first += closed.births
