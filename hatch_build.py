"""Bundles the player of replay pages when a wheel or a source archive is built.

Where the machine has no Node.js, its package for Python becomes a requirement of the build.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlayerHook(BuildHookInterface):  # type: ignore[misc]
    """Calls tools/build_player.py."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs besides, on this machine."""
        tool = self._tool()
        return [] if tool["has_node"]() else [tool["NODE_PACKAGE"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the player, or say why not; an editable install leaves that to make."""
        if version == "editable":
            return
        root = Path(self.root)
        tool = self._tool()
        try:
            tool["build"](root, may_install=False)
        except tool["BuildError"] as reason:
            if not all((root / tool["PLAYER"] / "dist" / name).is_file() for name in tool["BUNDLE"]):
                self.app.display_warning(f"built without replay pages: {reason}")

    def _tool(self) -> dict[str, Any]:
        return runpy.run_path(str(Path(self.root) / "tools" / "build_player.py"))
