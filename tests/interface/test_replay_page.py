"""The replay page: what is in the file, and what a browser makes of it from disk, with the network off."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import webbrowser
from dataclasses import dataclass, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zoophyte as zp
from zoophyte.description import Ellipsoid, Frustum
from zoophyte.errors import FileError, UsageError
from zoophyte.export import Scene, SceneJoint, page
from zoophyte.export.page import Replay, replay_of, replay_page
from zoophyte.simulation import Trajectory

Pixels = NDArray[np.uint8]

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("drive_page.mjs")
PACKAGES = ROOT / ".player"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120_000  # milliseconds; software rendering on a busy machine is slow

WAIT = {"do": "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"}
STATE = {"ask": "zoophyte.state()"}
LABEL = {"ask": "document.querySelector('.time').textContent"}


# ------------------------------------------------------------------------------------------------ what is shown


@cache
def pendulum_life() -> Trajectory:
    return zp.World(zp.zoo.double_pendulum(), dt=1e-3, integrator="rk4").simulate(1.0)


@pytest.fixture(scope="module")
def built() -> None:
    """Skips what needs the bundled player."""
    try:
        page.player()
    except FileError as reason:
        pytest.skip(str(reason))


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player that does nothing: the file around it is what is tested."""
    monkeypatch.setattr(page, "player", lambda: ("'script'", "main {}"))


def stems(count: int, pieces: int, frames: int) -> Scene:
    """A field of swaying stems, each a chain of frusta with a leaf at its end."""
    times = np.arange(frames) / 60.0
    bodies = count * pieces
    shapes = [
        (
            Frustum(
                radius_start=0.02 - 0.0008 * k,
                radius_end=0.0192 - 0.0008 * k,
                length=0.1,
                colour=(0.3, 0.5, 0.2),
            ),
        )
        if k < pieces - 1
        else (Ellipsoid(semi_axes=(0.05, 0.02, 0.1), colour=(0.9, 0.6, 0.0)),)
        for _ in range(count)
        for k in range(pieces)
    ]
    side = int(np.ceil(np.sqrt(count)))
    positions, quaternions = np.zeros((frames, bodies, 3)), np.zeros((frames, bodies, 4))
    for stem in range(count):
        at = np.tile([0.4 * (stem % side), 0.4 * (stem // side), 0.0], (frames, 1))
        for k in range(pieces):
            angle = 0.03 * (k + 1) * np.sin(2.0 * times + 0.3 * stem)
            body = stem * pieces + k
            positions[:, body] = at
            quaternions[:, body] = np.stack(
                [np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=1
            )
            at = at + 0.1 * np.stack([np.sin(angle), 0 * angle, np.cos(angle)], axis=1)
    return Scene(
        name="field", body_names=tuple(f"piece {n}" for n in range(bodies)),
        parents=tuple(-1 if n % pieces == 0 else n - 1 for n in range(bodies)), shapes=tuple(shapes),
        joints=tuple(SceneJoint(n, "hinge", ((0.0, 1.0, 0.0),)) for n in range(bodies)),
        times=times, positions=positions, quaternions=quaternions, channels={}, com=positions.mean(axis=1),
    )  # fmt: skip


def hostile_scene() -> Scene:
    scene = replay_of(pendulum_life()).scene
    feet = (np.arange(scene.frame_count) % 20 < 10).astype(float)
    forces = np.tile([0.0, 0.0, -0.2, 0.0, 0.0, 5.0], (scene.frame_count, 1))
    channels = {**scene.channels, HOSTILE: feet, "contact_forces": forces}
    return replace(scene, name=HOSTILE, body_names=(HOSTILE, "\u2028]]>&amp;"), channels=channels)


# ----------------------------------------------------------------------------------------------------- the file


class Tags(HTMLParser):
    """The elements of a page, and what its attributes load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.scripts: list[dict[str, str | None]] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        if tag == "script":
            self.scripts.append(dict(attributes))
        self.loads += [value or "" for name, value in attributes if name in ("src", "href", "data", "action")]


@pytest.mark.usefixtures("stub")
def test_names_stay_data() -> None:
    tags = Tags(replay_page([Replay(hostile_scene())], title=HOSTILE))
    kinds = [script.get("type") for script in tags.scripts]
    assert kinds == ["application/json", "application/octet-stream", None]
    assert "img" not in tags.names
    assert tags.loads == ["data:,"]


@pytest.mark.usefixtures("stub")
def test_names_read_back_from_the_page() -> None:
    text = replay_page([Replay(hostile_scene())])
    found = re.search(r'id="zoophyte-page">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    life = json.loads(found[1])["entries"][0]["life"]
    assert (life["name"], life["bodies"][0]["name"]) == (HOSTILE, HOSTILE)


@pytest.mark.usefixtures("stub")
def test_export_show_and_notebook_hold_the_same_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    life = pendulum_life()
    life.export(tmp_path / "life.html")
    text = (tmp_path / "life.html").read_text(encoding="utf-8")
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    shown = life.show()
    assert opened == [shown.as_uri()]
    assert shown.read_text(encoding="utf-8") == text
    shown.unlink()

    class Frame(HTMLParser):
        page = ""

        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            assert tag == "iframe"
            self.page = dict(attributes)["srcdoc"] or ""

    frame = Frame()
    frame.feed(life._repr_html_())
    assert frame.page == text


@pytest.mark.usefixtures("stub")
def test_without_a_browser_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    with pytest.warns(UserWarning, match=r"open this file in one: .*zoophyte-.*\.html"):
        shown = pendulum_life().show()
    shown.unlink()


def test_without_the_player_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PLAYER", ("missing.js", "missing.css"))
    with pytest.raises(FileError, match=r"Install Node\.js 20 .* `python tools/build_player\.py`"):
        pendulum_life().export(tmp_path / "life.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("stub")
def test_nothing_to_show_is_refused() -> None:
    with pytest.raises(UsageError, match="needs one life or more"):
        replay_page([])
    scene = replay_of(pendulum_life()).scene
    empty = replace(
        scene, times=scene.times[:0], positions=scene.positions[:0], quaternions=scene.quaternions[:0],
        com=scene.com[:0], channels={},
    )  # fmt: skip
    with pytest.raises(UsageError, match="has no frames"):
        replay_page([Replay(empty)])


@pytest.mark.usefixtures("stub")
def test_a_page_that_cannot_be_written_is_a_file_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        pendulum_life().export(tmp_path / "no" / "such" / "folder.html")


# -------------------------------------------------------------------------------------------------- the browser


@dataclass(frozen=True)
class Told:
    """What a page answered, and the pictures taken of it."""

    answers: list[Any]
    pictures: list[Pixels]


def drive(text: str, folder: Path, steps: list[dict[str, Any]], **options: Any) -> Told:
    """Some steps on a page; nothing may be said on the console, asked of a network, or alerted."""
    node, chromium = shutil.which("node"), next(filter(None, map(shutil.which, BROWSERS)), None)
    for there, what in (
        (node, "Node.js"),
        (chromium, "Chromium (Debian's package chromium)"),
        (
            (PACKAGES / "node_modules" / "playwright-core").is_dir(),
            "playwright-core; `make test` installs it",
        ),
    ):
        if not there:
            pytest.skip(f"no browser to open the page with: missing {what}")
    target = folder / "page.html"
    target.write_text(text, encoding="utf-8")
    job = {
        "page": target.as_uri(), "chromium": chromium, "packages": str(PACKAGES), "patience": PATIENCE,
        "width": 640, "height": 560, "scheme": "light", "steps": steps, **options,
    }  # fmt: skip
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    done = subprocess.run(
        [str(node), str(DRIVER), str(folder / "job.json")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["errors"], told["requests"]) == ([], [])
    pictures = [
        np.frombuffer(base64.b64decode(each["pixels"]), np.uint8).reshape(each["height"], each["width"], 4)[
            ..., :3
        ]
        for each in told["pictures"]
    ]
    return Told(told["answers"], pictures)


def colours(pixels: Pixels) -> int:
    """How many different ones there are."""
    return len(np.unique(pixels.reshape(-1, 3), axis=0))


@pytest.mark.usefixtures("built")
def test_one_life_plays_scrubs_and_is_seen_from_all_sides(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"until": "zoophyte.state().time > 0.05"},
        STATE,
        {"click": "button.play"},
        STATE,
        {"do": "zoophyte.seek(0.5)"},
        WAIT,
        LABEL,
        {"press": "ArrowRight"},
        WAIT,
        LABEL,
        {"press": "ArrowLeft"},
        {"press": "ArrowLeft"},
        WAIT,
        LABEL,
        {"press": "End"},
        WAIT,
        LABEL,
        *[step for key in "12345" for step in ({"press": key}, WAIT, STATE)],
        {"press": "["},
        {"press": "l"},
        STATE,
        {"press": "1"},
        {"do": "zoophyte.seek(0.25)"},
        WAIT,
        {"picture": str(tmp_path / "page.png")},
    ]
    told = drive(replay_page([replay_of(pendulum_life())]), tmp_path, steps)
    answers = told.answers
    started, paused = answers[0], answers[1]
    assert (started["view"], started["drawnBodies"], started["frames"]) == ("player", 2, 61)
    assert started["running"] and not paused["running"]
    labels = [answer for answer in answers if isinstance(answer, str)]
    assert labels == ["0.500 s", "0.517 s", "0.484 s", "1.000 s"]
    views = [answer for answer in answers if isinstance(answer, dict)][2:7]
    assert [view["camera"] for view in views] == ["orbit", "follow", "ground", "top", "side"]
    assert len({tuple(np.round(view["eye"], 4)) for view in views}) == 5
    high = views[3]["eye"]
    assert high[2] - views[3]["target"][2] > 5 * abs(high[1] - views[3]["target"][1])
    last = answers[-1]
    assert (last["speed"], last["loop"]) == (0.5, False)
    pixels = told.pictures[0][:300].astype(int)
    assert colours(pixels) > 200
    yellow = (pixels[..., 0] > 150) & (
        pixels[..., 2] < 0.5 * pixels[..., 0]
    )  # the upper rod's colour, and nothing else's
    assert yellow.sum() > 100


@pytest.mark.usefixtures("built")
def test_the_browser_shows_the_poses_that_were_recorded(tmp_path: Path) -> None:
    """Oracle: the scene's own poses. Tolerance: the steps of packing.py, 3e-5 rad over 0.2 m and 2e-6 m, with some room.

    Without the browser's decompression our own must give the same.
    """
    replay = replay_of(pendulum_life())
    frames = (0, 17, 60)
    ask = [
        step
        for frame in frames
        for step in ({"do": f"zoophyte.seek({replay.scene.times[frame]})"}, WAIT, {"ask": "zoophyte.pose()"})
    ]
    middle = 0.5 * (replay.scene.times[17] + replay.scene.times[18])
    steps = [
        {"do": "zoophyte.pause()"},
        *ask,
        {"do": f"zoophyte.seek({middle})"},
        WAIT,
        {"ask": "zoophyte.pose()"},
    ]
    text = replay_page([replay])
    for before in ("", "delete window.DecompressionStream"):
        *poses, between = drive(text, tmp_path, steps, before=before).answers
        for frame, pose in zip(frames, poses, strict=True):
            positions, turns = np.reshape(pose["position"], (-1, 3)), np.reshape(pose["rotation"], (-1, 4))
            assert np.abs(positions - replay.scene.positions[frame]).max() < 2e-5
            assert np.abs(np.sum(turns * replay.scene.quaternions[frame], axis=1)).min() > 1.0 - 1e-8
        mean = 0.5 * (replay.scene.positions[17] + replay.scene.positions[18])
        assert (
            np.abs(np.reshape(between["position"], (-1, 3)) - mean).max() < 1e-3
        )  # the joint goes along an arc, not along its chord


@pytest.mark.usefixtures("built")
def test_everything_that_can_be_shown_is_shown_and_names_are_inert(tmp_path: Path) -> None:
    keys = [step for key in "wscjnfgh?" for step in ({"press": key}, WAIT)]
    steps = [
        {"do": "zoophyte.pause()"}, STATE, *keys, STATE,
        {"ask": "document.querySelector('dialog').open"}, {"press": "Escape"}, {"press": "t"}, WAIT,
        {"ask": "document.documentElement.dataset.theme"}, {"ask": "document.querySelectorAll('img').length"},
        {"ask": "document.querySelector('h1').textContent"}, {"press": "h"}, {"press": "o"}, WAIT, STATE,
    ]  # fmt: skip
    ghost = replay_of(pendulum_life()).scene
    text = replay_page([Replay(hostile_scene(), ghost=ghost)], title=HOSTILE)
    answers = drive(text, tmp_path, steps, width=900, height=700).answers
    first, shown, is_open, theme, images, title, last = answers
    assert first["shown"]["ghost"]
    assert shown["shown"] == {
        "wire": True, "strobe": True, "com": True, "axes": True, "names": True, "forces": True, "ghost": False,
    }  # fmt: skip
    assert shown["names"] > 0
    assert (is_open, theme, images, title) == (True, "dark", 0, HOSTILE)
    assert HOSTILE in last["charts"]


@pytest.mark.slow
@pytest.mark.usefixtures("built")
def test_two_thousand_bodies_are_a_few_draw_calls(tmp_path: Path) -> None:
    steps = [{"until": "zoophyte.state().time > 0.1"}, STATE, {"picture": str(tmp_path / "page.png")}]
    text = replay_page([Replay(stems(100, 20, 90))])
    told = drive(text, tmp_path, steps, width=400, height=400)
    state = told.answers[0]
    assert state["drawnBodies"] == 2000
    assert state["drawCalls"] < 60  # shadows and bodies; without instances there would be 4000
    assert colours(told.pictures[0][:200]) > 200


@pytest.mark.usefixtures("built")
def test_several_lives_are_a_gallery(tmp_path: Path) -> None:
    life = replay_of(pendulum_life())
    field = Replay(stems(4, 5, 30))
    steps = [
        {"until": "zoophyte.state().cards.every(card => card.drawn > 1)"},
        STATE,
        {"picture": str(tmp_path / "page.png")},
        {"click": ".card:nth-child(2)"},
        {"until": "zoophyte.state().view === 'player' && zoophyte.state().drawnBodies === 20"},
        STATE,
        {"press": "Escape"},
        {
            "until": "zoophyte.state().view === 'gallery' && zoophyte.state().cards.every(card => card.drawn > 0)"
        },
        {"ask": "document.querySelector('h1').textContent"},
    ]
    told = drive(replay_page([life, field], title="Both"), tmp_path, steps)
    answers = told.answers
    assert [card["name"] for card in answers[0]["cards"]] == ["double_pendulum", "field"]
    assert (answers[1]["drawnBodies"], answers[2]) == (20, "Both")
    assert colours(told.pictures[0]) > 200


@pytest.mark.usefixtures("built")
def test_a_phone_has_large_buttons_and_nothing_beside_the_screen(tmp_path: Path) -> None:
    all_of = "[...document.querySelectorAll('{}')]"
    sizes = ".map(each => Math.min(each.offsetWidth, each.offsetHeight))"
    beside = ".filter(each => each.getBoundingClientRect().right > innerWidth + 1).length"
    steps = [
        {"ask": all_of.format(".transport button, .top button") + sizes},
        {"ask": "[document.documentElement.scrollWidth, innerWidth]"},
        {"tap": "button.play"},
        STATE,
        {"ask": all_of.format("button, input, select, canvas") + beside},
    ]
    answers = drive(
        replay_page([replay_of(pendulum_life())]), tmp_path, steps, width=375, height=667, scheme="dark"
    ).answers
    assert min(answers[0]) >= 44
    assert answers[1][0] <= answers[1][1]
    assert not answers[2]["running"]
    assert answers[3] == 0
