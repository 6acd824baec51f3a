"""The generation loop, on one screen: breed, judge, select, store."""

from __future__ import annotations

from collections import deque

from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.run.work import Judging, Work


def run_generations(work: Work) -> None:
    """*** The main loop *** of evolution: from where the run stands to its last generation."""
    judged: deque[Judging] = deque()
    for generation in range(work.done, work.generations):
        while judged and judged[0].generation <= work.source(generation):
            _finish(work, judged.popleft())  # whose survivors this generation is bred from
        births = work.births(generation)  # choose parents, recombine, mutate; each when a worker wants it
        judged.append(work.begin(generation, births))  # live, on however many workers
    while judged:
        _finish(work, judged.popleft())


def _finish(work: Work, judging: Judging) -> None:
    """Judge the rest of a generation, select, store."""
    for chunk in judging.chunks:
        work.keep(judging, chunk)
        work.interruption.heed()
    offspring = work.offspring(judging)
    moment = work.moment(judging.generation, judging.generation - 1)
    rng = generator(work.seed, judging.generation, 0, Purpose.SELECTION)
    outcome = work.scheme.select(moment, offspring, rng)
    work.end(judging, offspring, outcome)
    work.interruption.heed()
