"""YAML text → plain data with line numbers; whatever a hostile file holds, the answer is data or a FileError.

ruamel.yaml splits the text into events; the tree is built here, because only here is it known how deep, how
large and how shared it may become, and on which line each key stands.  Scalars follow the core schema of YAML
1.2; tags, which could name other types, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from zoophyte.description.problems import Finding, Path, given
from zoophyte.errors import FileError, Problem

Plain: TypeAlias = Any
"""None, bool, int, float, str, and lists and dicts of them."""

SIZE_LIMIT = 64 * 2**20
DEPTH_LIMIT = 64
NODE_LIMIT = 4_000_000
ITEM_LIMIT = 100_000

NULL = re.compile(r"|~|null|Null|NULL")
TRUTH = re.compile(r"(true|True|TRUE)|false|False|FALSE")
WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
INFINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)")
NOT_A_NUMBER = re.compile(r"\.(nan|NaN|NAN)")
NOT_IN_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DIGITS = 300

HINTS = {
    "cannot start any token": "Put text that begins with a special character in quotes.",
    "mapping values are not allowed": "A colon too many, or a wrong indentation.",
    "could not find expected ':'": "A key without a colon, or a wrong indentation.",
    "while scanning a quoted scalar": "A closing quote is missing.",
}


@dataclass
class Node:
    """One value of the file.

    Args:
        value: a scalar, a list of nodes, or a dict of nodes.
        line: where it begins, counted from 1.
        key_lines: for a mapping, where each key stands.
        size: how many nodes it stands for, shared ones counted each time.
        depth: how many levels it has.
    """

    value: Plain
    line: int
    key_lines: dict[str, int] = field(default_factory=dict)
    size: int = 1
    depth: int = 1

    def plain(self) -> Plain:
        """The value without line numbers."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


@dataclass
class Document:
    """What a YAML text holds.

    Args:
        root: the outermost value.
        findings: what is wrong with the text but did not keep it from being read, each with its line.
    """

    root: Node
    findings: list[tuple[int, Finding]]

    def line(self, path: Path) -> int:
        """The line on which the value stands that a path leads to, or the innermost value around it."""
        node, line = self.root, self.root.line
        for step in path:
            if isinstance(node.value, dict) and step in node.value:
                node, line = node.value[step], node.key_lines[str(step)]
            elif isinstance(node.value, list) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                line = node.line
            else:
                break
        return line


def read_yaml(text: str, source: str) -> Document:
    """The data of a YAML text.

    Args:
        text: the text.
        source: what to call it in messages, usually a file name.

    Raises:
        FileError: when the text is no YAML, or too large, too deep or empty.
    """
    if len(text) > SIZE_LIMIT:
        raise file_error(source, None, f"is larger than {SIZE_LIMIT // 2**20} MiB, the most that is read.")
    strange = NOT_IN_YAML.search(text)
    if strange:
        line = text.count("\n", 0, strange.start()) + 1
        raise file_error(
            source, line, f"holds the character U+{ord(strange.group()):04X}, which YAML does not allow."
        )
    return _Composer(text, source).document()


def file_error(source: str, line: int | None, what: str, how: str = "") -> FileError:
    """A FileError that begins with file and line."""
    return FileError(str(Problem(source if line is None else f"{source}:{line}", what, how)))


def scalar(text: str) -> Plain:
    """The value of a plain scalar by the core schema of YAML 1.2."""
    if NULL.fullmatch(text):
        return None
    if truth := TRUTH.fullmatch(text):
        return truth.group(1) is not None
    if WHOLE.fullmatch(text) and len(text) <= DIGITS:
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if DECIMAL.fullmatch(text) or WHOLE.fullmatch(text):
        return float(text) if text[:2] not in ("0o", "0x") else float("inf")
    if infinite := INFINITE.fullmatch(text):
        return float(f"{infinite.group(1)}inf")
    return float("nan") if NOT_A_NUMBER.fullmatch(text) else text


class _Composer:
    """Builds the tree of nodes from events, with a stack of its own instead of Python's."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source
        self.findings: list[tuple[int, Finding]] = []
        self.anchors: dict[str, Node | None] = {}  # None while the anchored value is still open
        self.nodes = 0

    def document(self) -> Document:
        """The one document of the text."""
        events = self._events()
        root: Node | None = None
        for event in events:
            if isinstance(event, DocumentStartEvent):
                if root is not None:
                    line = event.start_mark.line + 1
                    raise file_error(
                        self.source, line, "begins a second document; a file holds one.", "Remove the '---'."
                    )
            elif isinstance(event, NodeEvent):
                root = self._value(event, events)
        if root is None or root.value is None:
            raise file_error(
                self.source, None, "is empty.", "It must hold a mapping with the keys name and bodies."
            )
        return Document(root, self.findings)

    def _events(self) -> Iterator[Any]:
        """Events, with every failure inside the parser turned into a FileError."""
        try:
            yield from YAML(typ="safe", pure=True).parse(self.text)
        except FileError:
            raise
        except MarkedYAMLError as failure:
            raise self._syntax_error(failure) from None
        except (
            Exception
        ) as failure:  # the scanner also fails with ValueError, AttributeError, … on broken escapes
            raise file_error(self.source, None, "is not valid YAML.", f"({type(failure).__name__})") from None

    def _syntax_error(self, failure: MarkedYAMLError) -> FileError:
        mark = failure.problem_mark or failure.context_mark
        line = mark.line + 1 if mark is not None else None
        if mark is not None and mark.index >= len(self.text.rstrip()):
            what = "ends too early"
            line = self.text.rstrip().count("\n") + 1
        else:
            what = "is not valid YAML"
        reason = "; ".join(part for part in (failure.context, failure.problem) if part)
        how = next((hint for words, hint in HINTS.items() if words in reason), "")
        if "'\\t'" in reason:
            how = "Indent with spaces, not with tabs."
        return file_error(self.source, line, f"{what}: {' '.join(reason.split())}.", how)

    def _value(self, event: NodeEvent, events: Iterator[Any]) -> Node:
        """The value that begins with `event`; its inner values are read from `events`."""
        open_nodes: list[_Open] = []
        while True:
            done: Node | None = None
            if isinstance(event, MappingStartEvent | SequenceStartEvent):
                open_nodes.append(self._opened(event, len(open_nodes)))
            elif isinstance(event, MappingEndEvent | SequenceEndEvent):
                done = self._closed(open_nodes.pop())
            elif isinstance(event, AliasEvent):
                done = self._shared(event)
            else:
                done = self._scalar(event)
            if done is not None:
                if not open_nodes:
                    return done
                self._put(open_nodes, done, event)
            event = next(events)

    def _opened(self, event: Any, depth: int) -> _Open:
        line = event.start_mark.line + 1
        if depth >= DEPTH_LIMIT:
            raise file_error(self.source, line, f"is nested more than {DEPTH_LIMIT} levels deep.")
        self._count(1, line)
        self._refuse_tag(event, line)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        node = Node({} if isinstance(event, MappingStartEvent) else [], line)
        return _Open(node, event.anchor)

    def _closed(self, opened: _Open) -> Node:
        node = opened.node
        if opened.anchor is not None:
            self.anchors[opened.anchor] = node
        return node

    def _shared(self, event: AliasEvent) -> Node:
        line = event.start_mark.line + 1
        if event.anchor not in self.anchors:
            raise file_error(
                self.source, line, f"uses *{event.anchor}, but no &{event.anchor} stands before it."
            )
        node = self.anchors[event.anchor]
        if node is None:
            raise file_error(self.source, line, f"uses *{event.anchor} inside of &{event.anchor} itself.")
        self._count(node.size, line)
        return node

    def _scalar(self, event: Any) -> Node:
        line = event.start_mark.line + 1
        self._count(1, line)
        self._refuse_tag(event, line)
        node = Node(scalar(event.value) if event.style is None else event.value, line)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _put(self, open_nodes: list[_Open], child: Node, event: Any) -> None:
        """Add a finished value to the list or mapping around it; in mappings keys and values take turns."""
        opened = open_nodes[-1]
        outer = opened.node
        line = event.start_mark.line + 1
        if isinstance(outer.value, dict) and opened.key is None:
            opened.key = self._key(child, event, line)
            opened.key_line = line
            return
        if child.depth >= DEPTH_LIMIT:
            raise file_error(self.source, line, f"is nested more than {DEPTH_LIMIT} levels deep.")
        outer.size += child.size
        outer.depth = max(outer.depth, child.depth + 1)
        if isinstance(outer.value, list):
            outer.value.append(child)
        elif opened.key in outer.value:
            what = f"is given twice; the first is on line {outer.key_lines[str(opened.key)]}."
            path = tuple(node.key if node.key is not None else len(node.node.value) for node in open_nodes)
            self.findings.append((opened.key_line, Finding(path, what, "Keep one of them.")))
        else:
            outer.value[opened.key] = child
            outer.key_lines[str(opened.key)] = opened.key_line
        opened.key = None
        if len(outer.value) > ITEM_LIMIT:
            raise file_error(
                self.source, line, f"holds more than {ITEM_LIMIT} entries in one list or mapping."
            )

    def _key(self, child: Node, event: Any, line: int) -> str:
        if isinstance(child.value, list | dict):
            raise file_error(self.source, line, "has a list or mapping where a key must stand.")
        return event.value if isinstance(event, ScalarEvent) else str(child.value)

    def _refuse_tag(self, event: Any, line: int) -> None:
        if event.tag is not None and str(event.tag) not in ("!", ""):
            what = f"has the tag {given(str(event.tag))}; tags are not read."
            self.findings.append(
                (line, Finding((), what, "Remove it: write plain text, numbers, lists and mappings."))
            )

    def _count(self, nodes: int, line: int) -> None:
        self.nodes += nodes
        if self.nodes > NODE_LIMIT:
            raise file_error(
                self.source, line, f"holds more than {NODE_LIMIT} values, shared ones counted each time."
            )


@dataclass
class _Open:
    """A list or mapping whose end has not come yet."""

    node: Node
    anchor: str | None
    key: str | None = None
    key_line: int = 0
