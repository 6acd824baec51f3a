"""One life: worlds, what is recorded of them, trajectories and their files (6)."""

from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.status import Status
from zoophyte.simulation.trajectory import Trajectory
from zoophyte.simulation.world import World, simulate

__all__ = ["Habitat", "Status", "Trajectory", "World", "simulate"]
