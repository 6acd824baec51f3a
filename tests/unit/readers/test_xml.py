"""The safe XML reader: trees with lines, or a FileError."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoophyte.description.readers import xml
from zoophyte.description.readers.xml import parse_xml, read_xml
from zoophyte.errors import FileError


def test_elements_have_lines_attributes_and_children() -> None:
    root = parse_xml(
        '<?xml version="1.0"?>\n<a x="1">\n  <b y="&lt;&#65;"/><!-- c -->\n  <b/>text\n</a>', "f.xml"
    )
    assert (root.tag, root.line, root.attributes) == ("a", 2, {"x": "1"})
    assert [(child.tag, child.line) for child in root.children] == [("b", 3), ("b", 4)]
    first = root.find("b")
    assert first is not None and first.attributes == {"y": "<A"}
    assert root.all("b") == root.children and root.find("c") is None
    assert [element.tag for element in root.walk()] == ["a", "b", "b"]


NESTED = [f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
LAUGHS = f'<!DOCTYPE lolz [<!ENTITY a "ha">{"".join(NESTED)}]><robot>&i;</robot>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LAUGHS, "f.xml:1: declares a document type or an entity"),
        ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', "declares a document type"),
        ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>', "declares a document type"),
        ("", "f.xml:1: is not valid XML: no element found"),
        ("<a>\n<b>", "f.xml:2: is not valid XML"),
        ("<a>\n</b>", "f.xml:2: is not valid XML: mismatched tag"),
        ("<a x=1/>", "is not valid XML"),
        ("<a>&nbsp;</a>", "undefined entity"),
        ("<a/><b/>", "junk after document element"),
        ("not xml", "is not valid XML"),
        ("<a>" * 1001, "is nested more than 1000 levels deep"),
        ("<a \x00/>", "is not valid XML"),
    ],
)
def test_hostile_and_broken_texts(text: str, words: str) -> None:
    with pytest.raises(FileError) as caught:
        parse_xml(text, "f.xml")
    assert words in str(caught.value)


def test_the_number_of_elements_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "ELEMENT_LIMIT", 10)
    with pytest.raises(FileError, match="holds more than 10 elements"):
        parse_xml("<a>" + "<b/>" * 20 + "</a>", "f.xml")


def test_huge_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.xml"
    with path.open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    with pytest.raises(FileError, match=r"huge\.xml: is larger than 64 MiB"):
        read_xml(path)


def test_latin_bytes_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.xml"
    path.write_bytes('<?xml version="1.0" encoding="ISO-8859-1"?>\n<a x="Käfer"/>'.encode("latin-1"))
    with pytest.raises(FileError, match=r"latin\.xml:2: is not UTF-8"):
        read_xml(path)


@given(st.text(max_size=40) | st.text(st.sampled_from("<>/ab=\"'&;![]?- \n"), max_size=40))
def test_random_text_gives_a_tree_or_a_file_error(text: str) -> None:
    try:
        assert parse_xml(text, "f.xml").tag
    except FileError as failure:
        assert str(failure).encode()
