"""Readers of other formats: MJCF through MuJoCo, URDF and meshes. They are imported when a file needs them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from zoophyte.description.reading import file_error

if TYPE_CHECKING:
    from zoophyte.description.description import Description

ENDINGS = (".xml", ".mjcf", ".urdf", ".xacro")
"""Of files that are not YAML."""


def read_foreign(
    path: str | os.PathLike[str],
    *,
    partial: bool = False,
    root: Literal["fixed", "free"] = "fixed",
    proxies: bool = False,
) -> Description:
    """The description in an XML file: MJCF or URDF, as its outermost element says.

    Args:
        path: of the file.
        partial: leave out what Zoophyte does not have (the description's notes list it) instead of refusing the file.
        root: whether the outermost link of a URDF file is fixed to the ground or free.
        proxies: let capsules, boxes and balls inside of cylinders, ellipsoids and meshes meet other shapes.

    Raises:
        DescriptionError: with everything that is wrong or not supported.
        FileError: when the file cannot be read or is neither MJCF nor URDF.
        MissingExtraError: when an optional package is needed for it.
    """
    from zoophyte.description.readers.proxies import with_proxies

    description = _read(path, partial, root)
    return with_proxies(description) if proxies else description


def _read(path: str | os.PathLike[str], partial: bool, root: Literal["fixed", "free"]) -> Description:
    """The description in an XML file, as its format has it."""
    from zoophyte.description.readers.xml import read_xml

    document = read_xml(path)
    if document.tag == "robot":
        from zoophyte.description.readers.urdf import urdf_description

        return urdf_description(document, Path(path), partial=partial, root=root)
    if document.tag == "mujoco":
        from zoophyte.description.readers.demands import check_mjcf
        from zoophyte.description.readers.mjcf import mjcf_description

        is_whole = check_mjcf(document, Path(path))
        return mjcf_description(Path(path), partial=partial, is_whole=is_whole)
    tag = document.tag[:60] if document.tag.isprintable() else "?"
    what = f"begins with <{tag}>; an MJCF file begins with <mujoco>, a URDF file with <robot>."
    raise file_error(os.fspath(path), document.line, what)


__all__ = ["ENDINGS", "read_foreign"]
