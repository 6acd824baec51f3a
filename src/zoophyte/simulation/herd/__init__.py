"""Many lives at once, of bodies that may all differ."""

from zoophyte.simulation.herd.herd import Herd
from zoophyte.simulation.living.conditions import Guards, Stops
from zoophyte.simulation.living.life import Life

__all__ = ["Guards", "Herd", "Life", "Stops"]
