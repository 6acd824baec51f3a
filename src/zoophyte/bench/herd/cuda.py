"""Whole lives of different creatures on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from zoophyte.bench.harness import Row, benchmark
from zoophyte.bench.herd.gpu import measure
from zoophyte.errors import MissingExtraError, UsageError

MIXED_BAR, HUMANOID_BAR = 20.0, 8.0
"""Million creature-steps a second on an H200."""
PUBLISHED = 5.67
"""Million steps a second of 8 192 humanoids: MuJoCo Warp on an RTX 6000 Ada, as published in August 2026."""
WORKLOADS = (
    ("boxes-8192", "8 192 different box creatures, 2 000 steps", MIXED_BAR, None, ""),
    ("humanoids-8192", "8 192 humanoids with random commands, 2 000 steps", HUMANOID_BAR, PUBLISHED,
     "MuJoCo Warp on an RTX 6000 Ada, as published"),
)  # fmt: skip


@benchmark("herd-cuda")
def herd_cuda() -> Iterator[Row]:
    """8 192 different box creatures and 8 192 humanoids on a GPU, descriptions to fitness; "no GPU" elsewhere."""
    for name, words, bar, peer, peer_name in WORKLOADS:
        must = f"≥ {bar:g} on an H200"
        try:
            figures, _ = measure(name)
        except (MissingExtraError, UsageError, FileNotFoundError) as reason:
            yield Row("herd-cuda", words, None, None, f"no GPU ({reason})", "million/s", None, must)
            continue
        ours = float(figures["million_steps_per_s_all"])
        told = f"on the device alone {figures['million_steps_per_s_on_device']:g}; {figures['statuses']}"
        ratio = None if peer is None else ours / peer
        yield Row("herd-cuda", f"{words}, {figures['device']}", ours, peer, peer_name, "million/s", ratio, must,
                  ours >= bar, told)  # fmt: skip
