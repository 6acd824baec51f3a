"""The report of several runs: conditions against each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zoophyte.errors import counted
from zoophyte.evolution.report import sections
from zoophyte.evolution.report.comparing import FEW, Condition, conditions_of, contests, distinct
from zoophyte.evolution.report.curves import Band, Line, Panel, figure, history_panels, measured, safe, series
from zoophyte.evolution.report.data import title_said
from zoophyte.evolution.report.facts import Facts, Lives, exhibits, names_of, summary
from zoophyte.evolution.report.gallery import Exhibit, cards, entries, replays_of
from zoophyte.evolution.report.shell import headline, hero, report_shell
from zoophyte.evolution.report.tallies import operator_tallies, status_tallies

CHAMPIONS = 12  # of several runs
DETAILED = 24  # runs whose own curves are shown


@dataclass(frozen=True)
class Race:
    """Conditions that were asked the same task, whose fitness may be compared.

    Args:
        task: what it is called.
        unit: of fitness.
        groups: the conditions.
    """

    task: str
    unit: str
    groups: Sequence[Condition]

    def told(self, races: Sequence[Race]) -> str:
        """The task behind a title, where there are several."""
        return f": {self.task}" if len(races) > 1 else ""


def several_page(facts: Sequence[Facts], lives: Lives | None, title: str) -> str:
    """The report of several runs.

    Args:
        facts: of the runs.
        lives: plays an individual once more.
        title: of the page.
    """
    told = [(each.run.configuration, each.history) for each in facts]
    counting = distinct([asked for asked, _ in told], [history for _, history in told])
    names = names_of([each.run for each in facts])
    left_out = [names[n] for n in range(len(facts)) if n not in counting]
    facts, names = [facts[n] for n in counting], [names[n] for n in counting]
    groups = conditions_of([each.run.configuration for each in facts], [each.history for each in facts])
    labels = {n: group.label for group in groups for n in group.members}
    races = _races(groups, facts)
    champions: list[Exhibit] = []
    ranked = [n for n in range(len(facts)) if facts[n].best]
    if len(races) == 1:  # else one fitness is not comparable with another
        ranked.sort(key=lambda n: -facts[n].best[0].fitness)
    for n in ranked[:CHAMPIONS]:
        note = names[n] if len(groups) == 1 else f"{names[n]} · {labels[n]}"
        champions += exhibits(facts[n], facts[n].best[:1], lives, note=note)
    stage = replays_of(champions, title)
    panels = [_comparison(race, is_only=len(races) == 1) for race in races]
    plots = {"comparison": series(panels)}
    details = ""
    for each, name in list(zip(facts, names, strict=True))[:DETAILED]:
        own = history_panels(each.history, unit=each.unit)
        plots[each.key] = series(own)
        details += _detail(each, name, sections.plot(each.key, own))
    parts = [
        headline(title, _counts(groups, facts, left_out)),
        _tasks_words(races),
        hero(sections.figures(_group_figures(races, facts)), stage is not None),
        _champions(champions, stage is not None),
        sections.section("Best fitness so far", _interval_words(groups), sections.plot("comparison", panels)),
        *(
            sections.section(
                f"Conditions{race.told(races)}",
                _reached_words(facts),
                sections.conditions(race.groups, race.unit),
            )
            for race in races
        ),
        _archive_section(facts, names, labels),
        *(_verdict_section(race.groups, f"Rank test{race.told(races)}") for race in races),
        sections.section("Every run", "", details, box=False),
    ]
    data = {"plots": plots, "trees": {}, "lives": entries(champions)}
    return report_shell(title, parts, data, stage)


def _counts(groups: Sequence[Condition], facts: Sequence[Facts], left_out: Sequence[str]) -> str:
    words = f"{counted(len(groups), 'condition')} · {counted(len(facts), 'run')}"
    again = f" · left out, since each is another one of these once more: {', '.join(left_out)}"
    return words + again * bool(left_out)


def _champions(champions: Sequence[Exhibit], is_playable: bool) -> str:
    words = "the best of each run; click one to watch it" if is_playable else "the best of each run"
    return f'<div class="row-title"><h2>Champions</h2><p>{words}</p></div>' + cards(
        champions, is_playable=is_playable
    )


def _races(groups: Sequence[Condition], facts: Sequence[Facts]) -> list[Race]:
    """The conditions by their tasks, in the order of the runs."""
    found: dict[str, list[Condition]] = {}
    for group in groups:
        asked = facts[group.members[0]].run.configuration
        found.setdefault(title_said(asked.get("task")), []).append(group)
    races = []
    for task, each in found.items():
        units = {facts[n].unit for group in each for n in group.members}
        races.append(Race(task, units.pop() if len(units) == 1 else "", each))
    return races


def _tasks_words(races: Sequence[Race]) -> str:
    """A warning, where runs were asked different things."""
    if len(races) == 1:
        return ""
    names = safe(", ".join(race.task for race in races))
    return (
        f'<p class="lead">These runs were asked different tasks: {names}. Their fitness is not comparable, so each task has '
        "curves, a table and a test of its own, and the champions stand in the order of the runs.</p>"
    )


def _archive_section(facts: Sequence[Facts], names: Sequence[str], labels: Mapping[int, str]) -> str:
    """Niches of the runs that have some, side by side; nothing where there are none."""
    rows = [(names[n], labels[n], each.archive, each.unit) for n, each in enumerate(facts) if each.archive]
    if not rows:
        return ""
    words = (
        "Coverage is the share of niches that are held, the QD-score the sum of the fitness of all elites."
    )
    if len({(of.axes, of.bins) for _, _, of, _ in rows}) > 1:
        words += (
            " These runs have different niches, so neither number compares one run with another: give all the same "
            "<code>ranges</code>."
        )
    return sections.section("Niches", words, sections.archives(rows))


def _comparison(race: Race, *, is_only: bool) -> Panel:
    groups, unit = race.groups, race.unit
    lines = [
        Line(group.label, group.generations, group.curve, n, is_told=False) for n, group in enumerate(groups)
    ]
    bands = [Band("", group.generations, group.low, group.high, n) for n, group in enumerate(groups)]
    label = "best fitness so far" if is_only else f"{race.task}: best fitness so far"
    label = f"{label} [{unit}]" if unit else label
    return Panel(label, tuple(lines), tuple(bands), 300.0)


def _group_figures(races: Sequence[Race], facts: Sequence[Facts]) -> list[tuple[str, str, str]]:
    seconds = sum(birth.seconds for each in facts for birth in each.births)
    creatures = sum(len(each.births) for each in facts)
    work = [("creatures", figure(creatures), ""), ("computing", sections.duration(seconds), "")]
    if len(races) > 1:
        return work
    groups, unit = races[0].groups, races[0].unit
    best = max(groups, key=lambda group: group.mean)
    top = max((each.best[0].fitness for each in facts if each.best), default=math.nan)
    whose = best.label if len(groups) > 1 else counted(len(facts), "run")
    return [
        ("best mean", measured(best.mean, unit), whose),
        ("best creature of all", measured(top, unit), ""),
        *work,
    ]


def _interval_words(groups: Sequence[Condition]) -> str:
    if all(len(group.finals) < 2 for group in groups):
        return "One run each: there is no interval to draw, and no test. `--repeat 10` makes more."
    if all(len(group.finals) < FEW for group in groups):
        return "Mean over the runs of each condition; bands reach from the least to the most, for the runs are few."
    return (
        "Mean over the runs of each condition; bands are 95&nbsp;% bootstrap intervals of the mean where "
        f"{FEW} runs or more got so far, and reach from the least to the most where fewer did."
    )


def _reached_words(facts: Sequence[Facts]) -> str:
    words = "The best fitness that each run ever reached"
    changing = "; where its task changed over the generations, in the last one, and above in each of them"
    return f"{words}{changing * any(each.changes for each in facts)}."


def _verdict_section(groups: Sequence[Condition], title: str) -> str:
    tested = contests(groups)
    if not tested:
        few = "A rank test needs two conditions with two runs or more each."
        return sections.section(title, few, "", box=False)
    words = (
        "Mann and Whitney&#39;s U, two-sided; the second p is Holm&#39;s, for all pairs on this page. The size of an "
        "effect is the chance that a run of the first condition beats one of the second: 50&nbsp;% is no difference."
    )
    return sections.section(title, words, sections.verdicts(tested, groups))


def _detail(facts: Facts, name: str, plot: str) -> str:
    best = measured(facts.best[0].fitness, facts.unit) if facts.best else "–"
    words = safe(f"best {best} · {summary(facts, with_name=False)}")
    head = f'<summary>{safe(name)} <span class="quiet">{words}</span></summary>'
    ended = sections.statuses(status_tallies(facts.births))
    made = sections.operators(operator_tallies(facts.births, [step.birth.number for step in facts.trunk]))
    inner = f"{plot}<h3>Operators</h3>{made}<h3>How lives ended</h3>{ended}<h3>What was asked</h3>"
    return f'<details class="run box">{head}{inner}{sections.asked(facts.run.configuration)}</details>'
