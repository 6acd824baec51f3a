"""MP4 films: read back by ffmpeg, frame by frame."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.errors import FileError, MissingExtraError, UsageError
from zoophyte.export import Look, film_of, scene_of
from zoophyte.export.picture.files import film_frames

SIZE = (96, 54)


@pytest.fixture(scope="module")
def life() -> zp.Trajectory:
    return zp.World(zp.compile(zp.zoo.double_pendulum()), dt=1e-3).simulate(seconds=0.5, record_rate=100)


@pytest.fixture
def ffmpeg() -> Any:
    return pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed (extra 'video')")


def told_of(ffmpeg: Any, path: Path) -> str:
    """What ffmpeg says about a file."""
    done = subprocess.run(
        [ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-i", path], capture_output=True, text=True, check=False
    )
    return done.stderr


def frames_of(ffmpeg: Any, path: Path) -> np.ndarray:
    command = [ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    data = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(data, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)


def test_a_film_shows_the_life_in_true_time(life: zp.Trajectory, ffmpeg: Any, tmp_path: Path) -> None:
    """Oracle: the renderer's own pictures.  Half of the colours, and what x264 leaves out at 18, are a few levels."""
    path, look = tmp_path / "life.mp4", Look(ground="darkseagreen")
    seen: list[float] = []
    life.export(path, size=SIZE, rate=20.0, look=look, progress=seen.append)
    words = told_of(ffmpeg, path)
    assert re.search(r"Video: h264.*yuv420p\(tv, bt709.*96x54.* 20 fps", words)
    assert "Duration: 00:00:00.55" in words  # from 0 to 0.5 s are 11 pictures of 0.05 s each
    film, scene = frames_of(ffmpeg, path), scene_of(life, rate=None, look=look)
    numbers = film_frames(scene, 20.0, 1000)
    assert len(film) == len(numbers) == 11 and seen[-1] == 1.0
    pictures = [picture.astype(int) for picture in film_of(scene, numbers, size=SIZE)]
    for n, expected in enumerate(pictures):
        assert np.abs(film[n] - expected).mean() < 4.0
        assert np.abs(film[n].mean(axis=(0, 1)) - expected.mean(axis=(0, 1))).max() < 2.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": (97, 54)}, "size 97 × 54 must be even numbers of pixels.* Take 98 × 54"),
        ({"size": (8, 54)}, "Take 16 × 54"),
        ({"size": "big"}, "must be two whole numbers"),
        ({"rate": 0.0}, "rate is 0.0, must be 1 to 240"),
        ({"rate": "fast"}, "rate is 'fast'"),
        ({"size": SIZE, "camera": "back"}, "back"),
    ],
)
def test_what_no_player_takes_is_refused(
    life: zp.Trajectory, ffmpeg: Any, options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=words):
        life.export(tmp_path / "a.mp4", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_told_before_anything_is_drawn(
    life: zp.Trajectory, ffmpeg: Any, tmp_path: Path
) -> None:
    seen: list[float] = []
    with pytest.raises(FileError, match="There is no folder"):
        life.export(tmp_path / "no" / "a.mp4", size=SIZE, progress=seen.append)
    assert seen == []


def test_without_the_package_the_way_to_it_is_told(
    life: zp.Trajectory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(
        MissingExtraError, match=r"writing MP4 films needs .*imageio-ffmpeg.*pip install '\.\[video\]'"
    ):
        life.export(tmp_path / "a.mp4")


def test_an_ffmpeg_that_fails_is_a_file_error(
    life: zp.Trajectory, ffmpeg: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(tmp_path / "none"))
    ffmpeg.get_ffmpeg_exe.cache_clear() if hasattr(ffmpeg.get_ffmpeg_exe, "cache_clear") else None
    with pytest.raises(FileError, match="ffmpeg cannot make the film"):
        life.export(tmp_path / "a.mp4", size=SIZE)
