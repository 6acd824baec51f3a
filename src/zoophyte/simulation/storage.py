"""Trajectories as NPZ files.

``times``, ``q``, ``v``, ``channel/NAME``, ``final/FIELD`` and, of a terrain, ``ground/heights`` are arrays of float64, as is
``events``: time, 0, 1 or 2 + n for end, begin, or the break of the n-th constraint, two bodies (0 is the ground, then as in
the description), impulse;
``description`` is the description's YAML and ``about`` a JSON object with everything else, both as UTF-8 bytes.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote

import numpy as np

from zoophyte.description import Description, Surface
from zoophyte.description.arrays.npz import Archive, Array, file_error, open_archive, text_of, write_archive
from zoophyte.errors import DescriptionError, FileError, UsageError
from zoophyte.model import Medium, Plane, State, Terrain
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.status import Status
from zoophyte.simulation.touching import Event, breaking

if TYPE_CHECKING:
    from zoophyte.simulation.trajectory import Trajectory

FORMAT = "zoophyte trajectory"
FORMAT_VERSION = 1
ABOUT_LIMIT = 2**20
CHANNEL = "channel/"
FINAL = "final/"
HEIGHTS = "ground/heights"
EVENTS = "events"
WRITERS = "`zoophyte simulate` and Trajectory.save write such files."

STATE_FIELDS = tuple(part for part in fields(State) if part.name != "clock")

Life = TypeVar("Life", bound="Trajectory")


def write_trajectory(life: Trajectory, path: str | os.PathLike[str]) -> None:
    """Write a life to an NPZ file.

    Args:
        life: what to write.
        path: of the file.
    """
    arrays: dict[str, Array] = {"times": life.times, "q": life.q, "v": life.v}
    arrays.update({CHANNEL + quote(name, safe=""): values for name, values in life.channels.items()})
    arrays.update(
        {FINAL + part.name: np.asarray(getattr(life.final, part.name), np.float64) for part in STATE_FIELDS}
    )
    about = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "zoophyte": life.version,
        "status": {part.name: getattr(life.status, part.name) for part in fields(Status)},
        "clock": list(life.final.clock),
        "dt": life.dt,
        "integrator": life.integrator,
        "gravity": list(life.gravity),
        "ground": _told_ground(life.ground),
        "surface": life.surface.model_dump(),
        "medium": None if life.medium is None else asdict(life.medium),
        "seed": life.seed,
        "lived": life.lived,
        "channels": list(life.channels),
    }
    if life.events:
        arrays[EVENTS] = _event_table(life)
    if isinstance(life.ground, Terrain):
        arrays[HEIGHTS] = life.ground.heights
    texts = {
        "description": life.description.to_yaml(),
        "about": json.dumps(about, ensure_ascii=False, indent=1),
    }
    write_archive(path, arrays, texts)


def read_trajectory(kind: type[Life], path: str | os.PathLike[str]) -> Life:
    """The life in an NPZ file.

    Args:
        kind: the class to make.
        path: of the file.

    Raises:
        FileError: says what is wrong with it.
    """
    with open_archive(path, WRITERS) as archive:
        return _life_of(kind, path, _Entries(path, archive))


def _life_of(kind: type[Life], path: str | os.PathLike[str], arrays: _Entries) -> Life:
    about = _About(path, arrays.take("about"))
    names = [about.text(name, "a name of 'channels'") for name in about.listed("channels")]
    told_of_living = f"{FINAL}lived" in arrays.names
    yaml = text_of(path, "description", arrays.take("description"))
    try:
        description = Description.from_yaml(yaml, source=f"{os.fspath(path)} (description)")
        arrays.check_frames(description, names)
        life = kind(
            times=arrays.take("times"),
            q=arrays.take("q"),
            v=arrays.take("v"),
            channels={name: arrays.take(CHANNEL + quote(name, safe="")) for name in names},
            status=about.status(),
            final=_final_state(path, arrays, about.clock()),
            description=description,
            dt=about.number("dt"),
            integrator=about.text(about.value("integrator"), "'integrator'"),
            gravity=about.gravity(),
            ground=about.ground(arrays),
            surface=about.surface(),
            events=_events(
                path, arrays.take(EVENTS) if EVENTS in arrays.names else np.zeros((0, 5)), description
            ),
            version=about.text(about.value("zoophyte"), "'zoophyte'"),
            seed=about.seed(),
            lived=about.lived(),
            medium=about.medium(),
        )
    except (DescriptionError, UsageError) as failure:
        raise FileError(f"{os.fspath(path)}: does not hold a sound life. {failure}") from None
    if not told_of_living and len(life.times) > 1:
        lived = lived_number(life.model, life.ground, life.final.q)
        life = replace(life, final=replace(life.final, lived=lived))
    if arrays.names:
        extra = ", ".join(repr(unquote(name))[:60] for name in sorted(arrays.names)[:3])
        raise file_error(path, f"holds what no trajectory has: {extra}.")
    if life.status.is_sound and not abs(life.final.time - life.status.time) <= life.dt:
        clock = f"a 'clock' of {life.final.time:g} s"
        raise file_error(path, f"holds {clock} for a life that {life.status}; the two must agree to a step.")
    return life


def _event_table(life: Trajectory) -> Array:
    number = {name: n for n, name in enumerate(["ground", *(body.name for body in life.description.bodies)])}
    springs = [breaking(life.description, n, 0.0) for n in range(len(life.description.constraints))]
    broken = {(spring.name, spring.bodies): 2 + n for n, spring in enumerate(springs)}
    rows = [
        [
            e.time,
            broken[e.name, e.bodies] if e.kind == "break" else float(e.kind == "begin"),
            *(number[body] for body in e.bodies),
            e.impulse,
        ]
        for e in life.events
    ]
    return np.array(rows, np.float64)


def _events(path: str | os.PathLike[str], table: Array, description: Description) -> tuple[Event, ...]:
    names = ["ground", *(body.name for body in description.bodies)]
    sound = (
        table.ndim == 2 and table.shape[1] == 5 and table.dtype == np.float64 and np.all(np.isfinite(table))
    )
    most = np.array([2 + len(description.constraints), len(names), len(names)])
    if not (sound and np.all((table[:, 1:4] >= 0.0) & (table[:, 1:4] < most))):
        raise file_error(path, "holds 'events' that are no rows of time, kind, two bodies and impulse.")
    return tuple(
        breaking(description, int(kind) - 2, float(time))
        if kind >= 2.0
        else Event(float(time), "begin" if kind else "end", (names[int(a)], names[int(b)]), float(impulse))
        for time, kind, a, b, impulse in table
    )


def _told_ground(ground: Plane | Terrain | None) -> dict[str, Any] | None:
    """What the JSON object says about the ground: everything but the heights of a terrain."""
    if ground is None:
        return None
    if isinstance(ground, Plane):
        return {"kind": "plane", "normal": list(ground.normal), "height": ground.height}
    return {"kind": "terrain", "spacing": list(ground.spacing), "origin": list(ground.origin)}


def _final_state(path: str | os.PathLike[str], arrays: _Entries, clock: tuple[float, int, float]) -> State:
    """The exact last state: every field is an array or, where the class says so, one number."""
    found: dict[str, Any] = {"clock": clock}
    for part in STATE_FIELDS:
        if part.name in ("contact", "lived") and FINAL + part.name not in arrays.names:
            continue  # files from before there were contacts, or before states told of having lived
        array = arrays.take(FINAL + part.name)
        if part.type == "float" and array.shape != ():
            raise file_error(path, f"holds '{FINAL}{part.name}' of shape {array.shape}, must be one number.")
        found[part.name] = float(array) if part.type == "float" else array
    return State(**found)


class _Entries:
    """The arrays of a file, unpacked one by one as they are asked for."""

    def __init__(self, path: str | os.PathLike[str], archive: Archive) -> None:
        self.path, self.archive = path, archive
        self.names = set(archive.names)
        for name in archive.names:
            dtype = archive.header(name).dtype
            if dtype not in (np.dtype("<f8"), np.dtype("u1")):
                what = (
                    f"holds '{name[:80]}' of type {dtype}; only plain numbers (float64) and texts are read."
                )
                raise file_error(path, what)

    def _known(self, name: str) -> str:
        if name not in self.names:
            raise file_error(self.path, f"is no trajectory: it has no '{name[:80]}'.", WRITERS)
        return name

    def take(self, name: str) -> Array:
        """An array, of numbers unless it is one of the two texts; it is gone then."""
        array = self.archive.read(self._known(name))
        self.names.discard(name)
        if name not in ("about", "description") and array.dtype != np.float64:
            raise file_error(self.path, f"holds '{name[:80]}' as {array.dtype}, must be float64.")
        return array

    def check_frames(self, description: Description, channels: list[str]) -> None:
        """Compare what the headers say with each other and with the body, before anything large is unpacked."""
        shapes = {
            name: self.archive.header(self._known(name)).shape
            for name in ("times", "q", "v", *(CHANNEL + quote(name, safe="") for name in channels))
        }
        rows = shapes["times"][0] if len(shapes["times"]) == 1 else 1
        for name, shape in shapes.items():
            if not 1 <= len(shape) <= 2 or shape[0] != rows:
                what = f"holds '{name[:80]}' of shape {shape}, must have {rows} rows, one per time."
                raise file_error(self.path, what)
        joints = [body.joint for body in description.bodies]
        widths = {"q": sum(j.coordinate_count for j in joints), "v": sum(j.dof_count for j in joints)}
        for name, width in widths.items():
            if shapes[name] != (rows, width):
                what = (
                    f"does not hold a sound life: {name} has shape {shapes[name]}, must be {(rows, width)}."
                )
                raise file_error(self.path, what)


class _About:
    """The JSON object of a file, distrusted."""

    def __init__(self, path: str | os.PathLike[str], array: Array) -> None:
        self.path = path
        if array.size > ABOUT_LIMIT:
            raise file_error(path, f"holds 'about' of {array.size} bytes; at most {ABOUT_LIMIT} are read.")
        try:
            found = json.loads(text_of(path, "about", array))
        except (ValueError, RecursionError) as failure:
            raise file_error(path, f"holds 'about' that is no JSON ({failure}).") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise file_error(
                path,
                f"is an NPZ file, but no {FORMAT}.",
                WRITERS,
            )
        self.found: dict[str, Any] = found
        version = self.value("format_version")
        if version != FORMAT_VERSION:
            raise file_error(
                path,
                f"has format version {version!r}; this Zoophyte reads {FORMAT_VERSION}.",
                "A newer one may read it.",
            )

    def value(self, key: str, among: object = None) -> Any:
        """The value of a key that must be there."""
        holder = self.found if among is None else among
        if not isinstance(holder, dict) or key not in holder:
            raise file_error(self.path, f"holds 'about' without '{key}'.")
        return holder[key]

    def wrong(self, key: str, value: object, wanted: str) -> FileError:
        """The error about a value that is not what is wanted."""
        return file_error(self.path, f"holds 'about' with '{key}' {str(value)[:80]!r}, must be {wanted}.")

    def text(self, value: object, what: str) -> str:
        """The value, if it is text."""
        if not isinstance(value, str):
            raise file_error(self.path, f"holds 'about' with {what} {str(value)[:80]!r}, must be text.")
        return value

    def number(self, key: str, among: object = None) -> float:
        """A finite number."""
        value = self.value(key, among)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not abs(value) <= sys.float_info.max
        ):
            raise self.wrong(key, value, "a finite number")
        return float(value)

    def listed(self, key: str) -> list[Any]:
        """A list without repetitions."""
        value = self.value(key)
        if not isinstance(value, list) or len({str(item) for item in value}) != len(value):
            raise self.wrong(key, value, "a list without repetitions")
        return value

    def status(self) -> Status:
        """How the life ended."""
        found = self.value("status")
        kind, body, reason = (
            self.text(self.value(key, found), f"'status.{key}'") for key in ("kind", "body", "reason")
        )
        return Status(kind, self.number("time", found), body, reason)

    def clock(self) -> tuple[float, int, float]:
        """(start, steps, dt) of the final state."""
        value = self.value("clock")
        if (
            not isinstance(value, list)
            or len(value) != 3
            or isinstance(value[1], bool)
            or not isinstance(value[1], int)
        ):
            raise self.wrong("clock", value, "[start, steps, dt] with a whole number of steps")
        start, dt = (
            self.number(key, {"clock": part}) for key, part in (("clock", value[0]), ("clock", value[2]))
        )
        return start, value[1], dt

    def numbers(self, key: str, count: int, among: object = None) -> tuple[float, ...]:
        """So many finite numbers."""
        value = self.value(key, among)
        if not isinstance(value, list) or len(value) != count:
            raise self.wrong(key, value, "three numbers" if count == 3 else "two numbers")
        return tuple(self.number(key, {key: part}) for part in value)

    def gravity(self) -> tuple[float, float, float]:
        """Three finite numbers."""
        x, y, z = self.numbers("gravity", 3)
        return x, y, z

    def ground(self, arrays: _Entries) -> Plane | Terrain | None:
        """The ground; files from before there was one are told to have the plane z = 0.

        Args:
            arrays: of the file; the heights of a terrain are taken out.
        """
        told = self.found.get("ground", _told_ground(Plane()))
        if told is None:
            return None
        kind = self.value("kind", told)
        if kind == "plane":
            x, y, z = self.numbers("normal", 3, told)
            return Plane((x, y, z), self.number("height", told))
        if kind != "terrain":
            raise self.wrong("ground.kind", kind, "'plane' or 'terrain'")
        (x, y), (left, low) = self.numbers("spacing", 2, told), self.numbers("origin", 2, told)
        return Terrain(arrays.take(HEIGHTS), (x, y), (left, low))

    def surface(self) -> Surface:
        """The surface of the ground; files from before it was kept are told to have the usual one."""
        told = self.found.get("surface", {})
        if not isinstance(told, dict):
            raise self.wrong("surface", told, "an object: friction, restitution, …")
        return Surface.model_validate(told)

    def medium(self) -> Medium | None:
        """What filled the habitat; nothing in files from before it was kept."""
        told = self.found.get("medium")
        if told is None:
            return None
        x, y, z = self.numbers("wind", 3, told)
        density, viscosity = self.number("density", told), self.number("viscosity", told)
        return Medium(density, viscosity, (x, y, z), self.value("buoyancy", told))

    def lived(self) -> float:
        """The number of all frames; none in files from before it was kept."""
        return self.number("lived") if "lived" in self.found else 0.0

    def seed(self) -> int | None:
        """A whole number, or none."""
        value = self.value("seed")
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise self.wrong("seed", value, "a whole number or null")
        return value
