"""``zoophyte export``, ``zoophyte replay`` and galleries: files of other kinds, and wrong input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from commands import Run
from golden.pictures import read_png
from zoophyte.description import Body, Description, Ellipsoid, Joint
from zoophyte.export import Camera, Look, picture_of, scene_of, scene_of_pose

TENDON = """<mujoco>
<worldbody>
<body name="a"><joint name="j" type="hinge"/><geom name="g" size="1"/></body></worldbody>
<tendon>
<fixed name="t"><joint joint="j" coef="1"/></fixed>
</tendon></mujoco>"""


@pytest.fixture
def life(tmp_path: Path) -> zp.Trajectory:
    """A short life, also as the file life.npz."""
    made = zp.World(zp.zoo.pendulum(), dt=1e-2).simulate(seconds=0.1)
    made.save(tmp_path / "life.npz")
    return made


def test_export_of_bodies(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    done = run("export", "humanoid", "h.xml")
    assert (done.code, done.told) == (0, "") and done.out.startswith("wrote h.xml (")
    assert run("export", "h.xml", "h.yaml").code == 0
    assert zp.load(tmp_path / "h.yaml").name == "humanoid"
    done = run("export", "sapling", "s.xml")
    assert done.code == 0 and "MuJoCo cannot say: body 'stem1'" in done.err and "… and 21 more" in done.err


def test_bodies_become_urdf_and_back(run: Run, tmp_path: Path, life: zp.Trajectory) -> None:
    done = run("export", "walking_ant", "ant.urdf")
    assert done.code == 0 and "URDF cannot say: 'torso' is free: read the file with root='free'" in done.err
    done = run("export", "ant.urdf", "ant.yaml", "--root", "free")
    assert done.code == 0 and len(zp.load(tmp_path / "ant.yaml").bodies) == 9
    assert run("export", "life.npz", "life.urdf").code == 0
    assert zp.load(tmp_path / "life.urdf").bodies[0].name == "bob"


def test_the_step_of_a_file_is_told(run: Run, tmp_path: Path) -> None:
    """A file with a step of 5 ms was simulated with 1 ms without a word."""
    pytest.importorskip("mujoco")
    body = '<worldbody><body name="b"><freejoint/><geom size="0.1"/></body></worldbody>'
    for option, words in (('<option timestep="0.005"/>', "The step there is 0.005 s"), ("", "")):
        (tmp_path / "b.xml").write_text(f"<mujoco>{option}{body}</mujoco>")
        notes = zp.load(tmp_path / "b.xml").notes
        assert words in str(notes) and ("step" in str(notes)) == bool(words)


def test_all_files_that_were_written_are_told(run: Run, tmp_path: Path, life: zp.Trajectory) -> None:
    """Who copied walk.xml or walk.urdf alone left the table of commands or the meshes behind."""
    shape = Ellipsoid(semi_axes=(0.1, 0.2, 0.3), density=1000.0)
    Description(name="egg", bodies=[Body(name="egg", joint=Joint(kind="free"), shapes=[shape])]).save(
        "egg.yaml"
    )
    for _ in range(2):  # the second time the folder is there already
        assert "wrote egg_meshes/ (1 mesh, " in run("export", "egg.yaml", "egg.urdf").out
    assert run("export", "pendulum", "pendulum.urdf").out.count("wrote") == 1
    done = run("export", "life.npz", "life.xml")
    has_table = (tmp_path / "life.ctrl.csv").exists()
    assert ("wrote life.ctrl.csv (" in done.out) == has_table and "cannot say: life.ctrl.csv" not in done.err


def test_export_of_lives(run: Run, tmp_path: Path, life: zp.Trajectory) -> None:
    assert run("export", "life.npz", "life.csv").code == 0
    assert len(np.loadtxt(tmp_path / "life.csv", delimiter=",", skiprows=1)) == len(life)
    assert run("export", "life.npz", "life.xml").code == 0
    assert (
        '<option timestep="0.01" gravity="0 0 -9.81" integrator="RK4"/>'
        in (tmp_path / "life.xml").read_text()
    )
    assert run("export", "life.npz", "body.yaml").code == 0
    assert zp.load(tmp_path / "body.yaml") == zp.zoo.pendulum()


def test_stills_of_a_moment_from_a_camera(run: Run, tmp_path: Path, life: zp.Trajectory) -> None:
    """Oracle: the renderer's own picture of the frame nearest to the time."""
    done = run(
        "export", "life.npz", "a.png", "--time", "0.034", "--camera", "side", "--size", "96x54", "--no-ghosts"
    )
    assert (done.code, done.told) == (0, "")
    scene = scene_of(life, rate=None)
    assert np.array_equal(
        pixels(tmp_path / "a.png"), picture_of(scene, frame=3, size=(96, 54), camera="side")
    )
    numbers = "0.5,-3,0.2,0,0,-0.4"
    assert run("export", "life.npz", "b.png", "--camera", numbers, "--size", "64x36", "--no-ghosts").code == 0
    camera = Camera((0.5, -3.0, 0.2), (0.0, 0.0, -0.4))
    expected = picture_of(scene, frame=len(life) // 2, size=(64, 36), camera=camera)
    assert np.array_equal(pixels(tmp_path / "b.png"), expected)
    assert run("export", "life.npz", "c.gif", "--camera", "front", "--size", "32x18").code == 0
    assert (tmp_path / "c.gif").read_bytes()[6:10] == bytes([32, 0, 18, 0])


def test_a_body_becomes_a_picture(run: Run, tmp_path: Path) -> None:
    """Oracle: the same body, drawn by the library as it is born."""
    assert run("export", "ant", "ant.png", "--size", "64x36", "--camera", "side").code == 0
    expected = picture_of(scene_of_pose(zp.compile(zp.zoo.ant())), size=(64, 36), camera="side")
    assert np.array_equal(pixels(tmp_path / "ant.png"), expected)
    done = run("export", "ant", "late.png", "--time", "1")
    assert done.code == 2 and "--time goes with a life" in done.err


def test_looks_on_the_command_line(run: Run, tmp_path: Path, life: zp.Trajectory) -> None:
    """Oracle: the library's own picture with that look."""
    words = ("--ground-colour", "none", "--background", "#406080", "--no-ghosts", "--size", "64x36")
    assert run("export", "life.npz", "a.png", *words).code == 0
    look = Look(ground="none", background="#406080", ghosts=0)
    scene = scene_of(life, rate=120.0, look=look)
    assert np.array_equal(pixels(tmp_path / "a.png"), picture_of(scene, size=(64, 36)))
    assert run("export", "life.npz", "a.svg", "--ground-colour", "tan", "--ghosts", "2").code == 0
    assert (tmp_path / "a.svg").read_text().count('<g class="shape"') == 3
    for words, told in (
        (("a.png", "--sky", "teel"), "look: sky is 'teel'"),
        (("a.png", "--ghosts", "99"), "ghosts is 99, must be a whole number from 0 to 40"),
        (("a.csv", "--sky", "teal"), "a look (--ground-colour, --sky"),
        (("a.gif", "--rate", "10"), "--rate goes with a life that becomes .mp4"),
    ):
        done = run("export", "life.npz", *words)
        assert done.code == 2 and told in done.err
    done = run("export", "ant", "a.png", "--ghosts", "2")
    assert done.code == 2 and "a body that does not move yet was nowhere before" in done.err


def test_films_on_the_command_line(run: Run, tmp_path: Path, life: zp.Trajectory) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed (extra 'video')")
    done = run("export", "life.npz", "a.mp4", "--size", "64x36", "--rate", "10")
    assert done.code == 0 and (tmp_path / "a.mp4").read_bytes()[4:8] == b"ftyp"
    done = run("export", "life.npz", "b.mp4", "--size", "65x36")
    assert done.code == 2 and "Take 66 × 36" in done.err


def pixels(path: Path) -> np.ndarray:
    return read_png(path.read_bytes())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("p.png", "--time", "7"), "time 7 s lies outside of what is shown, 0 to 0.1 s"),
        (("p.png", "--time", "-0.2"), "time -0.2 s lies outside"),
        (("p.png", "--time", "nan"), "--time is nan, must be a finite number of seconds"),
        (("p.png", "--camera", "sidee"), "there is no view 'sidee'. Known: auto,"),
        (("p.png", "--camera", "1,2,3"), "--camera is '1,2,3', must be a view, or six numbers"),
        (("p.png", "--camera", "1,2,x,4,5,6"), "must be a view, or six numbers"),
        (("p.png", "--camera", "1,2,3,1,2,3"), "must be two different, finite points"),
        (("p.png", "--camera", "1,2,inf,1,2,3"), "must be two different, finite points"),
        (("p.png", "--size", "big"), "--size is 'big', must be width and height in pixels: --size 1920x1080"),
        (("p.png", "--size", "0x10"), "size 0 × 10 is out of range; 1 to 4096 pixels"),
        (("p.gif", "--time", "0.05"), "--time goes with a life that becomes .png, not with p.gif"),
        (
            ("p.csv", "--camera", "side"),
            "--camera goes with a life that becomes .png or .gif or .mp4, not with p.csv",
        ),
        (("p.glb", "--no-ghosts"), "--ghosts) goes with a life that becomes .png"),
    ],
)
@pytest.mark.usefixtures("life")
def test_wrong_moments_cameras_and_sizes(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run("export", "life.npz", *arguments)
    assert (done.code, done.out) == (2, "") and words in done.err
    assert "Traceback" not in done.err and not (tmp_path / arguments[0]).exists()


@pytest.mark.parametrize("verb", ["export", "simulate"])
def test_partial_imports_say_what_was_left_out(verb: str, run: Run, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    (tmp_path / "t.xml").write_text(TENDON)
    rest = ["t.yaml"] if verb == "export" else ["--seconds", "0.01", "--ground", "none"]
    done = run(verb, "t.xml", *rest)
    assert (done.code, done.out) == (1, "") and "t.xml:5: tendon 't'" in done.err and "--partial" in done.err
    done = run(verb, "t.xml", *rest, "--partial")
    assert done.code == 0 and "Left out: line 5: tendon 't'" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ("pendulum", "x.docx"),
            2,
            "x.docx: the file ending '.docx' is unknown: a body becomes .xml, .mjcf, .urdf, .yaml, .yml, .png.",
        ),
        (("pendulum", "x"), 2, "x: the file name has no ending: a body becomes"),
        (("pendulum", ""), 2, "the path is empty"),
        (
            ("pendulum", "x.gif"),
            2,
            "only a life becomes .gif. `zoophyte simulate` makes a life (.npz) of a body.",
        ),
        (("life.npz", "x.docx"), 2, "a life becomes .csv, "),
        (("no.npz", "x.docx"), 1, "no.npz: does not exist."),
        (("no.npz", "x.csv"), 1, "no.npz: does not exist."),
        (("lief.npz", "x.csv"), 1, "lief.npz: does not exist. Did you mean 'life.npz'?"),
        (("no.xml", "x.yaml"), 1, "no.xml: does not exist."),
        (("no.yaml", "x.png"), 1, "no.yaml: does not exist."),
        (("nobody", "x.png"), 2, "'nobody' is neither a file nor an inhabitant of the zoo."),
        (("pendulumm", "x.xml"), 2, "Did you mean 'pendulum'?"),
        (("life.npz", "life.npz"), 1, "this is the file that would be read"),
        (("pendulum", "nowhere/x.xml"), 1, "nowhere/x.xml: cannot be written"),
        (("life.npz", "nowhere/x.csv"), 1, "There is no folder nowhere."),
        (("pendulum", "x.xml", "--root", "loose"), 2, "'--root': 'loose' must be fixed or free."),
        (("pendulum",), 2, "Missing argument"),
    ],
)
@pytest.mark.usefixtures("life")
def test_wrong_exports(arguments: tuple[str, ...], code: int, words: str, run: Run) -> None:
    done = run("export", *arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("life")
def test_replay_writes_a_page_next_to_the_life(run: Run, tmp_path: Path) -> None:
    assert run("replay", "life.npz").out.endswith("open life.html in a browser\n")
    done = run("replay", "life.npz", "--compare", "life.npz", "--out", "both.html")
    assert (done.code, done.told) == (0, "")
    assert '"ghost":{' in (tmp_path / "both.html").read_text(encoding="utf-8")
    assert run("replay", "life.npz", "--out", "life.mp4").code == 2
    done = run("replay", "life.npz", "--out", "life.png")
    assert done.code == 2
    assert "must end in .html. `zoophyte export life.npz life.png` writes such a file." in done.err
    done = run("replay", "other.npz")
    assert (done.code, done.err) == (1, "zoophyte: other.npz: does not exist.\n")


@pytest.mark.parametrize("name", ["pendulum", "arm.yaml", "robot.xml"])
def test_replay_of_a_body_says_how_to_make_a_life(run: Run, name: str) -> None:
    done = run("replay", name)
    assert done.code == 2
    assert f"'{name}' is no life (.npz); `zoophyte simulate {name}` makes one of a body." in done.err


@pytest.mark.usefixtures("life")
def test_replay_says_when_it_compares_unlike_bodies(run: Run, tmp_path: Path) -> None:
    zp.World(zp.zoo.two_rods(), dt=1e-2).simulate(seconds=0.1).save(tmp_path / "other.npz")
    done = run("replay", "life.npz", "--compare", "other.npz")
    assert done.code == 0
    assert (
        "other.npz ('two_rods', 2 bodies) shows another body than life.npz ('pendulum', 1 body)" in done.err
    )


def test_the_zoo_has_a_gallery(run: Run, tmp_path: Path) -> None:
    done = run("zoo", "double_pendulum", "--gallery", "all")
    assert done.code == 0 and ": 1 inhabitant\n" in done.out
    page = (tmp_path / "all" / "gallery.html").read_text(encoding="utf-8")
    assert "double_pendulum" in page
    assert "Two equal slender rods of 0.1 m that start horizontal" in page  # its card says what it is
    assert run("zoo", "--json", "--gallery", "all").code == 2
    done = run("zoo", "pendulum", "--gallery", "all/gallery.html")
    assert (done.code, done.out) == (1, "") and "Choose another with --gallery." in done.err


def test_proxies_are_made_on_request_and_told(run: Run, tmp_path: Path) -> None:
    """A file with a cylinder that may meet another shape was read, and no life of it could begin."""
    link = (
        '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>{1}</link>'
    )
    shape = '<collision><origin xyz="{0} 0 0"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision>'
    links = link.format("base", shape.format(0)) + link.format("a", "") + link.format("b", shape.format(1))
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/></joint>'
    joints = joint.format("i", "base", "a") + joint.format("j", "a", "b")
    (tmp_path / "t.urdf").write_text(f'<robot name="t">{links}{joints}</robot>')
    done = run("simulate", "t.urdf", "--seconds", "0.01")
    assert done.code != 0 and "may meet other shapes" in done.err and "--proxies" in done.err
    done = run("export", "t.urdf", "t.yaml", "--proxies")
    assert done.code == 0
    assert (
        "zoophyte: Body 'b': its cylinder meets other shapes as a capsule of radius 0.1 m and length 0.8 m"
        in done.err
    )
    zp.World(zp.compile(zp.load(tmp_path / "t.yaml")))


def test_bodies_of_yaml_get_proxies_too(run: Run, tmp_path: Path) -> None:
    """The message offered --proxies, which did nothing for YAML."""
    shape = "{kind: cylinder, radius: 0.1, length: 1}"
    roots = "".join(
        f"  - {{name: {name}, joint: {{kind: free, initial: [1, 0, 0, 0, {x}, 0, 2]}}, shapes: [{shape}]}}\n"
        for x, name in enumerate("ab")
    )
    (tmp_path / "t.yaml").write_text(f"zoophyte: 1\nname: t\nsurface: {{friction: 0.8}}\nbodies:\n{roots}")
    done = run("simulate", "t.yaml", "--seconds", "0.01")
    assert done.code != 0 and "--proxies" in done.err
    done = run("simulate", "t.yaml", "--seconds", "0.01", "--proxies")
    assert done.code == 0 and "its cylinder meets other shapes as a capsule" in done.err
    zp.World(zp.load(tmp_path / "t.yaml", proxies=True))


def test_a_film_that_is_cut_says_so(run: Run, tmp_path: Path) -> None:
    """A GIF of a life of 16 s held its first 12 without a word."""
    life = zp.World(zp.zoo.pendulum(), dt=1e-2).simulate(seconds=16.0, record_rate=20)
    life.save(tmp_path / "l.npz")
    done = run("export", "l.npz", "l.gif", "--size", "32x18")
    assert done.code == 0 and "shows the first 12 of 16 s; --from and --to choose others" in done.err
    done = run("export", "l.npz", "l.gif", "--size", "32x18", "--from", "13", "--to", "15")
    assert (done.code, done.err) == (0, "")
    assert run("export", "l.npz", "l.gif", "--from", "15", "--to", "13").code == 2
    assert (
        "--from goes with a life that becomes .gif or .mp4"
        in run("export", "l.npz", "l.png", "--from", "1").err
    )
