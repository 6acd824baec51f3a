"""The picker's server: a page on this machine alone, which hands a choice back to Python.

It listens on 127.0.0.1, under a path that holds a random token.  Requests for another host (a rebound name), from another
origin, or without the token are refused, and nothing is read from a request but a small JSON object.
"""

from __future__ import annotations

import base64
import hmac
import json
import queue
import re
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from zoophyte.errors import UsageError, ZoophyteError
from zoophyte.evolution.report.data import Birth
from zoophyte.evolution.report.facts import Lives, relived
from zoophyte.evolution.report.gallery import Exhibit, settling_of
from zoophyte.evolution.report.picking.choice import Choice, checked, choice_from
from zoophyte.evolution.report.picking.page import candidates_of, served_page
from zoophyte.export.page import replay_page

HOST = "127.0.0.1"
BODY_LIMIT = 1 << 18  # bytes of a choice
PATIENCE = 30.0  # seconds that a request may take to arrive
TOKEN_BYTES = 24
GRACE = 2.0  # seconds that a page has to hear that a choice failed
OVER = (
    "Thank you. The choice is made, and is bred from when the run goes on; "
    "if all its generations are there, ask for more. This page can be closed."
)

OnChoice = Callable[[Choice], Any]
"""Takes a choice; returns the run to choose from next, or None when that was all."""


@dataclass(eq=False)
class Session:
    """What is chosen from, and what was chosen.

    Requests come in threads of their own; choices are made in the thread that serves, since breeding heeds Ctrl-C, which
    only the main thread hears.

    Args:
        run: the run.
        on_choice: takes the choices.
        lives: plays an individual once more.
        token: that addresses must hold.
    """

    run: Any
    on_choice: OnChoice
    lives: Lives | None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))

    def __post_init__(self) -> None:
        self.lock, self.choosing = threading.RLock(), threading.Lock()
        self.waiting: queue.Queue[Choice] = queue.Queue()
        self.answers: queue.Queue[tuple[bool, str]] = queue.Queue()
        self.choices: list[Choice] = []
        self.is_made = False
        self.over = threading.Event()
        self.show(self.run)

    def show(self, run: Any) -> None:
        """Choose from this run now."""
        self.run, self.candidates = run, candidates_of(run)
        self.exhibits: dict[int, Exhibit] = {}

    def page(self) -> str:
        """The page."""
        with self.lock:
            return served_page(self.run, self.candidates, has_lives=self.lives is not None)

    def exhibit(self, number: int) -> Exhibit | None:
        """A candidate with its life; None for anybody else, and where it cannot live again."""
        with self.lock:
            birth: Birth | None = next((each for each in self.candidates if each.number == number), None)
            if birth is None or self.lives is None:
                return None
            if number not in self.exhibits:
                note = f"gen. {birth.generation} · {birth.operator}"
                life = self.lives(self.run, number)
                self.exhibits[number] = Exhibit(
                    "", number, birth.fitness, note, life, settled=settling_of(self.run)
                )
            return self.exhibits[number]

    def choose(self, record: Any) -> dict[str, Any]:
        """Hand the choice over that a page sent, wait until it is made, and say what to tell."""
        with self.choosing:
            if self.is_made:
                raise UsageError("the choice has been made already.")
            self.waiting.put(checked(choice_from(record), {birth.number for birth in self.candidates}))
            is_good, words = self.answers.get()
            if not is_good:
                raise UsageError(words)
            return {"again": not self.is_made, "words": words}

    def make(self, choice: Choice) -> None:
        """Make a choice; what goes wrong in a way that a person can mend is told on the page."""
        try:
            following = self.on_choice(choice)
            if following is not None:
                with self.lock:
                    self.show(following)
        except ZoophyteError as problem:
            self.answers.put((False, str(problem)))
            return
        except BaseException:
            self.is_made = True
            self.answers.put((False, "the choice failed; see where the picker was started."))
            self.over.wait(GRACE)
            raise
        self.choices.append(choice)
        self.is_made = following is None
        self.answers.put((True, OVER))


class PickerServer(ThreadingHTTPServer):
    """A server of one session.

    Args:
        session: what it serves.
        port: to listen on; a free one for 0.
    """

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        try:
            super().__init__((HOST, port), Handler)
        except (OSError, OverflowError) as failure:
            raise UsageError(
                f"port {port} of {HOST} cannot be used: {failure}. Leave it out, and a free one is taken."
            ) from None

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/{self.session.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no error."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: PickerServer
    timeout = PATIENCE
    server_version, sys_version = "zoophyte", ""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: addresses hold the token."""

    def do_GET(self) -> None:
        """The page, a picture or a life."""
        what = self._asked()
        if what is None:
            return
        session = self.server.session
        if what == "":
            self._answer(session.page().encode(), "text/html; charset=utf-8")
            return
        match = re.fullmatch(r"(picture|life)/(\d{1,12})", what)
        try:
            exhibit = session.exhibit(int(match[2])) if match else None
            if match is None or exhibit is None or exhibit.replay is None:
                self._refuse(HTTPStatus.NOT_FOUND, "there is no such thing here.")
            elif match[1] == "picture":
                self._answer(base64.b64decode(exhibit.address.partition(",")[2]), "image/png")
            else:
                self._answer(replay_page([exhibit.replay]).encode(), "text/plain; charset=utf-8")
        except ZoophyteError as problem:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(problem))

    def do_POST(self) -> None:
        """A choice."""
        what = self._asked()
        if what is None:
            return
        if what != "choice":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such thing here.")
            return
        if (self.headers.get("Content-Type") or "").partition(";")[0].strip() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a choice must be JSON.")
            return
        length = self.headers.get("Content-Length") or ""
        if not re.fullmatch(r"\d{1,9}", length) or int(length) > BODY_LIMIT:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a choice has at most {BODY_LIMIT} bytes.")
            return
        try:
            record = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST, "a choice must be JSON.")
            return
        session = self.server.session
        try:
            told = session.choose(record)
        except ZoophyteError as problem:
            self._refuse(HTTPStatus.BAD_REQUEST, str(problem))
        else:
            self._answer(json.dumps(told).encode(), "application/json")
        if session.is_made:  # only now that the page has its answer may the server go
            session.over.set()

    def _asked(self) -> str | None:
        """The path behind the token; None when the request was refused."""
        port = self.server.server_port
        hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in hosts or (
            origin is not None and origin not in {f"http://{host}" for host in hosts}
        ):
            self._refuse(HTTPStatus.FORBIDDEN, "this page is for this machine alone.")
            return None
        token, slash, rest = self.path.partition("?")[0].lstrip("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self.server.session.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "the address lacks its token; open the one that was told.")
            return None
        return rest

    def _refuse(self, status: HTTPStatus, words: str) -> None:
        self.close_connection = True
        self._answer(words.encode(), "text/plain; charset=utf-8", status)

    def _answer(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def serve_picker(
    run: Any,
    on_choice: OnChoice,
    *,
    lives: Lives | None = relived,
    port: int = 0,
    told: Callable[[str], None] | None = None,
) -> list[Choice]:
    """Show a page on this machine until a person has chosen.

    Args:
        run: whose survivors are shown.
        on_choice: takes the choice; what it raises is raised here, but for a ZoophyteError, which the page tells.  When it
            returns a run, the page goes on with that one.
        lives: plays an individual once more, when it is looked at.
        port: to listen on; a free one for 0.
        told: hears the address of the page, which holds its secret.

    Returns:
        All choices that were made.  Ctrl-C ends it without a choice.
    """
    session = Session(run, on_choice, lives)
    server = PickerServer(session, port)
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        if told is not None:
            told(server.address)
        while not session.over.is_set():
            with suppress(queue.Empty):
                session.make(session.waiting.get(timeout=0.2))
    except KeyboardInterrupt:
        pass
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    return session.choices
