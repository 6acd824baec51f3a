"""The parts of a report as markup; every text that came from a run is made inert here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoophyte.evolution.populations.archive import Archive
from zoophyte.evolution.report.ancestry import NARROW_COLUMNS, WIDE_COLUMNS, Step, tree_drawing
from zoophyte.evolution.report.comparing import FEW, PICKS, Condition, Contest, flattened
from zoophyte.evolution.report.curves import NARROW, WIDE, Panel, drawn, figure, measured, safe, score
from zoophyte.evolution.report.data import OWN, Audited, Birth, Generation, title_said
from zoophyte.evolution.report.tallies import OperatorTally, StatusTally
from zoophyte.evolution.tasks.own import WEIGHTS
from zoophyte.simulation.axes import minus

FOLDED = 22  # rows of a tree; a longer one is unfolded on demand
TEXT_LENGTH = 300
SOFTWARE = ("version", "physics", "numpy", "python", "machine", "created")
"""Keys of a configuration that tell what ran, not what was asked."""


def section(title: str, lead: str, content: str, *, box: bool = True) -> str:
    """A part of the page.

    Args:
        title: of it, plain text.
        lead: a sentence below it, markup.
        content: markup.
        box: whether to draw a box around the content.
    """
    inner = f'<div class="box">{content}</div>' if box else content
    return f'<section><h2>{safe(title)}</h2><p class="lead">{lead}</p>{inner}</section>'


def plot(name: str, panels: Sequence[Panel]) -> str:
    """Curves, for wide and for narrow screens; their values are under `name` in the data of the page."""
    wide, narrow = drawn(panels, width=WIDE), drawn(panels, width=NARROW)
    return (
        f'<div class="plot" data-plot="{safe(name)}"><div class="wide">{wide}</div>'
        f'<div class="narrow">{narrow}</div></div>'
    )


def figures(pairs: Sequence[tuple[str, str, str]], *, row: bool = False) -> str:
    """Large figures: what, how much, and a few words behind."""
    cells = "".join(
        f"<div><dt>{safe(name)}</dt><dd>{safe(value)} <small>{safe(note)}</small></dd></div>"
        for name, value, note in pairs
    )
    return f'<dl class="figures{" row" if row else ""}">{cells}</dl>'


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[int] = (),
    long: Sequence[int] = (),
    *,
    is_single: bool = False,
) -> str:
    """A table of markup, which a narrow screen shows as a list.

    Args:
        heads: of the columns, plain text.
        rows: of markup.
        numbers: columns to be set to the right.
        long: columns that need a line of their own on a narrow screen.
        is_single: whether all do.
    """
    kinds = [
        "name" if n == 0 else "n" if n in numbers else "long" if n in long else "" for n in range(len(heads))
    ]
    head = "".join(
        f"<th{' class=n' if kind == 'n' else ''}>{safe(text)}</th>"
        for text, kind in zip(heads, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="{kind}{" none" if text == "–" else ""}" data-head="{safe(name)}">{text}</td>'
            for name, kind, text in zip(heads, kinds, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    single = ' class="single"' if is_single else ""
    return f'<div class="scroll"><table{single}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def meter(share: float, *, bad: bool = False) -> str:
    """A share as a bar and a figure."""
    if not math.isfinite(share):
        return "–"
    return f'<span class="meter{" bad" if bad else ""}"><i style="--share:{share:.4f}"></i><b>{percent(share)}</b></span>'


def percent(share: float) -> str:
    """A share as people write it."""
    hundredths = 100.0 * share
    return f"{hundredths:.0f}\u00a0%" if hundredths >= 10 or hundredths == 0 else f"{hundredths:.2g}\u00a0%"


def tree(name: str, steps: Sequence[Step], playable: Sequence[int]) -> str:
    """The family tree, and room for what is told of a row."""
    wide = tree_drawing(steps, columns=WIDE_COLUMNS, playable=playable)
    narrow = tree_drawing(steps, columns=NARROW_COLUMNS, playable=playable)
    folded = len(steps) > FOLDED
    more = f"Show all {len(steps)} generations of it"
    unfold = (
        f'<div class="unfold"><button type="button" class="plain" data-more="{more}">{more}</button></div>'
        if folded
        else ""
    )
    return (
        f'<div class="family box" data-tree="{safe(name)}"><div><div class="trunk{" folded" if folded else ""}">'
        f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div></div>{unfold}</div>'
        '<aside class="told" aria-live="polite"></aside></div>'
    )


def operators(tallies: Sequence[OperatorTally]) -> str:
    """How the operators fared."""
    rows = [
        [
            safe(tally.name), f"{tally.children}", meter(tally.success) if math.isfinite(tally.mean_gain) else "–",
            figure(tally.mean_gain, 3), score(tally.best), f"{tally.failed}", f"{tally.on_trunk}",
        ]
        for tally in tallies
    ]  # fmt: skip
    heads = [
        "operator",
        "children",
        "fitter than their parents",
        "mean gain",
        "best child",
        "faulty",
        "on the trunk",
    ]
    return table(heads, rows, (1, 3, 4, 5, 6))


def statuses(tallies: Sequence[StatusTally]) -> str:
    """How lives ended, and why."""
    rows = []
    for tally in tallies:
        reasons = "".join(f"<li>{safe(reason)} · {count}×</li>" for reason, count in tally.reasons)
        why = f"<ul>{reasons}</ul>" if reasons else "–"
        bad = tally.faulty > 0
        rows.append(
            [safe(tally.status), f"{tally.count}", meter(tally.share, bad=bad), f"{tally.faulty}", why]
        )
    return table(["how life ended", "lives", "share", "faulty", "why"], rows, (1, 3), (4,))


def audit(rows: Sequence[Audited]) -> str:
    """Distances of champions in four simulations, exploits marked."""

    def distance(value: float | None, row: Audited) -> str:
        if value is None:
            return '<span class="quiet">not run</span>'
        change = f" ({_change(value / row.at_step)})" if row.at_step else ""
        return f'<span>{score(value)} {safe(row.unit)}<span class="quiet">{change}</span></span>'

    made = [
        [
            f"#{row.number}", f"{score(row.at_step)} {safe(row.unit)}", distance(row.at_half_step, row),
            distance(row.in_world, row), distance(row.in_mujoco, row),
            '<span class="tag bad">exploit</span>' if row.is_exploit else '<span class="tag">holds</span>',
            f'<span class="quiet">{safe(row.note[:TEXT_LENGTH])}</span>',
        ]
        for row in rows
    ]  # fmt: skip
    heads = ["individual", "in the run", "half the step", "World", "MuJoCo", "", ""]
    return table(heads, made, (1, 2, 3, 4), (5, 6), is_single=True)


def _change(ratio: float) -> str:
    hundredths = round(100.0 * (ratio - 1.0))
    return minus(f"{hundredths:+d}\u00a0%") if hundredths else "±0\u00a0%"


def asked(configuration: Mapping[str, Any]) -> str:
    """The configuration: what was asked of each part, then by which software, with the command that made the run."""
    command = configuration.get("command")
    code = f'<code class="code">{safe(str(command))}</code>' if command else ""
    groups: dict[str, list[tuple[str, Any]]] = {"run": []}
    for key, value in configuration.items():
        if key in SOFTWARE:
            groups.setdefault("software", []).append((key, value))
        elif isinstance(value, Mapping):
            groups[key] = _of_part(key, value)
        elif key == PICKS:
            when = ", ".join(f"generation {pick['generation']}" for pick in value)
            groups["run"].append(("choices by eye", when))
        elif key != "command":
            groups["run"].append((key, value))
    if "software" in groups:
        groups["software"] = groups.pop("software")
    made = ""
    for title, pairs in groups.items():
        rows = "".join(
            f"<div><dt>{safe(name.replace('_', ' '))}</dt><dd>{safe(plainly(value))}</dd></div>"
            for name, value in pairs
        )
        made += (
            f'<div class="group"><h3>{safe(title.replace("_", " "))}</h3><dl>{rows}</dl></div>'
            if pairs
            else ""
        )
    return f'{code}<div class="asked">{made}</div>'


def _of_part(part: str, value: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What was asked of a task, a genome, …; of a user's own function its name, and no settings that it does not have."""
    flat = flattened(value)
    if part == "task" and flat.get("name") == OWN:
        flat["name"] = title_said(value)
        flat = {name: each for name, each in flat.items() if name.removeprefix("settings.") not in WEIGHTS}
    return [(name.removeprefix("settings."), each) for name, each in flat.items() if name != "place"]


def plainly(value: Any) -> str:
    """A plain value as a person writes it, not too long."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return figure(value, 6)
    if isinstance(value, Mapping):
        value = ", ".join(f"{key} {plainly(each)}" for key, each in value.items() if each not in ((), []))
    if isinstance(value, list | tuple):
        nested = any(isinstance(each, Mapping) for each in value)
        value = ("; " if nested else ", ").join(plainly(each) for each in value) or "–"
    text = str(value)
    return text if len(text) <= TEXT_LENGTH else f"{text[: TEXT_LENGTH - 1]}…"


def time_told(births: Sequence[Birth], history: Sequence[Generation]) -> str:
    """Where the computing time went."""
    total = sum(birth.seconds for birth in births)
    judged = sum(not math.isnan(birth.fitness) for birth in births)
    slowest = max(births, key=lambda birth: birth.seconds, default=None)
    pairs = [("computing, all workers together", duration(total), "")]
    wall = sum(row.seconds for row in history)
    if wall > 0.0:
        pairs.append(("generations, by the clock", duration(wall), ""))
        pairs.append(("lives judged", figure(judged / wall), "per second"))
    if judged:
        pairs.append(("a life takes", duration(total / judged), "on average"))
    if slowest is not None and slowest.seconds > 0.0:
        pairs.append(("the slowest life", duration(slowest.seconds), f"individual {slowest.number}"))
    return figures(pairs, row=True)


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds >= 7200.0:
        return f"{seconds / 3600.0:.1f} h"
    if seconds >= 120.0:
        return f"{seconds / 60.0:.1f} min"
    return f"{seconds:.3g} s" if seconds >= 1.0 or seconds == 0.0 else f"{1e3 * seconds:.3g} ms"


def conditions(made: Sequence[Condition], unit: str = "") -> str:
    """Conditions side by side."""
    mean = f"mean best [{unit}]" if unit else "mean best"
    rows = [
        [
            f'<span class="swatch c{n % 6 + 1}"></span>{safe(each.label)}', f"{len(each.finals)}", score(each.mean),
            _interval(each),
            score(float(np.median(each.finals))), score(float(max(each.finals, default=math.nan))),
        ]
        for n, each in enumerate(made)
    ]  # fmt: skip
    sizes = [len(each.finals) for each in made if len(each.finals) > 1]
    wide, few = (
        "95 % interval" * any(size >= FEW for size in sizes),
        "min … max" * any(size < FEW for size in sizes),
    )
    heads = [
        "condition",
        "runs",
        mean,
        " or ".join(filter(None, (wide, few))) or "95 % interval",
        "median",
        "best",
    ]
    return table(heads, rows, (1, 2, 3, 4, 5))


def _interval(condition: Condition) -> str:
    """Of the mean; of few runs the least and the most, which is no interval and does not look like one."""
    low, high = map(score, condition.interval)
    count = len(condition.finals)
    return "–" if count < 2 else f"{low} … {high}" if count < FEW else f"{low} – {high}"


def _axes(archive: Archive) -> str:
    return " × ".join(f"{name} {figure(low, 3)} to {figure(high, 3)}" for name, low, high in archive.axes)


def archives(rows: Sequence[tuple[str, str, Archive, str]]) -> str:
    """Niches of several runs side by side: name, condition, archive and unit of fitness of each."""
    made = [
        [
            safe(name), safe(label), safe(_axes(of)),
            f"{len(of)} of {of.niches}", percent(of.coverage), measured(of.qd_score, unit),
        ]
        for name, label, of, unit in rows
    ]  # fmt: skip
    return table(["run", "condition", "axes", "niches held", "coverage", "QD-score"], made, (3, 4, 5), (2,))


def verdicts(made: Sequence[Contest], groups: Sequence[Condition]) -> str:
    """The rank tests, in a table."""
    rows = []
    for contest in made:
        first, second = groups[contest.first].label, groups[contest.second].label
        clear = contest.adjusted < 0.05
        winner = first if contest.superiority > 0.5 else second
        verdict = (
            f'<span class="tag">{safe(winner)}</span>'
            if clear
            else '<span class="tag none">not told apart</span>'
        )
        rows.append(
            [
                f"{safe(first)} <span class=\"quiet\">against</span> {safe(second)}", figure(contest.u),
                figure(contest.p, 2), figure(contest.adjusted, 2), meter(contest.superiority), verdict,
            ]
        )  # fmt: skip
    return table(
        ["pair", "U", "p", "p, all pairs", "first beats second", "better"],
        rows,
        (1, 2, 3),
        (5,),
        is_single=True,
    )
