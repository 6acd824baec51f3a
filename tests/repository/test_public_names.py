"""The public names: listed, lazy, documented, and what the type checker believes they are."""

from __future__ import annotations

import ast
import inspect
import types

import pytest

import zoophyte as zp
from repository.sources import PACKAGE, POSITIONAL_ARGUMENTS, tree

FOLDERS = {"algebra", "control", "description", "model", "numbers", "physics", "simulation", "zoo"}


def checked_names() -> set[str]:
    """The names that `zoophyte/__init__.py` imports for type checkers."""
    guards = [node for node in tree(PACKAGE / "__init__.py").body if isinstance(node, ast.If)]
    imports = [node for guard in guards for node in guard.body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports for alias in node.names}


def test_type_checkers_see_the_names_that_users_see() -> None:
    assert checked_names() == set(zp.__all__)


def test_names_are_listed_once() -> None:
    assert len(zp.__all__) == len(set(zp.__all__))


def test_names_are_offered_for_completion() -> None:
    assert set(zp.__all__) <= set(dir(zp))


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
    with pytest.raises(AttributeError, match="has no attribute 'forward_dynamic'"):
        _ = zp.forward_dynamic
