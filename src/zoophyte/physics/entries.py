"""The entry points of the physics by name, and compiling those that are missing before they are needed.

An entry and the units that the entry calls take up to half a minute to compile, once for each form.  Whoever knows which
forms a job needs asks for all of them at its beginning: what is missing is announced with its size and compiled in parallel
processes (Numba's compiler lock makes threads useless), and nothing stops to compile in the middle.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from zoophyte.errors import counted
from zoophyte.model.filling import placing
from zoophyte.model.layout import CONTACT
from zoophyte.numbers import Spec
from zoophyte.numbers import forms as forms_module
from zoophyte.numbers.cache import package_root
from zoophyte.numbers.forms import Kernel, compiled, compiled_unit, interpreting, needed_units
from zoophyte.numbers.units import UNITS
from zoophyte.physics.contact.touch import look, push_apart
from zoophyte.physics.dynamics.kinematics import poses
from zoophyte.physics.lives.lives import live
from zoophyte.physics.notes import note
from zoophyte.physics.step import evaluate, evaluate_and_integrate, set_evaluation_point

LANES = 8
"""Creatures per register by default; 4 or 16 may be better on a given CPU (`zoophyte bench` measures)."""
SINGLE_LANES = 16
"""Creatures per register in float32, where bodies are alike."""
Arguments = Callable[[Any, Any, Spec], tuple[Any, ...]]
"""Arguments of an entry, made of an array of whole numbers, an array of numbers and a spec."""
OF_BLOCK: dict[str, tuple[Any, Arguments]] = {
    "live": (live, lambda ints, x, spec: (ints, x, x, x, x, 1, spec)),
    "look": (look, lambda ints, x, spec: (ints, x, x, x, spec)),
    "push_apart": (push_apart, lambda ints, x, spec: (ints, x, x, x, spec)),
    "set_evaluation_point": (set_evaluation_point, lambda ints, x, spec: (ints, x, x, 0, spec)),
    "evaluate_and_integrate": (evaluate_and_integrate, lambda ints, x, spec: (ints, x, x, x, 0, spec)),
    "evaluate": (evaluate, lambda ints, x, spec: (ints, x, x, spec)),
    "note": (note, lambda ints, x, spec: (ints, x, x, x, spec)),
    "poses": (poses, lambda ints, x, spec: (ints, x, x, spec)),
    "place": (placing.place, lambda ints, x, spec: (ints.astype(np.int64), x, x)),
}
"""Entries by name: the function, and what the function is called with."""
WORK: dict[str, float] = {
    "live": 2.0, "note": 3.0, "note_step": 3.0, "place": 1.5, "forces": 2.0, "forward_dynamics": 3.4, "refine": 3.0,
    "look_around": 6.0, "meet_edges": 6.0, "meet_others": 6.0, "solve": 9.0, "correct": 7.0, "observe": 4.0, "tick": 3.0,
}  # fmt: skip
"""Processor time to compile an entry or a unit, about [s]; on a core of a Zen 5.  What is not named takes a second."""
WITH_CONTACT = (
    "forces", "forward_dynamics", "refine", "begin_contacts", "look_around", "meet_others", "find_impulses", "solve",
    "go_on", "correct", "slot_rows",
)  # fmt: skip
"""Units that bodies with contact need as a rule: on a plane, with parts that may meet."""
IN_HERDS = (*WITH_CONTACT, "observe", "tick", "flow", "begin_late", "add_work")
"""Units that lives in herds need as a rule."""


@dataclass(frozen=True)
class Form:
    """An entry, or a unit, in one form: what the compiler makes one file of.

    Args:
        kernel: name of an entry or of a unit.
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
        """What users see: for whom the form is."""
        if self.kernel == "place":
            return "placing of bodies"
        if self.width == 1:
            return f"one world, {self.dtype}"
        who = "herds of unlike bodies" if self.mixed else "herds of like bodies"
        return f"{who}, {self.width} per register, {self.dtype}"

    @property
    def work(self) -> float:
        """About how long the form takes to compile [s]."""
        return WORK.get(self.kernel, 1.0)

    def code(self) -> tuple[Kernel, tuple[Any, ...]]:
        """The kernel, and the types of its arguments; none where all runs in the interpreter."""
        if interpreting():
            return compiled(OF_BLOCK[self.kernel][0]), ()
        from numba import typeof
        from numba.np.numpy_support import from_dtype

        spec = Spec(self.width, self.mixed)
        if self.kernel in OF_BLOCK:
            function, arguments = OF_BLOCK[self.kernel]
            given = arguments(np.zeros(1, np.int32), np.zeros(1, self.dtype), spec)
            return compiled(function), tuple(map(typeof, given))
        from zoophyte.numbers.lanes.calls import argument_types

        unit = next(unit for unit in UNITS.values() if unit.function.__name__ == self.kernel)
        return compiled_unit(unit), argument_types(unit, from_dtype(np.dtype(self.dtype)), typeof(spec))

    def is_at_hand(self) -> bool:
        """Whether the form is compiled already, by whomever."""
        if interpreting():
            return True
        code, types = self.code()
        return code.has(types)

    def compile(self) -> None:
        """Compile the form where it is missing."""
        if not interpreting():
            code, types = self.code()
            code.prepare(types)


def forms(
    names: Iterable[str], width: int = 1, mixed: bool = False, dtype: str = "float64"
) -> tuple[Form, ...]:
    """Several entries and units in one form."""
    return tuple(Form(name, width, mixed, dtype) for name in names)


def forms_of(block: Any, *entries: str) -> tuple[Form, ...]:
    """What some entries need of compiled code to run on a block.

    Args:
        block: a block or a pen.
        entries: by name; those for contact are passed over where nothing touches.
    """
    if block.ints[CONTACT] == 0:
        entries = tuple(entry for entry in entries if entry not in ("look", "push_apart"))
    spec, names = block.spec, dict.fromkeys(entries)
    for entry in entries:
        for place, unit in needed_units(OF_BLOCK[entry][0], block.ints):
            if place == unit.place:  # laws of users are compiled where they are called
                names[unit.function.__name__] = None
    return forms(names, spec.width, spec.mixed, block.data.dtype.name)


PLACE = Form("place")
"""Every model is compiled with it."""
WORLD = (PLACE, *forms(("live", "note", "forces", "forward_dynamics", "start_evaluation", "advance")))
"""What a World without contact needs."""
TOUCHING_WORLD = (PLACE, *forms(("live", "look", "note", "note_step", *WITH_CONTACT)))
"""What a World with contact needs."""
ASKING_WORLD = (*TOUCHING_WORLD, *forms(("poses", "set_evaluation_point")))
"""What a World with contact needs whose controller is asked in every step."""


def herd_forms(width: int, *, mixed: bool, dtype: str = "float64") -> tuple[Form, ...]:
    """What lives in a herd need as a rule."""
    return forms(("live", "look", *IN_HERDS), width, mixed, dtype)


DEFAULT_FORMS: tuple[Form, ...] = (
    *herd_forms(LANES, mixed=True), *herd_forms(LANES, mixed=False), *WORLD, *ASKING_WORLD,
)  # fmt: skip
"""What `zoophyte warmup` compiles."""
SINGLE_FORMS: tuple[Form, ...] = (
    *herd_forms(LANES, mixed=True, dtype="float32"), *herd_forms(LANES, mixed=False, dtype="float32"),
    *herd_forms(SINGLE_LANES, mixed=False, dtype="float32"),
)  # fmt: skip
"""What herds, worlds and runs in float32 need besides."""


WORTH_A_PROCESS = 4.0
"""Work from which processes pay, each of which needs a second to begin [s]."""
WAIT = 0.2
"""The longest wait for compilers in one piece [s]."""
TELL_EVERY = 5.0
"""From one word of how far it is to the next, at least [s]."""
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
            (form for form in asked if not form.is_at_hand()),
            key=lambda form: (-form.work, form.title, form.kernel),
        )
        if missing:
            _compile(missing, len(asked), report or forms_module.announce)
        _at_hand.update(asked)


def _compile(missing: Sequence[Form], asked: int, tell: Callable[[str], None]) -> None:
    """Announce what is missing, and compile it."""
    hands = min(len(missing), _processors())
    titles = "; ".join(dict.fromkeys(form.title for form in missing))
    tell(
        f"zoophyte: compiling {len(missing)} of {counted(asked, 'kernel')}, first run only, "
        f"about {_estimate(missing, hands):.0f} s: {titles}"
    )
    if hands == 1 or not sys.executable or sum(form.work for form in missing) < WORTH_A_PROCESS:
        for form in missing:
            form.compile()
        return
    _compile_in_processes(missing, hands, tell)


def _compile_in_processes(missing: Sequence[Form], hands: int, tell: Callable[[str], None]) -> None:
    """As many processes as there are processors take form after form; what a process fails at is compiled when called."""
    left, start, children = list(missing), time.monotonic(), [_child() for _ in range(hands)]
    waiting, told = iter(missing), start

    def work(child: subprocess.Popen[str]) -> None:
        nonlocal told
        assert child.stdin is not None and child.stdout is not None
        with suppress(BrokenPipeError):
            while (form := next(waiting, None)) is not None:
                child.stdin.write(json.dumps(asdict(form)) + "\n")
                child.stdin.flush()
                if not child.stdout.readline():
                    return
                left.remove(form)
                now = time.monotonic()
                if left and now - told > TELL_EVERY:
                    told, done = now, _estimate([form for form in missing if form not in left], hands)
                    ahead = max(1.0, (now - start) / done * _estimate(missing, hands) - (now - start))
                    tell(
                        f"zoophyte: {len(left)} of {counted(len(missing), 'kernel')} left, about {ahead:.0f} s"
                    )
            child.stdin.close()

    pool = ThreadPoolExecutor(hands)
    try:
        left_to_wait = {pool.submit(work, child) for child in children}
        while left_to_wait:  # in short waits: an interrupt that reaches another thread is heard between two
            done, left_to_wait = wait(left_to_wait, timeout=WAIT, return_when=FIRST_COMPLETED)
            for one in done:
                one.result()
    finally:
        for child in children:
            if child.poll() is None and left:  # Ctrl-C: nobody waits for it
                child.kill()
        pool.shutdown(cancel_futures=True)
        for child in children:
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()
            child.wait()


def _child() -> subprocess.Popen[str]:
    """A process that compiles the forms whose names come in, and answers when each is done.

    A program of its own: the processes of `multiprocessing` would run a user's script once more.  With -P, nothing that lies
    in the folder where the user stands is imported.
    """
    paths = [str(package_root().parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "zoophyte.physics.entries"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
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


def _serve() -> None:
    """Compile what the lines that come in name; each process of :func:`compile_ahead` does."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    for line in sys.stdin:
        Form(**json.loads(line)).compile()
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
