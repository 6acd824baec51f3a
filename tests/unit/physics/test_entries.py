"""What is compiled ahead is what lives ask for later; it is announced with its size, and compiled in processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

import zoophyte as zp
from zoophyte.model import Block, ContactSettings
from zoophyte.model.herd.plans import Terms
from zoophyte.physics import entries
from zoophyte.physics.entries import (
    ASKING_WORLD,
    DEFAULT_FORMS,
    LANES,
    SINGLE_FORMS,
    TOUCHING_WORLD,
    WORLD,
    Form,
)

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")


def types_of(arguments: tuple[Any, ...]) -> list[str]:
    return [str(numba.typeof(argument)) for argument in arguments]


def test_worlds_and_herds_are_compiled_beforehand() -> None:
    herds = [form for mixed in (False, True) for form in entries.herd_forms(LANES, mixed=mixed)]
    assert set(DEFAULT_FORMS) == {*WORLD, *ASKING_WORLD, *herds}


def types_of_form(form: Form) -> list[str]:
    return [str(kind) for kind in form.code()[1]]


@pytest.mark.parametrize("width", [1, LANES])
def test_the_types_are_those_of_a_block(width: int) -> None:
    """Law: a kernel is cached by the types of its arguments. Oracle: blocks as worlds make them."""
    block = Block([zp.compile(zp.zoo.ant())] * width, contact=ContactSettings())
    arrays = (block.ints, block.data, block.scratch)
    assert types_of_form(Form("live", width)) == types_of(
        (*arrays, block.terrain, block.orders, 1, block.spec)
    )
    assert types_of_form(Form("look", width)) == types_of((*arrays, block.terrain, block.spec))
    assert types_of_form(Form("poses", width)) == types_of((*arrays, block.spec))
    assert types_of_form(Form("set_evaluation_point", width)) == types_of((*arrays, 0, block.spec))
    sums = (*arrays, np.zeros(1), block.spec)
    assert types_of_form(Form("note", width)) == types_of(sums)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_types_are_those_of_a_pen(mixed: bool, dtype: str) -> None:
    """Law: a kernel is cached by the types of its arguments. Oracle: pens as herds make them."""
    pen = zp.Herd([zp.zoo.ant()], dtype=dtype, width=LANES).pen([0], Terms(steps=1), mixed=mixed)
    asked = (pen.ints, pen.data, pen.scratch, pen.terrain, pen.orders, 1, pen.spec)
    assert types_of_form(Form("live", LANES, mixed, dtype)) == types_of(asked)


@pytest.mark.parametrize("form", WORLD, ids=lambda form: form.kernel)
def test_a_form_is_compiled_once(form: Form) -> None:
    entries.compile_ahead([form])
    assert form.is_at_hand()


def test_what_a_world_will_call_is_compiled_ahead() -> None:
    """Law: nothing stops to compile in the middle. Oracle: the units whose addresses a world's block asks for."""
    block = Block([zp.compile(zp.zoo.ant())], contact=ContactSettings())
    assert set(entries.forms_of(block, "live", "look", "note")) <= set(TOUCHING_WORLD)
    free = Block([zp.compile(zp.zoo.pendulum())])
    assert set(entries.forms_of(free, "live", "note")) <= set(WORLD)


def test_what_a_body_does_not_use_is_not_asked_for() -> None:
    """Law: what a body does not use costs nothing. Oracle: names of units for contact, terrain and sleep."""
    free = {form.kernel for form in entries.forms_of(Block([zp.compile(zp.zoo.pendulum())]), "live")}
    assert free == {"live", "forces", "forward_dynamics", "advance"}
    block = Block([zp.compile(zp.zoo.ant())], contact=ContactSettings())
    solved = {form.kernel for form in entries.forms_of(block, "live")}
    assert not solved & {
        "meet_edges",
        "meet_holds",
        "bounce",
        "fall_asleep",
        "observe",
        "advance",
        "start_evaluation",
    }


def test_titles_tell_forms_apart() -> None:
    forms = {*DEFAULT_FORMS, *SINGLE_FORMS}
    assert len({form.title for form in forms}) == len(
        {(f.width, f.mixed, f.dtype, f.kernel == "place") for f in forms}
    )


class Missing(Form):
    """A form that is not compiled, of which a process makes something else."""

    def is_at_hand(self) -> bool:
        return False


ANSWERING = "import sys\nfor line in sys.stdin: print('done', flush=True)"


@pytest.fixture
def sleepers(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
    """Instead of compilers, a process that answers at once, and one that never does."""
    born: list[subprocess.Popen[str]] = []

    def child() -> subprocess.Popen[str]:
        program = "import time; time.sleep(1000)" if born else ANSWERING
        born.append(subprocess.Popen([sys.executable, "-c", program], stdin=PIPE, stdout=PIPE, text=True))
        return born[-1]

    monkeypatch.setattr(entries, "_child", child)
    monkeypatch.setattr(entries, "_processors", lambda: 2)
    monkeypatch.setattr(entries, "_at_hand", set())
    monkeypatch.setattr(entries, "TELL_EVERY", 0.0)
    return born


def test_compilation_is_announced_with_its_size(sleepers: list[subprocess.Popen[str]]) -> None:
    """Fault: kernels were announced one by one, without a time, some of them in the middle of a run."""
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        if "left" in line:
            sleepers[1].kill()  # who never answers: what it was asked for is compiled when it is called

    entries.compile_ahead([Missing("live", 8), Missing("live", 8, True), Form("place")], tell)
    assert told[0].startswith("zoophyte: compiling 2 of 3 kernels, first run only, about ")
    assert "herds of like bodies" in told[0] and "herds of unlike bodies" in told[0]
    assert "1 of 2 kernels left, about " in told[1]
    entries.compile_ahead([Missing("live", 8), Form("place")], told.append)
    assert len(told) == 2  # what was asked for before is not looked for again


def test_who_interrupts_leaves_no_compiler_behind(sleepers: list[subprocess.Popen[str]]) -> None:
    """Law: Ctrl-C ends the wait, and the processes that were waited for."""

    def interrupted(line: str) -> None:
        if "left" in line:
            os.kill(os.getpid(), signal.SIGINT)  # as a terminal does: the thread that waits is woken

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            entries.compile_ahead([Missing("live"), Missing("live", 8)], interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
    deadline = time.monotonic() + 60.0
    while any(child.poll() is None for child in sleepers):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_nothing_in_the_users_folder_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: compilers began in the folder where the user stood, and imported a stranger's numpy.py from there."""
    (tmp_path / "numpy.py").write_text("open('PWNED', 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    child = entries._child()
    child.communicate(json.dumps(asdict(Form("place"))) + "\n")
    assert child.wait() == 0
    assert not (tmp_path / "PWNED").exists()


def test_a_process_that_fails_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: compiling ahead only saves time; what it does not leave is compiled when it is called."""
    failing = [sys.executable, "-c", "exit(1)"]
    monkeypatch.setattr(
        entries, "_child", lambda: subprocess.Popen(failing, stdin=PIPE, stdout=PIPE, text=True)
    )
    monkeypatch.setattr(entries, "_processors", lambda: 2)
    monkeypatch.setattr(entries, "_at_hand", set())
    entries.compile_ahead([Missing("live", 8), Missing("live")], lambda line: None)
