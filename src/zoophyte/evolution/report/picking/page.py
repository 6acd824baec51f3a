"""The picker: a page on which a person chooses creatures by eye."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from zoophyte.description.files import write_text
from zoophyte.errors import FileError, UsageError, counted
from zoophyte.evolution.report.curves import safe, score
from zoophyte.evolution.report.data import Birth
from zoophyte.evolution.report.facts import Lives, relived
from zoophyte.evolution.report.gallery import PICTURE, Exhibit, replays_of, settling_of
from zoophyte.evolution.report.shell import headline, shell
from zoophyte.export.page import player

SHOWN = 500  # creatures on a page
PLAY = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M8 5.2v13.6L19 12z"/></svg>'
CLOSE = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6'
    'L6.4 19 5 17.6l5.6-5.6L5 6.4z"/></svg>'
)
MODES = (("parents", "Parents"), ("keep", "Keep"), ("delete", "Delete"))


def candidates_of(run: Any) -> list[Birth]:
    """Whom to choose from: the survivors of the last generation; the fittest first.

    Args:
        run: one with survivors, or else with births, of which the sound of the last generation are taken.

    Raises:
        UsageError: when there is nobody.
    """
    births = {birth.number: birth for birth in run.births()}
    if hasattr(run, "survivors"):
        found = [births[one.number] for one in run.survivors()]
    else:
        last = max((row.number for row in run.history()), default=-1)
        found = [birth for birth in births.values() if birth.generation == last and birth.is_sound]
    if not found:
        raise UsageError(f"{run.name}: nobody is there to choose from; the run has no survivors yet.")
    return sorted(found, key=lambda birth: (-birth.fitness, birth.number))[:SHOWN]


def write_picker(run: Any, path: str | os.PathLike[str], *, lives: Lives | None = relived) -> None:
    """Write a page on which a person chooses creatures of a run, and which tells the command that makes the choice.

    Args:
        run: the run.
        path: of the file.
        lives: plays an individual once more, for pictures and replays; without it the page has none.

    Raises:
        UsageError: when nobody is there to choose from.
        FileError: when the file cannot be written.
    """
    candidates = candidates_of(run)
    exhibits = [
        Exhibit(
            "",
            birth.number,
            birth.fitness,
            _note(birth),
            lives(run, birth.number) if lives else None,
            settled=settling_of(run),
        )
        for birth in candidates
    ]
    stage = replays_of(exhibits, f"{run.name}: choose parents")
    images = {exhibit.number: exhibit.image for exhibit in exhibits}
    playable = [exhibit.number for exhibit in exhibits if exhibit.life is not None] if stage else []
    write_text(path, picker_page(run, candidates, images=images, playable=playable, stage=stage))


def served_page(run: Any, candidates: Sequence[Birth], *, has_lives: bool) -> str:
    """The page for a server, from which pictures and lives come when they are looked at.

    Args:
        run: the run.
        candidates: whom to choose from.
        has_lives: whether there are any.
    """
    width, height = PICTURE
    images: dict[int, str] = {}
    if has_lives:
        images = {
            birth.number: f'<img src="picture/{birth.number}" loading="lazy" alt="Individual {birth.number}" '
            f'width="{width}" height="{height}">'
            for birth in candidates
        }
    playable = [birth.number for birth in candidates] if has_lives else []
    return picker_page(run, candidates, images=images, playable=playable, is_served=True)


def picker_page(
    run: Any,
    candidates: Sequence[Birth],
    *,
    images: Mapping[int, str],
    playable: Sequence[int],
    stage: tuple[str, str] | None = None,
    is_served: bool = False,
) -> str:
    """The text of the page.

    Args:
        run: the run.
        candidates: whom to choose from.
        images: elements, by number.
        playable: numbers of those who can be watched, in the order of the player's entries.
        stage: a page with a player, and its script.
        is_served: whether a server waits for the choice.
    """
    shown = set(playable)
    made = "".join(
        _creature(birth, images.get(birth.number, ""), birth.number in shown) for birth in candidates
    )
    last = max((row.number for row in run.history()), default=0)
    sub = f"{run.name} · generation {last} · {counted(len(candidates), 'creature')}, the fittest first"
    modes = "".join(
        f'<button type="button" role="radio" data-mode="{mode}" aria-checked="false">{word}</button>'
        for mode, word in MODES
    )
    body = (
        f'<div class="picker"><main class="sheet">{headline("Choose parents", sub)}'
        f'<div class="tools"><div class="modes" role="radiogroup" aria-label="Mark as">{modes}</div>'
        "<p>Click creatures to mark them. Who is neither parent nor kept goes, if any are named.</p></div>"
        f'<div class="cards">{made}</div></main>{_bar(is_served)}'
        f'<dialog id="theatre"><header><h2></h2><div class="modes" aria-label="Mark as">{modes}</div>'
        f'<button id="close" class="icon" type="button" aria-label="Close">{CLOSE}</button></header>'
        '<div class="theatre-stage"></div></dialog></div>'
    )
    path = getattr(run, "path", None) or f"{run.name}"
    data = {
        "numbers": [birth.number for birth in candidates],
        "command": f"zoophyte runs pick {shlex.quote(os.fspath(path))}",
        "served": is_served,
        "lives": list(playable),
    }
    texts = {"replays": stage[0]} if stage else {}
    return shell(
        f"{run.name}: choose parents", body, script="picker.js", data=data, texts=texts, allowed_scripts=_scripts(stage),
        is_served=is_served,
    )  # fmt: skip


def _scripts(stage: tuple[str, str] | None) -> list[str]:
    """The player's script, which may run in a frame of the page."""
    if stage is not None:
        return [stage[1]]
    try:
        return [player()[0]]
    except FileError:  # built without Node.js
        return []


def _note(birth: Birth) -> str:
    return f"gen. {birth.generation} · {birth.operator}"


def _creature(birth: Birth, image: str, is_playable: bool) -> str:
    picture = image or f'<div class="blank">#{birth.number}</div>'
    watch = (
        f'<button type="button" class="watch" aria-label="Watch individual {birth.number}" title="Watch it">{PLAY}</button>'
        if is_playable
        else ""
    )
    return (
        f'<div class="card creature" data-number="{birth.number}" data-mark=""><button type="button" class="pick" '
        f'aria-pressed="false" aria-label="Mark individual {birth.number}">{picture}<div class="card-text">'
        f"<h3><span>#{birth.number}</span><b>{score(birth.fitness)}</b></h3><p>{safe(_note(birth))}</p></div></button>"
        f'<span class="mark"></span>{watch}</div>'
    )


def _bar(is_served: bool) -> str:
    told = '<span id="counts"></span><span id="said" role="status"></span>'
    clear = '<button type="button" class="plain" id="clear">Clear</button>'
    if is_served:
        main = '<button type="button" class="main" id="send">Use this choice</button>'
        main += '<code id="command" hidden></code>'
    else:
        main = '<button type="button" class="main" id="copy">Copy</button><code class="code" id="command"></code>'
    return f'<div class="bar"><div>{told}{clear}{main}</div></div>'
