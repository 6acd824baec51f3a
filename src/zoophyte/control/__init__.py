"""What a body wants: controllers that turn senses into commands (5)."""

from zoophyte.control.after import After
from zoophyte.control.controller import Command, Controller, Senses
from zoophyte.control.neurons import Neuron, Neurons, Sensor
from zoophyte.control.oscillators import Coupling, Oscillator, Oscillators
from zoophyte.control.signals import Hold, Sine, Table
from zoophyte.control.spectral import Spectral
from zoophyte.control.together import Together

__all__ = [
    "After", "Command", "Controller", "Coupling", "Hold", "Neuron", "Neurons", "Oscillator", "Oscillators", "Senses",
    "Sensor", "Sine", "Spectral", "Table", "Together",
]  # fmt: skip
