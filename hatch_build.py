"""Bundles the player of replay pages when a wheel or a source archive is built; without Node.js the package lacks it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlayerHook(BuildHookInterface):  # type: ignore[misc]
    """Calls tools/build_player.py."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the player, or say why not; an editable install leaves that to make."""
        if version == "editable":
            return
        root = Path(self.root)
        tool = runpy.run_path(str(root / "tools" / "build_player.py"))
        try:
            tool["build"](root)
        except tool["BuildError"] as reason:
            if not all((root / tool["PLAYER"] / "dist" / name).is_file() for name in tool["BUNDLE"]):
                self.app.display_warning(f"built without replay pages: {reason}")
