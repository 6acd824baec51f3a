"""Pick: what a choice does to a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.evolution.report.picking.choice import Choice, checked, picked

if TYPE_CHECKING:
    from zoophyte.evolution.run.store import Closed, Store

PLACED = ("islands", "lattice")
"""Schemes in which every place must stay taken."""
CLOSED = ("elites", "novelty")
"""Schemes whose members have places that they earned: nobody else can be put there."""
WITHOUT = ("cma",)
"""Schemes that draw children from a distribution, not from parents."""


def pick(path: str | Path, choice: Choice) -> int:
    """Let a person's choice be the survivors of a run's last complete generation (ARN-75).

    What comes next is bred from them when the run is resumed.  Creatures of a generation that was broken off are forgotten,
    since others will be born.  The choice is kept with the run, which no longer
    follows from its seed alone.

    Args:
        path: of the run.
        choice: whom to breed from, keep, delete.

    Returns:
        The generation whose survivors were chosen.

    Raises:
        UsageError: when the choice cannot be made.
        FileError: when the file is no run, or another process is writing it.
    """
    from zoophyte.evolution.run.store import Store

    store = Store(path, "write")
    try:
        closed = store.generations()
        if not closed:
            raise UsageError(
                f"{path}: the run has no finished generation yet; there is nobody to choose from."
            )
        _make(store, closed[-1], choice, str(path))
    finally:
        store.close()
    return closed[-1].number


def _make(store: Store, last: Closed, choice: Choice, where: str) -> None:
    configuration = store.configuration()
    scheme = configuration.get("scheme", {}).get("name", "")
    if scheme in WITHOUT:
        raise UsageError(
            f"{where}: the scheme '{scheme}' draws children from a distribution; there are no parents to choose."
        )
    members = {number for number, _ in last.survivors}
    sound = {
        row[0]
        for row in store.query(
            "SELECT number FROM individual WHERE fitness >= 0 AND generation <= ?", (last.number,)
        )
    }
    checked(choice, members & sound if scheme in CLOSED else sound, members=members)
    survivors = picked(last.survivors, choice, is_placed=scheme in PLACED)
    if scheme == "novelty":
        # The archive is no part of the population: it stays but for whom is deleted.
        living = {number for number, _ in survivors}
        survivors += [
            (number, place)
            for number, place in last.survivors
            if place and number not in living and number not in choice.delete
        ]
    made = {
        "generation": last.number,
        "parents": choice.parents,
        "keep": choice.keep,
        "delete": choice.delete,
    }
    store.configure(picks=[*configuration.get("picks", []), made])
    with store.transaction():
        data = np.array(survivors, "<i8").reshape(-1, 2).tobytes()
        store.base.execute("UPDATE generation SET survivors = ? WHERE number = ?", (data, last.number))
        store.base.execute("DELETE FROM individual WHERE generation > ?", (last.number,))
