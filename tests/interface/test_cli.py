"""The command line: what is printed where, exit codes, and answers to wrong input."""

from __future__ import annotations

import json
import operator
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from commands import Outcome, Run
from zoophyte.cli import doctor, output
from zoophyte.evolution import showcase

VERBS = (
    "evolve", "resume", "runs", "zoo", "simulate", "replay", "export", "new", "schema", "validate", "bench", "warmup",
    "doctor",
)  # fmt: skip


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
        (("new", ""), "the path is empty"),
        (("zoo", "sapln"), "the zoo has no 'sapln'. Did you mean 'sapling'?"),
        (("zoo", "sapln", "--gallery", "g"), "the zoo has no 'sapln'"),
        (("zoo", "--gallery", ""), "'--gallery': the path is empty"),
        (
            ("simulate", "pendulum", "--out", ""),
            "'--out': the path is empty; give a name, or '.' for this folder",
        ),
        (("simulate", "pendulum", "--out", "  "), "the path is empty"),
        (
            ("simulate", "dubble_pendulum"),
            "neither a file nor an inhabitant.* Did you mean 'double_pendulum'",
        ),
        (("validate", "GAR-Q1"), "there is no check 'GAR-Q1'.*`zoophyte validate --list` lists the checks"),
        (("validate", "--list", "zzz"), "there is no check 'zzz'.*`zoophyte validate --list`"),
        (
            ("bench", "rendr"),
            "there is no benchmark 'rendr'. .*Did you mean 'render'.*`zoophyte bench --list`",
        ),
        (("replay", ""), "the path is empty"),
        (("replay", "life.npz", "--out", ""), "'--out': the path is empty"),
    ],
)
def test_wrong_usage_is_code_2_and_two_lines(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("zoophyte: ")
    verb = arguments[0] if arguments[0] in VERBS else ""
    assert second == f"See: {f'zoophyte {verb}'.strip()} --help"
    assert re.search(message, first)


def test_an_error_of_ours_is_code_1_and_one_line(run: Run) -> None:
    done = run("simulate", "no.yaml")
    assert (done.code, done.out, done.err) == (1, "", "zoophyte: no.yaml: does not exist.\n")


@pytest.mark.parametrize("place", [0, 2])
def test_debug_shows_where_an_error_came_from(run: Run, place: int) -> None:
    arguments = ["simulate", "no.yaml"]
    arguments.insert(place, "--debug")
    done = run(*arguments)
    assert done.code == 1
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1] == "zoophyte: no.yaml: does not exist."


def test_a_fault_of_ours_is_a_sentence_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoophyte.zoo.names", partial(operator.truediv, 1, 0))
    done = run("zoo")
    assert done.code == 1
    assert done.err.startswith("zoophyte: something went wrong inside (ZeroDivisionError: division by zero).")
    assert "Traceback" not in done.err
    monkeypatch.setattr("zoophyte.zoo.names", lambda: 1 / 0)  # which this file would have to answer for
    told = run("zoo").err
    assert re.match(r"zoophyte: test_cli\.py, line \d+: ZeroDivisionError: .*in your code", told)


def test_an_interrupted_program_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("zoophyte.zoo.names", interrupt)
    assert run("zoo") == Outcome(130, "", "")


@pytest.mark.parametrize("module", ["zoophyte", "zoophyte.cli"])
def test_python_runs_the_program_as_a_module(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"zoophyte {zp.__version__}\n")


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -c 'from zoophyte.cli.main import run; run()' schema | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("verb", ["schema", "zoo", "--help", "--version"])
def test_a_full_disk_is_told(verb: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "zoophyte", verb],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        1,
        "zoophyte: the output cannot be written: no space left on device.\n",
    )


def test_a_disk_without_room_for_the_message_leaves_the_exit_code() -> None:
    with open("/dev/full" if Path("/dev/full").exists() else os.devnull, "w") as full:
        done = subprocess.run([sys.executable, "-m", "zoophyte", "zoo", "sapln"], stderr=full, check=False)
    assert done.returncode == 2


# ---------------------------------------------------------------------------------------------------------- zoo


def test_zoo_lists_all_inhabitants(run: Run) -> None:
    done = run("zoo")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [*zp.zoo.names(), *showcase.names()]
    assert "73 kg" in done.out


def test_zoo_as_json(run: Run) -> None:
    entries = run("zoo", "--json").json
    assert [entry["name"] for entry in entries] == [*zp.zoo.names(), *showcase.names()]
    found = {entry["name"]: entry for entry in entries}
    assert found["ref4"]["dofs"] == 14
    assert found["ref4"]["mass"] == pytest.approx(12.5874821170, rel=1e-9)
    assert run("zoo", "ref4", "--json").json == found["ref4"]


def test_zoo_shows_one(run: Run) -> None:
    done = run("zoo", "cantilever")
    assert "8.1 GPa" in done.out
    assert "dofs    50" in done.out


def test_zoo_tells_how_an_evolved_one_was_made(run: Run) -> None:
    made = showcase.about("frog")
    done = run("zoo", "frog")
    assert made.text in done.out
    assert made.command in done.out
    assert zp.Description.from_yaml(run("zoo", "frog", "--yaml").out) == showcase.creature("frog").description


def test_an_evolved_one_is_simulated_as_it_was_judged(run: Run) -> None:
    done = run("simulate", "frog", "--seconds", "0.2", "--json")
    assert (done.json["dt"], done.json["sound"], done.json["name"]) == (0.005, True, "frog")
    assert "Did you mean 'frog'" in run("simulate", "frogg").err


@pytest.mark.parametrize("name", zp.zoo.names())
def test_zoo_prints_yaml_that_reads_back(run: Run, name: str) -> None:
    assert zp.Description.from_yaml(run("zoo", name, "--yaml").out) == zp.zoo.get(name)


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
    monkeypatch.setattr(
        doctor, "EXTRAS", {"gpu": {"no-such-package": "computes"}, "data": {"pytest": "tests"}}
    )
    extras = run("doctor", "--json").json["extras"]
    assert extras["gpu"] == {"packages": {"no-such-package": None}, "complete": False, "for": "computes"}
    assert extras["data"] == {"packages": {"pytest": pytest.__version__}, "complete": True, "for": "tests"}
    lines = run("doctor").out.splitlines()
    assert lines[-2].split(maxsplit=3)[1:3] == ["no-such-package", "missing"]
    assert lines[-2].endswith("  computes: pip install '.[gpu]'")
    assert "pip install" not in lines[-1]


def test_doctor_survives_a_broken_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "numba.cuda", None)
    monkeypatch.delattr("numba.cuda", raising=False)
    found = doctor._cuda()
    assert found["device"] is None
    assert found["reason"]


def test_warmup_tells_what_is_ready(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "zoophyte.physics.entries.compile_ahead", lambda forms, report: report(forms[0].title)
    )
    done = run("warmup")
    assert done.code == 0
    assert (
        "compiling into" in done.out
        and "herds of unlike bodies, 8 per register, float64" in done.out
        and "ready after" in done.out
    )
    assert "float32" in run("warmup", "--precision", "single").out
    refused = run("warmup", "--precision", "singel")
    assert refused.code == 2 and "Did you mean 'single'?" in refused.told


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
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (1010 * 1024, "0.986 MiB"),
        (999 * 1024, "999 KiB"),
        (5 * 2**20, "5 MiB"),
        (2**44, "1.64e+04 GiB"),
    ],
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
