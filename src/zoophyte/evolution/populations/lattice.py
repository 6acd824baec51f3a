"""Lattice: one creature per cell of a torus; who is good spreads from neighbour to neighbour (ARN-65)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.evolution.populations.schemes import (
    Moment,
    Outcome,
    Plan,
    at,
    bred,
    checked_count,
    checked_population,
)
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.selection import tournament_weights


class Lattice:
    """Diffusion: a cell's child has its parents in the cell and its eight neighbours, and takes the cell if it is as good.

    Args:
        population: how many cells.
        rows: of the torus; the whole number below the square root that divides the population, if left out.
        size: of the tournaments by which parents are found.
    """

    name = "lattice"
    delay = 0
    keeps = True

    def __init__(self, population: int, *, rows: int | None = None, size: int = 2) -> None:
        self.population = checked_population(population)
        square = next(n for n in range(math.isqrt(population), 0, -1) if population % n == 0)
        self.rows = square if rows is None else checked_count("rows", rows)
        if population % self.rows:
            raise UsageError(f"rows is {rows!r}, must divide the population, {population}.")
        self.columns, self.size = population // self.rows, checked_count("size", size)

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is."""
        return {"rows": self.rows, "size": self.size}

    def births(self, generation: int) -> int:
        """One in every cell."""
        return self.population

    def place(self, index: int) -> int:
        """The cell."""
        return index

    def neighbours(self, cell: int) -> list[int]:
        """The cell itself and those around it, each once, also where the torus is narrow."""
        row, column = divmod(cell, self.columns)
        around = [
            ((row + down) % self.rows) * self.columns + (column + right) % self.columns
            for down in (0, -1, 1)
            for right in (0, -1, 1)
        ]
        return list(dict.fromkeys(around))

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """Parents from the neighbourhood."""
        by_cell = {one.place: one for one in moment.members}
        near = [by_cell[cell] for cell in self.neighbours(index) if cell in by_cell]
        return bred(moment, near, tournament_weights([one.fitness for one in near], self.size), rng, index)

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """In every cell the better of child and holder; of equals the child, so that the population can drift."""
        cells = {one.place: one for one in moment.members}
        for child in offspring:
            holder = cells.get(child.place)
            if holder is None or child.fitness >= holder.fitness:
                cells[child.place] = child
        return Outcome([at(cells[cell], cell) for cell in sorted(cells)])
