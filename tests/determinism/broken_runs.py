"""A program of its own: runs of toys that are killed with SIGKILL at random moments, resumed, and compared.

It prints one line of JSON per scheme: how often the run was killed, what was there then, and whether it ended as an unbroken
one. All processes are forked from this one, so that packages are imported once.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import zoophyte as zp
from toys import Near, Toys

GENERATIONS, POPULATION, SEED = 10, 8, 11
PAUSE = 0.001  # seconds that a toy takes to be judged


def digest(run: zp.Run) -> str:
    """Everything that a run is, but for the time that it took."""
    hashed = hashlib.sha256()
    for row in run.store.rows(genomes=True):
        hashed.update(
            repr((row.number, row.generation, row.parents, row.operator, row.place, row.score)).encode()
        )
        hashed.update(row.genome)
    for closed in run.store.generations():
        words = (closed.number, closed.survivors, closed.notes, closed.seeds, closed.births, closed.diversity)
        hashed.update(repr(words).encode())
    return hashed.hexdigest()


def begin_or_go_on(path: Path, scheme: str, workers: int) -> zp.Run:
    """What a person does: start it, and after a crash go on with it."""
    task, genome = Near(PAUSE), Toys()
    if path.exists():
        return zp.Run(path, task=task, genome=genome).resume(workers=workers)
    return zp.evolve(
        task, genome=genome, population=POPULATION, generations=GENERATIONS, seed=SEED, scheme=scheme, store=path,
        workers=workers,
    )  # fmt: skip


def killed(path: Path, scheme: str, workers: int, seconds: float) -> bool:
    """Let a process work on the run for a while, then kill it; whether it was still at work."""
    child = os.fork()
    if child == 0:
        begin_or_go_on(path, scheme, workers)
        os._exit(0)
    deadline = time.monotonic() + 20.0
    while not path.exists() and time.monotonic() < deadline:  # a file that is not there yet cannot be resumed
        time.sleep(0.001)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main() -> None:
    folder, chance = Path(sys.argv[1]), random.Random(sys.argv[2])
    for word in sys.argv[3:]:
        scheme, kills, workers = word.split(":")
        path, counts = folder / f"{scheme}.db", []
        whole = time.monotonic()
        begin_or_go_on(folder / f"{scheme}-timed.db", scheme, int(workers)).close()
        whole = time.monotonic() - whole
        while len(counts) < int(kills):
            # However fast the machine is, all kills together leave something of the run.
            if not killed(path, scheme, int(workers), chance.uniform(0.1, 0.8) * whole / int(kills)):
                break  # it was done before it could be killed again
            counts.append(len(zp.Run(path)))
        broken = begin_or_go_on(path, scheme, workers=2)
        unbroken = begin_or_go_on(folder / f"{scheme}-unbroken.db", scheme, workers=1)
        same = digest(broken) == digest(unbroken)
        row = {"scheme": scheme, "kills": len(counts), "counts": counts, "same": same}
        sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
