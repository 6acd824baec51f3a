"""A task of your own: who stands tall, and who sprints on Mars?

Run it with ``python 06_your_own_task.py [FOLDER]``; the replay page goes to FOLDER, or to a new temporary one.
A function of a life is enough. For another world or other trials, derive from a task and change what differs.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import zoophyte as zp
from zoophyte.evolution.tasks import Walk


def tall(life):
    """Mean height of the centre of mass in the second half of a life [m]."""
    return float(life.com[len(life.com) // 2 :, 2].mean())


@dataclass(frozen=True)
class Sprint(Walk):
    """Walk, on another planet, where what counts is speed and not distance."""

    name: ClassVar[str] = "sprint"
    seconds: float = 4.0
    settle: float = 1.0
    gravity: float = 3.7

    def measure(self, grown, trial, life):
        """Mean speed over the ground [m/s]."""
        return super().measure(grown, trial, life) / (self.seconds - self.settle)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="zoophyte_"))
    few = {"population": 4, "generations": 3, "seed": 1}

    run = zp.evolve(tall, task_settings={"seconds": 3.0}, **few)
    print(f"tall: {run.history()[0].best:.3f} m, then {run.best().fitness:.3f} m")

    # As a file it works from the command line, too: zoophyte evolve 06_your_own_task.py:Sprint --set gravity=1.6
    run = zp.evolve(Sprint(), store=folder / "sprint.db", **few)
    print(f"sprint: {run.history()[0].best:.2f} m/s, then {run.best().fitness:.2f} m/s")
    run.relive(run.best()).export(folder / "sprint.html")
    print(f"see {folder}")

    # The check: nothing was lost from the first generation to the last, on Mars.
    assert run.best().fitness >= run.history()[0].best > 0.0
    assert run.trials(run.best())[0].habitat.gravity[2] == -3.7
