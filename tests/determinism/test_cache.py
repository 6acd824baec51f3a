"""The kernel cache cannot lie: an edit in a leaf function is seen, and nothing is compiled twice."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte
from processes import run_python
from zoophyte.numbers.forms import Kernel

PROGRAM = """
import zoophyte as zp
body = zp.description.Body(
    name="arm",
    joint=zp.description.Joint(kind="hinge", initial=0.5),
    mass=zp.description.MassProperties(mass=1.0, inertia=(1.0, 1.0, 1.0)),
)
model = zp.compile(zp.Description(name="arm", bodies=[body]))
R, _ = zp.body_poses(model, zp.State.neutral(model))
print(f"{R[1, 0, 0]:.9f}")
"""

TURNED, UNTURNED = "0.877582562", "1.000000000"  # cos 0.5; cos 0

EDIT = '''

def turn_about_z(E: Mat3, sine: Number, cosine: Number) -> Mat3:
    """Forgets to turn."""
    return E
'''


class Copy:
    """The package in a folder of its own, with a cache of its own or of another copy."""

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self.sources, self.cache = folder / "sources", cache or folder / "cache"
        package = Path(zoophyte.__file__).parent
        shutil.copytree(package, self.sources / "zoophyte", ignore=shutil.ignore_patterns("__pycache__"))

    def run(self) -> tuple[str, bool]:
        """What the program printed, and whether it said that it compiles."""
        environment = {**os.environ, "PYTHONPATH": str(self.sources), "ZOOPHYTE_CACHE_DIR": str(self.cache)}
        out, err = run_python(PROGRAM, environment, "-B")
        return out, "compiling" in err


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_an_edit_in_a_leaf_function_is_seen(copy: Copy) -> None:
    """Law: results come from the sources as they are. Oracle: what a hinge that forgets to turn must give."""
    leaf = copy.sources / "zoophyte" / "algebra" / "rotations.py"
    original = leaf.read_text(encoding="utf-8")
    assert copy.run() == (TURNED, True)
    assert copy.run() == (TURNED, False)
    leaf.write_text(original + EDIT, encoding="utf-8")
    assert copy.run() == (UNTURNED, True)
    assert copy.run() == (UNTURNED, False)
    leaf.write_text(original, encoding="utf-8")
    assert copy.run() == (TURNED, False)


def test_an_edit_of_a_constant_is_seen_through_a_record(copy: Copy) -> None:
    """Law: where the fields of a record lie counts. Oracle: the compiler announces what reads the record."""
    layout = copy.sources / "zoophyte" / "model" / "layout.py"
    copy.run()
    before = set(copy.cache.rglob("*.kernel"))
    text = layout.read_text(encoding="utf-8")
    assert "WORLD_R, WORLD_P = 45, 54" in text
    layout.write_text(
        text.replace("WORLD_R, WORLD_P = 45, 54", "WORLD_R, WORLD_P = 48, 45"), encoding="utf-8"
    )
    assert copy.run() == (TURNED, True)
    assert set(copy.cache.rglob("*.kernel")) - before
    layout.write_text(text + "\n# A comment changes nothing.\n", encoding="utf-8")
    assert copy.run() == (TURNED, False)


def test_copies_of_the_same_sources_share_what_one_compiled(copy: Copy, tmp_path: Path) -> None:
    """Law: the code of a kernel depends on its sources, not on where they lie; a clone need not wait again."""
    assert copy.run() == (TURNED, True)
    assert Copy(tmp_path / "clone", copy.cache).run() == (TURNED, False)


def test_a_process_waits_for_what_another_compiles(copy: Copy) -> None:
    """Law: a kernel is compiled once, however many processes want it. Oracle: only one of two said that it compiles."""
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(lambda _: copy.run(), range(2))
    assert {first, second} == {(TURNED, True), (TURNED, False)}


def test_a_damaged_file_is_compiled_anew(copy: Copy) -> None:
    """Bad input: half a file, as a full disk or a crash leaves it."""
    copy.run()
    kernels = list(copy.cache.rglob("*.kernel"))
    for kernel in kernels:
        kernel.write_bytes(kernel.read_bytes()[: kernel.stat().st_size // 2])
    assert copy.run()[0] == TURNED
    assert kernels and copy.run() == (TURNED, False)


def _damages() -> dict[str, Callable[[bytes], bytes]]:
    """What disks, crashes and strangers leave in a file; the last are whole files of something else."""
    whole: list[bytes] = [
        b"",
        pickle.dumps(7),
        pickle.dumps((1, 2, 3)),
        b"\x80\x04cno_such_module\nno_such_name\n.",
    ]
    damages: dict[str, Callable[[bytes], bytes]] = {
        "empty": lambda content: b"",
        "first half": lambda content: content[: len(content) // 2],
        "without its last byte": lambda content: content[:-1],
        "without its first byte": lambda content: content[1:],
        "one byte more": lambda content: content + b"\0",
        "nought": lambda content: bytes(len(content)),
    }
    for place in (0, 1, 40, 400, 4000, -400):
        damages[f"a bit at {place}"] = lambda content, at=place: (
            content[:at] + bytes([content[at] ^ 1]) + content[at:][1:]
        )
    for number, other in enumerate(whole):
        damages[f"another file {number}"] = lambda content, other=other: (
            hashlib.sha256(other).digest() + other
        )
    return damages


def test_any_damage_to_a_kept_kernel_heals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: 6 of 16 damaged files of the cache ended the program with whatever their reader raised."""
    monkeypatch.setattr("zoophyte.numbers.forms.cache_folder", lambda: tmp_path)
    argument = np.ones(3)
    (expected := argument.copy())[0] += argument[1]

    def run() -> tuple[bool, Any]:
        kernel, given = Kernel(_add_second_to_first), argument.copy()
        was_there = kernel.is_at_hand(given)
        kernel(given)
        return was_there, given

    assert run()[0] is False
    (file,) = tmp_path.glob("*.kernel")
    sound = file.read_bytes()
    for name, damage in _damages().items():
        file.write_bytes(damage(sound))
        _, given = run()
        assert (given == expected).all(), name
        assert run()[0], name  # it was kept again


def _add_second_to_first(numbers: Any) -> None:
    numbers[0] = numbers[0] + numbers[1]


def test_folders_of_others_are_left_alone(copy: Copy) -> None:
    """Never lose data: a cache in a folder that holds other things removes only what is its own."""
    for number in range(10):
        letters = copy.cache / f"letters{number}"
        letters.mkdir(parents=True)
        (letters / "dear.txt").write_text("Yours", encoding="utf-8")
    copy.run()
    assert sorted(path.parent.name for path in copy.cache.rglob("dear.txt")) == [
        f"letters{n}" for n in range(10)
    ]
