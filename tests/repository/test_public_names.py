"""The public names: listed, lazy, documented, and what the type checker believes they are."""

from __future__ import annotations

import ast
import inspect
import types

import pytest

import zoophyte as zp
from repository.sources import PACKAGE, POSITIONAL_ARGUMENTS, tree
from zoophyte import errors

FOLDERS = {
    "algebra", "control", "description", "evolution", "export", "model", "numbers", "physics", "simulation", "validation",
    "zoo",
}  # fmt: skip


def checked_names() -> set[str]:
    """The names that `zoophyte/__init__.py` imports for type checkers."""
    guards = [node for node in tree(PACKAGE / "__init__.py").body if isinstance(node, ast.If)]
    imports = [node for guard in guards for node in guard.body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports for alias in node.names}


def test_type_checkers_see_the_names_that_users_see() -> None:
    assert checked_names() == set(zp.__all__)


def test_names_are_listed_once() -> None:
    assert len(zp.__all__) == len(set(zp.__all__))


@pytest.mark.parametrize("module", [zp, zp.zoo], ids=["zoophyte", "zoo"])
def test_names_are_offered_for_completion_and_nothing_else(module: types.ModuleType) -> None:
    assert {name for name in dir(module) if not name.startswith("__")} == set(module.__all__)


def test_every_error_can_be_caught_by_its_public_name() -> None:
    raised = {
        name
        for name, found in vars(errors).items()
        if inspect.isclass(found) and issubclass(found, Exception)
    }
    assert raised <= set(zp.__all__)


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_folder_resolves_to_a_module(name: str) -> None:
    assert isinstance(getattr(zp, name), types.ModuleType)


@pytest.mark.parametrize("name", sorted(set(zp.__all__) - FOLDERS))
def test_name_resolves_to_something_documented(name: str) -> None:
    found = getattr(zp, name)
    assert inspect.isclass(found) or inspect.isroutine(found), f"{name} is hidden by {found!r}"
    assert inspect.getdoc(found)


@pytest.mark.parametrize("name", sorted(name for name in set(zp.__all__) - FOLDERS if name.islower()))
def test_functions_take_few_positional_arguments(name: str) -> None:
    kinds = [parameter.kind for parameter in inspect.signature(getattr(zp, name)).parameters.values()]
    by_position = [kind for kind in kinds if kind is not inspect.Parameter.KEYWORD_ONLY]
    assert len(by_position) <= POSITIONAL_ARGUMENTS


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(
        AttributeError, match=r"has no attribute 'forward_dynamic'. Did you mean 'forward_dynamics'\?$"
    ):
        _ = zp.forward_dynamic
    with pytest.raises(AttributeError, match=r"has no attribute 'zzz'$"):
        _ = zp.zzz
    with pytest.raises(
        AttributeError, match=r"the zoo has no 'cantilver'. Did you mean 'cantilever'\? It has: pendulum, "
    ):
        _ = zp.zoo.cantilver()
    assert not hasattr(zp.zoo, "dragon") and not hasattr(zp.zoo, "__wrapped__")
