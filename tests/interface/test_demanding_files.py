"""MJCF files that ask for more than a reader can give: each is refused before MuJoCo's reader is called."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import pytest

import zoophyte as zp
from zoophyte.description.readers import demands, mjcf
from zoophyte.description.readers.xml import read_xml
from zoophyte.errors import FileError

pytest.importorskip("mujoco")

BODY = '<body name="b"><freejoint/><geom size="0.1"/></body>'


@pytest.fixture(autouse=True)
def no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo's reader must not be asked: it takes minutes, or ends the process."""

    def called(*_: object) -> None:
        raise AssertionError("MuJoCo's reader was called")

    monkeypatch.setattr(mjcf, "_specification", called)


def refusal(folder: Path, text: str, **others: str) -> str:
    """The message about `main.xml`, with other files beside it."""
    for name, content in {"main": text, **others}.items():
        (folder / f"{name}.xml").write_text(f"<mujoco>\n{content}\n</mujoco>")
    with pytest.raises(FileError) as caught:
        zp.load(folder / "main.xml", partial=True)
    return str(caught.value)


def world(text: str) -> str:
    return f"<worldbody>{text}</worldbody>"


def test_a_model_that_attaches_itself_is_no_crash(tmp_path: Path) -> None:
    """MuJoCo's reader followed the loop until its stack was full, and the process ended with SIGSEGV."""
    asset = '<asset><model name="m" file="main.xml"/></asset>' + world('<attach model="m" prefix="x"/>')
    assert "main.xml:2: <model> 'm' attaches itself: main.xml → main.xml. Remove the loop." in refusal(
        tmp_path, asset
    )


def test_models_that_attach_each_other_are_no_crash(tmp_path: Path) -> None:
    """The same crash, by way of a second file and of an include."""
    first = '<asset><model name="m" file="second.xml"/></asset>'
    second = '<include file="third.xml"/>'
    third = '<asset><model name="n" file="./main.xml"/></asset>'
    found = refusal(tmp_path, first, second=second, third=third)
    assert "third.xml:2: <model> 'n' attaches itself: main.xml → second.xml → main.xml." in found


def test_includes_that_lead_back_are_refused(tmp_path: Path) -> None:
    found = refusal(tmp_path, '<include file="second.xml"/>', second='<include file="./main.xml"/>')
    assert "second.xml:2: <include> includes itself: main.xml → second.xml → main.xml." in found


def test_a_chain_of_models_that_double_is_counted(tmp_path: Path) -> None:
    """Fifteen small files that attach the next one twice made 2¹⁵ bodies."""
    chain = {
        f"m{n}": f'<asset><model name="m" file="m{n + 1}.xml"/></asset>'
        + world('<attach model="m" prefix="a"/><attach model="m" prefix="b"/>')
        for n in range(14)
    }
    found = refusal(tmp_path, '<include file="m0.xml"/>', **chain, m14=world(BODY))
    assert "<attach> makes more than 10,000 bodies and geoms" in found


def test_replicas_are_counted_nested_ones_too(tmp_path: Path) -> None:
    """`replicate count="200000"` ran for more than 40 s; so did one hundred replicas of one hundred."""
    found = refusal(tmp_path, world(f'<replicate count="200000">{BODY}</replicate>'))
    assert "main.xml:2: <replicate> asks for count = '200000'; at most 10,000 is read." in found
    nested = f'<replicate count="100"><replicate count="100">{BODY}</replicate></replicate>'
    assert "<geom> makes more than 10,000 bodies and geoms" in refusal(tmp_path, world(nested))


def test_many_bodies_in_an_included_file_are_counted(tmp_path: Path) -> None:
    """Bodies were counted in the main file only; an included file with 60 000 ran for more than 40 s."""
    found = refusal(tmp_path, '<include file="many.xml"/>', many=world("<body/>\n" * 10_001))
    assert "many.xml:10002: <body> makes more than 10,000 bodies and geoms" in found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "text",
    [
        '<include file="pipe"/>',
        '<asset><model name="m" file="pipe"/></asset>',
        '<asset><mesh name="m" file="pipe"/></asset>',
        '<compiler meshdir="inner"/><asset><mesh name="m" file="..\\pipe"/></asset>',
        '<asset><hfield name="h" file="pipe" size="1 1 1 1"/></asset>',
        '<asset><texture name="t" type="2d" file="pipe"/></asset>',
    ],
)
def test_a_pipe_keeps_nobody_waiting(text: str, tmp_path: Path) -> None:
    """Reading waited for a writer that never came."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "inner").mkdir()
    found = refusal(tmp_path, text)
    assert "pipe: cannot be read: is a named pipe. Only ordinary files are read." in found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", ["body.yaml", "body.xml", "body.urdf"])
def test_a_pipe_is_no_body(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(FileError, match="is a named pipe"):
        zp.load(tmp_path / name)


@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/status"])
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="there are no such devices here")
def test_devices_and_what_only_looks_like_a_file_are_refused(path: str, tmp_path: Path) -> None:
    found = refusal(tmp_path, f'<asset><mesh name="m" file="{path}"/></asset>')
    assert "is a device" in found or "is empty" in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<size nkey="200000000"/>', "asks for nkey = '200000000'; at most 10,000 is read."),
        ('<size nkey="10000"/>' + world(f'<replicate count="400">{BODY}</replicate>'), "16,777,216 numbers"),
        ('<size nuserdata="500000000"/>', "at most 1,000,000 is read"),
        ('<size nuser_geom="200000000"/>', "at most 100 is read"),
        ('<size memory="100G"/>', "asks for memory = '100G'; at most 1,073,741,824 is read"),
        ('<size nkey="nan"/>', "asks for nkey = 'nan'"),
        ('<option iterations="2000000000"/>', "at most 10,000 is read"),
        ('<compiler><lengthrange inttotal="1e12"/></compiler>', "1e+12 / 0.01; at most 10,000 steps"),
        ('<asset><hfield name="h" nrow="20000" ncol="20000" size="1 1 1 1"/></asset>', "16,777,216 numbers"),
        ('<asset><texture name="t" builtin="flat" width="8000" height="8000"/></asset>', "67,108,864 pixels"),
        ('<asset><mesh name="m" builtin="supertorus" params="5000 .5 1 1"/></asset>', "params = '5000 .5 1 1'"),
        ('<sensor><user name="u" dim="500000000"/></sensor>', "<user> 'u' asks with what stands before for room"),
        ('<sensor><contact num="500000000"/></sensor>', "16,777,216 numbers"),
        (world('<camera resolution="30000 30000" name="c"/>') + '<sensor><rangefinder camera="c"/></sensor>', "numbers"),
        (world('<flexcomp name="f" type="grid" count="200 200 1"/>'), "<flexcomp> 'f' makes more than 10,000"),
        (world('<flexcomp name="f" type="grid" count="4 4 4" cellcount="100 100 100"/>'), "more than 10,000"),
        (world('<composite type="cable" count="30000 1 1"/>'), "<composite> makes more than 10,000"),
        (world('<replicate count="100"><replicate count="1001"><site/></replicate></replicate>'), "100,000 elements"),
        (world('<replicate count="40"><site/></replicate>') + '<sensor><clock/></sensor>', "100,000 elements"),
        (world('<replicate count="-inf"/>') + '<size nuserdata="inf"/>', "asks for nuserdata = 'inf'"),
    ],
)  # fmt: skip
def test_a_number_that_asks_for_much_is_refused(text: str, words: str, tmp_path: Path) -> None:
    """`nkey="200000000"` ran for more than 40 s; others took gigabytes, or time that doubles with each replica."""
    assert words in refusal(tmp_path, text)


def png(width: int, height: int, data: bytes) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(data))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (png(20_000, 20_000, b""), "is a picture of 20000 × 20000; at most 67,108,864 pixels"),
        (png(4, 4, bytes(2**22)), "its picture is larger than it says"),
    ],
)
def test_a_small_picture_that_unpacks_to_much_is_refused(picture: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "t.png").write_bytes(picture)
    assert words in refusal(tmp_path, '<asset><texture name="t" type="2d" file="t.png"/></asset>')


def test_a_file_that_is_missing_is_looked_for_where_mujoco_would(tmp_path: Path) -> None:
    found = refusal(tmp_path, '<asset><mesh name="m" file="no.stl"/></asset>')
    assert "main.xml:2: <mesh> 'm' names 'no.stl', which was not found. Looked for:" in found


def test_a_tree_of_models_is_surveyed_once(tmp_path: Path) -> None:
    """Ten mentions of a file that mentions ten … ran for more than 40 s: each mention was surveyed anew."""
    tree = {
        f"d{n}": "<asset>"
        + "".join(f'<model name="m{k}" file="d{n + 1}.xml"/>' for k in range(10))
        + "</asset>"
        for n in range(15)
    }
    surveyed: list[str] = []
    plain = demands._Survey._model

    def counted(self: demands._Survey, path: Path, above: tuple[str, ...]) -> demands._Model:
        surveyed.append(path.name)
        return plain(self, path, above)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demands._Survey, "_model", counted)
        found = refusal(tmp_path, tree.pop("d0"), **tree, d15="")
    assert "is one of models of more than 100,000 elements" in found
    assert len(surveyed) == len(set(surveyed)) == 16


def test_models_of_many_models_are_counted(tmp_path: Path) -> None:
    """300 mentions of a file with 1000 mentions ran for more than 40 s."""
    many, more = (
        "<asset>" + "".join(f'<model name="m{k}" file="{name}.xml"/>' for k in range(times)) + "</asset>"
        for name, times in (("second", 300), ("third", 1000))
    )
    assert "<model> 'm" in refusal(tmp_path, many, second=more, third=world(BODY))


def test_a_model_too_deep_is_found_behind_one_that_is_known(tmp_path: Path) -> None:
    """What was surveyed near the surface may be too deep at the next mention."""
    deep = {f"d{n}": f'<asset><model name="m" file="d{n + 1}.xml"/></asset>' for n in range(14)}
    first = '<asset><model name="a" file="d0.xml"/><model name="b" file="e.xml"/></asset>'
    behind = '<asset><model name="m" file="f.xml"/></asset>'
    again = '<asset><model name="m" file="d0.xml"/></asset>'
    found = refusal(tmp_path, first, **deep, d14="", e=behind, f=again)
    assert "f.xml:2: <model> 'm' is attached to more than 16 models" in found


def test_names_in_all_folders_are_looked_for_a_limited_number_of_times(tmp_path: Path) -> None:
    """3000 names in 3000 folders took nine million looks into the file system."""
    (tmp_path / "q.obj").write_text("v 0 0 0")
    folders = "".join(f'<compiler meshdir="f{n}"/>' for n in range(3000))
    meshes = "".join(f'<mesh name="m{n}" file="q.obj"/>' for n in range(3000))
    found = refusal(tmp_path, f"{folders}<asset>{meshes}</asset>")
    assert "'m16' names one of more files than can be looked for: 100,000 names" in found


ACTUATORS = "<actuator>" + '<motor joint="j"/>' * 8 + "</actuator>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<default><general actdim="10000000"/></default>' + ACTUATORS, "<general> asks with what stands"),
        ('<default><motor nsample="10000000"/></default>' + ACTUATORS, "<motor> asks with what stands"),
        ("<custom>" + '<numeric name="n" size="500"/>' * 40_000 + "</custom>", "16,777,216 numbers"),
        (
            world('<replicate count="400"><body><joint name="j"/></body></replicate>')
            + '<actuator><general joint="j" dyntype="user" actdim="100000"/></actuator>',
            "<general> asks with what stands",
        ),
        (
            world('<replicate count="400"><body><joint name="j"/></body></replicate>') + ACTUATORS * 50,
            "100,000 elements",
        ),
    ],
    ids=["actdim of a default", "nsample of a default", "size of numerics", "actdim of replicas", "replicas"],
)
def test_what_one_number_asks_of_many_elements_is_counted(text: str, words: str, tmp_path: Path) -> None:
    """A number in a default was counted once, `size` of numerics never, and actuators of replicas once."""
    assert words in refusal(tmp_path, text)


def test_a_default_that_few_elements_use_is_read(tmp_path: Path) -> None:
    text = '<default><general nsample="20"/></default>' + world(BODY * 100) + ACTUATORS
    (tmp_path / "main.xml").write_text(f"<mujoco>{text}</mujoco>")
    assert demands.check_mjcf(read_xml(tmp_path / "main.xml"), tmp_path / "main.xml")


def test_a_library_of_models_costs_what_is_attached_of_it(tmp_path: Path) -> None:
    """Models that nothing attaches make no bodies; those attached make theirs each time."""
    (tmp_path / "part.xml").write_text(f"<mujoco>{world(BODY * 300)}</mujoco>")
    library = "".join(f'<model name="m{n}" file="part.xml"/>' for n in range(50))
    path = tmp_path / "main.xml"
    for times, fits in ((3, True), (20, False)):
        attached = "".join(f'<attach model="m{n}" prefix="p{n}"/>' for n in range(times))
        path.write_text(f"<mujoco><asset>{library}</asset>{world(attached)}</mujoco>")
        if fits:
            assert not demands.check_mjcf(read_xml(path), path)
        else:
            with pytest.raises(FileError, match="10,000 bodies"):
                demands.check_mjcf(read_xml(path), path)
