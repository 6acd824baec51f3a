"""The program ``zoophyte``: its verbs, and what happens when one fails.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.  Verbs import what they need when they run, so
that ``zoophyte --help`` answers at once.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer

from zoophyte import __version__
from zoophyte.cli.bench import bench
from zoophyte.cli.doctor import doctor
from zoophyte.cli.evolution.evolve import evolve
from zoophyte.cli.evolution.listing import EvolveCommand
from zoophyte.cli.evolution.resume import resume
from zoophyte.cli.evolution.runs import runs
from zoophyte.cli.export import export
from zoophyte.cli.new import new, schema
from zoophyte.cli.output import ignore_interrupts, make_writable
from zoophyte.cli.replay import replay
from zoophyte.cli.simulate import simulate
from zoophyte.cli.validate import validate
from zoophyte.cli.warmup import warmup
from zoophyte.cli.zoo import zoo
from zoophyte.errors import UntrustedError, ZoophyteError, own_place, shown, told
from zoophyte.trust import trust_options

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
STORY = """The physics of articulated living bodies.

A body is a file that a person can write: names, joints, shapes, muscles.
Zoophyte lets it live by the laws of mechanics, shows its life as a page that
any browser opens, and evolves bodies and what moves them.

The first three commands:

\b
  zoophyte zoo                    what comes along
  zoophyte simulate walking_ant   one life, and a page that replays it
  zoophyte evolve walk            from random creatures to one that walks

`zoophyte COMMAND --help` tells more of each command; `zoophyte evolve --help`
lists all tasks, genomes, controllers and schemes with their settings.
"""
DEBUG = "--debug"

app = typer.Typer(
    name="zoophyte",
    help=STORY,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
MAKE, LOOK, EVOLVE, CHECK = "Make and let live", "Look", "Evolve", "Check"
GROUPS: dict[str, tuple[Callable[..., Any], ...]] = {
    MAKE: (zoo, simulate, new, schema),
    LOOK: (replay, export),
    EVOLVE: (evolve, resume),
    CHECK: (validate, bench, warmup, doctor),
}
VERBS = tuple(verb for verbs in GROUPS.values() for verb in verbs)
for group, verbs in GROUPS.items():
    for verb in verbs:
        app.command(cls=EvolveCommand if verb is evolve else None, rich_help_panel=group)(verb)
app.add_typer(runs, rich_help_panel=EVOLVE)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"zoophyte {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show where an error came from; allowed anywhere.")
    ] = False,
) -> None:
    """Options of the program itself; `--debug` is read by :func:`run`."""


def run() -> None:
    """Run the program with the arguments of the process, and leave it with an exit code."""
    make_writable()
    warnings.formatwarning = _told_warning
    try:
        code = _ran()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        ignore_interrupts()
    sys.exit(code)


def _ran() -> int:
    """Run the program; how it ended."""
    arguments = [argument for argument in sys.argv[1:] if argument != DEBUG] or ["--help"]
    debug = DEBUG in sys.argv[1:]
    try:
        code = app(args=arguments, prog_name="zoophyte", standalone_mode=False)
        sys.stdout.flush()  # here, where a full disk can still be told
    except UntrustedError as error:
        _fail(f"{error}{_with_trust(error.places)}", FAILED, debug)
    except ZoophyteError as error:
        _fail(str(error), FAILED, debug)
    except SystemExit as error:
        if not own_place(error):
            raise
        _fail(
            f"{told(error)} (in your code, which must not exit; {DEBUG} shows the way there)", FAILED, debug
        )
    except BrokenPipeError:  # who reads the output has seen enough
        _drop_output()
        sys.exit(FAILED)
    except OSError as error:
        where = (
            f"{error.filename}: cannot be read or written"
            if error.filename
            else "the output cannot be written"
        )
        _drop_output()
        _fail(f"{where}: {(error.strerror or str(error)).lower()}.", FAILED, debug)
    except Exception as error:
        if hasattr(
            error, "format_message"
        ):  # the parser's errors share no public class over typer's versions
            _fail(_usage(error, arguments), WRONG_USAGE, debug)
        if own_place(error):
            _fail(f"{told(error)} (in your code; {DEBUG} shows the way there)", FAILED, debug)
        _fail(
            f"something went wrong inside ({told(error)}). Run it again with {DEBUG} and report it.",
            FAILED,
            debug,
        )
    return code if isinstance(code, int) else 0


def _told_warning(message: Warning | str, *_place: Any, **_more: Any) -> str:
    """A warning as this program tells its errors: where it was raised in the code is nothing to its user."""
    return f"zoophyte: {shown(message)}\n"


def _with_trust(places: Sequence[str]) -> str:
    """The same command once more, with what it would have to trust."""
    command = f"zoophyte {shlex.join(sys.argv[1:])}{trust_options(places)}"
    return f"\nOn the command line: {command}" if places else ""


def _drop_output() -> None:
    """Send what is still to be printed nowhere, so that Python does not try again when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: Any, arguments: list[str]) -> str:
    """What is wrong with the arguments, and where the right ones are told."""
    verbs = {"runs", *(function.__name__ for function in VERBS)}
    verb = next((argument for argument in arguments if not argument.startswith("-")), "")
    place = f"zoophyte {verb}" if verb in verbs else "zoophyte"
    message = error.format_message().removeprefix("Invalid value: ").strip()
    return f"{message}\nSee: {place} --help"


def _fail(message: str, code: int, debug: bool) -> NoReturn:
    with suppress(OSError):  # a full disk may hold the messages, too; the exit code remains
        if debug:
            traceback.print_exc()
        print(f"zoophyte: {shown(message)}", file=sys.stderr)
    sys.exit(code)
