"""Runs: the store, the generation loop, and what is left of it (9)."""

from zoophyte.evolution.run.evolving import evolve
from zoophyte.evolution.run.run import Kept, Run
from zoophyte.evolution.run.work import Progress

__all__ = ["Kept", "Progress", "Run", "evolve"]
