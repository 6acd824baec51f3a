"""Compiled bodies: frozen arrays, states, and the flat layout the kernels read (3)."""

from zoophyte.model.block import STANDARD_GRAVITY, Block
from zoophyte.model.compiler import compile_description
from zoophyte.model.layout import Layout
from zoophyte.model.model import Bodies, Dofs, Links, Model
from zoophyte.model.state import State
from zoophyte.model.terrain import Plane, Terrain

compile = compile_description

__all__ = ["STANDARD_GRAVITY", "Block", "Bodies", "Dofs", "Layout", "Links", "Model", "Plane", "State", "Terrain", "compile"]
