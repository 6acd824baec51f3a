"""Saving environments and going on from there, bit for bit; copies that live on their own."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from zoophyte.description.arrays.npz import file_error, open_archive, text_of, write_archive
from zoophyte.errors import UsageError, brief
from zoophyte.gym.crowd import Crowd, Moment
from zoophyte.model import Model, State
from zoophyte.simulation.living.life import unborn
from zoophyte.simulation.status import Status

Kind = TypeVar("Kind")
FORMAT = 1
SPACES = ("action_space", "observation_space", "single_action_space", "single_observation_space")
ABOUT = ("format", "body", "print", "count", "dt", "chance", "spaces", "ended")
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)
"""What damaged files lead to; a UsageError is a ValueError."""
GENERATOR = "PCG64"
"""The source of chance of Gymnasium; others have states of other kinds."""


@dataclass(frozen=True, eq=False)
class Saved:
    """Where an environment, or many at once, stood: made by :func:`zoophyte.gym.save`, for :func:`zoophyte.gym.restore`.

    Args:
        about: which body, how many, their sources of chance: plain texts, numbers, lists and dictionaries.
        arrays: states and counters, by name.
    """

    about: dict[str, Any]
    arrays: dict[str, Any]

    def __repr__(self) -> str:
        return f"Saved({self.about['count']} × {self.about['body']})"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file (NPZ: arrays, and a text in JSON).

        Args:
            path: of the file, which is replaced whole or not at all.

        Raises:
            FileError: when it cannot be written.
        """
        write_archive(path, self.arrays, {"about": json.dumps(self.about)})

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Saved:
        """Read what :meth:`write` wrote; nothing in a file is ever run or imported.

        Args:
            path: of the file.

        Raises:
            FileError: when it cannot be read, or is no saved environment.
        """
        with open_archive(path, "zoophyte.gym.save(…).write(path) makes such files.") as archive:
            arrays = {name: archive.read(name) for name in archive.names}
        if "about" not in arrays:
            raise file_error(path, "is no saved environment.", "zoophyte.gym.save(…).write(path) makes one.")
        try:
            about = json.loads(text_of(path, "about", arrays.pop("about")))
        except (ValueError, RecursionError):
            about = None
        if not isinstance(about, dict) or any(name not in about for name in ABOUT):
            raise file_error(path, "is no saved environment, or a damaged one.")
        if about["format"] != FORMAT:
            raise file_error(path, f"has format {brief(about['format'])}; this version reads {FORMAT}.")
        return cls(about, arrays)


def save(environment: Any) -> Saved:
    """Where an environment stands, or many at once: bodies, contacts, counters and sources of chance.

    What functions of your own, policies and wrappers of Gymnasium other than its `TimeLimit` remember is not part of it.

    Args:
        environment: made by :func:`zoophyte.make` or by Gymnasium, wrapped or not.

    Raises:
        UsageError: when it is another environment, has not begun, or is closed.
    """
    inner = _inner(environment)
    inner.stage.enter("save")
    crowd: Crowd = inner.crowd
    arrays, ended = _standing(crowd)
    arrays["done"] = np.array(getattr(inner, "done", np.zeros(1)), float)
    about = {
        "format": FORMAT, "body": crowd.model.name, "print": _print(crowd.model), "count": crowd.count,
        "dt": crowd.task.dt, "ended": ended, "chance": [_chance(rng) for rng in crowd.rngs],
        "spaces": {name: _chance(space._np_random) for name, space in _spaces(inner).items()},
    }  # fmt: skip
    return Saved(about, arrays)


def restore(environment: Any, saved: Saved) -> None:
    """Let an environment go on from where one of its kind was saved, with the same bits, in this process or another.

    Args:
        environment: of the same body, number and dt; its rewards may differ.
        saved: what :func:`zoophyte.gym.save` gave, or :meth:`Saved.read`.

    Raises:
        UsageError: when it is of another kind, or what was saved is damaged; the environment then stays as it was.
    """
    inner = _inner(environment)
    if inner.stage.closed:
        inner.stage.enter("restore")
    if not isinstance(saved, Saved):
        raise UsageError(
            f"saved is {brief(saved)}, must be what zoophyte.gym.save gave, or Saved.read(path)."
        )
    crowd: Crowd = inner.crowd
    _refuse_others(crowd, saved.about)
    try:
        if len(saved.about["chance"]) != crowd.count:
            raise ValueError("as many sources of chance as environments are needed")
        chance = [_generator(state) for state in saved.about["chance"]]
        spaces = {name: _generator(state) for name, state in saved.about["spaces"].items()}
        placed = _Placed.of(crowd, saved.arrays, saved.about["ended"])
        done = saved.arrays["done"].reshape(crowd.count) > 0.5
    except DAMAGE as failure:
        raise _damaged(crowd, failure) from None
    if not inner.stage.begun:
        environment.reset()  # wrappers want to see one
    before = _Placed.of(crowd, *_standing(crowd))
    try:
        placed.put(crowd)
    except DAMAGE as failure:  # contacts of other shapes
        before.put(crowd)
        raise _damaged(crowd, failure) from None
    crowd.rngs = list(chance)
    if not hasattr(inner, "num_envs"):
        inner.np_random = chance[0]
    else:
        inner.done = done
    for name, space in _spaces(inner).items():
        if spaces.get(name) is not None:
            space._np_random = spaces[name]
    _tell_wrappers(environment, inner, int(crowd.now.steps[0]))


def _damaged(crowd: Crowd, failure: BaseException) -> UsageError:
    return UsageError(f"what was saved of {crowd.model.name} is damaged: {str(failure).rstrip('.')}.")


def twin_of(environment: Kind, memo: dict[int, Any]) -> Kind:
    """A deep copy of an environment: it goes on with the same bits, and neither knows of the other.

    Args:
        environment: without wrappers.
        memo: of :func:`copy.deepcopy`.
    """
    mine: Any = environment
    twin = object.__new__(type(environment))
    memo[id(environment)], memo[id(mine.model)] = twin, mine.model
    vars(twin).update({name: value for name, value in vars(mine).items() if name != "crowd"})
    crowd: Crowd = mine.crowd
    copied = Crowd(crowd.model, copy.deepcopy(crowd.task, memo), crowd.count, workers=crowd.workers)
    memo[id(crowd)], memo[id(crowd.task)] = copied, copied.task
    copied.rngs = copy.deepcopy(crowd.rngs, memo)
    arrays, ended = _standing(crowd)
    _Placed.of(copied, arrays, ended).put(copied)
    if mine.stage.closed:
        copied.close()
    vars(twin).update(copy.deepcopy(vars(mine), memo))
    return twin


@dataclass(frozen=True)
class _Placed:
    """What is put into a crowd, checked.

    Args:
        states: of who lives.
        ended: how the others' lives have ended, by number.
        now: the moment.
        then: when the last step began.
    """

    states: dict[int, State | None]
    ended: dict[int, Any]
    now: Moment
    then: Moment

    @classmethod
    def of(cls, crowd: Crowd, arrays: dict[str, Any], told: Any) -> _Placed:
        """From arrays, which may have been in a file.

        Raises:
            KeyError, TypeError, ValueError: when they do not fit.
            UsageError: when a state is none.
        """
        n, nv = crowd.count, crowd.model.nv
        now, then = (_moment(crowd, arrays, prefix) for prefix in ("now", "then"))
        sizes = _shaped(arrays, "contact_sizes", (n,)).astype(np.int64)
        if (sizes < 0).any():
            raise ValueError("contact_sizes must not be negative")
        contacts = np.split(_shaped(arrays, "contact", (int(sizes.sum()),)), np.cumsum(sizes)[:-1])
        clock, applied = _shaped(arrays, "clock", (n, 3)), _shaped(arrays, "applied", (n, nv))
        command = _shaped(arrays, "command", (n, nv, 7))
        # Files of before have none: such a state is asked again whether life can begin so.
        lived = _shaped(arrays, "lived", (n,)) if "lived" in arrays else np.zeros(n)
        ended = {int(number): Status(*status) for number, *status in told}
        if sorted(ended) != np.flatnonzero(now.failed).tolist():
            raise ValueError("who has failed must have a status")
        states = {}
        for number in range(n):
            start, count, dt = clock[number].tolist()
            state = State(
                now.q[number], now.v[number], (start, int(count), dt), command[number], applied[number],
                alarm=np.inf, contact=contacts[number], lived=float(lived[number]),
            )  # fmt: skip
            states[number] = state.checked(crowd.model)
        lives = {
            number: replace(unborn(status), final=states.pop(number)) for number, status in ended.items()
        }
        return cls({**states}, lives, now, then)

    def put(self, crowd: Crowd) -> None:
        """Let a crowd go on from here."""
        crowd.running.resume(self.states, self.ended)
        crowd.move_on(self.now, self.then)


def _standing(crowd: Crowd) -> tuple[dict[str, Any], list[Any]]:
    """Where a crowd stands, as arrays of floats, and how the lives of those who failed have ended."""
    arrays = {
        f"{prefix}_{name}": np.array(values, float)
        for prefix, moment in (("now", crowd.now), ("then", crowd.then))
        for name, values in vars(moment).items()
    }
    still = State.neutral(crowd.model)
    failed = crowd.now.failed
    states = [still if failed[n] else crowd.running.state(n) for n in range(crowd.count)]
    arrays |= {
        "clock": np.array([state.clock for state in states], float),
        "command": np.stack([state.command for state in states]),
        "applied": np.stack([state.applied for state in states]),
        "contact": np.concatenate([state.contact for state in states]),
        "contact_sizes": np.array([len(state.contact) for state in states], float),
        "lived": np.array([state.lived for state in states], float),
    }
    ended: list[Any] = []
    for number in np.flatnonzero(failed).tolist():
        life = crowd.running.ended[number]
        assert life is not None
        status = life.status
        ended.append([number, status.kind, status.time, status.body, status.reason])
    return arrays, ended


def _moment(crowd: Crowd, arrays: dict[str, Any], prefix: str) -> Moment:
    n, model = crowd.count, crowd.model
    sizes = {"q": (n, model.nq), "v": (n, model.nv), "action": (n, len(crowd.actuators.dofs)), "steps": (n,),
             "failed": (n,)}  # fmt: skip
    found: dict[str, Any] = {
        name: _shaped(arrays, f"{prefix}_{name}", shape) for name, shape in sizes.items()
    }
    found["steps"], found["failed"] = found["steps"].astype(np.int64), found["failed"] > 0.5
    return Moment(**found)


def _shaped(arrays: dict[str, Any], name: str, shape: tuple[int, ...]) -> Any:
    array = arrays[name]
    if array.shape != shape or array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers of shape {shape}")
    return array.copy()


def _inner(environment: Any) -> Any:
    """The environment below its wrappers."""
    inner = getattr(environment, "unwrapped", None)
    if not isinstance(getattr(inner, "crowd", None), Crowd):
        raise UsageError(f"environment is {brief(environment)}, must be one that zoophyte.make makes.")
    return inner


def _tell_wrappers(environment: Any, inner: Any, steps: int) -> None:
    """Gymnasium's time limit around a single environment counts steps, too."""
    layer = environment
    while layer is not inner:
        if "_elapsed_steps" in vars(layer):
            layer._elapsed_steps = steps
        layer = layer.env


def _refuse_others(crowd: Crowd, about: dict[str, Any]) -> None:
    """Refuse what was saved of another body, another number of environments, or another step."""
    here = {"body": crowd.model.name, "count": crowd.count, "dt": crowd.task.dt, "print": _print(crowd.model)}
    words = {
        "body": "the body",
        "count": "the number of environments",
        "dt": "dt",
        "print": "the description",
    }
    for name, value in here.items():
        if about.get(name) != value:
            told = "" if name == "print" else f": {brief(about.get(name))} was saved, {brief(value)} is here"
            raise UsageError(
                f"{words[name]} is not that of the saved environment{told}. Make an environment with the same body, number "
                "and dt."
            )


def _print(model: Model) -> str:
    """A finger print of a body."""
    return hashlib.sha256(model.description.model_dump_json().encode()).hexdigest()


def _spaces(inner: Any) -> dict[str, Any]:
    return {name: getattr(inner, name) for name in SPACES if hasattr(inner, name)}


def _chance(rng: Any) -> Any:
    """The state of a source of chance; None if it has not begun."""
    if rng is None:
        return None
    state = rng.bit_generator.state
    if state["bit_generator"] != GENERATOR:
        raise UsageError(f"np_random is a {state['bit_generator']}; only a {GENERATOR} can be saved.")
    return state


def _generator(state: Any) -> Any:
    if state is None:
        return None
    bits = np.random.PCG64()
    bits.state = state
    return np.random.Generator(bits)
