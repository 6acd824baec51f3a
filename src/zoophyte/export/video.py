"""``life.export("x.mp4")``: films that every browser, phone and slide plays, encoded by ffmpeg (extra ``video``).

H.264 with half the colours in each direction (yuv420p), which is what players take; hence even sizes.  The colours are
marked as those of BT.709, into which they are turned, so that players show what was drawn.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.description.files import reason, replacing
from zoophyte.errors import FileError, MissingExtraError, UsageError
from zoophyte.export.look import Look
from zoophyte.export.picture import Camera
from zoophyte.export.picture.files import film_span, filmed
from zoophyte.export.picture.picture import checked_size
from zoophyte.simulation.exporters import register_exporter

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

MP4_SIZE = (960, 540)
MP4_RATE = 30.0  # frames per second
MP4_SECONDS = 60.0  # at most; a longer life shows its beginning
FASTEST = 240.0
SMALLEST = 16  # pixels, of the encoder's blocks
QUALITY = 18  # constant rate factor of x264: differences cannot be seen
COLOURS = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv")
CODING = (
    "-vf", "scale=out_color_matrix=bt709:out_range=tv", *COLOURS, "-crf", str(QUALITY), "-movflags", "+faststart",
    "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1", "-f", "mp4",
)  # fmt: skip


def write_mp4(
    life: Trajectory,
    path: Path,
    *,
    camera: str | Camera = "auto",
    size: tuple[int, int] = MP4_SIZE,
    rate: float = MP4_RATE,
    look: Look | None = None,
    since: float | None = None,
    until: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Write at most a minute of a life, in true time, as an MP4 film: the first, or that from `since` on.

    Args:
        life: what to draw.
        path: of the file.
        camera: as for :func:`~zoophyte.export.picture_of`.
        size: width and height in pixels, both even.
        rate: frames per second; the film takes as long as the life.
        look: colours of ground, sky and background, and how many ghosts; none unless it says so.
        since: beginning of the film [s]; that of the life if left out.
        until: its end [s]; that of the life if left out.
        progress: called with the share that is drawn, from 0 to 1.

    Raises:
        UsageError: a view, size, rate or time that does not exist.
        MissingExtraError: without the package imageio-ffmpeg.
        FileError: when the file cannot be written.
    """
    size = _check(size, rate)
    span = film_span(life, MP4_SECONDS, since, until)
    try:
        ffmpeg: Any = importlib.import_module("imageio_ffmpeg")
    except ImportError:
        raise MissingExtraError("imageio-ffmpeg", "video", "writing MP4 films") from None
    limit = int(MP4_SECONDS * rate)
    with replacing(path) as file, tempfile.TemporaryDirectory(prefix="zoophyte-") as folder:
        film = Path(folder, "film.mp4")
        pictures = filmed(life, rate, limit, span, size=size, camera=camera, look=look, progress=progress)
        try:
            writer = ffmpeg.write_frames(
                str(film), size, fps=rate, codec="libx264", pix_fmt_in="rgb24", pix_fmt_out="yuv420p",
                quality=None, macro_block_size=2, ffmpeg_log_level="error", output_params=list(CODING),
            )  # fmt: skip
            writer.send(None)
            for picture in pictures:
                writer.send(np.ascontiguousarray(picture))
            writer.close()
            file.write(film.read_bytes())
        except (OSError, RuntimeError) as failure:  # RuntimeError: there is no ffmpeg for this machine
            raise FileError(f"{path}: ffmpeg cannot make the film: {reason(failure)}.") from None


def _check(size: Any, rate: Any) -> tuple[int, int]:
    """Width and height, unless no player takes these or the rate."""
    width, height = checked_size(size)
    if width % 2 or height % 2 or min(width, height) < SMALLEST:
        even = " × ".join(str(max(SMALLEST, side + side % 2)) for side in (width, height))
        raise UsageError(
            f"mp4: size {width} × {height} must be even numbers of pixels, {SMALLEST} or more, as players want. Take {even}."
        )
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 1.0 <= rate <= FASTEST:
        raise UsageError(f"mp4: rate is {rate!r}, must be 1 to {FASTEST:g} frames per second.")
    return width, height


register_exporter(".mp4", write_mp4)
