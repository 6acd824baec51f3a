"""Interruption: Ctrl-C asks a run to stop after the chunk in hand; a second one stops at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interruption:
    """While this is entered, the first Ctrl-C is only noted. Outside the main thread nothing changes."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None
        self._set = False

    def __enter__(self) -> Interruption:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            self._before = signal.signal(signal.SIGINT, self._note)
            self._set = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._set:
            signal.signal(signal.SIGINT, self._before)
            self._set = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def heed(self) -> None:
        """Stop here, if that was asked.

        Raises:
            KeyboardInterrupt: when it was.
        """
        if self.asked:
            raise KeyboardInterrupt
