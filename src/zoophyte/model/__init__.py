"""Compiled bodies: frozen arrays, states, and the flat layout the kernels read (3)."""

from zoophyte.model.block import STANDARD_GRAVITY, Block
from zoophyte.model.compiler import compile_description
from zoophyte.model.contact import ContactSettings, needs_contact
from zoophyte.model.layout import Layout
from zoophyte.model.medium import Medium
from zoophyte.model.medium.laws import Law
from zoophyte.model.model import Bodies, Dofs, Links, Model
from zoophyte.model.state import State
from zoophyte.model.terrain import Ground, Plane, Terrain
from zoophyte.model.terrain_files import load_terrain

compile = compile_description

__all__ = [
    "STANDARD_GRAVITY", "Block", "Bodies", "ContactSettings", "Dofs", "Ground", "Law", "Layout", "Links", "Medium", "Model",
    "Plane", "State", "Terrain",
    "compile", "load_terrain", "needs_contact",
]  # fmt: skip
