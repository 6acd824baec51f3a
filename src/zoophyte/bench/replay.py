"""How large a replay page is, player included."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zoophyte.bench.harness import Row, benchmark
from zoophyte.errors import FileError
from zoophyte.model import State, compile
from zoophyte.physics import body_poses

LINKS, SECONDS, RATE = 20, 30.0, 60.0
LIMIT = 1.5  # MB


@benchmark("replay-size")
def replay_size() -> Iterator[Row]:
    """The replay page of 20 bodies over 30 s at 60 frames per second, with its player."""
    from zoophyte.export.page import player, replay_of, replay_page
    from zoophyte.simulation import World
    from zoophyte.zoo import chain

    workload = f"{LINKS} bodies × {SECONDS:g} s × {RATE:g} Hz, a chaotic chain"
    try:
        player()
    except FileError as reason:
        yield Row(
            "replay-size", workload, None, None, "", "MB", None, bar=f"below {LIMIT} MB", checked=str(reason)
        )
        return
    model = compile(chain(LINKS))
    start = State.neutral(model)
    start = start.at(np.where(np.arange(model.nq) < 3, 1.4, start.q), start.v)
    life = World(model, dt=2e-3, integrator="rk4").simulate(SECONDS, start, record_rate=500.0)
    replay = replay_of(life)
    size = len(replay_page([replay]).encode()) / 1e6
    last = body_poses(model, life.frame(-1))[1][1:]
    off = float(np.abs(replay.scene.positions[-1] - last).max())
    yield Row(
        "replay-size",
        workload,
        size,
        None,
        "",
        "MB",
        None,
        bar=f"below {LIMIT} MB",
        reached=size < LIMIT,
        checked=f"{replay.scene.frame_count} frames; the last one is off by {off:.1g} m",
    )
