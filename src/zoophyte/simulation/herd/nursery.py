"""Nursery: genotypes in, lives out, on a GPU.

A GPU lives a life in a few hundred microseconds; making its body in Python takes some thousand.  So processes develop bodies
and fill pens with them, and the device begins to live whatever is ready:

    genotypes ──► maker: develop, compile, fill pens ──► device: look, live ──► the same maker: read, judge ──► results

A maker keeps the bodies that it made until their lives are read; between processes go pens as arrays, and judgements.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from multiprocessing.connection import wait
from time import perf_counter
from typing import Any

from zoophyte.errors import UsageError, brief
from zoophyte.numbers.cuda import import_cuda, require_device, simulated
from zoophyte.physics.cuda.lives import lanes_for
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.herd.blocks import WARPS, block_sizes
from zoophyte.simulation.herd.crowd import Packed
from zoophyte.simulation.herd.device import OnDevice, Room, processors
from zoophyte.simulation.herd.litter import PLACED, keep_making, litter_of
from zoophyte.simulation.living.colony import SLOTS
from zoophyte.simulation.living.conditions import Guards, Stops

MOST_MAKERS = 1000
BLOCKS, ROUNDS, SORTED_ROUNDS = 8, 2, 4
"""Blocks of threads that a maker fills at a time, at most, and how often it does: the larger a part is, the more alike are
those who share a block, if genotypes are not sorted by size; the smaller, the sooner the device begins."""


class Nursery:
    """Processes that make creatures for a GPU; they stay until the nursery is closed.

    Args:
        develop: from a genotype to a body (a model or a description) and its controller.  Other processes call it, so it is
            a function at the top of a module, and what starts a nursery stands behind ``if __name__ == "__main__"``.
        habitat: where each lives.
        dt: step [s].
        slots: contacts of one creature at one time.
        sweeps: Gauss–Seidel sweeps in a step, at most.
        makers: processes; as many as there are processors if left out.
    """

    def __init__(
        self, develop: Callable[[Any], tuple[Any, Any]], habitat: Habitat = STANDARD_HABITAT, *, dt: float = 5e-3,
        slots: int = SLOTS, sweeps: int = 30, makers: int | None = None,
    ) -> None:  # fmt: skip
        require_device()
        if makers is not None and makers not in range(1, MOST_MAKERS + 1):
            raise UsageError(
                f"makers is {makers!r}, must be a whole number of processes from 1 to {MOST_MAKERS}."
            )
        if not callable(develop):
            raise UsageError(
                f"develop is {brief(develop)}, must be a function from a genotype to (body, controller)."
            )
        settings: dict[str, Any] = {"habitat": habitat, "dt": dt, "slots": slots, "sweeps": sweeps}
        self._nobody = litter_of([], None, 1, settings)  # says at once what is wrong with them
        method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        context: Any = multiprocessing.get_context(method)
        if method == "forkserver":  # makers are copies of one process that has imported everything
            context.set_forkserver_preload(["numba", keep_making.__module__, develop.__module__])
        self.spent: dict[str, float] = {}
        """Of the last lives: how long until all were made, how long the device went on then, how long reading took [s]."""
        self._room = Room()
        self._ends: list[Any] = []
        self._processes = []
        for _ in range(makers or os.cpu_count() or 1):
            ours, theirs = context.Pipe()
            process = context.Process(target=keep_making, args=(theirs, develop, settings), daemon=True)
            process.start()
            theirs.close()
            self._ends.append(ours)
            self._processes.append(process)

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the makers go."""
        for end in self._ends:
            end.close()  # a maker that hears nothing more leaves
        for process in self._processes:
            process.join()
        self._ends, self._processes = [], []

    def lives(
        self, genotypes: Sequence[Any], seconds: float, *, judge: Callable[[Any], Any] | None = None,
        size: Callable[[Any], float] | None = None,
        stops: Stops | None = None, guards: Guards | None = None, settle: float = 0.0, sample_every: float = 1.0,
        check_every: float = 0.05,
    ) -> list[Any]:  # fmt: skip
        """Let all of them live for `seconds`, as :meth:`Herd.simulate` does.

        Args:
            genotypes: whatever `develop` takes.
            seconds: how long [s].
            judge: what is wanted of a life, made where it is read: a function at the top of a module; the life if left out.
            size: how large the body of a genotype is about to be, in any unit.  If that is told, the largest, which live
                slowest, are made first, and those who live side by side are alike; lives are the same.
            stops: what ends a life early; nothing if left out.
            guards: what makes a life `cheated`; the usual ones if left out.
            settle: time from which distances count [s].
            sample_every: time from one sample to the next [s].
            check_every: time from one look at stops and guards to the next [s].

        Returns:
            The judgement of each life, or the life, in the order of the genotypes.
        """
        if not self._ends:
            raise UsageError("this nursery is closed; make another.")
        terms = self._nobody.terms(seconds, stops, guards, settle, sample_every, check_every)
        among = len(genotypes)
        lanes, rounds = lanes_for(among), ROUNDS if size is None else SORTED_ROUNDS
        blocks = max(1, min(BLOCKS, round(among / (WARPS * lanes * rounds * len(self._ends)))))
        order, sizes = list(range(among)), [WARPS] * -(-among // (WARPS * lanes))
        if size is not None:
            weights = [size(genotype) for genotype in genotypes]
            order.sort(key=lambda number: -weights[number])
            sizes = block_sizes([weights[number] for number in order[::lanes]], processors(), waiting=False)
        parts: list[list[Any]] = []
        together: list[int] = []  # pens of each part in a block of threads
        for pens, most in _parts(sizes, blocks * WARPS):
            first = sum(len(part) for part in parts)
            parts.append([genotypes[number] for number in order[first : first + pens * lanes]])
            together.append(most)
        require_device().synchronize()  # nobody of lives that were broken off may be there
        self._room.clear()
        devices: dict[int, OnDevice] = {}
        found: list[list[Any]] = [[] for _ in parts]
        owners: dict[Any, deque[int]] = {end: deque() for end in self._ends}

        def fill(end: Any, number: int) -> Any:
            owners[end].append(number)
            return "fill", number, parts[number], among, terms

        def begin(number: int, packed: Packed) -> None:
            stream = 0 if simulated() else import_cuda().stream()
            devices[number] = OnDevice(packed, stream=stream, room=self._room, together=together[number])
            devices[number].live(max(terms.steps, 1))

        def read(_: Any, number: int) -> Any:
            device = devices.pop(number)
            data, depths = device.numbers()
            return "read", number, device.packed.part(data), depths, judge

        def keep(number: int, judged: list[Any]) -> None:
            found[number] = judged

        everything = deque(range(len(parts)))
        began = perf_counter()
        self._serve(dict.fromkeys(self._ends, everything), fill, begin)
        made = perf_counter()
        for device in devices.values():
            device.wait()
        lived = perf_counter()
        self._serve({end: deque(sorted(own)) for end, own in owners.items()}, read, keep)
        self.spent = {"made_s": made - began, "lived_s": lived - made, "read_s": perf_counter() - lived}
        judged = dict(zip(order, chain.from_iterable(found), strict=True))
        return [judged[number] for number in range(among)]

    def _serve(
        self, tasks: dict[Any, deque[int]], ask: Callable[[Any, int], Any],
        take: Callable[[int, Any], None],
    ) -> None:  # fmt: skip
        """Give every maker one task after the other, and take what comes back."""
        busy: set[Any] = set()

        def give(ends: Iterable[Any]) -> None:
            for end in ends:
                if tasks[end]:
                    _tell(end, ask(end, tasks[end].popleft()))
                    busy.add(end)

        try:
            give(self._ends)
            while busy:
                ready: list[Any] = wait(list(busy))
                for end in ready:
                    number, answer = _heard(end)
                    busy.remove(end)
                    if isinstance(answer, Exception):
                        raise answer
                    give([end])
                    take(number, answer)
        except BaseException:
            self._hear_out(busy)
            raise

    def _hear_out(self, busy: Iterable[Any]) -> None:
        """Take the answers that nobody waits for any more, so that the next lives do not; without makers there are none."""
        try:
            for end in busy:
                end.recv()
        except (EOFError, OSError):
            self.close()


def _parts(sizes: Iterable[int], pens: int) -> Iterator[tuple[int, int]]:
    """Pens of each part, about so many at most, and how many of them share a block: it has blocks of one size."""
    for size, alike in groupby(sizes):
        count, step = len(list(alike)), max(1, pens // size)
        for first in range(0, count, step):
            yield size * min(step, count - first), size


def _tell(end: Any, task: Any) -> None:
    """Give a maker a task."""
    try:
        end.send(task)  # packed whole before the first byte goes
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise UsageError(
            f"`judge` or a genotype cannot be sent to another process: {error}. {PLACED}"
        ) from None


def _heard(end: Any) -> Any:
    """What a maker answers."""
    try:
        return end.recv()
    except EOFError:
        reason = "a maker has ended before its work; is there memory for all of them? Give the nursery fewer makers."
        raise UsageError(reason) from None
