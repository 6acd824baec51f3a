"""Evolved creatures that come along: they load, live, and do on any kernels what was written of them."""

from __future__ import annotations

import hashlib
import re
import shlex
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from repository.sources import tool
from zoophyte.cli.evolution.evolve import given_settings
from zoophyte.errors import UsageError
from zoophyte.evolution import registry, showcase
from zoophyte.evolution.protocols import Genome
from zoophyte.evolution.wire import pack

NAMES = showcase.names()
KEEPING = tool("keep_evolved")
PAGE = (Path(__file__).parents[3] / "docs/how-to/evolved-zoo.md").read_text(encoding="utf-8")
WAYS = {"m": ("distance", "fitness", "thrown"), "cm": ("leap",)}
"""What the page tells in which unit."""


def test_there_are_ten_and_none_has_a_name_of_the_zoo() -> None:
    assert len(NAMES) == 10
    assert set(NAMES) & set(zp.zoo.names()) == set()
    assert len({hashlib.sha256(pack(showcase.genome(name).record())).digest() for name in NAMES}) == len(
        NAMES
    )


@pytest.mark.parametrize("name", NAMES)
def test_it_lives_for_a_second(name: str) -> None:
    assert isinstance(showcase.genome(name), Genome)
    assert showcase.creature(name).description.name == name
    life = showcase.life(name, 1.0)
    assert life.status.is_sound
    assert life.description.name == name
    assert np.ptp(life.q, axis=0).max() > 0.0


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_of_it_fits(name: str) -> None:
    made = showcase.about(name)
    assert made.text.endswith(".")
    assert made.command.startswith(f"zoophyte evolve {made.arguments['task']} ")
    assert f"--seed {made.arguments['seed']}" in made.command
    breed = registry.breed(made.arguments["genome"])
    assert registry.found_task(made.task).settings() == made.task["settings"]
    assert showcase.genome(name).develop().description.bodies
    assert breed.name == made.arguments["genome"]


def test_a_command_names_all_settings_as_a_shell_takes_them() -> None:
    """Oracle: the shell's own way to cut a line into words, then the reader of the command line's settings."""
    given = {"task": "walk", "seed": 3, "scheme": "islands", "scheme_settings": {"islands": 3, "every": 2},
             "genome_settings": {"pairs": [2, 3]}}  # fmt: skip
    words = shlex.split(replace(showcase.about(NAMES[0]), arguments=given).command)
    assert words[:3] == ["zoophyte", "evolve", "walk"]
    after = {
        option: [w for o, w in pairwise(words) if o == option] for option in ("--set-scheme", "--set-genome")
    }
    assert given_settings(after["--set-scheme"], "--set-scheme") == given["scheme_settings"]
    assert given_settings(after["--set-genome"], "--set-genome") == {"pairs": (2, 3)}


@pytest.mark.parametrize("name", showcase.names())
def test_the_page_tells_of_this_creature(name: str) -> None:
    """Text, command and individual stand on the page of evolved creatures as in the creature's file."""
    made = showcase.about(name)
    assert f"**{name}** | {made.text} |" in PAGE
    assert f"| {name} | `{made.command}` | {made.number} |" in PAGE


def test_a_name_that_is_not_there_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=f"Did you mean '{NAMES[0]}'"):
        showcase.creature(NAMES[0] + "e")


# ------------------------------------------------------------------------------------------- on the present kernels


def measures(name: str, **changes: Any) -> dict[str, float]:
    """Of the life by which it was judged, lived now, perhaps with another mass or other numbers."""
    (life,) = KEEPING.lives(name, **changes)
    assert life.status.is_sound
    feet = [key.removeprefix("ground ") for key in showcase.about(name).measured if key.startswith("ground ")]
    found: dict[str, float] = KEEPING.measures(name, life, feet)
    return found


def outside(name: str, **changes: Any) -> dict[str, tuple[float, tuple[float, float]]]:
    """Measures that are not where they are said to be."""
    bands = showcase.about(name).bands
    found = measures(name, **changes)
    assert found.keys() == bands.keys()
    return {key: (found[key], band) for key, band in bands.items() if not band[0] <= found[key] <= band[1]}


@pytest.mark.parametrize("name", NAMES)
def test_each_still_does_what_is_said_of_it(name: str) -> None:
    """Creatures were evolved anew whenever a last bit of a kernel changed: tests asked for the same bits of their runs.

    What is said of a creature is a way, a gait, a flight. Each has its band, whose width is measured: how far lives spread
    whose starts differ by 1e-9, and what half of the step changes. A creature leaves it when kernels become worse, not when
    they become others.
    """
    assert outside(name) == {}, (
        f"{name} does not do any more what is said of it, though the change was larger than chaos and half of the step "
        "allow. Find out which kernel made the difference; the creature is not to be evolved anew for it."
    )


@pytest.mark.parametrize("name", NAMES)
def test_other_last_bits_leave_nobody_outside_of_the_bands(name: str) -> None:
    """Oracle: single precision, which rounds 10⁹ times as roughly: its lives are others, and the creatures do the same."""
    assert outside(name, dtype=np.float32) == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_band_notices_a_heavier_creature(name: str) -> None:
    """A fifth more mass at the same strength is another life; bands that let it pass would say nothing."""
    assert outside(name, heavier=1.2)


def test_bands_are_as_wide_as_their_causes() -> None:
    """Spread, what half of the step changes, and the grain of what is counted; the third digit of what is not."""
    rows = {
        "distance": [8.0, 8.5, 0.25],
        "strides left": [18.0, 18.0, 0.0],
        "ground left": [0.5, 0.25, 0.125],
    }
    bands = replace(showcase.about(NAMES[0]), measured=rows).bands
    assert bands["distance"] == pytest.approx((8.0 - 0.79, 8.0 + 0.79))
    assert bands["strides left"] == (17.0, 19.0)
    assert bands["ground left"] == pytest.approx((0.5 - 0.385, 0.5 + 0.385))


@pytest.mark.parametrize("name", NAMES)
def test_the_figures_on_the_page_are_within_their_bands(name: str) -> None:
    """Ways in metres and leaps in centimetres, with the task's step and with half of it, up to the digit that is printed."""
    row = next(line for line in PAGE.splitlines() if f"**{name}** |" in line)
    whole, halved = (re.findall(r"([\d.]+) (m|cm)\b", cell) for cell in row.split("|")[3:5])
    bands = showcase.about(name).bands
    assert whole and halved
    for number, unit in [*whole, halved[0]]:
        metres = 0.01 if unit == "cm" else 1.0
        rounded = 0.5 * metres * 10.0 ** -len(number.partition(".")[2])
        ranges = [bands[way] for way in WAYS[unit] if way in bands]
        assert any(low - rounded <= metres * float(number) <= high + rounded for low, high in ranges), number


@pytest.mark.parametrize("name", NAMES)
def test_its_command_can_still_be_given(name: str) -> None:
    """The first generation of few: names, settings and genomes are those of today, whatever comes of the run."""
    few = {"population": 2, "generations": 1, "workers": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few are no evolution
        run = zp.evolve(**{**showcase.about(name).arguments, **few})
    task = run.configuration["task"]
    assert len(run) and {key: task[key] for key in ("name", "settings")} == showcase.about(name).task
