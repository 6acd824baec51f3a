"""``zoophyte warmup``: compile the kernels now rather than at the first simulation."""

from __future__ import annotations

import time

from zoophyte.cli.output import as_duration


def warmup() -> None:
    """Compile the physics now, with contact and without; later runs start from the cache."""
    from zoophyte.numbers.cache import cache_folder
    from zoophyte.physics.entries import warm_up

    start = time.perf_counter()
    print(f"compiling into {cache_folder()} …", flush=True)
    warm_up(lambda line: print(f"  {as_duration(time.perf_counter() - start):>11}  {line}", flush=True))
    print(f"ready after {as_duration(time.perf_counter() - start)}")
