"""``zoophyte bench``: measured against other engines, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from zoophyte.cli.output import given_path, print_json, print_table, wrong_usage


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="Benchmarks; all if left out.")
    ] = None,
    *,
    list_them: Annotated[
        bool, typer.Option("--list", help="List the benchmarks without running them.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(
            parser=given_path, metavar="FILE.md", help="Also write the performance page of the documentation."
        ),
    ] = None,
    gpu: Annotated[
        Path | None,
        typer.Option(
            parser=given_path, metavar="FILE.json", help="Figures of tools/measure_cuda.py for the page."
        ),
    ] = None,
) -> None:
    """Measure us and a peer in one run, and compare their results before the times."""
    from zoophyte.bench import benchmarks, chosen_names, run_benchmarks

    with wrong_usage("`zoophyte bench --list` tells what they measure."):
        chosen = chosen_names(names)
    if list_them:
        known = benchmarks()
        if json:
            print_json([{"name": name, "what": known[name]} for name in chosen])
        else:
            print_table(("name", "what"), [(name, known[name]) for name in chosen])
        return
    rows = []
    for row in run_benchmarks(names or None):
        rows.append(row)
        if not json:
            print("\n    ".join([_lines(row.to_json()), *(side.words() for side in row.quality)]), flush=True)
    if json:
        print_json([row.to_json() for row in rows])
    if page is not None:
        from zoophyte.bench.page import write_page

        write_page(page, rows, gpu)


def _lines(row: dict[str, Any]) -> str:
    """One line of figures, and a second one with what was checked."""
    parts = [_figure("ours", row["ours"], row["unit"])]
    if row["peer"] is not None or row["peer_name"]:
        parts.append(_figure(row["peer_name"] or "peer", row["peer"], row["unit"]))
    if row["ratio"] is not None:
        parts.append(f"ratio {row['ratio']:.3g}")
    if row.get("bar"):
        verdict = {True: "reached", False: "NOT reached", None: "not measured"}[row.get("reached")]
        parts.append(f"bar {row['bar']}: {verdict}")
    text = f"{row['name']}  {row.get('workload', '')}\n    {', '.join(parts)}"
    return f"{text}\n    checked: {row['checked']}" if row.get("checked") else text


def _figure(who: str, value: float | None, unit: str) -> str:
    return f"{who} –" if value is None else f"{who} {value:.4g} {unit}".rstrip()
