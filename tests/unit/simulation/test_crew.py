"""Crews: threads that work for another one end with it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from zoophyte.simulation.herd.crew import together
halt, begun = threading.Event(), threading.Event()
def task():
    begun.set()
    if not halt.wait(20):
        print("nobody said that the program ends", flush=True)
def simulate():
    with ThreadPoolExecutor(2) as pool:
        together(pool, [task, task], halt)
    print("went on with half a life" if sys.argv[1] == "daemon" else "whole", flush=True)
threading.Thread(target=simulate, daemon=sys.argv[1] == "daemon").start()
begun.wait()
if sys.argv[1] != "daemon":
    threading.Timer(0.5, halt.set).start()
    sys.exit(0)
raise KeyboardInterrupt
"""


def told(kind: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, kind], capture_output=True, text=True, timeout=120, check=False
    )


def test_the_crew_of_a_daemon_ends_with_the_program() -> None:
    """Ctrl-C while a herd lived in a daemon thread left the program alive until all had lived to their end."""
    found = told("daemon")
    assert found.stdout == "" and found.stderr.count("Traceback") == 1
    assert found.stderr.rstrip().endswith("KeyboardInterrupt")


def test_the_crew_of_any_other_thread_is_waited_for() -> None:
    """The main thread of a program may end first: Python waits for the others, and they do all that they were asked."""
    found = told("plain")
    assert (found.stdout, found.stderr, found.returncode) == ("whole\n", "", 0)
