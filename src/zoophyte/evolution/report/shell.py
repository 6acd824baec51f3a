"""The page around the pages of runs: one file, which loads nothing and runs no script but its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from zoophyte import __version__
from zoophyte.evolution.report.curves import RULES, safe
from zoophyte.export.page import inert_json, whole_page

THEME = (
    '<button id="theme" class="icon" type="button" aria-label="Light or dark" title="Light or dark">'
    '<svg viewBox="0 0 24 24" aria-hidden="true">'
    '<path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z"/></svg></button>'
)


def asset(name: str) -> str:
    """A file that pages carry.

    Args:
        name: of the file.
    """
    return resources.files("zoophyte.evolution.report").joinpath("assets", name).read_text(encoding="utf-8")


def shell(
    title: str,
    body: str,
    *,
    script: str,
    data: Mapping[str, Any],
    texts: Mapping[str, str] | None = None,
    allowed_scripts: Sequence[str] = (),
    is_served: bool = False,
) -> str:
    """A whole page.

    Args:
        title: of the page.
        body: its markup; whoever wrote it made its texts inert.
        script: name of the asset that runs.
        data: for the script, as JSON.
        texts: longer ones for the script, by the id of their elements.
        allowed_scripts: other scripts that may run, in a frame of the page.
        is_served: whether the page may ask the server that it came from.
    """
    own, style = asset(script), asset("page.css") + RULES
    here, speaks = ("'self' ", "'self'") if is_served else ("", "'none'")
    carried = "\n".join(
        f'<script type="application/json" id="{name}">{inert_json(text)}</script>'
        for name, text in (texts or {}).items()
    )
    whole = f"""{body}
<script type="application/json" id="report-data">{inert_json(data)}</script>
{carried}
<script>{own}</script>"""
    scripts = (own, *allowed_scripts)
    return whole_page(title, whole, style, scripts, images=f"{here}data: blob:", connects=speaks)


def report_shell(
    title: str, parts: Sequence[str], data: dict[str, Any], stage: tuple[str, str] | None
) -> str:
    """A page of a report.

    Args:
        title: of it.
        parts: its markup.
        data: for its script.
        stage: a page with a player to be shown in a frame, and the player's script; None without one.
    """
    foot = f"<footer>Made by Zoophyte {__version__}. This page is one file and loads nothing.</footer>"
    body = f'<main class="sheet">{"".join(parts)}{foot}</main>'
    texts, allowed = ({"replays": stage[0]}, [stage[1]]) if stage else ({}, [])
    return shell(title, body, script="report.js", data=data, texts=texts, allowed_scripts=allowed)


def headline(title: str, sub: str) -> str:
    """The top of a page."""
    return f'<header><div><h1>{safe(title)}</h1><p class="sub">{safe(sub)}</p></div>{THEME}</header>'


def hero(told: str, is_playable: bool) -> str:
    """The stage, if there is one, and what stands beside it."""
    stage = '<div class="stage"></div>' if is_playable else ""
    return f'<div class="hero{"" if is_playable else " alone"}">{stage}{told}</div>'
