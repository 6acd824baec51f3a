"""XML text → a plain tree with line numbers; whatever a hostile file holds, the answer is a tree or a FileError.

The parser is the standard library's expat.  Document type declarations are refused, and with them all entities that a
file could define: what remains cannot grow, read other files or ask a network.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from zoophyte.description.files import read_text
from zoophyte.description.problems import given
from zoophyte.description.reading import file_error

DEPTH_LIMIT = 1000
ELEMENT_LIMIT = 1_000_000

UNITS = {unit: 1024.0**n for n, unit in enumerate("KMGTPE", start=1)}
NUMBER = re.compile(r"[-+]?(?:inf|nan|[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?)([KMGTPE]?)", re.IGNORECASE)

HINTS = {
    expat.errors.XML_ERROR_NO_ELEMENTS: "The file is empty, or was cut short.",
    expat.errors.XML_ERROR_UNCLOSED_TOKEN: "The file was cut short.",
    expat.errors.XML_ERROR_TAG_MISMATCH: "Every element must end with its own name.",
    expat.errors.XML_ERROR_UNDEFINED_ENTITY: "Only &lt; &gt; &amp; &quot; &apos; and &#numbers; are known.",
    expat.errors.XML_ERROR_MISPLACED_XML_PI: "Nothing, not even an empty line, may stand before <?xml …?>.",
    expat.errors.XML_ERROR_INVALID_TOKEN: "Characters < and & are written &lt; and &amp;.",
}


@dataclass
class Element:
    """One element of an XML file.

    Args:
        tag: its name.
        line: where it begins, counted from 1.
        attributes: as written.
        children: the elements inside.
    """

    tag: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def find(self, tag: str) -> Element | None:
        """The first child of that name."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        """The children of that name."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """This element and everything inside, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)


def numbers_of(element: Element, name: str) -> list[float]:
    """The numbers at the beginnings of the words of an attribute; a K, M or G behind one means so many bytes.

    Args:
        element: of an XML file.
        name: of the attribute.
    """
    found = []
    for word in element.attributes.get(name, "").split():
        match = NUMBER.match(word)
        if match is not None:
            unit = match[1].upper()
            found.append(float(match[0][:-1] if unit else match[0]) * UNITS.get(unit, 1.0))
    return found


def read_xml(path: str | os.PathLike[str]) -> Element:
    """The outermost element of an XML file of at most 64 MiB.

    Args:
        path: of the file.

    Raises:
        FileError: when it cannot be read, or is not XML that is safe to read.
    """
    return parse_xml(read_text(path), os.fspath(path))


def parse_xml(text: str, source: str) -> Element:
    """The outermost element of an XML text.

    Args:
        text: the text.
        source: what to call it in messages, usually the file's name.
    """
    builder = _Builder(source)
    try:
        builder.parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as failure:
        words = expat.ErrorString(failure.code)
        what = f"is not valid XML: {words}, at column {failure.offset + 1}."
        raise file_error(source, failure.lineno, what, HINTS.get(words, "")) from None
    return builder.root


class _Builder:
    """Grows the tree from expat's events."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.count = 0
        self.open: list[Element] = []
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._declaration
        self.parser.EntityDeclHandler = self._declaration
        self.root: Element

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if len(self.open) >= DEPTH_LIMIT:
            raise file_error(self.source, line, f"is nested more than {DEPTH_LIMIT} levels deep.")
        if self.count > ELEMENT_LIMIT:
            raise file_error(self.source, line, f"holds more than {ELEMENT_LIMIT} elements.")
        element = Element(tag, line, attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _declaration(self, name: str, *_: object) -> None:
        what = f"declares a document type or an entity, {given(name)}; such files are not read."
        raise file_error(
            self.source, self.parser.CurrentLineNumber, what, "Remove <!DOCTYPE …> and <!ENTITY …>."
        )
