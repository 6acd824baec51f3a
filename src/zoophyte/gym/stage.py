"""Stage: whether an environment has begun, and whether it is closed."""

from __future__ import annotations

from dataclasses import dataclass

from zoophyte.errors import UsageError


@dataclass
class Stage:
    """What may be done with an environment.

    Args:
        name: of its body.
        begun: whether it was reset.
        closed: whether it was closed.
    """

    name: str
    begun: bool = False
    closed: bool = False

    def enter(self, action: str) -> None:
        """Refuse what cannot be done now.

        Args:
            action: step, reset, render or save.

        Raises:
            UsageError: says why, and what to do first.
        """
        if self.closed:
            raise UsageError(
                f"{self.name}: this environment is closed, so {action}() is not possible; make a new one."
            )
        if not self.begun and action != "reset":
            raise UsageError(f"{self.name}: {action}() needs an episode; call reset() first.")
