"""Looks: colours of ground, sky and background, the grid and ghosts, in pictures, drawings, pages and films."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from golden.pictures import read_png
from zoophyte.errors import UsageError
from zoophyte.export import Look, drawing_of, film_of, picture_of, scene_of, scene_of_pose
from zoophyte.export.grounds import drawn_ground
from zoophyte.export.look import encoded, linear
from zoophyte.export.packing import pack

SMALL = (64, 36)


@cache
def swing() -> zp.Trajectory:
    return zp.World(zp.compile(zp.zoo.double_pendulum()), dt=1e-3).simulate(seconds=0.5, record_rate=100)


def figure(look: Look | None = None) -> np.ndarray:
    return picture_of(scene_of_pose(zp.compile(zp.zoo.ant()), look=look), size=SMALL)


def test_the_usual_look_changes_nothing() -> None:
    assert np.array_equal(figure(), figure(Look())) and Look().inks() == {}


def test_a_background_is_behind_everything() -> None:
    """Law: with no ground, each pixel that meets no solid has the colour that was asked for."""
    picture = figure(Look(ground="none", background="#406080"))
    assert tuple(picture[0, 0]) == tuple(picture[-1, -1]) == (0x40, 0x60, 0x80)
    assert not np.array_equal(picture, np.broadcast_to(picture[0, 0], picture.shape))


def test_ground_and_sky_have_their_colours() -> None:
    """Law: of a green ground and a red sky, the picture's lowest rows are green and the highest red."""
    scene = scene_of_pose(zp.compile(zp.zoo.ant()), look=Look(ground="#00a000", sky="#a00000", grid=False))
    picture = picture_of(scene, size=SMALL).astype(int)
    low, high = picture[-4:].reshape(-1, 3).mean(axis=0), picture[:2].reshape(-1, 3).mean(axis=0)
    assert low[1] > 3 * low[0] and low[1] > 3 * low[2]
    assert high[0] > 1.5 * high[1] and high[0] > 1.5 * high[2]


def test_a_named_sky_has_its_colour_where_usual_pictures_end() -> None:
    """The camera looks down, so the top row is the horizon: deepskyblue, (0, 191, 255), was (181, 224, 255) there."""
    scene = scene_of_pose(zp.compile(zp.zoo.ant()), look=Look(sky="deepskyblue"))
    top = picture_of(scene, size=SMALL)[0].astype(int)
    assert np.abs(top - [0, 191, 255]).max() < 60
    assert picture_of(scene, size=SMALL)[5, 0, 0] > 90  # paler below


def test_a_ground_left_out_is_left_out_everywhere() -> None:
    scene = scene_of(swing(), look=Look(ground=False))
    assert drawn_ground(scene) is None and pack(scene).data["ground"] is None
    assert 'class="ground"' not in drawing_of(scene).svg


def test_ghosts_of_pictures_are_as_many_as_asked_for(tmp_path: Path) -> None:
    """Oracle: the same picture with its ghosts named one by one."""
    from zoophyte.export.picture import ghost_frames

    scene = scene_of(swing(), rate=120.0)
    frame = scene.frame_count // 2
    for count in (0, 2):
        swing().export(tmp_path / "a.png", look=Look(ghosts=count), size=SMALL)
        before = ghost_frames(scene, frame, count) if count else []
        assert len(before) == count
        expected = picture_of(scene, frame=frame, size=SMALL, ghosts=before)
        assert np.array_equal(read_png((tmp_path / "a.png").read_bytes()), expected)


def test_films_have_ghosts_only_when_the_look_says_so() -> None:
    plain, haunted = (scene_of(swing(), rate=100.0, look=Look(ghosts=count)) for count in (0, 3))
    first, second = (next(film_of(scene, [40], size=SMALL)) for scene in (plain, haunted))
    assert np.array_equal(first, picture_of(scene_of(swing(), rate=100.0), frame=40, size=SMALL))
    assert not np.array_equal(first, second)


def test_drawings_have_the_colours_and_one_moment_more_than_ghosts() -> None:
    svg = drawing_of(
        scene_of(swing(), look=Look(background="black", sky="#123456", ghosts=3, ground="tan"))
    ).svg
    assert svg.count('<g class="shape"') == 4
    assert 'fill="#000000"' in svg and 'fill="#123456"' in svg and ".ground{fill:#d2b48c}" in svg
    assert 'class="grid"' in svg
    assert 'class="grid"' not in drawing_of(scene_of(swing(), look=Look(grid=False))).svg


def test_pages_carry_what_is_not_usual() -> None:
    look = pack(scene_of(swing(), look=Look(ground="tan", grid=False, ghosts=6))).data["look"]
    assert look == {"colours": {"ground": "#d2b48c", "line": "#d2b48c"}, "ghosts": 6}
    assert json.loads(json.dumps(pack(scene_of(swing())).data["look"])) == {"colours": {}, "ghosts": None}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"ground": "teel"},
            "look: ground is 'teel', must be .* Or 'none', for no ground. Did you mean 'teal'",
        ),
        ({"sky": (1, 2, 3)}, "look: sky is .*lie between 0 and 1"),
        ({"background": "none"}, "look: background is 'none', must be three numbers"),
        ({"ghosts": 41}, "ghosts is 41, must be a whole number from 0 to 40"),
        ({"ghosts": True}, "ghosts is true"),
        ({"grid": 1}, "grid is 1, must be True or False"),
    ],
)
def test_what_is_no_look_is_told(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Look(**options)


def test_settings_that_a_format_has_not_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no setting 'lok'; a \.png file has .*look.* Did you mean 'look'"):
        swing().export(tmp_path / "a.png", lok=Look())
    with pytest.raises(UsageError, match=r"a \.csv file has no settings"):
        swing().export(tmp_path / "a.csv", look=Look())
    with pytest.raises(UsageError, match=r"look is 'tan', must be a Look, as zp\.export\.Look"):
        swing().export(tmp_path / "a.png", look="tan")


def test_light_and_srgb_are_each_others_inverse() -> None:
    c = np.linspace(0.0, 1.0, 101)
    assert np.allclose(encoded(linear(c)), c, atol=1e-12)
    assert re.fullmatch("#[0-9a-f]{6}", Look(sky="teal").inks()["zenith"])
