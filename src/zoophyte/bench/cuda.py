"""Forward dynamics of many different bodies on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from zoophyte.bench.harness import Row, benchmark


@benchmark("aba-cuda")
def aba_cuda() -> Iterator[Row]:
    """65 536 different 12-hinge trees, float32, one thread each."""
    yield Row(
        "aba-cuda",
        "65 536 different 12-hinge trees, float32",
        None,
        None,
        "",
        "million/s",
        None,
        "≥ 300 on an H200",
    )
