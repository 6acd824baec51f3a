"""Take it away: pages, pictures and files made from trajectories (7)."""

from zoophyte.export.scene import PALETTE, Scene, SceneJoint, scene_of, scene_of_pose

__all__ = ["PALETTE", "Scene", "SceneJoint", "scene_of", "scene_of_pose"]
