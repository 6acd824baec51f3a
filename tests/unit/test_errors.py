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
    assert str(error).endswith("pip install 'zoophyte[plot]'")
    assert isinstance(error, ImportError)


def test_nearest_asks_only_when_something_is_near() -> None:
    assert nearest("hinged", ["ball", "hinge", "slide"]) == "Did you mean 'hinge'?"
    assert nearest("quux", ["ball", "hinge", "slide"]) == ""
