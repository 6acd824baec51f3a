"""Errors say where, what and how, and survive the way between processes."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
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
    real_numbers,
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
        MissingExtraError("trimesh", "mesh", "reading mesh files"),
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
    error = MissingExtraError("trimesh", "mesh", "reading mesh files")
    assert str(error).endswith("pip install '.[mesh]' in Zoophyte's source folder")  # it is on no index
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


MASKED = np.ma.masked_array([1.0, 2.0], mask=[True, False])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (MASKED, "tau is a masked array with entries that are masked out; fill them"),
        ([np.ma.masked, 1.0], "tau is a masked array"),
        ([1.0 + 2.0j, 1.0], "tau holds complex numbers, must be real"),
        (np.zeros(2, complex), "tau holds complex numbers"),
        (["1", "2"], r"tau is \['1', '2'\], must be numbers"),
        (None, "tau is None, must be numbers"),
        ([1.0, None], "must be numbers"),
        ([[1.0], [1.0, 2.0]], "must be numbers"),
        ({"knee": 1.0}, "must be numbers"),
        ([10**400] * 8, "must be numbers"),  # was an OverflowError of NumPy's
    ],
)
def test_what_is_no_array_of_real_numbers_is_refused(values: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        real_numbers(values, "tau")


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        (1.0, 2.0),
        np.array([1, 2], np.float32),
        np.ma.masked_array([1.0, 2.0]),
        [Fraction(1), Fraction(2)],
    ],
)
def test_real_numbers_are_taken_as_they_are(values: Any) -> None:
    found = real_numbers(values, "tau")
    assert type(found) is np.ndarray and found.dtype == np.float64 and found.tolist() == [1.0, 2.0]
    assert real_numbers(found, "tau") is found


@pytest.mark.parametrize(
    "take",
    [
        lambda model, state, bad: state.at(q=bad),
        lambda model, state, bad: state.at(v=bad),
        lambda model, state, bad: zp.State(bad, state.v).checked(model),
        lambda model, state, bad: zp.inverse_dynamics(model, state, bad),
        lambda model, state, bad: zp.forward_dynamics(model, state, bad),
        lambda model, state, bad: zp.control.Command.torques(bad),
        lambda model, state, bad: zp.control.Command.hold(bad),
        lambda model, state, bad: zp.control.Sine(amplitude=bad).begin(model),
        lambda model, state, bad: zp.control.Table([bad], rate=1.0).begin(model),
    ],
)
@pytest.mark.parametrize("bad", [MASKED, np.array([1.0 + 1.0j, 0.0])], ids=["masked", "complex"])
def test_no_door_takes_masked_or_complex_numbers(take: Any, bad: Any) -> None:
    model = zp.compile(zp.zoo.double_pendulum())
    with pytest.raises(UsageError, match=r"masked array|complex numbers"):
        take(model, zp.State.neutral(model), bad)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: zp.World(zp.zoo.rod(), sweep=4), r"World has no argument 'sweep'\. .*Did you mean 'sweeps'\?"),
        (lambda: zp.Herd([zp.zoo.ant()], worker=2), r"Herd has no argument 'worker'\. .*Did you mean 'workers'\?"),
        (lambda: zp.Habitat(gravty=(0, 0, 0)), r"Habitat has no argument 'gravty'\. .*Did you mean 'gravity'\?"),
        (lambda: zp.Stops(tlt=1.0), r"Stops has no argument 'tlt'\. .*Did you mean 'tilt'\?"),
        (lambda: zp.Guards(sped=1.0), r"Guards has no argument 'sped'\. .*Did you mean 'speed'\?"),
        (lambda: zp.control.Neuron(functon="sin"), r"Neuron has no argument 'functon'\. .*Did you mean 'function'\?"),
        (lambda: zp.control.Sine(amplitud=1.0), r"Sine has no argument 'amplitud'\. .*Did you mean 'amplitude'\?"),
    ],
)  # fmt: skip
def test_an_unknown_keyword_is_answered_with_the_nearest(make: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make()
