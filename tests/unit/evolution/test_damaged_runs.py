"""What a damaged run says: the table, the row, the column, what stands there, and what may."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from fuzz.mutate_rows import nested, sealed, written
from toys import Near, Toys
from zoophyte.errors import FileError
from zoophyte.evolution.genomes.limbed import Limbed
from zoophyte.evolution.run.cells import genome_in
from zoophyte.evolution.wire import pack, unpack

READINGS: tuple[Callable[[zp.Run], Any], ...] = (
    zp.Run.history, zp.Run.births, lambda run: run.best(3), zp.Run.survivors, lambda run: run.configuration,
    lambda run: run.scheme, lambda run: run.resume(generations=4, workers=1),
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "run.db"
    zp.evolve(Near(), genome=Toys(), population=4, generations=2, store=path, workers=1).close()
    return path.read_bytes()


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("individual SET fitness = 'x' WHERE number = 3", "individual, row 3, column fitness: holds 'x', must be a finite"),
        ("individual SET fitness = 9e999 WHERE number = 3", "column fitness: holds inf, must be a finite number"),
        ("individual SET parents = 'null'", "column parents: holds 'null', must be a list of at most 1000 numbers"),
        ("individual SET parents = '[40]' WHERE number = 30", "holds '[40]', must be numbers of individuals that were born"),
        ("individual SET parents = '[99999999999999999999]'", "must be a list of at most 1000 numbers of individuals"),
        ("individual SET seconds = 'long' WHERE number = 5", "row 5, column seconds: holds 'long', must be a number of"),
        ("individual SET descriptors = '[1]' WHERE number = 0", "column descriptors: holds '[1]', must be numbers by name"),
        ("individual SET generation = 1e300", "column generation: holds 1e+300, must be a whole number"),
        ("individual SET operator = x'00ff'", "column operator: holds 2 bytes, must be a text"),
        ("individual SET genome = 'text'", "column genome: holds 'text', must be bytes"),
        ("generation SET survivors = 0 WHERE number = 1", "generation, row 1, column survivors: holds 0, must be 16"),
        ("generation SET notes = '[]'", "column notes: holds '[]', must be notes by name"),
        ("generation SET seconds = 'x'", "column seconds: holds 'x'"),
        ("generation SET diversity = 'x'", "column diversity: holds 'x'"),
        ("generation SET seeds = '[1, 2, 7]'", "column seeds: holds '[1, 2, 7]', must be a list of seed, generation"),
        ("run SET value = '{}' WHERE key = 'scheme'", "run, row 'scheme', column value: holds '{}', must be a name"),
        ("run SET value = '0' WHERE key = 'selection'", "row 'selection', column value: holds '0', must be null, or a name"),
        ("run SET value = 'x' WHERE key = 'seed'", "row 'seed', column value: holds 'x', must be a text in JSON"),
        ("run SET value = '0' WHERE key = 'generations'", "row 'generations', column value: holds '0', must be a whole"),
        (
            "run SET value = replace(hex(zeroblob(3000)), '0', '[') WHERE key = 'machine'",
            "row 'machine', column value: holds '[[[",
        ),
        (
            """run SET value = '{"name": "islands", "settings": {"islands": "x"}}' WHERE key = 'scheme'""",
            "the settings of its scheme 'islands': islands is 'x', must be a whole number",
        ),
        (
            """run SET value = '{"name": "comma", "settings": {"brood": []}}' WHERE key = 'selection'""",
            "the settings of its",
        ),
    ],
)  # fmt: skip
def test_a_damaged_cell_is_told_with_its_place(whole: bytes, tmp_path: Path, harm: str, told: str) -> None:
    """34 of 1043 mutations ended in "something went wrong inside"."""
    path = tmp_path / "run.db"
    path.write_bytes(whole)
    base = sqlite3.connect(path)
    with base:
        base.execute(f"UPDATE {harm}")
    base.close()
    found = []
    for reading in READINGS:
        try:
            reading(zp.Run(path, task=Near(), genome=Toys()))
        except FileError as failure:
            found.append(str(failure))
    assert any(told in one and one.startswith(f"{path}: ") for one in found), found


@pytest.mark.parametrize(
    "odd",
    [np.ones((2, 2)), 10**300, nested(60), [], "x", None, {}, np.array([1 + 1j]), float("nan"), [10**400]],
    ids=repr,
)
@pytest.mark.parametrize(
    "key", ["kind", "version", "controller", "trunk", "period", "limbs", "step", "steps"]
)
def test_odd_values_in_a_genome_are_damage(key: str, odd: Any) -> None:
    """Arrays, huge integers and deep nesting ended in a ValueError or an OverflowError of Python."""
    breed = Limbed()
    record = unpack(pack(breed.random(np.random.default_rng(1)).record()))
    data = sealed(written({**record, key: odd}))
    with pytest.raises(FileError, match=r"^run\.db: row 3: "):
        genome_in(data, breed, "run.db: row 3")


def test_a_number_of_nobody_is_told(whole: bytes, tmp_path: Path) -> None:
    """10³⁰ ended in an OverflowError of SQLite."""
    (tmp_path / "run.db").write_bytes(whole)
    run = zp.Run(tmp_path / "run.db", task=Near(), genome=Toys())
    for number in (10**30, -1, 0.5, float("nan"), "x", None):
        with pytest.raises(zp.UsageError, match="there is no individual"):
            run.individual(number)  # type: ignore[arg-type]
    assert run.individual(3).number == 3
