"""What is compiled ahead is what lives ask for later; it is announced with its size, and compiled in processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import zoophyte as zp
from zoophyte.model import Block, ContactSettings
from zoophyte.model.herd.plans import Terms
from zoophyte.physics import entries
from zoophyte.physics.entries import ASKING_WORLD, DEFAULT_FORMS, LANES, SINGLE_FORMS, WORLD, Form

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")


def types_of(arguments: tuple[Any, ...]) -> list[str]:
    return [str(numba.typeof(argument)) for argument in arguments]


def test_worlds_and_herds_are_compiled_beforehand() -> None:
    herds = {Form("lives", LANES, mixed) for mixed in (False, True)}
    assert set(DEFAULT_FORMS) == {*WORLD, *ASKING_WORLD, *herds, Form("life", LANES)}


@pytest.mark.parametrize("width", [1, LANES])
def test_the_types_are_those_of_a_block(width: int) -> None:
    """Law: a kernel is cached by the types of its arguments. Oracle: blocks as worlds make them."""
    block = Block([zp.compile(zp.zoo.ant())] * width, contact=ContactSettings())
    arrays = (block.ints, block.data, block.scratch)
    assert types_of(Form("life", width).arguments()) == types_of((*arrays, 0, 1, block.spec))
    touching = (*arrays, block.terrain, block.orders, 1, block.spec)
    assert types_of(Form("lives", width).arguments()) == types_of(touching)
    assert types_of(Form("poses", width).arguments()) == types_of((*arrays, block.spec))
    assert types_of(Form("begin_touching_step", width).arguments()) == types_of((block.data, block.spec))
    noted = (*arrays, np.zeros(1), block.spec)
    assert types_of(Form("note", width).arguments()) == types_of(noted)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_types_are_those_of_a_pen(mixed: bool, dtype: str) -> None:
    """Law: a kernel is cached by the types of its arguments. Oracle: pens as herds make them."""
    pen = zp.Herd([zp.zoo.ant()], dtype=dtype, width=LANES).pen([0], Terms(steps=1), mixed=mixed)
    asked = (pen.ints, pen.data, pen.scratch, pen.terrain, pen.orders, 1, pen.spec)
    assert types_of(Form("lives", LANES, mixed, dtype).arguments()) == types_of(asked)


@pytest.mark.parametrize("form", DEFAULT_FORMS, ids=lambda form: form.title)
def test_a_form_is_compiled_once(form: Form) -> None:
    entries.compile_ahead([form])
    assert form.is_at_hand()
    assert form.ready().signatures


def test_titles_tell_forms_apart() -> None:
    forms = {*DEFAULT_FORMS, *SINGLE_FORMS}
    assert len({form.title for form in forms}) == len(forms)


class Missing(Form):
    """A form that is not compiled, of which a process makes something else."""

    def is_at_hand(self) -> bool:
        return False


@pytest.fixture
def sleepers(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Instead of compilers, processes that end at once; or, for scalar code, never."""
    born: list[subprocess.Popen[bytes]] = []

    def child(form: Form) -> subprocess.Popen[bytes]:
        program = "import time; time.sleep(1000)" if form.width == 1 else ""
        born.append(subprocess.Popen([sys.executable, "-c", program]))
        return born[-1]

    monkeypatch.setattr(entries, "_child", child)
    monkeypatch.setattr(entries, "_processors", lambda: 2)
    monkeypatch.setattr(entries, "_at_hand", set())
    return born


def test_compilation_is_announced_with_its_size(sleepers: list[subprocess.Popen[bytes]]) -> None:
    """Fault: kernels were announced one by one, without a time, some of them in the middle of a run."""
    told: list[str] = []
    entries.compile_ahead([Missing("lives", 8), Missing("lives", 8, True), Form("place")], told.append)
    assert told[0].startswith("zoophyte: compiling 2 of 3 kernels, first run only, about 38 s: herds of ")
    assert "1 left, about " in told[1]
    assert len(told) == len(sleepers) == 2
    entries.compile_ahead([Missing("lives", 8), Form("place")], told.append)
    assert len(told) == 2  # what was asked for before is not looked for again


def test_who_interrupts_leaves_no_compiler_behind(sleepers: list[subprocess.Popen[bytes]]) -> None:
    """Law: Ctrl-C ends the wait, and the processes that were waited for."""

    def interrupted(line: str) -> None:
        if "left" in line:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        entries.compile_ahead([Missing("lives"), Missing("lives", 8)], interrupted)
    deadline = time.monotonic() + 60.0
    while any(child.poll() is None for child in sleepers):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_nothing_in_the_users_folder_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: compilers began in the folder where the user stood, and imported a stranger's numpy.py from there."""
    (tmp_path / "numpy.py").write_text("open('PWNED', 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert entries._child(Form("place")).wait() == 0
    assert not (tmp_path / "PWNED").exists()


def test_a_process_that_fails_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law: compiling ahead only saves time; what it does not leave is compiled when it is called."""
    monkeypatch.setattr(entries, "_child", lambda form: subprocess.Popen([sys.executable, "-c", "exit(1)"]))
    monkeypatch.setattr(entries, "_processors", lambda: 2)
    monkeypatch.setattr(entries, "_at_hand", set())
    entries.compile_ahead([Missing("lives", 8), Missing("lives")], lambda line: None)
