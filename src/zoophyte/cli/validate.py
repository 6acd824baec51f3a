"""``zoophyte validate``: the catalogue of physical checks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from zoophyte.cli.output import given_path, print_json, print_table, wrong_usage
from zoophyte.errors import counted

BINDING = ("law", "golden")
WORDS = {
    (True, True): "pass",
    (False, True): "FAIL",
    (True, False): "reproduced",
    (False, False): "not reproduced",
}
LIST_LENGTH = 4  # entries of a list that are written out


def validate(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID…]", help="Checks, as GAR-C9; all if left out.")
    ] = None,
    *,
    slow: Annotated[bool, typer.Option("--slow", help="Include the long ones.")] = False,
    only_slow: Annotated[bool, typer.Option("--only-slow", help="Only the long ones.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the derivation and a figure of each.")
    ] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the checks without running them.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(
            parser=given_path, metavar="FILE.md", help="Also write a page of the documentation, of what ran."
        ),
    ] = None,
) -> None:
    """Run physical checks, one row each; laws and golden values that fail make the exit code 1."""
    from zoophyte import validation

    chosen = _chosen(ids or [], slow or list_them, only_slow)
    if list_them:
        _print_list(chosen, json)
        return
    ran = list(_run(chosen, quiet=json, explain=explain))
    rows = [row for _, results in ran for row in results]
    failed = [row for row in rows if row.kind in BINDING and not row.passed]
    if json:
        print_json([row.row() for row in rows])
    else:
        others = [row for row in rows if row.kind not in BINDING and not row.passed]
        passed = len(rows) - len(failed) - len(others)
        print(
            f"\n{counted(len(rows), 'row')}: {passed} pass, {len(failed)} fail, {len(others)} not reproduced"
        )
    if page is not None:
        validation.write_page(page, ran)
    if failed:
        raise typer.Exit(1)


def _chosen(ids: list[str], slow: bool, only_slow: bool) -> list[Any]:
    """The checks that were named, or all of them; which of these, the options say."""
    from zoophyte import validation

    with wrong_usage():
        chosen = [validation.find(each) for each in ids] if ids else list(validation.catalogue().values())
    wanted = (found for found in dict.fromkeys(chosen) if found.slow or not only_slow)
    return [found for found in wanted if ids or slow or only_slow or not found.slow]


def _run(chosen: list[Any], *, quiet: bool, explain: bool) -> Iterator[tuple[Any, list[Any]]]:
    """Every check with its rows, which are printed when they are known, unless `quiet`."""
    from zoophyte import validation

    for done, found in enumerate(chosen, start=1):
        if sys.stderr.isatty():
            print(f"\r\033[K{done}/{len(chosen)} {found.id} …\r", end="", file=sys.stderr, flush=True)
        results = list(validation.run_check(found))
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        if not quiet:
            for result in results:
                print(_line(result), flush=True)
            if explain:
                print(f"\n{validation.explain(found, results)}\n", flush=True)
        yield found, results


def _print_list(chosen: list[Any], json: bool) -> None:
    if json:
        keys = ("id", "kind", "title", "source", "slow")
        print_json([{key: getattr(found, key) for key in keys} for found in chosen])
        return
    print_table(
        ("id", "kind", "", "title"), [(f.id, f.kind, "slow" if f.slow else "", f.title) for f in chosen]
    )


def _line(row: Any) -> str:
    word = WORDS[row.passed, row.kind in BINDING]
    expected = f"expected {_brief(row.expected)} ± {_brief(row.tolerance)}"
    return f"{word:<4}  {row.id:<8}  {row.title}  |  {_brief(row.measured)}, {expected}"


def _brief(value: Any) -> str:
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return f"[{counted(len(value), 'row')}]"
        shown = ", ".join(_brief(item) for item in value[:LIST_LENGTH])
        return f"[{shown}, … {len(value)} in all]" if len(value) > LIST_LENGTH else f"[{shown}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
