"""Laws: functions of force and of response that a body has beside joints, actuators and the production solver.

A law is one function and its numbers.  The function is a kernel function in the dialect of the physics, compiled by itself
and called by its address; the numbers lie in `data`, so lanes may differ in them.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.numbers.fingerprints import fingerprint
from zoophyte.numbers.primitives import LAW_FIRST, LAW_NUMBER, LAW_ROW
from zoophyte.numbers.units import NO_LAW, law_number

OF_FORCE = ("ints", "data", "scratch", "first", "spec")
OF_RESPONSE = ("ints", "data", "scratch", "slots", "first", "spec")
"""Arguments of laws."""


@dataclass(frozen=True)
class Law:
    """A law of force or of response.

    Args:
        function: of a law of force: (ints, data, scratch, first, spec), which adds to FORCE of links (at their origins, in
            their axes) or to TAU of degrees of freedom, once for every evaluation of forces.  Of a law of response: (ints,
            data, scratch, slots, first, spec), which adds to the velocities what contacts and limits make of them, in place
            of the production solver.
        numbers: its parameters, which begin at `first` in `data`.
        adds_force: whether the law adds to FORCE.
    """

    function: Any
    numbers: tuple[float, ...] = ()
    adds_force: bool = True


class LawTables:
    """The section of laws of a block.

    Args:
        data_start: where the numbers start in `data`, in numbers of one creature.
        width: creatures side by side.
        laws: of force.
        response: in place of the production solver.
        known: laws of the library, each as its number and where its parameters start.
    """

    def __init__(
        self, data_start: int, width: int, laws: Sequence[Law] = (), response: Law | None = None,
        known: Sequence[tuple[int, int]] = (),
    ) -> None:  # fmt: skip
        for law, arguments in [(law, OF_FORCE) for law in laws] + (
            [(response, OF_RESPONSE)] if response else []
        ):
            given = tuple(inspect.signature(law.function).parameters)
            if given != arguments:
                raise UsageError(
                    f"the law {law.function.__name__} takes ({', '.join(given)}), must take ({', '.join(arguments)}) as a "
                    f"law of {'force' if arguments == OF_FORCE else 'response'}."
                )
        self._laws = [law for law in (response, *laws) if law is not None]
        self._start = data_start
        rows = [] if response is not None else [self._row(NO_LAW, 0)]
        for law in self._laws:
            rows.append(self._row(law_number(law.function), data_start * width))
            data_start += len(law.numbers)
        rows += [self._row(*row) for row in known]
        self.ints = (
            np.array([len(rows), *np.ravel(rows)], np.int32)
            if len(rows) > 1 or response
            else np.zeros(0, np.int32)
        )
        self.data_size = data_start - self._start
        self.adds_forces = bool(known) or any(law.adds_force for law in laws)

    @property
    def identity(self) -> str:
        """What tells these laws from others, in every process."""
        return repr([(fingerprint(law.function), law.numbers) for law in self._laws])

    @staticmethod
    def _row(number: int, first: int) -> list[int]:
        row = [0] * LAW_ROW
        row[LAW_NUMBER], row[LAW_FIRST] = number, first
        return row

    def fill(self, fields: Any) -> None:
        """Write the numbers of all laws into all lanes, or into one."""
        numbers = np.array([x for law in self._laws for x in law.numbers], float)
        fields[self._start : self._start + self.data_size] = numbers.reshape(-1, *[1] * (fields.ndim - 1))
