"""Choices: how they are written, what is refused, and who lives where when they are made."""

from __future__ import annotations

from typing import Any

import pytest

from zoophyte.errors import UsageError
from zoophyte.evolution.report.picking.choice import Choice, checked, choice_from, numbers_in, picked

MEMBERS = [(10, 0), (11, 1), (12, 2), (13, 3)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("12,17,40", (12, 17, 40)), (" 3  4;5 ", (3, 4, 5)), ("#7, 9-11", (7, 9, 10, 11)), ("5,5", (5,))],
)
def test_numbers_are_read_as_people_write_them(text: str, numbers: tuple[int, ...]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    "text", ["", "twelve", "1,,x", "-3", "1.5", "9-3", "0-99999999", "1; DROP TABLE run"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--choose: "):
        numbers_in(text, "--choose")


def test_the_command_says_the_choice() -> None:
    choice = Choice((12, 17), (), (3,))
    assert choice.command("my run.db") == "zoophyte runs pick 'my run.db' --choose 12,17 --delete 3"


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ([], "must be an object"),
        ({"parents": "1"}, "must be a list"),
        ({"parents": [1.5]}, "must be a list"),
        ({"parents": [True]}, "must be a list"),
        ({"parents": [-1]}, "must be a list"),
        ({"parents": [10**30]}, "must be a list"),
        ({"parents": list(range(20_000))}, "at most 10000"),
        ({"parents": [1], "evil": []}, "must be an object"),
        ({}, "nobody is chosen"),
        ({"parents": [], "keep": [], "delete": []}, "nobody is chosen"),
        ({"parents": [1], "delete": [1]}, "1 cannot be deleted and stay"),
    ],
)
def test_odd_choices_are_refused(record: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        choice_from(record)


def test_strangers_are_refused() -> None:
    known = {number for number, _ in MEMBERS}
    with pytest.raises(UsageError, match="no individual 99"):
        checked(Choice((10, 99)), known)
    with pytest.raises(UsageError, match="99 cannot be deleted"):
        checked(Choice(delete=(99,)), known)
    with pytest.raises(UsageError, match="nobody would be left"):
        checked(Choice(delete=(10, 11, 12, 13)), known)


def test_parents_and_the_kept_stay() -> None:
    assert picked(MEMBERS, Choice((12,), (10,))) == [(10, 0), (12, 2)]


def test_without_parents_all_but_the_deleted_stay() -> None:
    assert picked(MEMBERS, Choice(delete=(11,))) == [(10, 0), (12, 2), (13, 3)]


def test_a_parent_from_the_past_joins() -> None:
    assert picked(MEMBERS, Choice((2, 13))) == [(13, 3), (2, 0)]


def test_on_a_lattice_every_cell_stays_taken() -> None:
    """Those who stay keep their cells; newcomers come first into the free ones, then all in turn."""
    made = picked(MEMBERS, Choice((12, 2)), is_placed=True)
    assert made == [(2, 0), (12, 1), (12, 2), (2, 3)]
    assert sorted(place for _, place in made) == [0, 1, 2, 3]
