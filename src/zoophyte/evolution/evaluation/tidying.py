"""Tidying: Python's search for garbage is put off while a chunk is made and lived.

All that is made for a chunk is kept until it is judged, so a search finds nothing and yet looks at every body, joint and
neuron of it, again and again: a quarter of the time that it takes to make a creature.  Pens, which are large and know
themselves, are found in one search afterwards, when little else is left of a chunk.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside = 0
_was_on = False


@contextmanager
def tidied_afterwards() -> Iterator[None]:
    """No search for garbage inside; one over what is new at the end. Threads may be inside together."""
    global _inside, _was_on
    with _lock:
        if _inside == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            wanted = _was_on
            if _inside == 0 and wanted:
                gc.enable()
        if wanted:
            gc.collect(0)
