"""What fills the space around bodies: its drag and its lift, as numbers of each link."""

from zoophyte.model.medium.medium import Medium
from zoophyte.model.medium.tables import MediumTables

__all__ = ["Medium", "MediumTables"]
