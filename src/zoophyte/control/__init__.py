"""What a body wants: controllers that turn senses into commands (5)."""

from zoophyte.control.controller import Command, Controller, Senses
from zoophyte.control.signals import Hold, Sine, Table

__all__ = ["Command", "Controller", "Hold", "Senses", "Sine", "Table"]
