"""The report of one run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from zoophyte.evolution.report import sections
from zoophyte.evolution.report.ancestry import ancestors_of, milestones, told_steps
from zoophyte.evolution.report.curves import figure, history_panels, measured, safe, series
from zoophyte.evolution.report.data import Audited, descriptor_units
from zoophyte.evolution.report.facts import Facts, Lives, exhibits, summary
from zoophyte.evolution.report.gallery import Exhibit, cards, entries, replays_of
from zoophyte.evolution.report.heat import heat_map
from zoophyte.evolution.report.shell import headline, hero, report_shell
from zoophyte.evolution.report.tallies import operator_tallies, status_tallies

CHANGING = (
    "The task changed over the generations, so that fitness compares creatures of one generation alone: the champion and "
    "the best are those of the last one, and gains over parents hold the change too."
)


def single_page(facts: Facts, lives: Lives | None, audits: Sequence[Audited], title: str) -> str:
    """The report of one run.

    Args:
        facts: of the run.
        lives: plays an individual once more.
        audits: of champions.
        title: of the page.
    """
    best = list(exhibits(facts, facts.best, lives))
    kept = {exhibit.number for exhibit in best}
    line = [birth for birth in milestones(facts.trunk) if birth.number not in kept]
    past = list(exhibits(facts, line, lives))
    stage = replays_of([*best, *past], title)
    panels = history_panels(facts.history, unit=facts.unit)
    parts = [
        headline(title, summary(facts)),
        hero(sections.figures(_key_figures(facts)), stage is not None),
        _rows(best, past, stage is not None),
        sections.section("Fitness and diversity", _curve_words(facts), sections.plot(facts.key, panels)),
        _niches(facts),
        _family(facts, [*best, *past]),
        _statistics(facts),
        _audit_section(audits),
        sections.section("Computing time", "", sections.time_told(facts.births, facts.history), box=False),
        sections.section("What was asked", _origin(facts), sections.asked(facts.run.configuration)),
    ]
    data = {
        "plots": {facts.key: series(panels)},
        "trees": {facts.key: told_steps(facts.trunk)},
        "lives": entries([*best, *past]),
    }
    return report_shell(title, parts, data, stage)


def _rows(best: Sequence[Exhibit], past: Sequence[Exhibit], is_playable: bool) -> str:
    made = ""
    if best:
        made += '<div class="row-title"><h2>The best</h2><p>click one to watch it</p></div>' * is_playable
        made += '<div class="row-title"><h2>The best</h2></div>' * (not is_playable)
        made += cards(best, is_playable=is_playable)
    if past:
        words = "ancestors of the champion: its founder, and those after the largest steps"
        made += f'<div class="row-title"><h2>How it came to be</h2><p>{words}</p></div>'
        made += cards(past, first=sum(e.life is not None for e in best), is_playable=is_playable)
    return made


def _key_figures(facts: Facts) -> list[tuple[str, str, str]]:
    pairs = []
    first = facts.history[0].best
    if facts.best:
        champion = facts.best[0]
        pairs.append(
            (
                "fitness of the champion",
                measured(champion.fitness, facts.unit),
                f"individual {champion.number}",
            )
        )
        if first > 0.0 and not facts.changes:
            pairs.append(
                (
                    "against the best of the first generation",
                    f"{figure(champion.fitness / first, 3)}×",
                    f"which had {measured(first, facts.unit)}",
                )
            )
        count = len(ancestors_of(facts.by_number, champion.number))
        pairs.append(("its ancestors", f"{count}", f"{len(facts.trunk) - 1} along the trunk"))
    judged = [birth for birth in facts.births if not math.isnan(birth.fitness)]
    faulty = sum(not birth.is_sound for birth in judged)
    share = sections.percent(faulty / len(judged)) if judged else "–"
    pairs.append(("creatures that were faulty", share, f"{faulty} of {len(judged)}"))
    pairs.append(("computing", sections.duration(sum(birth.seconds for birth in facts.births)), ""))
    return pairs


def _curve_words(facts: Facts) -> str:
    last = facts.history[-1]
    words = (
        f"The best of generation {last.number} has {measured(last.best, facts.unit)}, "
        f"the mean is {measured(last.mean, facts.unit)}."
    )
    if facts.changes:
        words += f" {CHANGING}"
    if math.isfinite(last.diversity):
        words += " Diversity is the mean difference of two genomes: 0 for copies, about 1 for strangers."
    return words


def _niches(facts: Facts) -> str:
    """The heat map of MAP-Elites; nothing for a run without niches."""
    archive = facts.archive
    if archive is None:
        return ""
    pairs = [
        ("niches that are held", f"{len(archive)}", f"of {archive.niches}"),
        ("coverage", sections.percent(archive.coverage), ""),
        ("QD-score", measured(archive.qd_score, facts.unit), "sum of the fitness of all elites"),
    ]
    words = "The best of every kind: each cell is a niche of behaviour, the darker the fitter. Point at one to see whose."
    if len(archive.axes) > 2:
        words += " Of all niches that share a cell of the first two axes, the best is shown."
    box = f'<div class="box">{heat_map(archive, facts.unit, descriptor_units(facts.run.configuration))}</div>'
    return sections.section("Niches", words, sections.figures(pairs, row=True) + box, box=False)


def _family(facts: Facts, exhibits: Sequence[Exhibit]) -> str:
    if not facts.trunk:
        return sections.section(
            "Family tree", "No creature of this run was sound; there is no champion.", "", box=False
        )
    playable = [exhibit.number for exhibit in exhibits if exhibit.life is not None]
    words = (
        "From the champion on top down to its founder, along first parents. Branches are the other parents. "
        "Bars are fitness; orange ones fell below the parent&#39;s. Click a row to read more."
    )
    return sections.section(
        "Family tree of the champion", words, sections.tree(facts.key, facts.trunk, playable), box=False
    )


def _statistics(facts: Facts) -> str:
    trunk = [step.birth.number for step in facts.trunk]
    made = sections.operators(operator_tallies(facts.births, trunk))
    ended = sections.statuses(status_tallies(facts.births))
    return sections.section(
        "Operators", "How often each made a child that was fitter than its fitter parent.", made
    ) + sections.section(
        "How lives ended", "Faulty creatures have a fitness below zero and are never parents.", ended
    )


def _audit_section(audits: Sequence[Audited]) -> str:
    words = (
        "Champions lived once more: with half the step in double precision, in a World, and in another engine. A creature "
        "that lives on the errors of one simulation is an exploit; what MuJoCo says informs and does not judge."
    )
    if not audits:
        return sections.section("Honesty audit", "No champion of this run has been audited.", "", box=False)
    return sections.section("Honesty audit", words, sections.audit(audits))


def _origin(facts: Facts) -> str:
    version = facts.run.configuration.get("version")
    return safe(f"Run with Zoophyte {version}." if version else "")
