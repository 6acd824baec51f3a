"""Errors say where, what and how, and survive the way between processes."""

from __future__ import annotations

import pickle

import pytest

from zoophyte.errors import (
    DescriptionError,
    FileError,
    MissingExtraError,
    Problem,
    UsageError,
    ZoophyteError,
    brief,
    counted,
    nearest,
)

SAG = Problem("body 'knee': joint.stiffness", "is -3, must be 0 or more.")
KIND = Problem("body 'hip': joint.kind", "is 'hinged'.", "Did you mean 'hinge'?")


def test_one_problem_is_one_line() -> None:
    error = DescriptionError(SAG, source="roach.yaml")
    assert str(error) == "roach.yaml: body 'knee': joint.stiffness: is -3, must be 0 or more."


def test_several_problems_are_all_listed() -> None:
    error = DescriptionError([SAG, KIND], source="roach.yaml")
    assert str(error).splitlines() == ["roach.yaml: 2 problems", f"  {SAG}", f"  {KIND}"]
    assert str(KIND) == "body 'hip': joint.kind: is 'hinged'. Did you mean 'hinge'?"


def test_a_sentence_is_enough() -> None:
    error = DescriptionError("a body cannot be its own parent.")
    assert str(error) == "a body cannot be its own parent."
    assert error.problems == (Problem("", "a body cannot be its own parent."),)


@pytest.mark.parametrize(
    "error",
    [
        DescriptionError([SAG, KIND], source="roach.yaml"),
        FileError("life.npz: is not a trajectory."),
        UsageError("dt is 0, must be positive."),
        MissingExtraError("matplotlib", "plot", "drawing figures"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_pickling(error: ZoophyteError) -> None:
    """Workers send their errors to the process that started them."""
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_a_missing_extra_names_the_command() -> None:
    error = MissingExtraError("matplotlib", "plot", "drawing figures")
    assert str(error).endswith("pip install '.[plot]' in Zoophyte's source folder")  # it is on no index
    assert isinstance(error, ImportError)


def test_nearest_asks_only_when_something_is_near() -> None:
    assert nearest("hinged", ["ball", "hinge", "slide"]) == "Did you mean 'hinge'?"
    assert nearest("quux", ["ball", "hinge", "slide"]) == ""


def test_long_values_are_cut_between_words() -> None:
    assert brief([1, 2]) == "[1, 2]"
    assert brief("a\nb" * 3) == "'a\\nba\\nba\\nb'"
    assert brief(list(range(100)), 20) == "[0, 1, 2, 3, 4, 5, …"
    assert brief("x" * 100, 20) == "'" + "x" * 17 + " …"


@pytest.mark.parametrize(("number", "text"), [(0, "0 bodies"), (1, "1 body"), (2, "2 bodies")])
def test_one_is_not_many(number: int, text: str) -> None:
    assert counted(number, "body", "bodies") == text
    assert counted(number, "step") == f"{number} step{'' if number == 1 else 's'}"
