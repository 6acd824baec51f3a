"""Evolved creatures that come along: they load, live, do what was written of them, and can be evolved again."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.cli.evolution.evolve import given_settings
from zoophyte.errors import UsageError
from zoophyte.evolution import registry, showcase
from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.protocols import Genome
from zoophyte.evolution.retold import world_life
from zoophyte.evolution.wire import pack

NAMES = showcase.names()
STALE = (
    "{}: the run no longer gives this creature. The physics, the task or the genome changed since it was evolved: "
    "evolve it anew with its command, and keep it with tools/keep_evolved.py."
)


def test_there_are_eight_and_none_has_a_name_of_the_zoo() -> None:
    assert len(NAMES) >= 8
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
    page = (Path(__file__).parents[3] / "docs/how-to/evolved-zoo.md").read_text(encoding="utf-8")
    made = showcase.about(name)
    assert f"**{name}** | {made.text} |" in page
    assert f"| {name} | `{made.command}` | {made.number} |" in page


def test_a_name_that_is_not_there_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=f"Did you mean '{NAMES[0]}'"):
        showcase.creature(NAMES[0] + "e")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_its_life_is_worth_what_is_written(name: str) -> None:
    """Oracle: the fitness that the herd gave during the run; lives in a World have the same bits."""
    made = showcase.about(name)
    task = registry.found_task(made.task)
    grown = showcase.creature(name)
    trials = task.trials(
        grown, made.stage, generator(made.arguments["seed"], made.generation, 0, Purpose.TRIAL)
    )
    lives = [world_life(one, zp.compile(one.description), task.dt, task.sweeps) for one in trials]
    # Samples of a World fall on other steps than those of the herd, by which leaps are seen differently.
    assert task.score(grown, trials, lives).fitness == pytest.approx(made.fitness, rel=0.05), STALE.format(
        name
    )


@lru_cache
def evolved(arguments: str) -> zp.Run:
    """A run, kept for the next creature that comes of it."""
    return zp.evolve(**json.loads(arguments))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_its_command_makes_it_again(name: str) -> None:
    """Oracle: the stored genome, bit for bit, and its fitness."""
    made = showcase.about(name)
    again = evolved(json.dumps(made.arguments)).individual(made.number)
    same = pack(again.genome.record()) == pack(showcase.genome(name).record())
    assert same, STALE.format(name)
    assert again.fitness == made.fitness, STALE.format(name)
