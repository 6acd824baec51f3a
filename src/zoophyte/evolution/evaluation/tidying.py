"""Tidying: Python's search for garbage is put off while a chunk is made and lived.

All that is made for a chunk is kept until it is judged, so a search finds nothing and yet looks at every body, joint and
neuron of it, again and again.  Bodies are in no circle and go when their chunk goes; what is, is found in one
search afterwards, when little else is left of a chunk.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_put_off = False


@contextmanager
def tidied_afterwards() -> Iterator[None]:
    """No search for garbage inside; one over what is new at the end.

    Threads may be inside together: who leaves first lets searches begin again, and who enters next puts them off anew.  So
    one that hangs inside, and is left alone, does not keep them off for ever.
    """
    global _put_off
    with _lock:
        if gc.isenabled():
            gc.disable()
            _put_off = True
    try:
        yield
    finally:
        with _lock:
            ours, _put_off = _put_off, False
            if ours:
                gc.enable()
        if gc.isenabled():
            gc.collect(0)
