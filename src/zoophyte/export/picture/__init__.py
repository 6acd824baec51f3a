"""Still and moving pictures by our own software renderer: no display, no graphics hardware, no GL."""

from zoophyte.export.picture.camera import Camera
from zoophyte.export.picture.files import write_body_png, write_gif, write_png
from zoophyte.export.picture.gif import gif_bytes
from zoophyte.export.picture.picture import film_of, ghost_frames, picture_of
from zoophyte.export.picture.png import png_bytes

__all__ = [
    "Camera", "film_of", "ghost_frames", "gif_bytes", "picture_of", "png_bytes", "write_body_png", "write_gif",
    "write_png",
]  # fmt: skip
