"""The entry points of the physics by name, and compiling those that are missing before they are needed.

A kernel takes half a minute to compile, once for each form.  Whoever knows which forms a job needs asks for all of them at
its beginning: what is missing is announced with its size and compiled in parallel processes (Numba's compiler lock makes
threads useless), and nothing stops to compile in the middle.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from zoophyte.errors import counted
from zoophyte.model.filling import placing
from zoophyte.numbers import Spec, forms
from zoophyte.numbers.cache import package_root
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import begin_touching_step
from zoophyte.physics.dynamics.kinematics import poses
from zoophyte.physics.lives.lives import lives
from zoophyte.physics.notes import note
from zoophyte.physics.step import life

LANES = 8
"""Creatures per register by default; 4 or 16 may be better on a given CPU (`zoophyte bench` measures)."""
SINGLE_LANES = 16
"""Creatures per register in float32, where bodies are alike."""


@dataclass(frozen=True)
class Entry:
    """An entry point of the physics.

    Args:
        function: the kernel.
        arguments: those that it is called with, made of an array of whole numbers, an array of numbers and a spec.
        work: processor time to compile it for one creature, and for several in a register [s]; on a core of a Zen 5.
        title: what users see, where it does not depend on the form.
    """

    function: Any
    arguments: Callable[[Any, Any, Spec], tuple[Any, ...]]
    work: tuple[float, float]
    title: str = ""


KERNELS: dict[str, Entry] = {
    "lives": Entry(lives, lambda ints, x, spec: (ints, x, x, x, x, 1, spec), (32.0, 38.0)),
    "life": Entry(life, lambda ints, x, spec: (ints, x, x, 0, 1, spec), (11.0, 13.0)),
    "note": Entry(note, lambda ints, x, spec: (ints, x, x, x, spec), (3.0, 3.0), "notes of lives"),
    "place": Entry(
        placing.place, lambda ints, x, spec: (ints.astype(np.int64), x, x), (1.5, 1.5), "placing of bodies"
    ),
    "poses": Entry(poses, lambda ints, x, spec: (ints, x, x, spec), (1.0, 1.0), "places of bodies"),
    "begin_touching_step": Entry(
        begin_touching_step, lambda ints, x, spec: (x, spec), (0.5, 0.5), "beginnings of steps"
    ),
}
"""Kernels that are compiled ahead, by name."""


@dataclass(frozen=True)
class Form:
    """A kernel in one form: what the compiler makes one file of.

    Args:
        kernel: name of one of KERNELS.
        width: creatures in a register.
        mixed: whether bodies in a register may be unlike.
        dtype: of the numbers.
    """

    kernel: str
    width: int = 1
    mixed: bool = False
    dtype: str = "float64"

    @property
    def title(self) -> str:
        """What users see."""
        if title := KERNELS[self.kernel].title:
            return title
        touch = self.kernel == "lives"
        if self.width == 1:
            return f"one world{' with contact' if touch else ''}, {self.dtype}"
        who = ("herds of unlike bodies" if self.mixed else "herds of like bodies") if touch else "free worlds"
        return f"{who}, {self.width} per register, {self.dtype}"

    @property
    def work(self) -> float:
        """About how long it takes to compile [s]."""
        return KERNELS[self.kernel].work[self.width > 1]

    def arguments(self) -> tuple[Any, ...]:
        """Arguments of the types that this form is called with; what is in them does not matter to the compiler."""
        spec = Spec(self.width, self.mixed)
        return KERNELS[self.kernel].arguments(np.zeros(1, np.int32), np.zeros(1, self.dtype), spec)

    def is_at_hand(self) -> bool:
        """Whether it is compiled already, by whomever."""
        return compiled(KERNELS[self.kernel].function).is_at_hand(*self.arguments())

    def ready(self) -> Any:
        """The compiled function; compiles it where it is missing."""
        return compiled(KERNELS[self.kernel].function).ready(*self.arguments())


PLACE = Form("place")
"""Every model is compiled with it."""
WORLD = (Form("life"), Form("note"), PLACE)
"""What a World without contact needs."""
TOUCHING_WORLD = (Form("lives"), Form("note"), PLACE)
"""What a World with contact needs."""
ASKING_WORLD = (*TOUCHING_WORLD, Form("poses"), Form("begin_touching_step"))
"""What a World with contact needs whose controller is asked in every step."""
DEFAULT_FORMS: tuple[Form, ...] = (
    Form("lives", LANES, mixed=True), Form("lives", LANES), Form("lives"), Form("life", LANES), Form("life"),
    Form("note"), PLACE, Form("poses"), Form("begin_touching_step"),
)  # fmt: skip
"""What `zoophyte warmup` compiles."""
SINGLE_FORMS: tuple[Form, ...] = (
    Form("lives", LANES, mixed=True, dtype="float32"), Form("lives", LANES, dtype="float32"),
    Form("lives", SINGLE_LANES, dtype="float32"),
)  # fmt: skip
"""What herds, worlds and runs in float32 need besides."""


_at_hand: set[Form] = set()
"""Forms that this process need not look for again."""
_compiling = threading.Lock()


def compile_ahead(wanted: Iterable[Form], report: Callable[[str], None] | None = None) -> None:
    """Compile what is missing of some forms; they land in the cache that this and every later process reads.

    Args:
        wanted: the forms that a job will call.
        report: told what is missing and how far it is; where "compiling …" goes if left out.
    """
    asked = set(wanted)
    if asked <= _at_hand:
        return
    with _compiling:  # threads that begin together must not all compile the same
        missing = sorted(
            (form for form in asked if not form.is_at_hand()), key=lambda form: (-form.work, form.title)
        )
        if missing:
            _compile(missing, len(asked), report or forms.announce)
        _at_hand.update(asked)


def _compile(missing: Sequence[Form], asked: int, tell: Callable[[str], None]) -> None:
    """Announce what is missing, and compile it."""
    hands = min(len(missing), _processors())
    tell(
        f"zoophyte: compiling {len(missing)} of {counted(asked, 'kernel')}, first run only, "
        f"about {_estimate(missing, hands):.0f} s: {'; '.join(form.title for form in missing)}"
    )
    if hands == 1 or not sys.executable:
        for form in missing:
            form.ready()
        return
    _compile_in_processes(missing, hands, tell)


def _compile_in_processes(missing: Sequence[Form], hands: int, tell: Callable[[str], None]) -> None:
    """As many at a time as there are processors; a form whose process fails is compiled when it is called."""
    left, start, children = list(missing), time.monotonic(), list[subprocess.Popen[bytes]]()

    def work(form: Form) -> Form:
        child = _child(form)
        children.append(child)
        child.wait()
        return form

    pool = ThreadPoolExecutor(hands)
    try:
        for done in as_completed([pool.submit(work, form) for form in missing]):
            left.remove(done.result())
            if left:
                begun = time.monotonic() - start
                slowness = begun / _estimate([form for form in missing if form not in left], hands)
                ahead = max(1.0, slowness * _estimate(missing, hands) - begun)
                tell(f"zoophyte: compiled {done.result().title}; {len(left)} left, about {ahead:.0f} s")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            if child.poll() is None:  # Ctrl-C: nobody waits for it
                child.kill()


def _child(form: Form) -> subprocess.Popen[bytes]:
    """A process that compiles one form.

    A program of its own: the processes of `multiprocessing` would run a user's script once more.  With -P, nothing that lies
    in the folder where the user stands is imported.
    """
    paths = [str(package_root().parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "zoophyte.physics.entries", json.dumps(asdict(form))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _processors() -> int:
    with suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _estimate(left: Sequence[Form], hands: int) -> float:
    """How long some forms take, the longest first [s]."""
    ends = [0.0] * hands
    for form in left:
        ends.sort()
        ends[0] += form.work
    return max(ends)


def _end_with(parent: int) -> None:
    """End when the process that asked is gone: nobody waits for what is compiled."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    Form(**json.loads(sys.argv[1])).ready()
