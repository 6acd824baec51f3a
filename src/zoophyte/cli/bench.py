"""``zoophyte bench``: measured against other engines, side by side."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from zoophyte.cli.output import print_json


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="Benchmarks; all if left out.")
    ] = None,
    *,
    list_them: Annotated[
        bool, typer.Option("--list", help="List the benchmarks without running them.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure us and a peer in one run, and compare their results before the times."""
    from zoophyte import bench as benchmarks

    if list_them:
        for name, what in benchmarks.benchmark_names().items():
            print(f"{name:<18}  {what}")
        return
    rows = []
    for row in benchmarks.run_benchmarks(names or None):
        rows.append(row.to_json())
        if not json:
            print(_line(rows[-1]), flush=True)
    if json:
        print_json(rows)


def _line(row: dict[str, Any]) -> str:
    parts = [f"{row['name']:<18}", _number(row.get("ours"), row.get("unit"))]
    if row.get("peer") is not None:
        parts.append(f"{row.get('peer_name') or 'peer'} {_number(row['peer'], row.get('unit'))}")
    elif row.get("peer_name"):
        parts.append(str(row["peer_name"]))
    if row.get("ratio") is not None:
        parts.append(f"ratio {row['ratio']:.3g}")
    known = {"name", "ours", "peer", "peer_name", "unit", "ratio"}
    parts += [f"{key}: {value}" for key, value in row.items() if key not in known and value not in (None, "")]
    return "  ".join(parts)


def _number(value: Any, unit: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}" if unit else text
