"""The picker: its server refuses strangers, its page hands the choice over, and the run goes on from it."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interface.test_replay_page import BROWSERS, DRIVER, PACKAGES, PATIENCE, built, drive
from interface.test_report_page import HOSTILE, Reader, lives
from runs import MadeRun, made_run
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.report import Choice, pick, serve_picker, write_picker
from zoophyte.evolution.report.picking.page import candidates_of
from zoophyte.evolution.report.picking.server import OVER
from zoophyte.evolution.run.store import Closed, Row, Store

__all__ = ["built"]  # a fixture


class Served:
    """A picker in a thread of its own."""

    def __init__(self, run: Any, on_choice: Any, **options: Any) -> None:
        self.choices: list[Choice] | None = None
        self.failure: BaseException | None = None
        self.address = ""
        told = threading.Event()

        def hear(address: str) -> None:
            self.address = address
            told.set()

        def serve() -> None:
            try:
                self.choices = serve_picker(run, on_choice, told=hear, **options)
            except BaseException as failure:
                self.failure = failure

        self.thread = threading.Thread(target=serve, daemon=True)
        self.thread.start()
        assert told.wait(30.0)

    @property
    def host(self) -> str:
        return self.address.split("/")[2]

    @property
    def token(self) -> str:
        return self.address.split("/")[3]

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.host, timeout=30.0)
        connection.request(
            method, path, body, {key.replace("_", "-"): value for key, value in headers.items()}
        )
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        return answer.status, text

    def choose(self, record: Any, **headers: str) -> tuple[int, str]:
        given = {"Content_Type": "application/json", **headers}
        return self.ask("POST", f"/{self.token}/choice", json.dumps(record).encode(), **given)

    def end(self) -> list[Choice]:
        self.thread.join(30.0)
        assert not self.thread.is_alive()
        assert self.choices is not None
        return self.choices


@pytest.fixture
def run_made() -> MadeRun:
    return made_run(generations=4, population=12)


@pytest.fixture
def served(run_made: MadeRun) -> Iterator[Served]:
    picker = Served(run_made, lambda choice: None, lives=lives)
    yield picker
    if picker.thread.is_alive():  # a test that made no choice: make one, so that the thread ends
        picker.choose({"parents": [candidates_of(run_made)[0].number]})
    picker.thread.join(30.0)


def test_the_choice_comes_back(served: Served, run_made: MadeRun) -> None:
    first, second, third = (birth.number for birth in candidates_of(run_made)[:3])
    status, text = served.choose({"parents": [first, second], "keep": [], "delete": [third]})
    assert status == 200 and json.loads(text)["again"] is False
    assert served.end() == [Choice((first, second), (), (third,))]


def test_it_listens_here_alone(served: Served) -> None:
    assert served.host.startswith("127.0.0.1:")
    assert len(served.token) >= 32


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/choice", "/{token}x/", "//{token}", "/{token}"])
def test_a_wrong_token_is_refused(served: Served, path: str) -> None:
    path = path.format(token=served.token)
    if path == f"//{served.token}":
        path = f"/x/{served.token}/"
    for method in ("GET", "POST"):
        status, text = served.ask(
            method, path, b"{}" if method == "POST" else None, Content_Type="application/json"
        )
        assert status == 403
        assert served.token not in text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
    ],
)
def test_other_origins_and_hosts_are_refused(
    served: Served, run_made: MadeRun, headers: dict[str, str]
) -> None:
    number = candidates_of(run_made)[0].number
    assert served.choose({"parents": [number]}, **headers)[0] == 403
    assert served.ask("GET", f"/{served.token}/", **headers)[0] == 403


def test_its_own_origin_is_welcome(served: Served, run_made: MadeRun) -> None:
    number = candidates_of(run_made)[0].number
    assert served.choose({"parents": [number]}, Origin=f"http://{served.host}")[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"not json", 400, "must be JSON"),
        (b"[" * 100_000, 400, "must be JSON"),
        (b"[]", 400, "must be an object"),
        (b'{"parents": ["1"]}', 400, "must be a list"),
        (b'{"parents": [987654]}', 400, "no individual 987654"),
        (b"{}", 400, "nobody is chosen"),
        (b"x" * (1 << 19), 413, "at most"),
    ],
)
def test_bad_choices_are_told_and_the_page_goes_on(
    served: Served, body: bytes, status: int, words: str
) -> None:
    try:
        found, text = served.ask("POST", f"/{served.token}/choice", body, Content_Type="application/json")
        assert (found, words in text) == (status, True)
    except (ConnectionError, http.client.HTTPException):
        assert status == 413  # it hung up without reading on
    assert served.ask("GET", f"/{served.token}/")[0] == 200


def test_forms_of_other_pages_are_refused(served: Served) -> None:
    """A page elsewhere may send a form without asking; JSON it may not."""
    status, _ = served.ask(
        "POST", f"/{served.token}/choice", b"parents=1", Content_Type="application/x-www-form-urlencoded"
    )
    assert status == 415
    assert served.ask("POST", f"/{served.token}/else", b"{}", Content_Type="application/json")[0] == 404
    assert served.ask("PUT", f"/{served.token}/choice", b"{}")[0] == 501


def test_pictures_and_lives_are_of_candidates_only(served: Served, run_made: MadeRun) -> None:
    number = candidates_of(run_made)[0].number
    status, text = served.ask("GET", f"/{served.token}/picture/{number}")
    assert status == 200 and "PNG" in text[:8]
    for path in ("picture/999999", "life/0", "picture/..", "life/", "../etc/passwd", f"picture/{number}/x"):
        assert served.ask("GET", f"/{served.token}/{path}")[0] == 404


def test_what_a_person_can_mend_is_told_on_the_page(run_made: MadeRun) -> None:
    def refuse_once(choice: Choice) -> None:
        if not refused:
            refused.append(choice)
            raise UsageError("choose somebody else.")

    refused: list[Choice] = []
    served = Served(run_made, refuse_once, lives=None)
    number = candidates_of(run_made)[0].number
    assert served.choose({"parents": [number]}) == (400, "choose somebody else.")
    assert served.choose({"parents": [number]})[0] == 200
    assert served.end() == [Choice((number,))]


def test_what_nobody_expected_is_raised_where_it_is_served(run_made: MadeRun) -> None:
    def fail(choice: Choice) -> None:
        raise RuntimeError("a secret of the machine")

    served = Served(run_made, fail, lives=None)
    status, text = served.choose({"parents": [candidates_of(run_made)[0].number]})
    assert status == 400 and "secret" not in text
    served.thread.join(30.0)
    assert isinstance(served.failure, RuntimeError)


def test_the_page_goes_on_with_the_run_that_the_choice_gave(run_made: MadeRun) -> None:
    other = made_run(seed=9, generations=6, population=12)
    following = [other, None]
    served = Served(run_made, lambda choice: following.pop(0), lives=None)
    status, text = served.choose({"parents": [candidates_of(run_made)[0].number]})
    assert status == 200 and json.loads(text)["again"] is True
    assert "generation 5" in Reader(served.ask("GET", f"/{served.token}/")[1]).text
    assert served.choose({"parents": [candidates_of(run_made)[0].number]})[0] == 400  # they are gone
    assert served.choose({"parents": [candidates_of(other)[0].number]})[0] == 200
    assert len(served.end()) == 2


def test_a_port_that_is_taken_is_told(served: Served, run_made: MadeRun) -> None:
    with pytest.raises(UsageError, match="cannot be used"):
        serve_picker(run_made, lambda choice: None, lives=None, port=int(served.host.split(":")[1]))


# --------------------------------------------------------------------------------------------------------- runs


def stored(path: Path, scheme: str = "generational") -> Path:
    """A run of two complete generations and a part of a third."""
    store = Store(path, "create")
    store.configure(scheme={"name": scheme, "settings": {}}, generations=5)
    scores = [1.0, 2.0, -1.0, 3.0, 4.0, 5.0, 6.0]
    rows = [Row(n, n // 3, fitness=value) for n, value in enumerate(scores)]
    store.add(rows)
    store.end(Closed(0, [(0, 0), (1, 1)]))
    store.end(Closed(1, [(3, 0), (4, 1), (5, 2)]))
    store.close()
    return path


def survivors(path: Path) -> list[tuple[int, int]]:
    store = Store(path)
    found = store.generations()[-1].survivors
    store.close()
    return found


def test_a_choice_becomes_the_survivors_and_is_kept_with_the_run(tmp_path: Path) -> None:
    path = stored(tmp_path / "run.db")
    assert pick(path, Choice((5, 1), (), (3,))) == 1
    assert survivors(path) == [(5, 2), (1, 0)]
    store = Store(path)
    assert store.configuration()["picks"] == [{"generation": 1, "parents": [5, 1], "keep": [], "delete": [3]}]
    numbers = [row.number for row in store.rows()]
    store.close()
    assert numbers == [0, 1, 2, 3, 4, 5]  # 6 was bred from parents that are no longer the parents


def test_on_a_lattice_no_cell_is_left_empty(tmp_path: Path) -> None:
    path = stored(tmp_path / "run.db", "lattice")
    pick(path, Choice((5,)))
    assert survivors(path) == [(5, 0), (5, 1), (5, 2)]


@pytest.mark.parametrize(
    ("choice", "scheme", "words"),
    [
        (Choice((2,)), "generational", "no individual 2 that could be a parent"),  # faulty
        (Choice((6,)), "generational", "no individual 6"),  # of a generation that is not complete
        (Choice((1,)), "elites", "no individual 1"),  # has lost its niche
        (Choice(delete=(0,)), "generational", "0 cannot be deleted"),
        (Choice(delete=(3, 4, 5)), "generational", "nobody would be left"),
        (Choice((5,)), "cma", "no parents to choose"),
    ],
)
def test_impossible_choices_leave_the_run_as_it_is(
    tmp_path: Path, choice: Choice, scheme: str, words: str
) -> None:
    path = stored(tmp_path / "run.db", scheme)
    with pytest.raises(UsageError, match=words):
        pick(path, choice)
    assert survivors(path) == [(3, 0), (4, 1), (5, 2)]


def test_no_run_no_choice(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database")
    for name in ("missing.db", "text.db"):
        with pytest.raises(FileError):
            pick(tmp_path / name, Choice((1,)))


# ----------------------------------------------------------------------------------------------------- the page


@pytest.mark.usefixtures("built")
def test_a_page_from_disk_tells_the_command(tmp_path: Path) -> None:
    run = made_run(generations=3, population=6, name=f"{HOSTILE}.db")
    write_picker(run, tmp_path / "picker.html", lives=lives)
    text = (tmp_path / "picker.html").read_text(encoding="utf-8")
    assert Reader(text).handlers == []
    one, two, three = (birth.number for birth in candidates_of(run)[:3])
    mark = "[...document.querySelectorAll('.pick')][{}].click()"
    steps = [
        {"ask": "document.querySelector('#copy').disabled"},
        {"do": mark.format(0)},
        {"press": "k"},
        {"do": mark.format(1)},
        {"click": "[data-mode=delete]"},
        {"do": mark.format(2)},
        {"do": mark.format(3)},
        {"do": mark.format(3)},  # and back
        {"ask": "document.querySelector('#command').textContent"},
        {"ask": "document.querySelector('#counts').textContent"},
        {"do": f"zoophyte.watch({two})"},
        {"until": "document.querySelector('#theatre iframe')?.contentWindow.zoophyte?.state().drawnFrames > 0"},
        {"ask": "document.querySelector('#theatre h2').textContent"},
    ]  # fmt: skip
    disabled, command, counts, watched = drive(text, tmp_path, steps, width=420, height=420).answers
    assert disabled is True
    assert command.endswith(f" --choose {one} --keep {two} --delete {three}")
    assert counts == "1 parent · 1 kept · 1 deleted"
    assert watched == f"#{two}"


@pytest.mark.usefixtures("built")
def test_a_served_page_sends_the_choice(tmp_path: Path) -> None:
    node, chromium = shutil.which("node"), next(filter(None, map(shutil.which, BROWSERS)), None)
    if not (node and chromium and (PACKAGES / "node_modules" / "playwright-core").is_dir()):
        pytest.skip("no browser to open the page with")
    run = made_run(generations=3, population=5)
    served = Served(run, lambda choice: None, lives=lives)
    one, two = (birth.number for birth in candidates_of(run)[:2])
    steps: list[dict[str, Any]] = [
        {"until": "[...document.images].every(e => e.complete && e.naturalWidth)"},
        {"do": f"zoophyte.watch({two})"},
        {"until": "document.querySelector('#theatre iframe')?.contentWindow.zoophyte?.state().drawnFrames > 0"},
        {"click": "#theatre [data-mode=parents]"},
        {"click": "#close"},
        {"do": "document.querySelector('.pick').click()"},
        {"click": "#send"},
        {"until": "document.body.classList.contains('over')"},
        {"ask": "document.querySelector('#said').textContent"},
    ]  # fmt: skip
    job = {
        "page": served.address, "served": True, "chromium": chromium, "packages": str(PACKAGES), "patience": PATIENCE,
        "width": 420, "height": 420, "scheme": "light", "steps": steps,
    }  # fmt: skip
    (tmp_path / "job.json").write_text(json.dumps(job), encoding="utf-8")
    done = subprocess.run(
        [node, str(DRIVER), str(tmp_path / "job.json")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["errors"] == []
    assert all(request.startswith(served.address) for request in told["requests"])
    assert told["answers"] == [OVER]
    assert "if all its generations are there, ask for more" in OVER
    assert served.end() == [Choice((one, two))]
