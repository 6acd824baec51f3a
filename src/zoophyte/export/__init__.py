"""Take it away: pages, pictures and files made from trajectories (7)."""

from zoophyte.export import page as _page  # noqa: F401  (registers .html)
from zoophyte.export.gltf import glb_bytes
from zoophyte.export.mjcf import life as _life  # noqa: F401  (registers .xml and .mjcf)
from zoophyte.export.picture import Camera, film_of, picture_of, png_bytes
from zoophyte.export.scene import PALETTE, Scene, SceneJoint, scene_of, scene_of_pose
from zoophyte.export.strips import drawing_of, strip_of

__all__ = [
    "PALETTE", "Camera", "Scene", "SceneJoint", "drawing_of", "film_of", "glb_bytes",
    "picture_of", "png_bytes", "scene_of", "scene_of_pose", "strip_of",
]  # fmt: skip
