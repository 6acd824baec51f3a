"""Functions of the user's own for rewards, ends and observations: called, and what they give is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import OwnCodeError, UsageError, brief, real_numbers, told
from zoophyte.gym.view import Own, View
from zoophyte.model.model import Floats

if TYPE_CHECKING:
    from gymnasium.spaces import Box


def rewards_of(function: Own, view: View) -> Floats:
    """What an own function pays, one number per environment.

    Raises:
        OwnCodeError: when it fails, or gives something else.
    """
    label, found = _called("reward", function, view)
    rewards = _numbers(label, found, f"finite numbers of shape ({len(view)},)")
    _refuse_shape(label, rewards, (len(view),), "view.velocity[:, 0]")
    _refuse_infinite(label, rewards)
    return np.array(rewards, float)


def ends_of(function: Own, view: View) -> Any:
    """Whose episode an own function ends, one truth per environment.

    Raises:
        OwnCodeError: when it fails, or gives something else.
    """
    label, found = _called("terminated", function, view)
    ends = np.asarray(found) if isinstance(found, np.ndarray | list | tuple | np.bool_ | bool) else None
    if ends is None or ends.dtype != np.bool_:
        raise OwnCodeError(
            f"{label} gave {brief(found)}, must be truths of shape ({len(view)},): a comparison, such as "
            "view.position[:, 2] < 0.3."
        )
    _refuse_shape(label, ends, (len(view),), "view.position[:, 2] < 0.3")
    return np.array(ends)


def observations_of(function: Own, view: View, space: Box | None) -> Any:
    """What an own function observes, one row per environment, with the shape and the type of the space.

    Args:
        function: the user's.
        view: what it gets.
        space: of one environment; not known yet if None.

    Raises:
        OwnCodeError: when it fails, or what it gives is not of the space.
    """
    label, found = _called("observation", function, view)
    count = len(view)
    shape = "n, …" if space is None else ", ".join(map(str, (count, *space.shape)))
    seen = _numbers(label, found, f"finite numbers of shape ({shape})")
    example = "np.hstack([view.usual_observation, view.action])"
    if space is None:
        if seen.ndim < 2 or len(seen) != count or not seen.size:
            raise OwnCodeError(
                f"{label} gave shape {seen.shape}, must be one row for each of {count} environments, and at least one "
                f"number in a row: {example}, say."
            )
    else:
        _refuse_shape(label, seen, (count, *space.shape), example)
    _refuse_infinite(label, seen)
    if space is None:
        return seen
    _refuse_outside(label, seen, space)
    return seen.astype(space.dtype)


def space_of(function: Own | None, view: View, usual: Box, given: Any) -> Box:
    """The space of observations: the usual one, or what is given with an own function, or what that shows in a trial.

    Args:
        function: the user's, if there is one.
        view: for the trial: the creatures before their first episode.
        usual: of observations without an own function.
        given: by the user, if anything was.

    Raises:
        UsageError: when a space was given that is none, or nothing observes.
        OwnCodeError: when the function fails, or does not give what is of the space.
    """
    from gymnasium.spaces import Box

    if function is None:
        if given is not None:
            raise UsageError(
                "observation_space is for an observation of your own; give observation=function with it."
            )
        return usual
    if given is not None:
        if not isinstance(given, Box) or given.dtype.kind != "f":
            raise UsageError(
                f"observation_space is {brief(given)}, must be a gymnasium.spaces.Box of floats, for one environment."
            )
        observations_of(function, view, given)
        return given
    seen = observations_of(function, view, None)
    dtype = np.float32 if seen.dtype == np.float32 else np.float64
    return Box(-np.inf, np.inf, seen.shape[1:], dtype)


def _called(role: str, function: Own, view: View) -> tuple[str, Any]:
    """Who was called, in words, and what it gave."""
    inner = getattr(function, "func", function)  # of a functools.partial
    name = getattr(inner, "__qualname__", type(inner).__qualname__).rpartition(".<locals>.")[2]
    label = f"the own {role} {name!r}"
    try:
        return label, function(view)
    except (Exception, SystemExit) as failure:
        raise OwnCodeError(f"{label} failed: {told(failure)}") from failure


def _numbers(label: str, found: Any, wanted: str) -> Any:
    """An array of real numbers; float32 stays float32."""
    if isinstance(found, np.ndarray) and found.dtype == np.float32:
        return found
    try:
        return real_numbers(found, "what it gave", wanted)
    except UsageError as failure:
        raise OwnCodeError(f"{label}: {failure}") from None


def _refuse_shape(label: str, found: Any, shape: tuple[int, ...], example: str) -> None:
    if found.shape != shape:
        gave = f"shape {found.shape}" if found.shape else "a single number"
        raise OwnCodeError(
            f"{label} gave {gave}, must be shape {shape}: the first axis counts environments, of which there are "
            f"{shape[0]}. Example: {example}."
        )


def _refuse_infinite(label: str, found: Any) -> None:
    if not np.isfinite(found).all():
        place = tuple(np.argwhere(~np.isfinite(found))[0].tolist())
        raise OwnCodeError(
            f"{label} gave {found[place]} for environment {place[0]}"
            f"{f', entry {place[1:]}' if place[1:] else ''}; all numbers must be finite."
        )


def _refuse_outside(label: str, seen: Any, space: Box) -> None:
    outside = (seen < space.low) | (seen > space.high)
    if outside.any():
        place = tuple(np.argwhere(outside)[0].tolist())
        entry = place[1:]
        raise OwnCodeError(
            f"{label} gave {seen[place]} for environment {place[0]}, entry {entry}, but observation_space goes there from "
            f"{space.low[entry]} to {space.high[entry]}; widen it, or clip what is observed."
        )
