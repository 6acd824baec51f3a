"""The report of a run, or of several: one HTML file that opens from disk, without a network."""

from __future__ import annotations

import os
from collections.abc import Sequence

from zoophyte.description.files import write_text
from zoophyte.errors import UsageError
from zoophyte.evolution.report.data import RunLike
from zoophyte.evolution.report.facts import AUDITED, Audits, Facts, Lives, audited, name_of, relived
from zoophyte.evolution.report.several import several_page
from zoophyte.evolution.report.single import single_page


def write_report(
    runs: Sequence[RunLike],
    path: str | os.PathLike[str],
    *,
    lives: Lives | None = relived,
    audits: Audits | None = audited,
    title: str | None = None,
) -> None:
    """Write the report of a run; of several runs, a comparison.

    Args:
        runs: one or more, each with one generation or more.
        path: of the file.
        lives: plays an individual of a run once more, for pictures and replays; without it the page has none.
        audits: lives champions again in other ways, for the report of one run; without it the page has no audit.
        title: of the page.

    Raises:
        UsageError: without a run, or when one has no finished generation yet.
        FileError: when the file cannot be written.
    """
    write_text(path, report_page(runs, lives=lives, audits=audits, title=title))


def report_page(
    runs: Sequence[RunLike],
    *,
    lives: Lives | None = relived,
    audits: Audits | None = audited,
    title: str | None = None,
) -> str:
    """The text of the page that :func:`write_report` writes."""
    if not runs:
        raise UsageError("a report needs one run or more, and none was given.")
    facts = [Facts(f"run{n}", run) for n, run in enumerate(runs)]
    for each in facts:
        if not each.history:
            raise UsageError(
                f"{each.run.name}: the run has no finished generation yet; there is nothing to report."
            )
    if len(facts) == 1:
        champions = [birth.number for birth in facts[0].best[:AUDITED]]
        found = audits(facts[0].run, champions) if audits is not None else []
        return single_page(facts[0], lives, found, title or name_of(facts[0]))
    return several_page(facts, lives, title or "Runs compared")
