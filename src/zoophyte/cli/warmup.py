"""``zoophyte warmup``: compile the kernels now rather than at the first simulation."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from zoophyte.cli.output import as_duration, wrong_usage


def warmup(
    *,
    precision: Annotated[
        str, typer.Option(help="double: worlds and herds as they are usual; single: those in float32.")
    ] = "double",
) -> None:
    """Compile the physics now, with contact and without; later runs start from the cache."""
    from zoophyte.evolution.precision import SINGLE, checked_precision
    from zoophyte.numbers.cache import cache_folder
    from zoophyte.physics.entries import DEFAULT_FORMS, SINGLE_FORMS, TOUCHING_WORLD, compile_ahead

    with wrong_usage():
        checked_precision(precision)
    start = time.perf_counter()

    def tell(line: str) -> None:
        print(f"  {as_duration(time.perf_counter() - start):>11}  {line}", flush=True)

    print(f"compiling into {cache_folder()} …", flush=True)
    compile_ahead((*SINGLE_FORMS, *TOUCHING_WORLD) if precision == SINGLE else DEFAULT_FORMS, tell)
    print(f"ready after {as_duration(time.perf_counter() - start)}")
