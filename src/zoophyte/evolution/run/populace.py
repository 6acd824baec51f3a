"""Populace: genomes in a file that a person can read and edit, to start a run from or to pass on (ARN-74, 75).

::

    zoophyte: population
    version: 1
    genome: {name: limbed, settings: {…}}
    creatures:
      - fitness: 12.3
        from: walk.db, individual 4711
        genome: …wire bytes in base 64…
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from zoophyte.description.files import replacing
from zoophyte.errors import DescriptionError, FileError, brief
from zoophyte.evolution.protocols import Breed, Individual
from zoophyte.evolution.registry import described, found_breed
from zoophyte.evolution.run.cells import genome_in
from zoophyte.evolution.wire import pack

KIND, VERSION = "population", 1
SIZE_LIMIT = 1 << 28
COUNT_LIMIT = 100_000


def write_population(path: str | Path, breed: Breed, creatures: Iterable[tuple[Individual, str]]) -> int:
    """Write individuals, and say how many there were.

    Args:
        path: of the file.
        breed: of all of them.
        creatures: each with words on where it comes from.
    """
    entries = [
        {
            "fitness": float(one.fitness),
            "from": origin,
            "body": _summary(one),
            "genome": base64.b64encode(pack(one.genome.record())).decode(),
        }
        for one, origin in creatures
    ]
    found = described(breed, None)
    content = {
        "zoophyte": KIND, "version": VERSION, "genome": {"name": found["name"], "settings": found["settings"]},
        "creatures": entries,
    }  # fmt: skip
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.width = 1 << 20
    text = StringIO()
    yaml.dump(content, text)
    with replacing(path) as file:
        file.write(text.getvalue().encode())
    return len(entries)


def read_population(path: str | Path, breed: Breed | None = None) -> list[Any]:
    """The genomes of a file; of a run's file those of its last survivors.

    Args:
        path: of the file: .yaml, or .db of a run.
        breed: that they must be of; the one that the file names if left out.

    Raises:
        FileError: says what is wrong with the file.
    """
    path = Path(path)
    if path.suffix.lower() == ".db":
        from zoophyte.evolution.run.run import Run

        run = Run(path, genome=breed)
        _refuse_others(path, run.configuration["genome"].get("name"), run.breed)
        return [one.genome for one in run.survivors()]
    content = read_content(path)
    breed = breed or breed_of(path, content)
    _refuse_others(path, content["genome"].get("name"), breed)
    genomes = []
    for number, entry in enumerate(content["creatures"]):
        where = f"{path}: creature {number}"
        text = entry.get("genome") if isinstance(entry, dict) else None
        try:
            data = base64.b64decode(str(text or ""), validate=True)
        except (binascii.Error, ValueError):
            raise FileError(f"{where}: its genome is no base 64 text.") from None
        genomes.append(genome_in(data, breed, where))
    return genomes


def _refuse_others(path: Path, name: Any, breed: Breed) -> None:
    if name != breed.name:
        raise FileError(
            f"{path}: holds genomes of the kind '{name}', and '{breed.name}' were asked for. Evolve on with them by "
            f"`--genome {name}`, genome='{name}' in Python, or begin with a file of the kind '{breed.name}'."
        )


def breed_of(path: Path, content: dict[str, Any] | None = None) -> Breed:
    """The breed that a file of a population names, which must be one of Zoophyte's own.

    Raises:
        UntrustedError: when the file names code elsewhere; give `read_population` the breed itself.
    """
    entry = (content or read_content(path))["genome"]
    name, settings = str(entry.get("name")), entry.get("settings") or {}
    if not isinstance(settings, dict):
        raise FileError(
            f"{path}: the settings of its genome are {brief(settings)}, must be settings by name."
        )
    record = {"name": name, "place": name, "settings": {str(key): value for key, value in settings.items()}}
    return found_breed(record, file=path)


def read_content(path: Path) -> dict[str, Any]:
    """All that a file of a population holds, genomes as text.

    Raises:
        FileError: says what is wrong with the file.
    """
    from zoophyte.description.files import missing_file

    if not path.is_file():
        raise missing_file(path)
    if path.stat().st_size > SIZE_LIMIT:
        raise FileError(f"{path}: larger than {SIZE_LIMIT} bytes.")
    try:
        content = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except (YAMLError, ValueError, RecursionError, TypeError, AttributeError) as failure:
        first = next(iter(str(failure).splitlines()), type(failure).__name__)
        raise FileError(f"{path}: cannot be read as YAML: {first}.") from None
    if not isinstance(content, dict) or content.get("zoophyte") != KIND:
        raise FileError(
            f"{path}: no population; it must say 'zoophyte: {KIND}' (`zoophyte export RUN.db` writes one)."
        )
    if content.get("version") != VERSION:
        raise FileError(
            f"{path}: version {content.get('version')!r} of populations; this Zoophyte reads {VERSION}."
        )
    creatures, genome = content.get("creatures"), content.get("genome")
    if not isinstance(creatures, list) or not isinstance(genome, dict) or len(creatures) > COUNT_LIMIT:
        raise FileError(
            f"{path}: must hold a genome (name, settings) and a list of up to {COUNT_LIMIT} creatures."
        )
    return content


def _summary(one: Individual) -> str:
    """A body in a few words, for who reads the file."""
    try:
        bodies: Sequence[Any] = one.genome.develop().description.bodies
    except DescriptionError:
        return "does not develop"
    return f"{len(bodies)} bodies, {sum(body.joint.coordinate_count for body in bodies)} coordinates"
