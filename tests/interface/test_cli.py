"""The command line: what is printed where, exit codes, files, and answers to wrong input."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.cli import main, output
from zoophyte.cli import simulate as simulate_module
from zoophyte.cli.simulate import INTEGRATOR_NAMES
from zoophyte.errors import DescriptionError
from zoophyte.export import page
from zoophyte.physics import INTEGRATORS
from zoophyte.validation import Check, Measurement

VERBS = ("zoo", "simulate", "replay", "export", "new", "schema", "validate", "bench", "warmup", "doctor")


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs `zoophyte` with some arguments, in an empty folder; replay pages need no bundled player."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page, "player", lambda: ("script", "style"))

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["zoophyte", *arguments])
        with pytest.raises(SystemExit) as end:
            main.run()
        shown = capsys.readouterr()
        return Outcome(end.value.code or 0, shown.out, shown.err)  # type: ignore[arg-type]

    return call


# ------------------------------------------------------------------------------------------------------ program


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ()])
def test_help_lists_every_verb(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.code, done.err) == (0, "")
    assert all(f" {verb} " in done.out for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(run: Run, verb: str) -> None:
    done = run(verb, "--help")
    assert done.code == 0
    assert f"zoophyte {verb}" in done.out


def test_version(run: Run) -> None:
    assert run("--version").out == f"zoophyte {zp.__version__}\n"


def test_the_program_is_the_one_that_the_package_declares() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from zoophyte.cli.main import run; run()", "--version"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, f"zoophyte {zp.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("simulat",), "No such command 'simulat'"),
        (("zoo", "--jsn"), "No such option: --jsn"),
        (("simulate",), "Missing argument"),
        (("simulate", "pendulum", "--dt", "small"), "--dt"),
        (("simulate", "pendulum", "--dt", "0"), "--dt is 0, must be a finite number greater than 0"),
        (("simulate", "pendulum", "--seconds", "-1"), "--seconds is -1, must be"),
        (("simulate", "pendulum", "--seconds", "inf"), "--seconds is inf, must be"),
        (("simulate", "pendulum", "--record-rate", "nan"), "--record-rate is nan, must be"),
        (("simulate", "pendulum", "--gravity", "1,2"), "must be three numbers: --gravity 0,0,-9.81"),
        (("simulate", "pendulum", "--gravity", "0,0,nan"), "the three numbers must be finite"),
        (
            ("simulate", "pendulum", "--integrator", "rk5"),
            "Known: auto, semi_implicit, .* Did you mean 'rkf?4",
        ),
        (("zoo", "--yaml"), "--yaml needs the NAME"),
        (("new", "body.txt"), "must end in .yaml"),
    ],
)
def test_wrong_usage_is_code_2_and_two_lines(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("zoophyte: ")
    assert second.startswith("See: zoophyte") and second.endswith("--help")
    assert re.search(message, first)


def test_an_error_of_ours_is_code_1_and_one_line(run: Run) -> None:
    done = run("zoo", "sapln")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("zoophyte: the zoo has no 'sapln'. Did you mean 'sapling'?")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("place", [0, 2])
def test_debug_shows_where_an_error_came_from(run: Run, place: int) -> None:
    arguments = ["zoo", "sapln"]
    arguments.insert(place, "--debug")
    done = run(*arguments)
    assert done.code == 1
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("zoophyte: the zoo has no 'sapln'")


def test_a_fault_of_ours_is_a_sentence_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoophyte.zoo.names", lambda: 1 / 0)
    done = run("zoo")
    assert done.code == 1
    assert done.err.startswith("zoophyte: something went wrong inside (ZeroDivisionError: division by zero).")
    assert "Traceback" not in done.err


def test_an_interrupted_program_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("zoophyte.zoo.names", interrupt)
    assert run("zoo") == Outcome(130, "", "")


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -c 'from zoophyte.cli.main import run; run()' schema | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


# ---------------------------------------------------------------------------------------------------------- zoo


def test_zoo_lists_all_inhabitants(run: Run) -> None:
    done = run("zoo")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == zp.zoo.names()
    assert "73 kg" in done.out


def test_zoo_as_json(run: Run) -> None:
    entries = run("zoo", "--json").json
    assert [entry["name"] for entry in entries] == zp.zoo.names()
    found = {entry["name"]: entry for entry in entries}
    assert found["ref4"]["dofs"] == 14
    assert found["ref4"]["mass"] == pytest.approx(12.5874821170, rel=1e-9)
    assert run("zoo", "ref4", "--json").json == found["ref4"]


def test_zoo_shows_one(run: Run) -> None:
    done = run("zoo", "cantilever")
    assert "8.1 GPa" in done.out
    assert "dofs    50" in done.out


@pytest.mark.parametrize("name", zp.zoo.names())
def test_zoo_prints_yaml_that_reads_back(run: Run, name: str) -> None:
    assert zp.Description.from_yaml(run("zoo", name, "--yaml").out) == zp.zoo.get(name)


# ----------------------------------------------------------------------------------------------------- simulate


def test_simulate_says_what_it_did_and_writes_its_files(run: Run, tmp_path: Path) -> None:
    done = run("simulate", "double_pendulum", "--seconds", "0.2", "--out", "results/here")
    assert done.code == 0
    for words in (
        "2 bodies, 2 degrees of freedom",
        "0.2 s in 200 steps of 1 ms, rk4",
        "times real time",
        "ended at 0.2 s",
    ):
        assert words in done.out
    folder = tmp_path / "results" / "here"
    names = {f"double_pendulum{ending}" for ending in (".npz", ".csv", ".energy.svg", ".html")}
    assert {path.name for path in folder.iterdir()} == names
    assert all(f"results/here/{name}" in done.out for name in names)
    assert done.out.endswith("\nopen results/here/double_pendulum.html in a browser\n")
    life = zp.Trajectory.load(folder / "double_pendulum.npz")
    assert (len(life), life.times[-1], life.dt) == (201, pytest.approx(0.2), 1e-3)
    with (folder / "double_pendulum.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:5] == ["time", "q:upper", "q:lower", "v:upper", "v:lower"]
    assert len(rows) == 202


def test_simulate_obeys_its_options(run: Run, tmp_path: Path) -> None:
    done = run(
        "simulate", "pendulum", "--seconds", "0.1", "--dt", "2e-3", "--integrator", "implicit", "--record-rate", "100",
        "--gravity", "0,0,-1.62", "--seed", "7", "--json",
    )  # fmt: skip
    found = done.json
    assert (found["steps"], found["frames"], found["dt"], found["integrator"]) == (50, 11, 2e-3, "implicit")
    assert (found["gravity"], found["seed"], found["sound"]) == ([0.0, 0.0, -1.62], 7, True)
    assert [Path(path).exists() for path in found["files"]] == [True] * 4
    life = zp.Trajectory.load(tmp_path / "out" / "pendulum.npz")
    assert (life.seed, life.gravity) == (7, (0.0, 0.0, -1.62))
    world = zp.World(zp.zoo.pendulum(), habitat=zp.Habitat((0.0, 0.0, -1.62)), dt=2e-3, integrator="implicit")
    assert (world.simulate(0.1, record_rate=100.0).q == life.q).all()


@pytest.mark.parametrize(("name", "integrator"), [("chain", "rk4"), ("sapling", "ros2"), ("ref4", "ros2")])
def test_simulate_chooses_an_integrator_that_suits_the_body(run: Run, name: str, integrator: str) -> None:
    assert run("simulate", name, "--seconds", "0.01", "--json").json["integrator"] == integrator


def test_simulate_knows_every_integrator() -> None:
    assert set(INTEGRATOR_NAMES) == {"auto", *INTEGRATORS}


def test_simulate_reads_a_file(run: Run, tmp_path: Path) -> None:
    zp.zoo.rod().save(tmp_path / "my rod.yaml")
    done = run("simulate", "my rod.yaml", "--seconds", "0.01")
    assert done.code == 0
    assert (tmp_path / "out" / "rod.npz").exists()


def test_simulate_reports_everything_wrong_with_a_file(run: Run, tmp_path: Path) -> None:
    text = (
        zp.zoo.two_rods()
        .to_yaml()
        .replace("kind: hinge", "kind: hing")
        .replace("radius: 0.015", "radius: -1")
    )
    (tmp_path / "bad.yaml").write_text(text)
    done = run("simulate", "bad.yaml")
    assert done.code == 1
    with pytest.raises(DescriptionError) as caught:
        zp.load("bad.yaml")
    assert done.err == f"zoophyte: {caught.value}\n"
    assert len(caught.value.problems) >= 4
    assert "Did you mean 'hinge'?" in done.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dubble_pendulum", "neither a file nor an inhabitant of the zoo. Did you mean 'double_pendulum'?"),
        ("zzz", "neither a file nor an inhabitant of the zoo. `zoophyte zoo` lists the inhabitants"),
        ("no.yaml", "no.yaml: does not exist"),
        (".", "neither a file nor an inhabitant"),
    ],
)
def test_simulate_refuses_what_is_not_there(run: Run, name: str, message: str) -> None:
    done = run("simulate", name)
    assert done.code == 1
    assert message in done.err


def test_simulate_refuses_a_folder_that_is_a_file_before_it_works(run: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("precious")
    done = run("simulate", "pendulum", "--out", "taken")
    assert (done.code, done.out) == (1, "")
    assert "taken: the folder cannot be made: it is a file. Choose another with --out." in done.err
    done = run("simulate", "pendulum", "--out", "taken/below")
    assert done.code == 1
    assert "cannot be made" in done.err
    assert (tmp_path / "taken").read_text() == "precious"


def test_simulate_refuses_a_folder_it_cannot_write_to(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    done = run("simulate", "pendulum", "--out", "closed")
    assert (done.code, done.out) == (1, "")
    assert "closed: the folder cannot be written to. Choose another with --out." in done.err


def test_a_life_that_diverges_is_told_and_kept(run: Run, tmp_path: Path) -> None:
    done = run("simulate", "cantilever", "--seconds", "1", "--integrator", "semi_implicit")
    assert done.code == 1
    last = done.err.splitlines()[-1]  # lines about compiling may stand before it
    assert last.startswith("zoophyte: cantilever50 diverged at ")
    assert "in body 'piece" in last
    assert not zp.Trajectory.load(tmp_path / "out" / "cantilever50.npz").status.is_sound


@pytest.mark.parametrize("name", ["../../etc/passwd", "a b/c", "...", "<script>", "ü"])
def test_names_cannot_lead_out_of_the_folder(run: Run, tmp_path: Path, name: str) -> None:
    zp.Description(name=name, bodies=zp.zoo.rod().bodies).save(tmp_path / "body.yaml")
    assert run("simulate", "body.yaml", "--seconds", "0.01", "--out", "results").code == 0
    files = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.split("/")[0] for path in files) == ["body.yaml", *["results"] * 4]
    assert all(path.count("/") == 1 for path in files if path != "body.yaml")


def test_a_life_in_parts_is_the_same_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the life is simulated in parts, to show progress; not a bit may differ."""
    world = zp.World(zp.zoo.double_pendulum(), dt=1e-3, integrator="rk4")
    for rate in (None, 250.0):
        whole = simulate_module._lived(world, 1.003, rate)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        parts = simulate_module._lived(world, 1.003, rate)
        monkeypatch.undo()
        assert (
            (parts.times == whole.times).all() and (parts.q == whole.q).all() and (parts.v == whole.v).all()
        )
        assert all((parts.channels[name] == whole.channels[name]).all() for name in whole.channels)
        assert parts.final.clock == whole.final.clock
        assert parts.status == whole.status


# -------------------------------------------------------------------------------------------------- other verbs


def test_new_writes_a_body_that_lives_and_never_overwrites(run: Run, tmp_path: Path) -> None:
    done = run("new", "my arm.yaml")
    assert done.out == "wrote my arm.yaml; next: zoophyte simulate my arm.yaml\n"
    description = zp.load(tmp_path / "my arm.yaml")
    assert description.name == "my_arm"
    assert run("simulate", "my arm.yaml", "--seconds", "0.05").code == 0
    (tmp_path / "my arm.yaml").write_text("precious")
    done = run("new", "my arm.yaml")
    assert (done.code, done.err) == (
        1,
        "zoophyte: my arm.yaml: exists already, and is left alone. Choose another name.\n",
    )
    assert (tmp_path / "my arm.yaml").read_text() == "precious"
    done = run("new", "nowhere/arm.yaml")
    assert (done.code, done.err) == (
        1,
        "zoophyte: nowhere/arm.yaml: cannot be written: no such file or directory.\n",
    )


def test_what_the_template_comments_out_is_right_too(run: Run, tmp_path: Path) -> None:
    run("new")
    text = (tmp_path / "body.yaml").read_text(encoding="utf-8")
    for key in ("actuator", "mass"):
        assert f"# {key}: {{" in text
        text = text.replace(f"# {key}: {{", f"{key}: {{")
    lower = zp.Description.from_yaml(text).body("lower")
    assert lower.joint.actuator is not None and lower.mass is not None


def test_schema_describes_the_files(run: Run) -> None:
    schema = run("schema").json
    assert {"name", "bodies", "zoophyte"} <= set(schema["properties"])
    assert "Joint" in schema["$defs"]


def test_doctor_examines(run: Run) -> None:
    found = run("doctor", "--json").json
    assert found["zoophyte"] == zp.__version__
    assert found["packages"]["numpy"] == np.__version__
    assert set(found["processor"]["features"]) >= {"avx2", "avx512f"}
    assert found["processor"]["cores"] >= 1
    assert set(found["cuda"]) == {"device", "reason"}
    assert found["cache"]["folder"]
    done = run("doctor")
    assert done.code == 0
    assert "processor" in done.out and "cache" in done.out


def test_doctor_knows_the_extras_and_how_to_get_them(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [
        "numpy>=2",
        "numpy<2.5; extra == 'gpu'",
        "no-such-package[a]>=1 ; extra == 'gpu'",
        "rich; extra == 'x'",
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: [*wanted, "pytest>=8 ; extra == 'data'"])
    extras = run("doctor", "--json").json["extras"]
    assert extras["gpu"] == {"packages": {"no-such-package": None}, "complete": False}
    assert extras["data"] == {"packages": {"pytest": pytest.__version__}, "complete": True}
    assert "no-such-package missing   pip install 'zoophyte[gpu]'" in run("doctor").out


def test_doctor_survives_a_broken_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    from zoophyte.cli import doctor

    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "numba.cuda", None)
    monkeypatch.delattr("numba.cuda", raising=False)
    found = doctor._cuda()
    assert found["device"] is None
    assert found["reason"]


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue of three checks in the place of the real one."""

    def entry(name: str, kind: Any, passed: bool, slow: bool = False) -> Check:
        def function() -> Measurement:
            """Because it must."""
            return Measurement(1.5, [1.0, 2.0], 0.5, passed, "rounding", "a quantity")

        return Check(name, kind, f"title of {name}", "a book", slow, function)

    checks = [
        entry("XYZ-C1", "law", True),
        entry("XYZ-C2", "claim", False),
        entry("XYZ-C3", "golden", False, True),
    ]
    monkeypatch.setattr("zoophyte.validation.catalogue", lambda: {check.id: check for check in checks})
    monkeypatch.setattr("zoophyte.validation.find", lambda id: {check.id: check for check in checks}[id])


@pytest.mark.usefixtures("catalogue")
def test_validate_runs_the_quick_checks_and_a_claim_does_not_bind(run: Run) -> None:
    done = run("validate")
    assert done.code == 0
    assert "pass  XYZ-C1    title of XYZ-C1: a quantity  |  1.5, expected [1, 2] ± 0.5" in done.out
    assert "not reproduced  XYZ-C2" in done.out
    assert "XYZ-C3" not in done.out
    assert done.out.endswith("2 rows: 1 pass, 0 fail, 1 not reproduced\n")


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize("arguments", [("--slow",), ("XYZ-C3",)])
def test_validate_fails_when_a_law_or_a_golden_value_does(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("validate", *arguments)
    assert done.code == 1
    assert "FAIL  XYZ-C3" in done.out


@pytest.mark.usefixtures("catalogue")
def test_validate_explains_and_lists(run: Run) -> None:
    assert "Because it must." in run("validate", "XYZ-C1", "--explain").out
    assert [line.split()[0] for line in run("validate", "--list").out.splitlines()[1:]] == [
        "XYZ-C1",
        "XYZ-C2",
        "XYZ-C3",
    ]
    assert [entry["slow"] for entry in run("validate", "--list", "--json").json] == [False, False, True]


@pytest.mark.usefixtures("catalogue")
def test_validate_as_json(run: Run) -> None:
    done = run("validate", "--slow", "--json")
    assert done.code == 1
    keys = ["id", "kind", "title", "measured", "expected", "tolerance", "passed", "source"]
    assert [list(row) for row in done.json] == [keys] * 3
    assert [row["passed"] for row in done.json] == [True, False, False]


def test_validate_knows_the_real_catalogue(run: Run) -> None:
    done = run("validate", "GAR-G1", "--json")
    assert done.code == 0
    assert {row["id"] for row in done.json} == {"GAR-G1"}
    done = run("validate", "GAR-Q1")
    assert done.code == 1
    assert "there is no check 'GAR-Q1'" in done.err


@pytest.fixture
def two_rows(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Two made-up benchmarks in the place of the real ones; the list tells which were asked for."""
    from zoophyte.bench import Row

    asked: list[Any] = []

    def run_benchmarks(names: list[str] | None) -> list[Row]:
        asked.append(names)
        return [
            Row("fast", "a tree", 2.0, 5.0, "Other", "µs", 2.5, "≥ 2", True, "equal to 1e-14"),
            Row("gpu", "many trees", None, None, "no GPU", "/s", None),
        ]

    monkeypatch.setattr("zoophyte.bench.run_benchmarks", run_benchmarks)
    monkeypatch.setattr("zoophyte.bench.benchmarks", lambda: {"fast": "A tree.", "gpu": "Many trees."})
    return asked


def test_bench_prints_ours_beside_the_peer(run: Run, two_rows: list[Any]) -> None:
    done = run("bench", "fast", "gpu")
    assert (done.code, two_rows) == (0, [["fast", "gpu"]])
    assert "ours 2 µs, Other 5 µs, ratio 2.5, bar ≥ 2: reached" in done.out
    assert "checked: equal to 1e-14" in done.out
    assert "ours –, no GPU –" in done.out


def test_bench_as_json_and_as_a_list(run: Run, two_rows: list[Any]) -> None:
    rows = run("bench", "--json").json
    assert two_rows == [None]
    assert {"name", "ours", "peer", "peer_name", "unit", "ratio", "checked"} <= set(rows[0])
    assert "fast  A tree." in run("bench", "--list").out
    assert run("bench", "--list", "--json").json[1] == {"name": "gpu", "what": "Many trees."}


def test_warmup_tells_what_is_ready(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoophyte.physics.entries.warm_up", lambda report: report("one world, float64"))
    done = run("warmup")
    assert done.code == 0
    assert "compiling into" in done.out and "one world, float64" in done.out and "ready after" in done.out


# ------------------------------------------------------------------------------------------------------- output


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.4e-9, "3.4 ns"),
        (3.4e-5, "34 µs"),
        (0.012, "12 ms"),
        (1.0, "1 s"),
        (59.9, "59.9 s"),
        (125.0, "2 min 5 s"),
    ],
)
def test_times_are_readable(seconds: float, text: str) -> None:
    assert output.as_duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 * 2**20, "5 MiB"), (2**44, "1.64e+04 GiB")],
)
def test_sizes_are_readable(count: int, text: str) -> None:
    assert output.as_size(count) == text


def test_json_never_holds_what_json_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"a": float("nan"), "b": [float("-inf"), np.float64(1.5)], "c": np.int64(3), "d": None})
    assert json.loads(capsys.readouterr().out) == {"a": "nan", "b": ["-inf", 1.5], "c": 3, "d": None}


def test_progress_is_silent_where_nobody_looks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    assert list(output.with_progress(range(3), 3, "counting")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_progress_shows_on_a_terminal_once_it_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert list(output.with_progress(range(3), 3, "counting")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(output, "PATIENCE", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert list(output.with_progress(range(3), 3, "counting")) == [0, 1, 2]
    assert "counting" in capsys.readouterr().err
