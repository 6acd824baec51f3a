"""Arrows of contact forces in the replay page, seen by a browser: impacts fade, crowds are readable, the scale is told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from interface.test_replay_ground import carried
from interface.test_replay_page import STATE, WAIT, drive
from zoophyte.errors import FileError
from zoophyte.export import Scene, page
from zoophyte.export.packing import pack
from zoophyte.export.page import Replay, replay_page
from zoophyte.model import Plane

USUAL, IMPACT, AT = 50.0, 5000.0, 20  # newtons, newtons, frame
ARROWS = {"ask": "zoophyte.arrows()"}
LEGEND = {"ask": "[...document.querySelectorAll('.legend-row')].map(row => row.textContent)"}


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """Skips what needs the bundled player."""
    try:
        page.player()
    except FileError as reason:
        pytest.skip(str(reason))


def struck() -> Scene:
    """A figure that is carried along, with one contact that rests and another that is hit in one frame only."""
    scene = carried(Plane())
    frames = scene.frame_count
    resting = np.tile([0.3, 0.0, 0.0, 0.0, 0.0, USUAL], (frames, 1))
    hit = np.tile([-0.3, 0.0, 0.0, 0.0, 0.0, 0.0], (frames, 1))
    hit[AT, 5] = IMPACT
    scene.channels["contact_forces"] = np.hstack([resting, hit])
    return scene


def at_frames(*frames: float) -> list[dict[str, Any]]:
    return [
        step for frame in frames for step in ({"do": f"zoophyte.seek({frame / 20.0 + 1e-4})"}, WAIT, ARROWS)
    ]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], list[Any]]:
    """What one page says: of the legend, and of the arrows around the impact; a browser is slower to start than to ask."""
    steps = [
        {"do": "zoophyte.pause()"}, {"ask": "document.querySelector('.legend').hidden"}, {"press": "f"},
        {"do": "zoophyte.seek(0.5)"}, WAIT, LEGEND, ARROWS, {"press": "."}, {"press": "."}, WAIT, LEGEND, ARROWS,
        {"press": ","}, {"press": ","}, *at_frames(AT - 2, AT, AT + 1, AT + 3, AT + 6), {"do": "zoophyte.seek(0.5)"},
        {"press": "o"}, {"do": "document.querySelector('.sheet .scrub').focus()"}, {"press": "Home"}, WAIT, ARROWS, STATE,
    ]  # fmt: skip
    folder = tmp_path_factory.mktemp("forces")
    told = drive(replay_page([Replay(struck())]), folder, steps, width=390, height=700).answers
    return [*told[:5], *told[10:]], told[5:10]


def test_an_impact_of_one_frame_fades_over_several(answers: tuple[list[Any], list[Any]]) -> None:
    """The arrow of the impact is there in its frame, keeps its length, pales, and is gone after a quarter of a second.

    Frames are 50 ms apart.  Oracle: lengths grow in proportion up to the usual force and by half its logarithm beyond.
    """
    scale = pack(struck()).data["arrows"]
    before, during, *after, gone = answers[1]
    assert [len(each) for each in (before, during, *after, gone)] == [1, 2, 2, 2, 1]
    assert before[0]["length"] == pytest.approx(scale["usual_length"], rel=2e-3)
    hits = [max(each, key=lambda arrow: arrow["force"][2]) for each in (during, *after)]
    expected = scale["usual_length"] * (1.0 + 0.5 * math.log(IMPACT / USUAL))
    for hit in hits:
        assert hit["length"] == pytest.approx(expected, rel=2e-3)
        assert hit["point"] == pytest.approx([-0.3, 0.0, 0.0], abs=1e-3)
    shown = [hit["opacity"] for hit in hits]
    assert shown[0] > 0.9 and shown[0] > shown[1] > shown[2] > 0.1
    resting = min(after[0], key=lambda arrow: arrow["force"][2])
    assert resting["opacity"] == shown[0]  # what goes on does not pale


def test_the_legend_tells_the_scale_and_follows_the_length(answers: tuple[list[Any], list[Any]]) -> None:
    """Two presses of the key make arrows twice as long; newtons per length, as the legend tells them, go down by as much."""
    hidden, legend, usual, longer_legend, longer, shortest, state = answers[0]
    assert hidden
    assert longer[0]["length"] == pytest.approx(2.0 * usual[0]["length"], rel=1e-9)
    assert newtons_per_metre(legend[0]) == pytest.approx(USUAL / usual[0]["length"], rel=0.06)  # two digits
    assert newtons_per_metre(longer_legend[0]) == pytest.approx(USUAL / longer[0]["length"], rel=0.06)
    assert legend[1] == f"above {USUAL:.0f} N, shortened"
    assert shortest[0]["length"] == pytest.approx(usual[0]["length"] / 8.0, rel=1e-9)
    assert state["time"] == pytest.approx(0.5)  # the key moved the slider, not the time


def newtons_per_metre(text: str) -> float:
    force, unit, _, length, metres = text.split()
    units = {"mN": 1e-3, "N": 1.0, "kN": 1e3, "mm": 1e-3, "cm": 1e-2, "m": 1.0}
    return float(force) * units[unit] / (float(length) * units[metres])
