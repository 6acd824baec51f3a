"""Movers: controllers of any body from named numbers, and the numbers that they need with their usual ranges.

| controller | named numbers; `*` stands for a degree of freedom that has an actuator |
|---|---|
| sine | frequency [Hz], amplitude.*, phase.* [rad], offset.* |
| oscillators | the same, and weight [1/s]: neighbours in the list pull each other into these phases |
| spectral | frequency [Hz], offset.*, cosine.k.*, sine.k.* for the harmonics k = 1, 2, 3 |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from zoophyte.control import Controller, Coupling, Oscillator, Oscillators, Sine, Spectral
from zoophyte.evolution.genomes.free import CONTROL, Parameter
from zoophyte.model import Model

HARMONICS = 3
SPECTRUM = 8
"""Complex numbers of a spectrum: a period is twice as many straight lines."""
FREQUENCY = (0.4, 2.5)
SWING = {"turn": 0.8, "slide": 0.1, "motor": 1.0}
"""Largest amplitude where a joint has no limits [rad, m, parts of a motor's strength]."""
LEAN = 0.5
"""Largest offset, in parts of the largest amplitude."""
WEIGHT = 2.0

Values = Mapping[str, float]


def actuated(model: Model) -> list[str]:
    """Degrees of freedom that obey commands."""
    dofs = model.dofs
    obeys = dofs.driven | (dofs.servo_stiffness > 0.0) | (dofs.motor_strength > 0.0)
    return [name for name, moved in zip(model.dof_names, obeys, strict=True) if moved]


def swings(model: Model) -> dict[str, tuple[float, float]]:
    """For each of them the middle of its range and the largest amplitude."""
    found = {}
    dofs = model.dofs
    for name in actuated(model):
        n = model.dof_index(name)
        low, high = float(dofs.lower[n]), float(dofs.upper[n])
        if dofs.motor_strength[n] > 0.0 and not dofs.servo_stiffness[n] > 0.0:
            found[name] = 0.0, SWING["motor"]
        elif math.isfinite(low) and math.isfinite(high):
            found[name] = 0.5 * (low + high), 0.5 * (high - low)
        else:
            joint = model.description.bodies[int(model.links.body[dofs.link[n]]) - 1].joint
            found[name] = 0.0, SWING["slide" if joint.kind == "slide" else "turn"]
    return found


def sine_parameters(model: Model) -> list[Parameter]:
    """A common frequency; amplitude, phase and offset of each."""
    found = [Parameter(f"{CONTROL}frequency", *FREQUENCY, "log")]
    for dof, (middle, swing) in swings(model).items():
        found.append(Parameter(f"{CONTROL}amplitude.{dof}", 0.0, swing))
        found.append(Parameter(f"{CONTROL}phase.{dof}", 0.0, 2.0 * math.pi, "circle"))
        found.append(Parameter(f"{CONTROL}offset.{dof}", middle - LEAN * swing, middle + LEAN * swing))
    return found


def oscillator_parameters(model: Model) -> list[Parameter]:
    """Those of sines, and how hard neighbours pull."""
    return [*sine_parameters(model), Parameter(f"{CONTROL}weight", WEIGHT, WEIGHT)]


def spectral_parameters(model: Model) -> list[Parameter]:
    """A common frequency; mean and harmonics of each, the k-th at most 1/k of the largest amplitude."""
    found = [Parameter(f"{CONTROL}frequency", *FREQUENCY, "log")]
    for dof, (middle, swing) in swings(model).items():
        found.append(Parameter(f"{CONTROL}offset.{dof}", middle - LEAN * swing, middle + LEAN * swing))
        for k in range(1, HARMONICS + 1):
            found.append(Parameter(f"{CONTROL}cosine.{k}.{dof}", -swing / k, swing / k))
            found.append(Parameter(f"{CONTROL}sine.{k}.{dof}", -swing / k, swing / k))
    return found


def _each(values: Values, what: str) -> dict[str, float]:
    head = f"{CONTROL}{what}."
    return {name.removeprefix(head): value for name, value in values.items() if name.startswith(head)}


def sine(values: Values) -> Controller:
    """Sines of one frequency."""
    return Sine(
        _each(values, "amplitude"),
        values[f"{CONTROL}frequency"],
        _each(values, "phase"),
        _each(values, "offset"),
    )


def oscillators(values: Values) -> Controller:
    """Oscillators that tend to the phases named; each is pulled by its neighbours in the list."""
    phase, amplitude, offset = (_each(values, what) for what in ("phase", "amplitude", "offset"))
    frequency, weight = values[f"{CONTROL}frequency"], values[f"{CONTROL}weight"]
    dofs = list(amplitude)
    made: dict[str | int, Oscillator] = {
        dof: Oscillator(frequency, amplitude[dof], offset[dof], phase[dof]) for dof in dofs
    }
    pulls = []
    for first, second in pairwise(dofs):
        pulls.append(Coupling(first, second, weight, phase[second] - phase[first]))
        pulls.append(Coupling(second, first, weight, phase[first] - phase[second]))
    return Oscillators(made, pulls)


def spectral(values: Values) -> Controller:
    """h = offset + Σ_k a_k cos(2π k f t) + b_k sin(2π k f t): H_0 = N·offset, H_k = (N/2)(a_k + i b_k)."""
    count = 2 * SPECTRUM
    spectra: dict[str | int, Any] = {}
    for dof, offset in _each(values, "offset").items():
        numbers = [0j] * SPECTRUM
        numbers[0] = complex(count * offset)
        for k in range(1, HARMONICS + 1):
            a, b = values[f"{CONTROL}cosine.{k}.{dof}"], values[f"{CONTROL}sine.{k}.{dof}"]
            numbers[k] = complex(0.5 * count * a, 0.5 * count * b)
        spectra[dof] = numbers
    return Spectral(spectra, 1.0 / (count * values[f"{CONTROL}frequency"]))


def nothing(values: Values) -> None:
    """No controller."""


MOVERS: dict[str, tuple[Callable[[Model], list[Parameter]], Callable[[Values], Controller | None]]] = {
    "sine": (sine_parameters, sine),
    "oscillators": (oscillator_parameters, oscillators),
    "spectral": (spectral_parameters, spectral),
    "none": (lambda model: [], nothing),
}
