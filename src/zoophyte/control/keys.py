"""Key frames: values at chosen times and the way from one to the next, made into samples at a fixed rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, brief, counted, is_number, nearest, real_numbers
from zoophyte.model.model import Floats

SAMPLE_LIMIT = 1_000_000
"""Samples that a controller makes, at most."""
WHOLE = 1e-9
"""Part of a sample by which a time may miss it."""

EASINGS: Mapping[str, Callable[[Floats], Floats]] = {
    "linear": lambda u: u,
    "ease": lambda u: u * u * (3.0 - 2.0 * u),
    "ease_in": lambda u: u * u,
    "ease_out": lambda u: u * (2.0 - u),
    "hold": lambda u: np.where(u < 1.0, 0.0, 1.0),
}
"""Part of the way that is done after a part u of the time between two keys; `spline` looks at more than two."""


def keyed_samples(
    times: Any, values: Any, easing: Any, rate: float, repeats: bool
) -> tuple[dict[Any, Floats], float]:
    """Samples of curves through keys, and their rate.

    Args:
        times: of the keys, growing [s]; None where all channels have their own.
        values: mapping of degrees of freedom to one value per key, None where a channel has no key; or to (time, value)
            pairs.
        easing: a name for all ways from key to key, or one for each of them; or a mapping of degrees of freedom to these.
        rate: samples per second that are wanted [Hz].
        repeats: whether the last key is the first of the next round; the rate is then the nearest that divides a round.

    Raises:
        UsageError: says what does not fit.
    """
    common = None if times is None else _times(times, repeats)
    if not (is_number(rate) and math.isfinite(rate) and rate > 0.0):
        raise UsageError(f"rate is {brief(rate)}, must be a positive number of samples per second [Hz].")
    if not isinstance(values, Mapping):
        raise UsageError(
            f"values is {brief(values)}, must be a mapping of degrees of freedom to one value per key, or to (time, value) "
            "pairs."
        )
    channels = {dof: _channel(dof, given, common, repeats) for dof, given in values.items()}
    if common is None and not channels:
        raise UsageError("values is empty, and there are no times: give at least one channel.")
    end = float(max([keys[-1] for keys, _ in channels.values()] + ([] if common is None else [common[-1]])))
    if end * rate > SAMPLE_LIMIT:
        raise UsageError(
            f"times end at {end:g} s, which is more than {SAMPLE_LIMIT} samples at {rate:g} Hz. Give fewer seconds or "
            "a lower rate."
        )
    ways = _ways_of(easing, channels, common)
    if repeats:
        for dof, (keys, _) in channels.items():
            if keys[-1] != end:
                raise UsageError(
                    f"values of {dof!r} end at {keys[-1]:g} s and the round at {end:g} s; keys that repeat end together."
                )
        count = max(1, round(end * rate))
        rate = count / end
    else:
        count = math.ceil(end * rate - WHOLE) + 1
    at = np.minimum(np.arange(count) / rate, end)
    return {
        dof: _curve(keys, column, ways[dof], at, repeats) for dof, (keys, column) in channels.items()
    }, float(rate)


def _channel(dof: Any, given: Any, common: Floats | None, repeats: bool) -> tuple[Floats, Floats]:
    """Times and values of one channel's keys."""
    if isinstance(given, list | tuple) and given and all(_is_pair(key) for key in given):
        try:
            keys = _times([key[0] for key in given], repeats)
        except UsageError as failure:
            raise UsageError(f"values of {dof!r}: {failure}") from None
        return keys, _column(dof, [key[1] for key in given], len(keys), repeats)
    if common is None:
        raise UsageError(
            f"values of {dof!r} is {brief(given)}; without times for all, each channel has (time, value) pairs, as "
            "[(0, 0), (0.3, 0.5)]."
        )
    if not isinstance(given, list | tuple) or all(value is not None for value in given):
        return common, _column(dof, given, len(common), repeats)
    if len(given) != len(common):
        raise UsageError(
            f"values of {dof!r} has {counted(len(given), 'entry', 'entries')}; there are {counted(len(common), 'key')}."
        )
    own = [n for n, value in enumerate(given) if value is not None]
    if not own:
        raise UsageError(f"values of {dof!r} has no key at all; leave the channel out.")
    if repeats and (own[0] != 0 or own[-1] != len(common) - 1):
        raise UsageError(f"values of {dof!r} lacks the first or the last key; keys that repeat need both.")
    return common[own], _column(dof, [given[n] for n in own], len(own), repeats)


def _is_pair(key: Any) -> bool:
    return isinstance(key, list | tuple) and len(key) == 2


def _ways_of(
    easing: Any, channels: Mapping[Any, tuple[Floats, Floats]], common: Floats | None
) -> dict[Any, list[str]]:
    """The easings of each channel's ways."""
    if isinstance(easing, Mapping):
        for dof in easing:
            if dof not in channels:
                hint = nearest(str(dof), [str(name) for name in channels])
                raise UsageError(f"easing names {dof!r}, for which there are no keys. {hint}".rstrip())
        return {
            dof: _ways(easing.get(dof, "ease"), len(keys) - 1, f"easing of {dof!r}")
            for dof, (keys, _) in channels.items()
        }
    if isinstance(easing, list | tuple) and common is not None:
        # One for each way between the common times: a channel that skips keys goes on as its way begins.
        ways = _ways(easing, len(common) - 1)
        found = {}
        for dof, (keys, _) in channels.items():
            starts = np.searchsorted(common, keys[:-1])
            if not np.all(np.isin(keys, common)):
                raise UsageError(
                    f"easing is one for each way, but {dof!r} has times of its own. Give a mapping of channels to easings."
                )
            found[dof] = [ways[n] for n in starts]
        return found
    return {dof: _ways(easing, len(keys) - 1) for dof, (keys, _) in channels.items()} or {
        None: _ways(easing, 0 if common is None else len(common) - 1)
    }


def _times(times: Any, repeats: bool) -> Floats:
    keys = real_numbers(times, "times")
    if keys.ndim != 1 or not len(keys) or not np.all(np.isfinite(keys)) or keys[0] < 0.0:
        raise UsageError(
            f"times is {brief(times)}, must be a list of finite times [s], one per key, 0 or more."
        )
    late = np.flatnonzero(np.diff(keys) <= 0.0)
    if len(late):
        n = int(late[0])
        raise UsageError(
            f"times must grow from key to key, but key {n + 1} is at {keys[n]:g} s and key {n + 2} at {keys[n + 1]:g} s."
        )
    if repeats and (keys[0] != 0.0 or len(keys) < 2):
        raise UsageError(
            f"times is {brief(times)}; keys that repeat begin at 0 and end where the next round begins."
        )
    return keys


def _column(dof: Any, given: Any, count: int, repeats: bool) -> Floats:
    column = real_numbers(given, f"values of {dof!r}")
    if column.shape != (count,):
        raise UsageError(
            f"values of {dof!r} has {counted(column.size, 'number')}; there are {counted(count, 'key')}."
        )
    if not np.all(np.isfinite(column)):
        raise UsageError(f"values of {dof!r} holds a number that is not finite.")
    if repeats and column[0] != column[-1]:
        raise UsageError(
            f"values of {dof!r} begins with {column[0]:g} and ends with {column[-1]:g}; keys that repeat end as they begin."
        )
    return column


def _ways(easing: Any, count: int, name: str = "easing") -> list[str]:
    """The easing of each way from key to key."""
    known = (*EASINGS, "spline")
    one_for_all = not isinstance(easing, list | tuple)
    ways = list(easing) if isinstance(easing, list | tuple) else [easing] * max(count, 1)
    for way in ways:
        if way not in known:
            hint = nearest(way, known) if isinstance(way, str) else ""
            raise UsageError(f"{name} is {brief(way)}, must be one of {', '.join(known)}. {hint}".rstrip())
    if not one_for_all and len(ways) != count:
        raise UsageError(
            f"{name} has {counted(len(ways), 'name')}; there {'is' if count == 1 else 'are'} "
            f"{counted(count, 'way')} from key to key. Give one name for all, or one for each."
        )
    return ways


def _curve(keys: Floats, column: Floats, ways: Sequence[str], at: Floats, repeats: bool) -> Floats:
    """The curve at the times `at`; before the first key its value, after the last one likewise."""
    if len(keys) == 1:
        return np.full(len(at), column[0])
    n = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, len(keys) - 2)
    span = np.diff(keys)
    u = np.clip((at - keys[n]) / span[n], 0.0, 1.0)
    part = np.zeros(len(at))
    for name, ease in EASINGS.items():
        here = np.array([way == name for way in ways])[n]
        part[here] = ease(u[here])
    curve: Floats = column[n] + part * (column[n + 1] - column[n])
    here = np.array([way == "spline" for way in ways])[n]
    if here.any():
        curve[here] = _hermite(column, span, _slopes(column, span, repeats), n[here], u[here])
    return curve


def _slopes(column: Floats, span: Floats, repeats: bool) -> Floats:
    """Slopes of a spline that overshoots no key: weighted harmonic means of the neighbours (Fritsch and Butland 1984)."""
    secant = np.diff(column) / span
    if repeats:
        secant, span = np.r_[secant[-1], secant, secant[0]], np.r_[span[-1], span, span[0]]
    a, b, h, k = secant[:-1], secant[1:], span[:-1], span[1:]
    rising = a * b > 0.0
    below = np.where(rising, (2.0 * k + h) * b + (k + 2.0 * h) * a, 1.0)
    inner = np.where(rising, 3.0 * (h + k) * a * b / below, 0.0)
    return inner if repeats else np.r_[0.0, inner, 0.0]


def _hermite(column: Floats, span: Floats, slope: Floats, n: Any, u: Floats) -> Floats:
    """The cubic with given values and slopes at both ends."""
    rest = 1.0 - u
    curve: Floats = (
        (1.0 + 2.0 * u) * rest * rest * column[n] + (3.0 - 2.0 * u) * u * u * column[n + 1]
        + span[n] * u * rest * (rest * slope[n] - u * slope[n + 1])
    )  # fmt: skip
    return curve
