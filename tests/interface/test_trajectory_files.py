"""Files of trajectories: what is saved comes back bit for bit, and anything else is a FileError."""

from __future__ import annotations

import csv
import io
import json
import pickle
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zoophyte as zp
from zoophyte.description.arrays import npz as archive
from zoophyte.errors import FileError, UsageError
from zoophyte.simulation.exporters import exporter_endings, register_exporter
from zoophyte.simulation.status import Status
from zoophyte.simulation.trajectory import Trajectory


def made(**changes: Any) -> Trajectory:
    """A short made-up life with awkward numbers and names."""
    description = zp.zoo.double_pendulum()
    model = zp.compile(description)
    q = np.array([[0.1, -0.0], [np.pi, 5e-324], [1e308, -1.0 / 3.0]])
    v = np.array([[1.0, 2.0], [-1e-300, 0.1 + 0.2], [3.0, 4.0]])
    final = zp.State(
        q=q[-1], v=v[-1], clock=(0.1, 3, 1e-3), command=np.arange(14.0).reshape(2, 7),
        applied=np.array([0.5, -0.5]), memory=np.array([1.0 / 7.0]), alarm=np.inf,
    )  # fmt: skip
    given: dict[str, Any] = {
        "times": np.array([0.1, 0.2, 0.30000000000000004]), "q": q, "v": v,
        "channels": {"energy": np.arange(1.0, 4.0), "com": np.ones((3, 3)), "odd/../name:ü %": np.zeros(3)},
        "status": Status("diverged", 0.3, "lower", "why “not”"), "final": final,
        "description": model.description,
        "dt": 1e-3, "integrator": "rk4", "gravity": (0.1, -0.0, -9.81), "version": "0.0.1", "seed": 2**100,
    }  # fmt: skip
    return Trajectory(**{**given, **changes})


def same_bits(a: Any, b: Any) -> bool:
    left, right = np.asarray(a, float), np.asarray(b, float)
    return left.shape == right.shape and left.tobytes() == right.tobytes()


def test_a_saved_life_comes_back_bit_for_bit(tmp_path: Path) -> None:
    life = made()
    life.save(tmp_path / "life.npz")
    back = Trajectory.load(tmp_path / "life.npz")
    for name in ("times", "q", "v", "gravity", "dt"):
        assert same_bits(getattr(life, name), getattr(back, name)), name
    assert list(back.channels) == list(life.channels)
    assert all(same_bits(life.channels[name], back.channels[name]) for name in life.channels)
    for part in fields(zp.State):
        assert same_bits(getattr(life.final, part.name), getattr(back.final, part.name)), part.name
    for name in ("status", "description", "integrator", "version", "seed"):
        assert getattr(back, name) == getattr(life, name)


@pytest.mark.parametrize(
    "ground",
    [
        None,
        zp.Plane((0.3, -0.2, 0.9), 0.1),
        zp.Terrain([[0.0, 0.1, 5e-324], [1.0 / 3.0, -2.0, 4.0]], (0.1, 0.3), (-1.0, 2.0)),
    ],
)
def test_the_ground_comes_back_bit_for_bit(tmp_path: Path, ground: zp.Plane | zp.Terrain | None) -> None:
    made(ground=ground).save(tmp_path / "life.npz")
    back = Trajectory.load(tmp_path / "life.npz").ground
    assert type(back) is type(ground)
    for name in {zp.Plane: ("normal", "height"), zp.Terrain: ("heights", "spacing", "origin")}.get(
        type(ground), ()
    ):
        assert same_bits(getattr(back, name), getattr(ground, name)), name


def test_a_file_from_before_there_was_a_ground_has_the_plane(tmp_path: Path) -> None:
    entries = contents()
    about(ground=None)(entries)
    write(tmp_path / "old.npz", entries)
    assert Trajectory.load(tmp_path / "old.npz").ground == zp.Plane()


def test_a_life_without_a_ground_that_is_known_is_refused() -> None:
    with pytest.raises(UsageError, match="ground is 'grass', must be a Plane, a Terrain or None"):
        made(ground="grass")


def test_equal_lives_give_equal_files(tmp_path: Path) -> None:
    made().save(tmp_path / "a.npz")
    made().save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_anybody_can_open_the_file_with_numpy(tmp_path: Path) -> None:
    made().save(tmp_path / "life.npz")
    with np.load(tmp_path / "life.npz", allow_pickle=False) as found:
        assert found["channel/energy"].tolist() == [1.0, 2.0, 3.0]
        assert b"double_pendulum" in found["description"].tobytes()


def test_a_life_of_a_world_goes_on_from_its_file(tmp_path: Path) -> None:
    world = zp.World(zp.zoo.double_pendulum(), dt=1e-3, integrator="rk4")
    whole = world.simulate(0.1)
    first = world.simulate(0.05)
    first.save(tmp_path / "first.npz")
    second = world.simulate(0.05, state=Trajectory.load(tmp_path / "first.npz").final)
    assert same_bits(second.final.q, whole.final.q)
    assert same_bits(second.times[-1], whole.times[-1])


def test_saving_replaces_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "life.npz"
    target.write_text("precious")
    with pytest.raises(FileError, match="cannot be written"):
        made().save(tmp_path / "no" / "such" / "folder" / "life.npz")
    with pytest.raises(FileError, match=r"cannot be written: .*directory"):
        made().save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["life.npz"]
    made().save(target)
    assert len(Trajectory.load(target)) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["life.npz"]


def test_a_name_with_a_null_character_is_refused() -> None:
    with pytest.raises(FileError, match="null character"):
        made().save("a\0b.npz")


# ------------------------------------------------------------------------------------------------ hostile
# files


def contents() -> dict[str, Any]:
    """The entries of a good file, to be spoilt."""
    with tempfile.TemporaryDirectory() as folder:
        made().save(Path(folder) / "good.npz")
        with np.load(Path(folder) / "good.npz") as file:
            return dict(file.items())


def write(path: Path, entries: dict[str, Any], *, compression: int = zipfile.ZIP_STORED) -> None:
    """An NPZ file of arrays, or of raw bytes given as they are."""
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, value in entries.items():
            buffer = io.BytesIO()
            if isinstance(value, bytes):
                buffer.write(value)
            else:
                np.lib.format.write_array(buffer, np.asarray(value), allow_pickle=True)
            file.writestr(f"{name}.npy", buffer.getvalue())


def about(**changes: Any) -> Callable[[dict[str, Any]], None]:
    """Change keys of the JSON object; None removes one."""

    def change(entries: dict[str, Any]) -> None:
        found = json.loads(entries["about"].tobytes())
        found.update(changes)
        for key in [key for key, value in changes.items() if value is None]:
            del found[key]
        entries["about"] = np.frombuffer(json.dumps(found).encode(), np.uint8)

    return change


def status(**changes: Any) -> dict[str, Any]:
    return {"kind": "ended", "time": 0, "body": "", "reason": "", **changes}


def replaced(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(entries: dict[str, Any]) -> None:
        entries[name] = value

    return change


def removed(name: str) -> Callable[[dict[str, Any]], None]:
    def change(entries: dict[str, Any]) -> None:
        del entries[name]

    return change


def text(value: str) -> Any:
    return np.frombuffer(value.encode(), np.uint8)


def header(shape: str, descr: str = "'<f8'", more: str = "") -> bytes:
    """The header of an NPY entry that promises anything, with no data behind it."""
    line = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}{more}}}".encode()
    line += b" " * (64 - (len(line) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line


SPOILT: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "no times": (removed("times"), "has no 'times'"),
    "no final state": (removed("final/q"), "has no 'final/q'"),
    "no description": (removed("description"), "has no 'description'"),
    "no about": (removed("about"), "has no 'about'"),
    "one more array": (replaced("extra", np.zeros(3)), "holds what no trajectory has: 'extra'"),
    "one channel more": (replaced("channel/x", np.zeros(3)), "holds what no trajectory has: 'channel/x'"),
    "one channel less": (removed("channel/energy"), "has no 'channel/energy'"),
    "objects": (replaced("q", np.array([[{}, 1], [2, 3], [4, 5]], dtype=object)), "'q' of type object"),
    "integers": (replaced("q", np.zeros((3, 2), int)), "'q' of type int64"),
    "singles": (replaced("q", np.zeros((3, 2), np.float32)), "'q' of type float32"),
    "bytes for numbers": (replaced("q", np.zeros((3, 2), np.uint8)), "'q' as uint8, must be float64"),
    "records": (replaced("q", np.zeros(3, [("a", "<f8")])), "'q' of type"),
    "texts for numbers": (replaced("q", np.array(["a", "b", "c"])), "'q' of type <U1"),
    "wrong width": (replaced("q", np.zeros((3, 4))), r"q has shape \(3, 4\), must be \(3, 2\)"),
    "wrong length": (replaced("v", np.zeros((2, 2))), "must have 3 rows"),
    "no dimension": (replaced("times", np.array(1.0)), "rows|times"),
    "three dimensions": (replaced("q", np.zeros((3, 2, 1))), "must have 3 rows"),
    "times fall": (replaced("times", np.array([0.3, 0.2, 0.1])), "each larger than the one before"),
    "times not finite": (replaced("times", np.array([0.0, np.nan, 1.0])), "each larger than the one before"),
    "wrong final": (replaced("final/v", np.zeros(5)), r"final.v has shape \(5,\)"),
    "wrong command": (replaced("final/command", np.zeros((9, 7))), r"final.command has shape \(9, 7\)"),
    "alarm is a list": (replaced("final/alarm", np.zeros(2)), r"'final/alarm' of shape \(2,\)"),
    "empty": (lambda entries: entries.clear(), "has no 'about'"),
    "not finite though sound": (about(status=status()), "v holds a value that is not finite in row 0"),
    "about is no JSON": (replaced("about", text("{")), "'about' that is no JSON"),
    "about nests deeply": (replaced("about", text("[" * 100_000)), "'about' that is no JSON"),
    "about is a list": (replaced("about", text("[]")), "but no zoophyte trajectory"),
    "about is no text": (replaced("about", np.array([0xFF, 0xFE], np.uint8)), "not UTF-8 text"),
    "about is numbers": (replaced("about", np.zeros(3)), "must be a line of bytes"),
    "about is huge": (replaced("about", np.zeros(2**20 + 1, np.uint8)), "at most 1048576 are read"),
    "another format": (about(format="something"), "but no zoophyte trajectory"),
    "another version": (about(format_version=2), "has format version 2; this Zoophyte reads 1"),
    "no dt": (about(dt=None), "without 'dt'"),
    "dt is text": (about(dt="1"), "'dt' '1', must be a finite number"),
    "dt is true": (about(dt=True), "'dt' 'True', must be a finite number"),
    "dt is endless": (about(dt=float("inf")), "'dt' 'inf', must be a finite number"),
    "dt is enormous": (about(dt=10**400), "must be a finite number"),
    "gravity is short": (about(gravity=[0, 0]), "'gravity' .* must be three numbers"),
    "surface is a word": (about(surface="ice"), "'surface' 'ice', must be an object"),
    "surface with a friction below 0": (about(surface={"friction": -1}), "friction"),
    "surface with an unknown field": (about(surface={"frction": 1}), "frction"),
    "ground is a word": (about(ground="flat"), "without 'kind'"),
    "ground of an unknown kind": (about(ground={"kind": "sea"}), "'ground.kind' 'sea', must be 'plane' or 'terrain'"),
    "ground with a short normal": (about(ground={"kind": "plane", "normal": [0, 1]}), "'normal' .* must be three numbers"),
    "ground with no normal": (about(ground={"kind": "plane", "normal": [0, 0, 0], "height": 0}), "not zero"),
    "ground without heights": (
        about(ground={"kind": "terrain", "spacing": [1, 1], "origin": [0, 0]}),
        "has no 'ground/heights'",
    ),
    "heights without a terrain": (
        replaced("ground/heights", np.zeros((2, 2))),
        "holds what no trajectory has: 'ground/heights'",
    ),
    "gravity is NaN": (about(gravity=[0, 0, float("nan")]), "must be a finite number"),
    "seed is text": (about(seed="7"), "'seed' '7', must be a whole number or null"),
    "clock is short": (about(clock=[0.0, 1]), "'clock' .* must be .start, steps, dt."),
    "clock has half a step": (about(clock=[0.0, 0.5, 1e-3]), "whole number of steps"),
    "clock has steps below 0": (about(clock=[0.0, -1, 1e-3]), "final.clock is .* must be .start, steps, dt"),
    "clock has too many steps": (about(clock=[0.0, 10**400, 1e-3]), "final.clock is .* must be .start, steps"),
    "clock runs backwards": (about(clock=[0.0, 1, -1e-3]), "final.clock is .* must be .start, steps, dt"),
    "clock is elsewhere": (
        about(status=status(), clock=[1e9, 0, 1e-3]), "'clock' of 1e.09 s for a life that ended at",
    ),
    "dt is 0": (about(dt=0), "dt is 0.0, must be a positive number of seconds"),
    "dt is below 0": (about(dt=-1e-3), "dt is -0.001, must be a positive number of seconds"),
    "integrator is unknown": (about(integrator="rk44"), "integrator 'rk44' is unknown. Known: .*Did you mean 'rk4'"),
    "integrator is long": (about(integrator="x" * 10**5), "integrator 'x+ … is unknown. Known: "),
    "status is text": (about(status="ended"), "without 'kind'"),
    "status is unknown": (about(status=status(kind="happy")), "'happy' is unknown"),
    "status has a number for a body": (about(status=status(body=3)), "must be text"),
    "channels is text": (about(channels="energy"), "must be a list without repetitions"),
    "channels repeat": (about(channels=["energy", "energy"]), "must be a list without repetitions"),
    "channels are numbers": (about(channels=[1]), "must be text"),
    "integrator is a list": (about(integrator=[]), "'integrator' .*must be text"),
    "description is no YAML": (replaced("description", text("{: [")), "description"),
    "description is empty": (replaced("description", text("")), "is empty"),
    "orphan": (replaced("description", text("name: x\nbodies: [{name: a, parent: b}]")), "no body"),
    "description is another": (replaced("description", text(zp.zoo.ref4().to_yaml())), r"must be \(3, 15\)"),
    "code": (replaced("description", text("!!python/object/apply:os.abort []")), "description"),
    "no magic": (replaced("q", b"garbage, not an array at all"), "damaged NPZ file"),
    "nothing": (replaced("q", b""), "damaged NPZ file"),
    "huge promise": (replaced("q", header("(1000000000000, 2)")), r"shape .* does not fit its"),
    "negative shape": (replaced("q", header("(-3, -2)")), "does not fit its|damaged"),
    "shape of texts": (replaced("q", header("('a', 2)")), "damaged NPZ file"),
    "shape of truth": (replaced("q", header("(True, 2)")), "does not fit|damaged"),
    "unknown type": (replaced("q", header("(3, 2)", "'<zz9'")), "damaged NPZ file"),
    "no type": (replaced("q", header("(3, 2)", "None")), "q|damaged"),
    "long header": (replaced("q", header("(3, 2)" + " " * 20_000)), "damaged NPZ file"),
    "nested header": (replaced("q", header("(" * 3000 + ")" * 3000)), "damaged NPZ file"),
    "later version": (replaced("q", b"\x93NUMPY\x09\x00" + b" " * 100), "damaged NPZ file"),
    "pickle": (replaced("q", header("(1,)", "'|O'") + pickle.dumps([print])), "'q' of type object"),
}  # fmt: skip


@pytest.mark.parametrize("case", SPOILT, ids=lambda case: case.replace(" ", "-"))
def test_a_spoilt_file_is_refused_with_its_reason(case: str, tmp_path: Path) -> None:
    spoil, message = SPOILT[case]
    entries = contents()
    if case == "not finite though sound":
        entries["v"] = np.full((3, 2), np.nan)
    spoil(entries)
    path = tmp_path / "spoilt.npz"
    write(path, entries)
    with pytest.raises(FileError, match=message) as caught:
        Trajectory.load(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 1000


def test_the_spoiler_leaves_a_good_file_good(tmp_path: Path) -> None:
    write(tmp_path / "good.npz", contents())
    assert len(Trajectory.load(tmp_path / "good.npz")) == 3
    write(tmp_path / "packed.npz", contents(), compression=zipfile.ZIP_DEFLATED)
    assert len(Trajectory.load(tmp_path / "packed.npz")) == 3


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "SIZE_LIMIT", 2**20)
    entries = contents()
    entries["channel/energy"] = np.zeros(2**20)
    write(tmp_path / "bomb.npz", entries, compression=zipfile.ZIP_DEFLATED)
    assert (tmp_path / "bomb.npz").stat().st_size < 2**17
    with pytest.raises(FileError, match=r"unpacks to 0.00\d+ GiB; at most 0.00\d+ GiB are read"):
        Trajectory.load(tmp_path / "bomb.npz")


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """An entry that unpacks to more than its directory says yields no more than that."""
    entries = contents()
    write(tmp_path / "bomb.npz", entries, compression=zipfile.ZIP_DEFLATED)
    data = bytearray((tmp_path / "bomb.npz").read_bytes())
    directory = data.index(b"PK\x01\x02")
    (size,) = struct.unpack_from("<I", data, directory + 24)
    struct.pack_into("<I", data, directory + 24, size - 8)
    (tmp_path / "bomb.npz").write_bytes(bytes(data))
    with pytest.raises(FileError):
        Trajectory.load(tmp_path / "bomb.npz")


def test_what_would_not_be_read_again_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "SIZE_LIMIT", 1000)
    with pytest.raises(FileError, match=r"would hold .* at most .* are read again. Record less often"):
        made().save(tmp_path / "life.npz")
    assert list(tmp_path.iterdir()) == []


def test_too_many_entries_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "many.npz", "w") as file:
        for number in range(archive.ENTRY_LIMIT + 1):
            file.writestr(f"{number}.npy", b"")
    with pytest.raises(FileError, match="holds 4097 arrays; at most 4096 are read"):
        Trajectory.load(tmp_path / "many.npz")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_entries_of_one_name_and_other_entries_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "twice.npz", "w") as file:
        file.writestr("q.npy", b"1")
        file.writestr("q.npy", b"2")
    with pytest.raises(FileError, match=r"'q\.npy' more than once"):
        Trajectory.load(tmp_path / "twice.npz")
    with zipfile.ZipFile(tmp_path / "other.npz", "w") as file:
        file.writestr("../../readme.txt", b"1")
    with pytest.raises(FileError, match="which is no array"):
        Trajectory.load(tmp_path / "other.npz")


def test_a_missing_file_a_folder_and_a_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        Trajectory.load(tmp_path / "no.npz")
    with pytest.raises(FileError, match="cannot be read"):
        Trajectory.load(tmp_path)
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(FileError, match="is no NPZ file"):
        Trajectory.load(tmp_path / "text.npz")
    (tmp_path / "empty.npz").write_bytes(b"")
    with pytest.raises(FileError, match="is no NPZ file"):
        Trajectory.load(tmp_path / "empty.npz")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0.0, 0.999999))
def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path, cut: float) -> None:
    path = tmp_path / "life.npz"
    made().save(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(cut * len(data))])
    with pytest.raises(FileError):
        Trajectory.load(path)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0.0, 1.0, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_is_refused_or_harmless(tmp_path: Path, place: float, bit: int) -> None:
    """Checksums guard the data; a flip in unused fields of the directory may pass, harmlessly."""
    path = tmp_path / "life.npz"
    life = made()
    life.save(path)
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    path.write_bytes(bytes(data))
    try:
        back = Trajectory.load(path)
    except FileError:
        return
    assert (
        same_bits(back.q, life.q)
        and same_bits(back.v, life.v)
        and same_bits(back.final.memory, life.final.memory)
    )


# ----------------------------------------------------------------------------------------------------
# exporters


def test_csv_holds_every_number_exactly(tmp_path: Path) -> None:
    life = made()
    life.export(tmp_path / "life.csv")
    with (tmp_path / "life.csv").open(newline="", encoding="utf-8") as file:
        header_row, *rows = list(csv.reader(file))
    assert header_row == [
        "time", "q:upper", "q:lower", "v:upper", "v:lower", "energy", "com.x", "com.y", "com.z",
        "odd/../name:ü %",
    ]  # fmt: skip
    found = np.array(rows, dtype=float)
    expected = np.hstack(
        [
            life.times[:, None],
            life.q,
            life.v,
            life.channels["energy"][:, None],
            np.ones((3, 3)),
            np.zeros((3, 1)),
        ]
    )
    assert same_bits(found, expected)


def test_endings_choose_the_exporter_in_any_case(tmp_path: Path) -> None:
    made().export(tmp_path / "LIFE.CSV")
    made().export(tmp_path / "life.npz")
    assert len(Trajectory.load(tmp_path / "life.npz")) == 3
    assert {".csv", ".npz"} <= set(exporter_endings())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("life.cvs", r"the file ending '.cvs' is unknown. Known: .csv, .*.npz.* Did you mean '.csv'\?"),
        ("life", "the file name has no ending. Known: .csv, .*.npz"),
        (".csv", "the file name has no ending"),
    ],
)
def test_an_unknown_ending_lists_the_known_ones(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        made().export(tmp_path / name)


def test_others_may_add_exporters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zoophyte.simulation import exporters

    monkeypatch.setattr(exporters, "_EXPORTERS", dict(exporters._EXPORTERS))

    def count(life: Trajectory, path: Path) -> None:
        path.write_text(str(len(life)))

    register_exporter(".count", count)
    register_exporter(".COUNT", count)  # the same again is no harm
    made().export(tmp_path / "x.count")
    assert (tmp_path / "x.count").read_text() == "3"
    with pytest.raises(UsageError, match="has an exporter already"):
        register_exporter(".csv", count)
    for ending in ("csv", ".", ".a/b"):
        with pytest.raises(UsageError, match="must be a dot with letters or digits behind it"):
            register_exporter(ending, count)


def test_a_file_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot be written: .* There is no folder"):
        made().export(tmp_path / "nowhere" / "life.csv")
