"""The pages `docs/validation.md` and `docs/experiments.md`: checks, and beside each what a run of it measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte import __version__
from zoophyte.errors import counted
from zoophyte.validation.catalogue import Check, Result
from zoophyte.validation.figures import worst_share

HEAD = """\
# Validation

`zoophyte validate` runs the catalogue of physical checks and prints one row for each: what was measured,
what is expected, the tolerance and where it comes from.

```sh
zoophyte validate                  # the whole catalogue, the long experiments excepted
zoophyte validate GAR-G1 --explain # one check, with its derivation
zoophyte validate --json           # for programs
zoophyte validate --page PAGE.md   # writes this page; with --only-slow, that of the long experiments
```

What takes long, lives of a million steps and claims about evolution, is on [a page of its own](experiments.md).

| kind of check | meaning |
|---|---|
| law | a conservation law or a closed form; passes or fails, and is a test |
| golden | a number that was computed independently; passes or fails, and is a test |
| claim | a statement of one of the source works; measured, and reported as reproduced or not reproduced |
| timing | counts operations where it can; the rest belongs to `zoophyte bench` |

Ids that start with `LAW` and `IMP` bind every simulator; the others name the source work (`ARN` Arnold
1997, `FON` Fontijne 2000, `GAR` Garcia 2023, `MCK` McKenna 1990, `WIL` Wilhelms and Barsky) and the
number of the check in its specification.

A check is a decorated function in `src/zoophyte/validation/checks`; its docstring derives what it
expects. Oracles are never the code under test: closed forms, tables, or the dense equations of
`src/zoophyte/validation/oracles.py`.
"""
LONG_HEAD = """\
# Long experiments

The checks that run only when they are asked for: by name, or with `zoophyte validate --slow`.
`zoophyte validate --only-slow --page PAGE.md` runs them all and writes this page. All others are on the
[validation](validation.md) page, which also says what the words mean.

A *law* passes or fails. A *claim* is what one of the source works says of its own creatures. It is measured here
over several seeds, and *reproduced* or *not*; a correct simulator need not repeat what befell another one. Under
"tolerance from" stand how many runs there were, how much shorter than those of the document, and how likely chance
alone would tell the same.
"""
SECTIONS = {
    "LAW": "Laws",
    "IMP": "Linearly implicit steps",
    "ARN": "Arnold 1997",
    "FON": "Fontijne 2000",
    "GAR": "Garcia 2023",
    "MCK": "McKenna 1990",
    "WIL": "Wilhelms and Barsky",
}
SHOWN = 3  # entries of a list that a cell shows
EDITED = "<!-- Written by `zoophyte.validation.write_page`; edit the checks, not this page. -->"
VERDICTS = {
    (True, False): "yes",
    (False, False): "**no**",
    (True, True): "reproduced",
    (False, True): "not reproduced",
}


def shown(value: Any) -> str:
    """A value as a cell shows it: numbers to six digits, the first entries of a list."""
    if isinstance(value, str):
        return value
    flat = np.ravel(np.asarray(value, float))
    words = [f"{entry:.6g}" for entry in flat[:SHOWN]]
    return ", ".join(words) + (f", … ({flat.size})" if flat.size > SHOWN else "")


def cell(text: str) -> str:
    """Text that does not break a table."""
    return text.replace("|", "\\|").replace("\n", " ").replace("*", "\\*")


def line(result: Result) -> str:
    """One row of a table."""
    share = worst_share(result)
    error = "exact" if share == 0.0 else f"{share:.1g}"
    what = result.title.split(": ", 1)[-1]
    words = [
        what,
        shown(result.measured),
        shown(result.expected),
        error,
        result.why,
        VERDICTS[result.passed, result.kind == "claim"],
    ]
    return "| " + " | ".join([*(cell(word) for word in words[:-1]), words[-1]]) + " |"


def section(checks: Iterable[tuple[Check, list[Result]]]) -> list[str]:
    """The checks of one source, each with its rows."""
    lines = []
    for found, results in checks:
        lines += [f"### {found.id}: {found.title}", "", f"*{found.kind}; {cell(found.source)}*", ""]
        lines += [
            "| what | measured | expected | error / tolerance | tolerance from | passed |",
            "|---|---|---|---|---|---|",
        ]
        lines += [*(line(result) for result in results), ""]
    return lines


def summary(ran: Sequence[tuple[Check, list[Result]]]) -> str:
    """How many rows pass, and how many claims are reproduced."""
    rows = [result for _, results in ran for result in results]
    told = []
    for claims, word in ((False, "pass"), (True, "of claims are reproduced")):
        some = [result for result in rows if (result.kind == "claim") == claims]
        if some:
            told.append(f"{sum(result.passed for result in some)} of {counted(len(some), 'row')} {word}")
    return f"Version {__version__}, {counted(len(ran), 'check')}: {'; '.join(told)}."


def write_page(path: str | Path, ran: Sequence[tuple[Check, list[Result]]]) -> None:
    """Write the page of checks that were run.

    Args:
        path: of the Markdown file.
        ran: the checks, and the rows of each. Where all are long experiments, the page says so.
    """
    head = LONG_HEAD if all(found.slow for found, _ in ran) else HEAD
    lines = [EDITED, "", head, summary(ran), ""]
    for prefix, title in SECTIONS.items():
        chosen = [(found, results) for found, results in ran if found.id.split("-")[0] == prefix]
        if chosen:
            lines += [f"## {title}", "", *section(chosen)]
    Path(path).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
