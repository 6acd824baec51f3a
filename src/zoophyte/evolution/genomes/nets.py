"""Nets: evolvable graphs of neurons (FON-58 … FON-62), copied to every limb or body part that they belong to.

A neuron has a function, three inputs with a weight each, and a parameter; all three inputs are inherited, also where the
function uses fewer (junk, FON-57).  An input is a *relative address*: what kind of neighbour, which one, and which of its
neurons, as "the fourth neuron of the second child".  Addresses become names only when the body has grown; an index counts
modulo how many there are, and where there is none the input is 0, so that every net works in every body.

    net = random_net(rules, rng)                       a valid net
    net = mutated(net, rules, rng)                     another one
    names = net.names("front/left/")                   what its neurons will be called
    neurons, drivers = net.grow("front/left/", Reach(own=names, senses=("angle", "touch")))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from zoophyte.control.neurons import FUNCTIONS, Neuron
from zoophyte.errors import FileError
from zoophyte.evolution.variation import Floats, Rng, gaussian, reflected

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

FUNCTION_NAMES = tuple(FUNCTIONS)
"""A function's number in a net is its place here; the order is part of the record's format."""
KINDS = ("nothing", "own", "parent", "child", "brain", "sense", "world")
"""What an input may read: nothing (its weight is its value), neurons of the same net, of the parent part, of a child part,
of the global net; a sensor of the own part; a sensor of the world."""
NOTHING, OWN, PARENT, CHILD, BRAIN, SENSE, WORLD = range(len(KINDS))
OSCILLATORS = frozenset(FUNCTION_NAMES.index(name) for name in ("wave", "saw", "square"))

INDEX_LIMIT = 64
"""Indices of addresses lie below this; they count modulo what is there."""
WEIGHT_LIMIT = 4.0
LONGEST_DELAY, LARGEST_LEAK = 31, 5.0


@dataclass(frozen=True)
class Rules:
    """What a net may be, and how often its parts mutate (FON-65).

    Args:
        effectors: degrees of freedom that it drives.
        kinds: sources that its inputs may have, of `KINDS`; "nothing" is always allowed.
        functions: that its neurons may have.
        first: fewest and most neurons of a random net.
        most: neurons that it may grow to.
        frequency: range of random oscillators [Hz].
        gain: range of an effector's weight; negative ones are allowed, too.
        rate: probability that a function, an address, a weight or a parameter changes.
        structure: probability that a neuron is added, and likewise that one is lost.
        step: standard deviation of a change of a weight; of parameters and gains it is a tenth of their range.
    """

    effectors: int
    kinds: tuple[str, ...] = ("own", "sense")
    functions: tuple[str, ...] = FUNCTION_NAMES
    first: tuple[int, int] = (3, 6)
    most: int = 12
    frequency: tuple[float, float] = (0.5, 2.5)
    gain: float = 1.0
    rate: float = 0.05
    structure: float = 0.04
    step: float = 0.4


class Reach(NamedTuple):
    """What the addresses of one grown net can mean: names of neurons and sensors.

    Args:
        own: neurons of this net.
        parent: neurons of the part that this one hangs on.
        children: neurons of each part that hangs on this one.
        brain: neurons of the global net.
        senses: sensors of this part.
        world: sensors of the world.
    """

    own: Sequence[str] = ()
    parent: Sequence[str] = ()
    children: Sequence[Sequence[str]] = ()
    brain: Sequence[str] = ()
    senses: Sequence[str] = ()
    world: Sequence[str] = ()

    def resolve(self, address: Sequence[int]) -> str | None:
        """The name at an address, or None where there is nothing."""
        kind, which, index = address
        if kind == NOTHING:
            return None
        names: Sequence[Any] = self[kind - OWN]  # its fields are in the order of the kinds
        if kind == CHILD and names:
            names = names[which % len(names)]
        return names[index % len(names)] if names else None


@dataclass(frozen=True, eq=False)
class Net:
    """The genes of a net; nobody changes its arrays.

    Args:
        functions: of the neurons, shape (n,), places in `FUNCTION_NAMES`.
        sources: addresses of their inputs, shape (n, 3, 3): kind, which child, index.
        weights: of the inputs, shape (n, 3).
        parameters: from 0 to 1, shape (n,): delay of 0 … 31 calls, or leak of 0 … 5 per second.
        outputs: addresses of what drives the effectors, shape (m, 3).
        gains: of the effectors, shape (m,).
    """

    functions: Ints
    sources: Ints
    weights: Floats
    parameters: Floats
    outputs: Ints
    gains: Floats

    def __len__(self) -> int:
        return len(self.functions)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Net) and all(
            np.array_equal(mine, other.record()[name]) for name, mine in self.record().items()
        )

    def __hash__(self) -> int:
        return hash((self.functions.tobytes(), self.weights.tobytes()))

    def names(self, prefix: str) -> tuple[str, ...]:
        """What the neurons will be called."""
        return _names(prefix, len(self.functions))

    def grow(
        self, prefix: str, reach: Reach, *, opposed: bool = False
    ) -> tuple[dict[str, Neuron], list[tuple[str, float] | None]]:
        """The neurons by name, and for every effector (driver, weight), or None where nothing drives it.

        Args:
            prefix: of the names.
            reach: what is there to read.
            opposed: whether its oscillators swing the other way: of sines and squares, half a period later.
        """
        neurons = {name: self.neuron(n, reach, opposed=opposed) for n, name in enumerate(self.names(prefix))}
        return neurons, self.drivers(reach)

    @cached_property
    def rows(self) -> list[tuple[int, list[list[int]], list[float], float]]:
        """Function, sources, weights and parameter of each neuron, as plain numbers."""
        columns = (self.functions, self.sources, self.weights, self.parameters)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def neuron(self, n: int, reach: Reach, *, opposed: bool = False) -> Neuron:
        """One of the neurons, its addresses resolved.

        Args:
            n: which one.
            reach: as for :meth:`grow`; likewise the next.
            opposed: whether it swings the other way.
        """
        function, sources, weights, parameter = self.rows[n]
        kind = FUNCTION_NAMES[function]
        inputs, scaled = [], []
        for address, weight in zip(sources[: FUNCTIONS[kind][1]], weights, strict=False):
            source = reach.resolve(address)
            inputs.append(source)
            scaled.append(weight if source is not None or address[0] == NOTHING else 0.0)
        if opposed and function in OSCILLATORS:
            scaled[2] = -scaled[2]  # their third input is the amplitude
        return Neuron(kind, tuple(inputs), tuple(scaled), _expressed(kind, parameter))

    def drivers(self, reach: Reach) -> list[tuple[str, float] | None]:
        """For every effector (driver, weight), or None where nothing drives it."""
        found: list[tuple[str, float] | None] = []
        for address, gain in self.drives:
            driver = reach.resolve(address)
            found.append(None if driver is None else (driver, gain))
        return found

    @cached_property
    def drives(self) -> list[tuple[list[int], float]]:
        """Address and weight of each effector, as plain numbers."""
        return list(zip(self.outputs.tolist(), self.gains.tolist(), strict=True))

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "functions": self.functions, "sources": self.sources, "weights": self.weights,
            "parameters": self.parameters, "outputs": self.outputs, "gains": self.gains,
        }  # fmt: skip


def world_sensors(bodies: Sequence[str]) -> dict[str, tuple[str, str, int]]:
    """Kind, owner and axis of the sensors that tell, in the root's axes, where bodies are: three each (FON-61, FON-73)."""
    return {f"{body}.{'xyz'[axis]}": ("toward", body, axis) for body in bodies for axis in range(3)}


@lru_cache(maxsize=1024)
def _names(prefix: str, count: int) -> tuple[str, ...]:
    """Names of neurons; parts of all creatures ask for the same few."""
    return tuple(f"{prefix}{n}" for n in range(count))


def _expressed(function: str, gene: float) -> float:
    if function == "delay":
        return float(min(int(gene * (LONGEST_DELAY + 1)), LONGEST_DELAY))
    return LARGEST_LEAK * gene if function == "integrate" else 0.0


def restored(record: Any) -> Net:
    """The net whose `record()` this is.

    Raises:
        FileError: says what does not fit.
    """
    try:
        functions, sources, outputs = (
            np.asarray(record[key], np.int64) for key in ("functions", "sources", "outputs")
        )
        weights, parameters, gains = (
            np.asarray(record[key], float) for key in ("weights", "parameters", "gains")
        )
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        raise FileError(f"a net of neurons is damaged: {problem}.") from None
    n, m = functions.shape[0] if functions.ndim == 1 else -1, gains.shape[0] if gains.ndim == 1 else -1
    shapes = (sources.shape, weights.shape, parameters.shape, outputs.shape)
    if n < 0 or m < 0 or shapes != ((n, 3, 3), (n, 3), (n,), (m, 3)):
        raise FileError(
            f"a net of neurons is damaged: shapes {shapes} do not fit {n} neurons and {m} effectors."
        )
    net = Net(functions, sources, weights, parameters, outputs, gains)
    if not is_valid(net):
        raise FileError(
            "a net of neurons is damaged: it holds a function, an address or a weight that none may have."
        )
    return net


def is_valid(net: Net) -> bool:
    """Whether every gene lies where genes may lie."""
    if not len(net):
        return False
    addresses = np.concatenate([net.sources.reshape(-1, 3), net.outputs.reshape(-1, 3)])
    return bool(
        net.functions.min() >= 0
        and net.functions.max() < len(FUNCTION_NAMES)
        and addresses.min() >= 0
        and addresses[:, 0].max() < len(KINDS)
        and addresses.max() < INDEX_LIMIT
        and np.abs(net.weights).max() <= WEIGHT_LIMIT  # false for what is no number; likewise the next
        and net.parameters.min() >= 0.0
        and net.parameters.max() <= 1.0
        and np.isfinite(net.gains).all()
    )


def random_net(rules: Rules, rng: Rng) -> Net:
    """A random net: each neuron drawn by :func:`_random_neuron`, effectors driven by neurons of its own."""
    count = int(rng.integers(rules.first[0], rules.first[1] + 1))
    rows = [_random_neuron(rules, rng) for _ in range(count)]
    outputs = np.zeros((rules.effectors, 3), np.int64)
    outputs[:, 0], outputs[:, 2] = OWN, rng.integers(0, INDEX_LIMIT, rules.effectors)
    gains = rules.gain * rng.uniform(-1.0, 1.0, rules.effectors)
    functions, sources, weights, parameters = zip(*rows, strict=True)
    return Net(
        np.array(functions, np.int64), np.array(sources), np.array(weights), np.array(parameters), outputs, gains
    )  # fmt: skip


def _random_neuron(rules: Rules, rng: Rng) -> tuple[int, Ints, Floats, float]:
    """A function, three addresses, three weights of deviation 1, and a parameter.

    Every other neuron is an oscillator with constant frequency, phase and amplitude: without any, most nets stand still.
    """
    oscillators = [name for name in ("wave", "saw", "square") if name in rules.functions]
    if oscillators and rng.random() < 0.5:
        low, high = rules.frequency
        frequency = low + (high - low) * rng.random() ** 2  # slow ones are more frequent
        weights = np.array([frequency, np.pi * rng.uniform(-1.0, 1.0), rng.uniform(0.3, 1.0)])
        function = FUNCTION_NAMES.index(oscillators[int(rng.integers(len(oscillators)))])
        return function, np.zeros((3, 3), np.int64), weights, float(rng.random())
    function = FUNCTION_NAMES.index(rules.functions[int(rng.integers(len(rules.functions)))])
    weights = reflected(rng.standard_normal(3), -WEIGHT_LIMIT, WEIGHT_LIMIT)
    return function, _random_addresses(rules, rng, 3), weights, float(rng.random())


def _random_addresses(rules: Rules, rng: Rng, count: int) -> Ints:
    """Addresses of any allowed kind; one in four reads nothing."""
    kinds = np.array([KINDS.index(kind) for kind in rules.kinds], np.int64)
    addresses = rng.integers(0, INDEX_LIMIT, (count, 3))
    addresses[:, 0] = kinds[rng.integers(0, len(kinds), count)] * (rng.random(count) >= 0.25)
    return addresses


def mutated(net: Net, rules: Rules, rng: Rng, *, step: float = 1.0) -> Net:
    """A net with some genes changed.

    Functions and addresses are drawn anew; weights, gains and parameters take normal steps of mean zero, reflected at their
    bounds; a neuron may be added, or one lost (then addresses of later ones in the same net count one less).

    Args:
        net: stays as it is.
        rules: probabilities and ranges.
        rng: of all changes.
        step: factor of the normal steps.
    """
    n, functions, sources = len(net), net.functions.copy(), net.sources.copy()
    allowed = np.array([FUNCTION_NAMES.index(name) for name in rules.functions], np.int64)
    change = rng.random(n) < rules.rate
    functions[change] = allowed[rng.integers(0, len(allowed), int(change.sum()))]
    change = rng.random((n, 3)) < rules.rate
    sources[change] = _random_addresses(rules, rng, int(change.sum()))
    outputs = net.outputs.copy()
    change = rng.random(len(outputs)) < rules.rate
    outputs[change] = _random_addresses(rules, rng, int(change.sum()))
    bound = WEIGHT_LIMIT
    weights = _some(net.weights, step * rules.step, rules.rate, rng, (-bound, bound))
    parameters = _some(net.parameters, step * 0.1, rules.rate, rng, (0.0, 1.0))
    gains = _some(net.gains, step * 0.2 * rules.gain, rules.rate, rng, (-rules.gain, rules.gain))
    child = Net(functions, sources, weights, parameters, outputs, gains)
    if rng.random() < rules.structure and len(child) < rules.most:
        child = _longer(child, rules, rng)
    if rng.random() < rules.structure and len(child) > 1:
        child = _shorter(child, int(rng.integers(len(child))))
    return child


def _some(values: Floats, deviation: float, rate: float, rng: Rng, bounds: tuple[float, float]) -> Floats:
    moved = gaussian(values, deviation, rng, *bounds)
    return np.where(rng.random(values.shape) < rate, moved, values)


def _longer(net: Net, rules: Rules, rng: Rng) -> Net:
    """With one neuron more; what the others read stays what it was."""
    function, sources, weights, parameter = _random_neuron(rules, rng)
    kept = replace(net, sources=_own(net.sources, len(net)), outputs=_own(net.outputs, len(net)))
    return replace(
        kept, functions=np.append(net.functions, function), sources=np.concatenate([kept.sources, sources[None]]),
        weights=np.concatenate([net.weights, weights[None]]), parameters=np.append(net.parameters, parameter),
    )  # fmt: skip


def _shorter(net: Net, lost: int) -> Net:
    """Without one neuron; what the others read stays what it was, and who read the lost one reads the next."""
    n = len(net)
    keep = np.arange(n) != lost
    return replace(
        net, functions=net.functions[keep], sources=_own(net.sources[keep], n, lost), weights=net.weights[keep],
        parameters=net.parameters[keep], outputs=_own(net.outputs, n, lost),
    )  # fmt: skip


def _own(addresses: Ints, count: int, lost: int = INDEX_LIMIT) -> Ints:
    """Addresses in the own net of `count` neurons as plain indices, those behind a lost neuron one less."""
    index = addresses[..., 2] % count
    found = addresses.copy()
    found[..., 2] = np.where(addresses[..., 0] == OWN, index - (index > lost), addresses[..., 2])
    return found


def difference(a: Net, b: Net) -> float:
    """From 0 for equal nets to about 1 for unrelated ones: the mean over neurons, compared one by one, and effectors."""
    shorter, longer = sorted((len(a), len(b)))
    k = slice(0, shorter)
    functions = float(np.sum(a.functions[k] != b.functions[k]))
    sources = float(np.sum(np.any(a.sources[k] != b.sources[k], axis=-1))) / 3.0
    weights = float(np.sum(np.minimum(np.abs(a.weights[k] - b.weights[k]), 1.0))) / 3.0
    parameters = float(np.sum(np.abs(a.parameters[k] - b.parameters[k])))
    neurons = 0.25 * (functions + sources + weights + parameters) + (longer - shorter)
    m = slice(0, min(len(a.gains), len(b.gains)))
    outputs = float(np.sum(np.any(a.outputs[m] != b.outputs[m], axis=-1)))
    gains = float(np.sum(np.minimum(np.abs(a.gains[m] - b.gains[m]), 1.0)))
    effectors = 0.5 * (outputs + gains) + abs(len(a.gains) - len(b.gains))
    return (neurons + effectors) / (longer + max(len(a.gains), len(b.gains)))
