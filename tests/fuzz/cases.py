"""One faulty file for each kind and number, and what is done with it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

import zoophyte as zp
from fuzz import corpus
from fuzz import mutations as spoil
from zoophyte.simulation import Trajectory

BODIES = 60
"""Of bodies with more, no equations are asked for: the interpreter, in which the cases run, is slow."""


def make(kind: str, number: int, folder: Path) -> tuple[Path, random.Random]:
    """Write the files of a case; returns the main one, and chance for what is done with it.

    Args:
        kind: one of `KINDS`.
        number: of the case; the same number gives the same files.
        folder: empty.
    """
    rng = random.Random(f"{kind} {number}")
    maker, ending, _ = KINDS[kind]
    path = folder / f"main{ending}"
    content = maker(rng, folder)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return path, rng


def read(kind: str, path: Path, rng: random.Random) -> None:
    """Do with a file of strangers what users do.

    Args:
        kind: of the file.
        path: of the file.
        rng: chance.
    """
    KINDS[kind][2](path, rng)


def _yaml(rng: random.Random, folder: Path) -> str:
    text, data = rng.choice(corpus.yaml_texts())
    match rng.randrange(10):
        case 0:
            return spoil.spoilt_bytes(rng, text.encode()).decode("utf-8", "surrogateescape").encode(
                "utf-8", "surrogateescape").decode("utf-8", "replace")  # fmt: skip
        case 1 | 2 | 3:
            return spoil.spoilt_text(rng, text)
        case 4:
            levels = rng.choice((3, 8, 30))
            rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 1}]" for n in range(levels)]
            return "\n".join(["name: x", *rows, f"bodies: *a{levels - 1}"])
        case _:
            return spoil.as_yaml(spoil.spoilt_data(rng, data))


def _xml(rng: random.Random, text: str, words: tuple[str, ...]) -> str | bytes:
    match rng.randrange(12):
        case 0:
            return spoil.spoilt_bytes(rng, text.encode())
        case 1:
            return spoil.spoilt_text(rng, text)
        case 2:
            spoilt = spoil.spoilt_xml(rng, text, words)
            entity = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
            heads = (
                entity,
                '<?xml version="1.0" encoding="utf-7"?>',
                "\ufeff",
                '<?xml version="1.1"?>',
                "<!-- -->" * 1000,
                "<?x?>",
            )
            return rng.choice(heads) + spoilt
        case 3:
            return spoil.spoilt_bytes(rng, spoil.spoilt_xml(rng, text, words).encode())
        case _:
            return spoil.spoilt_xml(rng, text, words)


def _beside(rng: random.Random, folder: Path) -> None:
    """The files that others name."""
    mesh, drawn = corpus.tetrahedron(), corpus.picture(corpus.picture_parts(8, 8, 8, 1))
    chance = rng.random()
    if chance < 0.15:
        mesh = spoil.spoilt_bytes(rng, mesh)
    elif chance < 0.25:
        drawn = spoil.spoilt_picture(rng, corpus.picture_parts(8, 8, 8, 1))
    (folder / "mesh.stl").write_bytes(mesh)
    (folder / "t.png").write_bytes(drawn)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")


def _mjcf(rng: random.Random, folder: Path) -> str | bytes:
    _beside(rng, folder)
    others = {"other.xml": corpus.OTHER, "keys.xml": corpus.KEYS}
    main = rng.choice(corpus.mjcf_texts())
    spoilt = "main" if rng.random() < 0.8 else rng.choice(list(others))
    for name, text in others.items():
        content = _xml(rng, text, corpus.WORDS) if name == spoilt else text
        (folder / name).write_bytes(
            content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        )
    return _xml(rng, main, corpus.WORDS) if spoilt == "main" else main


def _urdf(rng: random.Random, folder: Path) -> str | bytes:
    _beside(rng, folder)
    return _xml(rng, corpus.ROBOT, corpus.ROBOT_WORDS)


def _life(rng: random.Random, folder: Path) -> bytes:
    entries = dict(rng.choice(corpus.lives()))
    match rng.randrange(4):
        case 0:
            head = entries["about.npy"]
            data = spoil.spoilt_data(rng, spoil.json.loads(head[128:]))
            entries["about.npy"] = _as_entry(spoil.as_yaml(data))
            return spoil.spoilt_archive(rng, entries) if rng.random() < 0.2 else _plain(entries)
        case 1:
            text = spoil.spoilt_text(rng, entries["description.npy"][128:].decode())
            entries["description.npy"] = _as_entry(text)
            return _plain(entries)
        case _:
            return spoil.spoilt_archive(rng, entries)


def _as_entry(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    buffer = spoil.io.BytesIO()
    np.lib.format.write_array(buffer, np.frombuffer(data, np.uint8))
    return buffer.getvalue()


def _plain(entries: dict[str, bytes]) -> bytes:
    buffer = spoil.io.BytesIO()
    with spoil.zipfile.ZipFile(buffer, "w") as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return buffer.getvalue()


def _terrain(rng: random.Random, folder: Path) -> bytes:
    return spoil.spoilt_archive(rng, rng.choice(corpus.terrains()))


def _picture(rng: random.Random, folder: Path) -> bytes:
    shape = rng.choice(((2, 2), (7, 5), (70, 3), (3, 70), (100, 100)))
    return spoil.spoilt_picture(rng, corpus.picture_parts(*shape, rng.choice((8, 16)), rng.randrange(5)))


def _live(description: zp.Description) -> None:
    """Compile, and make the world in which a life would begin."""
    model = zp.compile(description)
    zp.World(model)
    if len(model.body_names) <= BODIES:
        zp.mass_matrix(model, zp.State.neutral(model))


def _read_body(path: Path, rng: random.Random) -> None:
    _live(zp.load(path))


def _read_foreign(path: Path, rng: random.Random) -> None:
    options = {"partial": rng.random() < 0.85, "proxies": rng.random() < 0.7}
    root = "free" if rng.random() < 0.5 else "fixed"
    _live(zp.load(path, root=root, **options))  # type: ignore[arg-type]


def _read_life(path: Path, rng: random.Random) -> None:
    life = Trajectory.load(path)
    zp.World(life.model)
    life.frame(-1)
    if len(life.model.body_names) <= BODIES:
        zp.mass_matrix(life.model, life.final)


def _read_ground(path: Path, rng: random.Random) -> None:
    spacing = rng.choice((None, 0.1, 1e-3, 1e17)) if path.suffix == ".npz" else 0.1
    ground = zp.load_terrain(path, spacing=spacing)
    ground.height_at(0.0, 0.0)
    zp.World(corpus.creature_on_ground(), habitat=zp.Habitat(ground=ground))


KINDS: dict[
    str, tuple[Callable[[random.Random, Path], str | bytes], str, Callable[[Path, random.Random], None]]
] = {
    "yaml": (_yaml, ".yaml", _read_body),
    "mjcf": (_mjcf, ".xml", _read_foreign),
    "urdf": (_urdf, ".urdf", _read_foreign),
    "life": (_life, ".npz", _read_life),
    "terrain": (_terrain, ".npz", _read_ground),
    "picture": (_picture, ".png", _read_ground),
}
"""How each kind of file is made, how its name ends, and how it is read."""
