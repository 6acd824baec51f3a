"""What URDF cannot say, sorted: one sentence for each kind of thing, with the names of the bodies."""

from __future__ import annotations

from zoophyte.description import Description
from zoophyte.errors import counted

NAMES_LISTED = 6


class Losses:
    """Collects what is lost, or said otherwise."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._lists: dict[str, list[str]] = {}

    def say(self, sentence: str) -> None:
        """A sentence of its own."""
        self._sentences.append(sentence)

    def of(self, what: str, body: str) -> None:
        """One more body with a loss of that kind.

        Args:
            what: a sentence with ``{}`` where the bodies are named: ``"The springs of {} are lost."``.
            body: its name.
        """
        named = self._lists.setdefault(what, [])
        if not named or named[-1] != body:
            named.append(body)

    def of_whole(self, description: Description) -> None:
        """What the description says of more than one body."""
        if description.surface is not None or any(
            shape.surface is not None for body in description.bodies for shape in body.shapes
        ):
            self.say("Surfaces are lost: friction, restitution and the rest of how shapes touch.")
        if description.self_contact:
            self.say("That bodies of one tree touch each other is lost (self_contact).")
        if description.pairs:
            self.say(
                f"Lost: {counted(len(description.pairs), 'pair')} of bodies that touch in their own way."
            )
        if description.constraints:
            self.say(f"Lost: {counted(len(description.constraints), 'constraint')} beside the joints.")
        if description.notes:
            self.say("What stands under `notes`, texts about the body, is lost.")

    def words(self) -> tuple[str, ...]:
        """All sentences."""
        lists = [what.format(_listed(bodies)) for what, bodies in self._lists.items()]
        return (*self._sentences, *lists)


def _listed(bodies: list[str]) -> str:
    shown = ", ".join(f"'{body}'" for body in bodies[:NAMES_LISTED])
    more = len(bodies) - NAMES_LISTED
    return f"{shown} and {more} more" if more > 0 else shown
