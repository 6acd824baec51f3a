"""XML text, line by line: escaped, indented, and as deep as a chain is long (nothing here recurses); and its names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

Value: TypeAlias = "str | float | Iterable[float] | None"
Attributes: TypeAlias = Mapping[str, Value]

INDENT = 2
DEEPEST_INDENT = 40  # elements below this level are indented no further


def number_text(value: float) -> str:
    """The shortest numeral that reads back to the same bits."""
    text = repr(float(value))
    return text.removesuffix(".0")


@dataclass
class Names:
    """Names that are given once only; MuJoCo has one list for each sort of element."""

    taken: set[str] = field(default_factory=set)

    def take(self, wanted: str) -> str:
        """The name wanted, or the first free one like it."""
        name, number = wanted, 2
        while name in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        return name


class Markup:
    """Collects the lines of an XML document."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open: list[str] = []

    def open(self, tag: str, attributes: Attributes | None = None) -> None:
        """Begin an element; attributes that are None are left out."""
        self._lines.append(f"{self._indent()}<{tag}{_attributes(attributes)}>")
        self._open.append(tag)

    def close(self) -> None:
        """End the element begun last."""
        tag = self._open.pop()
        self._lines.append(f"{self._indent()}</{tag}>")

    def add(self, tag: str, attributes: Attributes | None = None) -> None:
        """An element without content."""
        self._lines.append(f"{self._indent()}<{tag}{_attributes(attributes)}/>")

    def comment(self, text: str) -> None:
        """A comment; two hyphens, which XML does not allow there, are parted."""
        safe = escape(text).replace("--", "- -").replace("--", "- -")
        self._lines.append(f"{self._indent()}<!-- {safe} -->")

    def adopt(self, other: Markup) -> None:
        """The lines of another document, inside what is open here."""
        self._lines += [f"{self._indent()}{line}" for line in other._lines]

    def text(self) -> str:
        """The document so far."""
        return "\n".join([*self._lines, ""])

    def _indent(self) -> str:
        return " " * (INDENT * min(len(self._open), DEEPEST_INDENT))


def _attributes(attributes: Attributes | None) -> str:
    found = (attributes or {}).items()
    return "".join(f" {name}={quoteattr(_value(value))}" for name, value in found if value is not None)


def _value(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return number_text(value)
    return " ".join(number_text(x) for x in value or ())
