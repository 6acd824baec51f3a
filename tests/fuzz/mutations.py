"""Faults that chance makes: in trees of data, in XML, in texts, in bytes, in the parts of archives and pictures."""

from __future__ import annotations

import copy
import io
import json
import math
import random
import struct
import zipfile
import zlib
from typing import Any
from xml.etree import ElementTree

ABSURD: tuple[Any, ...] = (
    float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 1.7e308, 1e200, 1e155, 1e30, 5e-324, 1e-310, 1e-160, -0.0, 0.0,
    0, 1, -1, 2, 3, 7, 64, 255, 1000, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63, 2**64, 10**30, 10**400, -(10**400),
    True, False, None, "", " ", "x", "ground", "nan", "inf", "1e999", "0x10", "1_000", "1 2", "1 2 3", "1 2 3 4", "0 0 0",
    "-1 -1 -1", "nan nan nan", "1e308 1e308 1e308", "1e-300 1e-300 1e-300", "100000", "1000000000", "99999999999999999999",
    "\u202e", "é" * 50, "a" * 5000, "日本", "\U0001f980", "\x1b[31m", "\x85", "..", "../..", "/", "/dev/zero", "/dev/null",
    "/proc/self/mem", "pipe", "main", "{", "[", "!!python/object:os.system x", "&a", "*a", "%s%n", "\\", "'", '"',
    [], {}, [[]], [0], [0, 0, 0], [1, 2, 3], [1e308] * 3, [float("nan")] * 3, [0.0] * 4, [1, 0, 0, 0], [True] * 3,
    [None] * 3, ["1"] * 3, list(range(100)), {"kind": "hinge"}, {"kind": "x"}, {"a": {"b": {"c": 1}}},
)  # fmt: skip
"""Values that nobody would write, of all types."""
CONTROLS = "\x00\x01\x07\x08\x0b\x0c\x1b\x7f\x85\ufeff\ufffe\u2028\ud7ff"

Tree = Any
Parts = list[tuple[bytes, bytes]]


# --------------------------------------------------------------------------------------------------------- bytes


def spoilt_bytes(rng: random.Random, data: bytes) -> bytes:
    """Bytes with some flipped, cut, doubled, left out or put in."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not found:
            break
        at = rng.randrange(len(found))
        match rng.randrange(7):
            case 0:
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                found[at] = rng.randrange(256)
            case 2:
                del found[at:]
            case 3:
                del found[at : at + rng.choice((1, 2, 8, 100))]
            case 4:
                found[at:at] = found[at : at + rng.choice((1, 10, 200))]
            case 5:
                found[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 30))))
            case 6:
                end = at + rng.choice((1, 4, 8))
                found[at:end] = rng.choice((b"\xff", b"\x00", b"\x7f", b"\x80")) * (end - at)
    return bytes(found)


def spoilt_text(rng: random.Random, text: str) -> str:
    """A text with lines or words changed places, doubled, left out, or with strange characters."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(9):
            case 0:
                lines[a], lines[b] = lines[b], lines[a]
            case 1:
                lines[a:a] = [lines[b]] * rng.choice((1, 2, 300))
            case 2:
                lines[a] = ""
            case 3:
                lines[a] = rng.choice(("\t", " ", "    ", "-")) + lines[a]
            case 4:
                lines[a] = lines[a].lstrip()
            case 5:
                at = rng.randrange(len(lines[a]) + 1)
                lines[a] = lines[a][:at] + rng.choice(CONTROLS + "{}[]<>&*!|%@`'\":,#?-\n") + lines[a][at:]
            case 6:
                words = lines[a].split(" ")
                words[rng.randrange(len(words))] = str(rng.choice(ABSURD))[:6000]
                lines[a] = " ".join(words)
            case 7:
                lines[a] += rng.choice((" &a", " *a", " !!str", " # ", ": x", " |", " >", ","))
            case 8:
                lines[a:a] = [
                    rng.choice(
                        ("---", "...", "%YAML 1.1", "<<: *a", "? [a]", "- " * 200 + "x", "[" * 300, "{" * 300)
                    )
                ]
    return "\n".join(lines)


# ---------------------------------------------------------------------------------------------------------- data


def spoilt_data(rng: random.Random, data: Tree) -> Tree:
    """A tree of dicts and lists with values, keys and branches changed."""
    found = copy.deepcopy(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        places = list(_places(found))
        if not places:
            return rng.choice(ABSURD)
        holder, key = rng.choice(places)
        rng.choice((_other_value,) * 3 + (_nothing, _twice, _deeper, _near_value, _other_key))(
            rng, holder, key
        )
        if rng.random() < 0.1:
            (a, one), (b, other) = rng.choice(places), rng.choice(places)
            if _has(a, one) and _has(b, other):
                a[one], b[other] = copy.deepcopy(b[other]), copy.deepcopy(a[one])
    return found


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


def _other_value(rng: random.Random, holder: Any, key: Any) -> None:
    holder[key] = copy.deepcopy(rng.choice(ABSURD))


def _nothing(rng: random.Random, holder: Any, key: Any) -> None:
    del holder[key]


def _twice(rng: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, list):
        holder[key:key] = [copy.deepcopy(holder[key]) for _ in range(rng.choice((1, 2, 60)))]
    else:
        holder[str(rng.choice(ABSURD))[:50]] = holder[key]


def _deeper(rng: random.Random, holder: Any, key: Any) -> None:
    deep: Tree = copy.deepcopy(holder[key])
    for _ in range(rng.choice((1, 5, 40, 70))):
        deep = [deep] if rng.random() < 0.5 else {"a": deep}
    holder[key] = deep


def _near_value(rng: random.Random, holder: Any, key: Any) -> None:
    value = holder[key]
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**300:
        holder[key] = value * rng.choice((-1, 1e3, 1e-3, 1e9, 1e-9, 1e17, 1e-18, 1e100, 1e-100, 0))
    elif isinstance(value, str) and value:
        holder[key] = rng.choice((value[:-1], value * 40, value.upper(), value + rng.choice(CONTROLS)))


def _other_key(rng: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        words = (key[:-1], key + "x", key.upper(), "kind", "name", rng.choice(CONTROLS))
        holder[rng.choice(words)] = holder.pop(key)


def _places(data: Tree) -> list[tuple[Any, Any]]:
    found, waiting = [], [data]
    while waiting:
        holder = waiting.pop()
        pairs = (
            list(holder.items())
            if isinstance(holder, dict)
            else list(enumerate(holder))
            if isinstance(holder, list)
            else []
        )
        found += [(holder, key) for key, _ in pairs]
        waiting += [value for _, value in pairs]
    return found


def as_yaml(data: Tree) -> str:
    """Data as YAML in one line; not only what JSON knows."""
    if isinstance(data, dict):
        return (
            "{" + ", ".join(f"{json.dumps(str(key))}: {as_yaml(value)}" for key, value in data.items()) + "}"
        )
    if isinstance(data, list):
        return "[" + ", ".join(map(as_yaml, data)) + "]"
    if isinstance(data, float) and not math.isfinite(data):
        return ".nan" if math.isnan(data) else ".inf" if data > 0 else "-.inf"
    if isinstance(data, int) and not isinstance(data, bool):
        return (
            hex(data)
            if abs(data) > 10**300 and data > 0
            else "9" * 4999
            if data > 10**300
            else str(max(data, -(10**300)))
        )
    return json.dumps(data, ensure_ascii=len(repr(data)) % 2 == 0)


# ----------------------------------------------------------------------------------------------------------- XML


def spoilt_xml(rng: random.Random, text: str, words: tuple[str, ...]) -> str:
    """An XML text with elements and attributes changed.

    Args:
        rng: chance.
        text: sound.
        words: names of attributes and elements that the format knows.
    """
    root = ElementTree.fromstring(text)
    changes = (
        (_attributes,) * 4
        + (_numbers,) * 4
        + (_new_attribute, _less, _more, _elsewhere, _other_tag, _exchanged)
    )
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        elements = list(root.iter())
        parents = {child: parent for parent in elements for child in parent}
        rng.choice(changes)(rng, rng.choice(elements), parents, words)
    if rng.random() < 0.05:
        _wrapped(rng, root)
    return _written(root)


Parents = dict[Any, Any]
Words = tuple[str, ...]


def _attributes(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    for key in rng.sample(list(chosen.attrib), min(len(chosen.attrib), rng.choice((1, 1, 3)))):
        if rng.random() < 0.15:
            del chosen.attrib[key]
        else:
            chosen.set(key, _attribute(rng))


def _numbers(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    """One of several numbers of an attribute, which keeps the others."""
    numeric = [key for key, value in chosen.attrib.items() if value.strip()[:1] in set("-.0123456789")]
    if numeric:
        key = rng.choice(numeric)
        found = chosen.get(key).split()
        found[rng.randrange(len(found))] = str(rng.choice(ABSURD[:32]))[:400]
        chosen.set(key, " ".join(found[: rng.choice((1, 9, 9, 9))]))


def _new_attribute(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    chosen.set(rng.choice(words), _attribute(rng))


def _less(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    if chosen in parents:
        parents[chosen].remove(chosen)


def _more(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    if chosen in parents:
        for number in range(rng.choice((1, 2, 30))):
            twin = copy.deepcopy(chosen)
            for element in twin.iter() if rng.random() < 0.7 else ():
                if "name" in element.attrib:
                    element.set("name", f"{element.get('name')}{number}")
            parents[chosen].insert(rng.randrange(len(parents[chosen]) + 1), twin)


def _elsewhere(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    other = rng.choice([*parents.values()] or [chosen])
    if other not in list(chosen.iter()):
        other.append(copy.deepcopy(chosen))


def _other_tag(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    chosen.tag = rng.choice((rng.choice([*parents] or [chosen]).tag, rng.choice(words), "é", "a:b"))


def _exchanged(rng: random.Random, chosen: Any, parents: Parents, words: Words) -> None:
    other = rng.choice([*parents] or [chosen])
    if chosen.attrib and other.attrib:
        key, place = rng.choice(list(chosen.attrib)), rng.choice(list(other.attrib))
        chosen.attrib[key], other.attrib[place] = other.attrib[place], chosen.attrib[key]


def _wrapped(rng: random.Random, root: Any) -> None:
    """Put an element into many others, the one in the other."""
    parent = rng.choice([element for element in root.iter() if len(element)] or [root])
    if len(parent):
        deep, at = parent[0], 0
        tag = rng.choice((deep.tag, "body", "frame", "link", "replicate", "default"))
        for _ in range(rng.choice((1, 3, 40, 400, 600, 1500))):
            outer = ElementTree.Element(tag)
            outer.append(deep)
            deep = outer
        parent[at] = deep


def _attribute(rng: random.Random) -> str:
    value = rng.choice(ABSURD)
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return "".join(c if c >= " " else " " for c in text)


def _written(root: ElementTree.Element) -> str:
    """As text, without the recursion of the standard library's writer."""
    lines: list[str] = []
    waiting: list[Any] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        attributes = "".join(f' {key}="{_escaped(value)}"' for key, value in item.attrib.items())
        lines.append(f"<{item.tag}{attributes}>")
        waiting += [f"</{item.tag}>", *reversed(list(item))]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


# ----------------------------------------------------------------------------------------------------------- NPZ


def spoilt_archive(rng: random.Random, entries: dict[str, bytes]) -> bytes:
    """A zip file of entries some of which were changed, left out, doubled or packed in another way."""
    found = dict(entries)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not found:
            break
        name = rng.choice(list(found))
        match rng.randrange(8):
            case 0 | 1 | 2:
                found[name] = spoilt_array(rng, found[name])
            case 3:
                found[name] = spoilt_bytes(rng, found[name])
            case 4:
                del found[name]
            case 5:
                found[
                    rng.choice((name + "x", "channel/x.npy", "../../x.npy", "x.txt", "é.npy", "final/x.npy"))
                ] = found[name]
            case 6:
                other = rng.choice(list(found))
                found[name], found[other] = found[other], found[name]
            case 7:
                found[name] = b""
    buffer = io.BytesIO()
    method = rng.choice(
        (zipfile.ZIP_STORED,) * 5 + (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in found.items():
            file.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    data = buffer.getvalue()
    return spoilt_bytes(rng, data) if rng.random() < 0.3 else data


def spoilt_array(rng: random.Random, data: bytes) -> bytes:
    """An NPY entry whose header promises something else, or whose numbers are absurd."""
    start = 10 + struct.unpack("<H", data[8:10])[0] if len(data) > 10 else len(data)
    body = bytearray(data[start:])
    match rng.randrange(4):
        case 0:
            for _ in range(rng.choice((1, 1, 5))):
                at = 8 * rng.randrange(max(1, len(body) // 8))
                numbers = [x for x in ABSURD[:14] if isinstance(x, float)]
                body[at : at + 8] = struct.pack("<d", rng.choice(numbers))
            return data[:start] + bytes(body)
        case 1:
            shape = rng.choice(
                ("()", "(0,)", "(1,)", "(3,)", "(-1,)", "(2, 2)", "(1000000000,)", "(1" + "0" * 30 + ", 0)", "(True,)",
                 "'x'", "(1,)" * 50, "((1,),)", "(1.5,)", "(" * 90, "[3]", "None",
                 f"({len(body) // 8}, 1)", f"(1, {len(body) // 8})")
            )  # fmt: skip
            kind = rng.choice(
                (
                    "<f8",
                    "<f8",
                    "<f8",
                    ">f8",
                    "<f4",
                    "<i8",
                    "|u1",
                    "|O",
                    "<c16",
                    "<U4",
                    "|V8",
                    "<M8[s]",
                    "<f16",
                    "?",
                    "x",
                )
            )
            order = rng.choice(("False", "True", "1", "None"))
            line = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
        case 2:
            line = spoilt_bytes(rng, data[10:start])
        case _:
            return data[:start] + bytes(body) * rng.choice((0, 2, 3))
    line += b" " * (64 - (len(line) + 11) % 64) + b"\n"
    version = rng.choice((b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\xff\x00"))
    length = struct.pack("<H", len(line)) if version == b"\x01\x00" else struct.pack("<I", len(line))
    return b"\x93NUMPY" + version + length + line + bytes(body)


# ----------------------------------------------------------------------------------------------------------- PNG


def spoilt_picture(rng: random.Random, parts: Parts) -> bytes:
    """A PNG file of chunks that were changed; their checksums are right, as a rule."""
    found = list(parts)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not found:
            break
        at = rng.randrange(len(found))
        kind, data = found[at]
        match rng.randrange(8):
            case 0 | 1 | 2 if kind == b"IHDR" and len(data) == 13:
                header = list(struct.unpack(">IIBBBBB", data))
                n = rng.randrange(7)
                sizes = (0, 1, 2, 3, 5, 11, 63, 64, 2047, 2048, 2**21, 2**21 + 1, 2**31 - 1, 2**32 - 1)
                header[n] = rng.choice(sizes) if n < 2 else rng.choice((0, 1, 2, 3, 4, 6, 8, 16, 255))
                found[at] = (kind, struct.pack(">IIBBBBB", *header))
            case 3 if kind == b"IDAT":
                try:
                    raw = zlib.decompress(data)
                except zlib.error:
                    raw = data
                raw = rng.choice(
                    (
                        spoilt_bytes(rng, raw),
                        raw * 2,
                        raw[:-1],
                        bytes(2**22),
                        bytes(rng.choices(range(6), k=2**16)),
                    )
                )
                found[at] = (kind, zlib.compress(raw))
            case 4:
                found[at] = (
                    rng.choice((kind, b"tRNS", b"PLTE", b"IHDR", b"IEND", b"xxxx", b"\xff" * 4)),
                    spoilt_bytes(rng, data),
                )
            case 5:
                del found[at]
            case 6:
                found[at:at] = [found[at]] * rng.choice((1, 2, 100))
            case _:
                other = rng.randrange(len(found))
                found[at], found[other] = found[other], found[at]
    data = b"\x89PNG\r\n\x1a\n"
    for kind, content in found:
        data += (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )
    return spoilt_bytes(rng, data) if rng.random() < 0.25 else data
