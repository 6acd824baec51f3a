"""Workers: each takes a pen's worth of creatures, lets them live until one life ends, and gives its lane to the next."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from zoophyte.model import State
from zoophyte.model.herd.plans import Terms
from zoophyte.simulation.lifetime.slices import Slices
from zoophyte.simulation.living.colony import MOST_STEPS, Colony, Queue
from zoophyte.simulation.living.driver import Driver
from zoophyte.simulation.living.keeping import Keeper
from zoophyte.simulation.living.life import Life


class Worker:
    """One thread's share of a herd's life.

    Args:
        colony: whose creatures live.
        states: in which they are born.
        terms: what is asked of them.
        lives: where the results go, by number.
        keep_final: whether final states are kept.
        halt: set when all are to stop within a slice of steps; lives are kept as they are then.
        keep: what else lives keep at their samples.
    """

    def __init__(
        self, colony: Colony, states: Sequence[State], terms: Terms, lives: list[Life | None], *, keep_final: bool,
        halt: threading.Event, keep: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.colony, self.states, self.terms = colony, states, terms
        self.lives, self.keep_final = lives, keep_final
        self.keeper = Keeper(keep) if keep else None
        self.halt, self.slices = halt, Slices()

    def work_off(self, queues: Sequence[Queue]) -> None:
        """Until no creature waits."""
        for queue in queues:
            driver = None
            while not self.halt.is_set() and (numbers := queue.take(self.colony.lanes)):
                if driver is None or not self._has_the_size_of(driver, numbers):
                    driver = Driver(
                        self.colony, numbers, self.terms, mixed=queue.mixed, keep_final=self.keep_final, keeper=self.keeper
                    )  # fmt: skip
                self._live(driver, queue, numbers)

    def _has_the_size_of(self, driver: Driver, numbers: list[int]) -> bool:
        """Whether an empty pen suits creatures as well as one made for them."""
        creatures = [self.colony.creatures[number] for number in numbers]
        longest = max(len(creature.body.links) for creature in creatures)
        return len(driver.pen.tokens) <= longest and all(driver.pen.fits(creature) for creature in creatures)

    def _live(self, driver: Driver, queue: Queue, numbers: list[int]) -> None:
        """The lives of these, and of others who take their lanes."""
        if self._move_in(driver, dict(enumerate(numbers))):
            self._find_tenants(driver, queue)
        while driver.tenants:
            steps = MOST_STEPS if self.keeper is None else self.keeper.steps(driver.pen)
            driver.run(steps, self.slices, self.halt.is_set)
            if self.keeper is not None:
                self.keeper.look(driver.pen)
            if self.halt.is_set():
                self._note(driver.bury(list(driver.tenants)))
            elif (
                self._note(driver.bury()) and driver.tenants
            ):  # nobody, where lives stop at samples that are kept
                self._find_tenants(driver, queue)

    def _find_tenants(self, driver: Driver, queue: Queue) -> None:
        """Give free lanes to creatures that wait, and to others those of who is turned away."""
        creatures, pen = self.colony.creatures, driver.pen
        while True:
            found: dict[int, int] = {}
            for lane in range(pen.width):
                if lane not in driver.tenants:
                    number = queue.take_one(lambda number: pen.fits(creatures[number]))
                    if number is None:
                        break
                    found[lane] = number
            if not found or not self._move_in(driver, found):
                return

    def _move_in(self, driver: Driver, found: dict[int, int]) -> bool:
        """Let creatures be born; whether some were turned away."""
        driver.move_in(found, self.states)
        return self._note(driver.turn_away(found, self.states))

    def _note(self, lives: dict[int, Life]) -> bool:
        for number, life in lives.items():
            self.lives[number] = life
        return bool(lives)
