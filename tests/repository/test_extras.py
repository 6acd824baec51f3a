"""Extras: what the doctor offers is what the package imports, no more and no less."""

from __future__ import annotations

import ast
import re
import tomllib

from repository.sources import ROOT, modules, tree
from zoophyte.cli.doctor import EXTRAS

NOT_FOR_USERS = {"test", "docs", "dev"}
MODULES = {
    "imageio-ffmpeg": "imageio_ffmpeg", "mujoco-core": "mujoco", "numba-cuda": "numba_cuda", "pin": "pinocchio",
}  # fmt: skip
"""Names of modules, where they are not those of their packages."""


def optional_packages() -> dict[str, set[str]]:
    """The packages of every extra for users, without those of the core."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = re.compile(r"[\w.-]+")
    core = {name.match(line)[0] for line in project["dependencies"]}  # type: ignore[index]
    return {
        extra: {name.match(line)[0] for line in lines} - core  # type: ignore[index]
        for extra, lines in project["optional-dependencies"].items()
        if extra not in NOT_FOR_USERS
    }


def imported_modules() -> set[str]:
    """The first parts of all names that the package imports."""
    found: set[str] = set()
    for node in (node for path in modules() for node in ast.walk(tree(path))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module"
        ):
            found |= {
                str(argument.value).split(".")[0]
                for argument in node.args
                if isinstance(argument, ast.Constant)
            }
    return found


def test_the_doctor_offers_what_is_imported_and_nothing_else() -> None:
    """One extra per module is enough: whoever measures against MuJoCo has what reads its files, too."""
    imported = imported_modules()
    wanted = {
        module
        for packages in optional_packages().values()
        for package in packages
        if (module := MODULES.get(package, package)) in imported
    }
    assert {MODULES.get(package, package) for packages in EXTRAS.values() for package in packages} == wanted


def test_no_extra_is_for_what_is_not_built() -> None:
    """`studio`, `render`, `plot` and `usd` installed packages that nothing imported."""
    imported = imported_modules()
    idle = {
        extra: packages
        for extra, packages in optional_packages().items()
        if not {MODULES.get(package, package) for package in packages} & imported
    }
    assert idle == {}


def test_the_doctor_names_extras_that_bring_the_packages() -> None:
    known = optional_packages()
    assert {extra: set(packages) <= known[extra] for extra, packages in EXTRAS.items()} == dict.fromkeys(
        EXTRAS, True
    )


def test_imports_are_found_as_meant() -> None:
    assert {"numpy", "mujoco", "pinocchio"} <= imported_modules()
