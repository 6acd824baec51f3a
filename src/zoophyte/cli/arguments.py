"""What the words of the command line mean: a body, a ground, a surface, a look."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoophyte.cli.output import wrong_usage
from zoophyte.errors import nearest, shown

if TYPE_CHECKING:
    from zoophyte.control import Controller
    from zoophyte.description import Description, Surface
    from zoophyte.export import Look
    from zoophyte.model import Plane, Terrain
    from zoophyte.zoo.scenes import Scene

ENDINGS = (".yaml", ".yml", ".xml", ".mjcf", ".urdf", ".xacro")
"""Of files that hold a body."""
LIFE = ".npz"
PROGRAM = ".py"
ROOTS = ("fixed", "free")
NOTES_SHOWN = 20

CONTROLLERS = ("sine", "hold")
AMPLITUDE, FREQUENCY = 0.5, 1.0  # of sines: rad, m, N·m or N; Hz

GROUNDS = ("plane", "none", "slope", "steps", "bumps")
HEIGHT_ENDINGS = (".npz", ".png")
SLOPE, STEEPEST = 10.0, 80.0  # degrees
STEPS = 10
ROOM = 1.0
"""Level ground between the origin, where bodies stand, and a slope or a stair [m]."""


def given_root(root: str) -> str:
    """How the outermost link of a robot is held, if it is one of `ROOTS`."""
    if root not in ROOTS:
        raise typer.BadParameter(f"'{root}' must be fixed or free. {nearest(root, ROOTS)}".rstrip())
    return root


Partial = Annotated[
    bool, typer.Option("--partial", help="Of MJCF and URDF, leave out what Zoophyte does not have.")
]
Proxies = Annotated[
    bool,
    typer.Option(
        "--proxies",
        help="Let capsules, boxes and balls inside of cylinders, ellipsoids, polyhedra and meshes meet other shapes.",
    ),
]
Root = Annotated[
    str,
    typer.Option(
        parser=given_root,
        metavar="fixed|free",
        help="Of URDF: whether the outermost link is fixed to the ground, or free.",
    ),
]
Gravity = Annotated[
    str | None, typer.Option(metavar="X,Y,Z", help="Gravity, in m/s²; 0,0,-9.81 if left out.")
]
Ground = Annotated[
    str | None,
    typer.Option(
        metavar="WORD|FILE",
        help="plane (if left out), none, slope:DEGREES, steps:COUNT (both begin 1 m in front of the origin), bumps:SEED, or "
        "a file of heights: .npz, or a grey .png, in which white is high.",
    ),
]
GroundSpacing = Annotated[
    float | None, typer.Option(help="Of a file of heights: distance of neighbouring points, in m.")
]
GroundHeight = Annotated[
    float | None, typer.Option(help="Of a picture: height of white above black, in m; 1 if left out.")
]
Friction = Annotated[
    float | None,
    typer.Option(
        help="Of the ground, and of a body whose description says nothing of surfaces and which would touch nothing."
    ),
]
Restitution = Annotated[
    float | None, typer.Option(help="Of the same: speed after an impact over speed before, 0 to 1.")
]
GroundColour = Annotated[
    str | None,
    typer.Option(
        metavar="COLOUR|none", help="Of the ground, as tan or '#d2b48c'; none leaves the ground out."
    ),
]
Sky = Annotated[str | None, typer.Option(metavar="COLOUR", help="Of the sky overhead.")]
Background = Annotated[
    str | None, typer.Option(metavar="COLOUR", help="One colour behind everything, instead of the sky.")
]
Grid = Annotated[bool, typer.Option("--grid/--no-grid", help="Whether there are lines on the ground.")]
Ghosts = Annotated[
    int | None,
    typer.Option(
        metavar="COUNT",
        help="Pale copies of moments before; if left out, up to 5 in a png, 8 in an svg, none in films and pages.",
    ),
]
NoGhosts = Annotated[bool, typer.Option("--no-ghosts", help="The same as --ghosts 0.")]


def is_file_of_body(body: str) -> bool:
    """Whether a file is meant, there or not, and no inhabitant of the zoo.

    Args:
        body: what was given.

    Raises:
        typer.BadParameter: when it is neither.
    """
    from zoophyte import zoo

    path = Path(body)
    if path.suffix.lower() == LIFE:
        raise typer.BadParameter(
            f"'{body}' is the name of a life, not of a body. `zoophyte export {body} body.yaml` takes its body out."
        )
    if path.suffix.lower() in ENDINGS:
        return True
    if path.suffix.lower() == PROGRAM and path.is_file():
        raise typer.BadParameter(
            f"'{body}' is a Python program, not a body. Run it with `python {body}`; there, description.save('body.yaml') "
            f"writes a body for this command. Files of bodies end in {', '.join(ENDINGS)}."
        )
    if body and path.is_file():
        from zoophyte.description.files import other_kind

        with path.open("rb") as file:
            problem = other_kind(path, file.read(16))
        if problem is not None:
            raise problem
        return True
    if body in zoo.names():
        return False
    from zoophyte.evolution import showcase

    if body in showcase.names():
        return False
    if body and path.is_dir():
        inside = sorted(entry.name for entry in path.iterdir() if entry.suffix.lower() in ENDINGS)
        how = f"Give one of its files: {path / inside[0]}" if inside else "Give a file or a name."
        raise typer.BadParameter(f"'{body}' is a folder, not a body. {how}")
    known = f"`zoophyte zoo` lists the inhabitants; files end in {', '.join(ENDINGS)}."
    how = nearest(body, [*zoo.names(), *showcase.names()]) or known
    raise typer.BadParameter(f"'{body}' is neither a file nor an inhabitant of the zoo. {how}")


def find_body(body: str, *, partial: bool = False, root: str = "fixed", proxies: bool = False) -> Description:
    """The description that a file name or the name of an inhabitant stands for; tells on stderr what was left out.

    Args:
        body: what was given.
        partial: of MJCF and URDF, leave out what Zoophyte does not have.
        root: of URDF, "fixed" or "free".
        proxies: let others stand for shapes that cannot touch shapes.

    Raises:
        typer.BadParameter: when it is neither.
    """
    from zoophyte.description import load

    if not is_file_of_body(body):
        return named_body(body)
    description = load(body, partial=partial, root="free" if root == "free" else "fixed", proxies=proxies)
    if Path(body).suffix.lower() not in (".yaml", ".yml"):
        _tell(description.notes.splitlines()[1:])
    elif proxies:  # what stands in the file is its author's; what is new is told
        _tell(description.notes[len(load(body).notes) :].splitlines())
    return description


def find_scene(body: str, *, partial: bool = False, root: str = "fixed", proxies: bool = False) -> Scene:
    """The scene of an inhabitant of the zoo, or a plain one with the body of a file.

    Args:
        body: what was given.
        partial: of MJCF and URDF, leave out what Zoophyte does not have.
        root: of URDF, "fixed" or "free".
        proxies: let others stand for shapes that cannot touch shapes.

    Raises:
        typer.BadParameter: when it is neither.
    """
    from zoophyte.zoo.scenes import Scene

    if is_file_of_body(body):
        return Scene(find_body(body, partial=partial, root=root, proxies=proxies))
    return named_scene(body)


def named_body(name: str) -> Description:
    """The body of an inhabitant of the zoo, made by hand or evolved."""
    from zoophyte import zoo

    if name in zoo.names():
        return zoo.get(name)
    from zoophyte.evolution import showcase

    return showcase.creature(name).description


def named_scene(name: str) -> Scene:
    """The scene of an inhabitant of the zoo, made by hand or evolved."""
    from zoophyte import zoo

    if name in zoo.names():
        return zoo.scene(name)
    from zoophyte.evolution import showcase

    return showcase.scene(name)


def _tell(notes: list[str]) -> None:
    for line in notes[:NOTES_SHOWN]:
        print(f"zoophyte: {shown(line, lines=False)}", file=sys.stderr)
    if len(notes) > NOTES_SHOWN:
        print(f"zoophyte: … and {len(notes) - NOTES_SHOWN} more.", file=sys.stderr)


def three_numbers(text: str) -> tuple[float, float, float]:
    """Gravity, from three numbers with commas between them."""
    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"--gravity is '{text}', must be three numbers: --gravity 0,0,-9.81"
        ) from None
    if not all(map(math.isfinite, (x, y, z))):
        raise typer.BadParameter(f"--gravity is '{text}'; the three numbers must be finite.")
    return x, y, z


def find_ground(
    text: str, *, spacing: float | None = None, height: float | None = None
) -> Plane | Terrain | None:
    """The ground that a word or the name of a file stands for.

    Args:
        text: what was given.
        spacing: of the points in a file [m].
        height: of white above black in a picture, or a factor of the heights in an archive [m].

    Raises:
        typer.BadParameter: when it is neither.
        FileError: says what is wrong with the file.
    """
    from zoophyte.model import Plane, Terrain, load_terrain

    if height is not None and not math.isfinite(height):
        raise typer.BadParameter(f"--ground-height is {height:g}, must be a finite number [m].")
    if Path(text).suffix.lower() in HEIGHT_ENDINGS:
        with wrong_usage("On the command line: --ground-spacing 0.1." if spacing is None else ""):
            return load_terrain(text, spacing=spacing, scale=1.0 if height is None else height)
    if spacing is not None or height is not None:
        raise typer.BadParameter(
            "--ground-spacing and --ground-height go with a file of heights in --ground."
        )
    word, colon, number = text.partition(":")
    if word not in GROUNDS or (colon and word in ("plane", "none")):
        words = "plane, none, slope:DEGREES, steps:COUNT, bumps:SEED"
        files = f"or a file that ends in {' or '.join(HEIGHT_ENDINGS)}"
        how = nearest(word, GROUNDS)
        raise typer.BadParameter(f"--ground is '{text}', must be {words}, {files}. {how}".rstrip())
    with wrong_usage():
        if word == "slope":
            degrees = _number(text, number, SLOPE)
            if not abs(degrees) <= STEEPEST:
                raise typer.BadParameter(f"--ground is '{text}'; a slope lies between -80 and 80 degrees.")
            return Terrain.slope(math.radians(degrees), start=ROOM)
        if word == "steps":
            return Terrain.steps(_whole(text, number, STEPS), start=ROOM)
        if word == "bumps":
            return Terrain.bumps(seed=_whole(text, number, 0), clearing=ROOM)
    return Plane() if word == "plane" else None


def _number(text: str, number: str, default: float) -> float:
    try:
        return float(number) if number else default
    except ValueError:
        raise typer.BadParameter(f"--ground is '{text}'; a number must stand behind the colon.") from None


def _whole(text: str, number: str, default: int) -> int:
    try:
        return int(number) if number else default
    except ValueError:
        raise typer.BadParameter(
            f"--ground is '{text}'; a whole number must stand behind the colon."
        ) from None


def find_surface(friction: float | None, restitution: float | None) -> Surface | None:
    """The surface that was asked for, if any was.

    Args:
        friction: what was given.
        restitution: what was given.

    Raises:
        typer.BadParameter: when one of them is out of range.
    """
    from zoophyte.description import Surface

    if friction is None and restitution is None:
        return None
    friction = Surface().friction if friction is None else friction
    restitution = Surface().restitution if restitution is None else restitution
    if not (math.isfinite(friction) and friction >= 0.0):
        raise typer.BadParameter(f"--friction is {friction:g}, must be a finite number, 0 or more.")
    if not 0.0 <= restitution <= 1.0:
        raise typer.BadParameter(f"--restitution is {restitution:g}, must lie between 0 and 1.")
    return Surface(friction=friction, restitution=restitution)


def find_controller(name: str | None, amplitude: float | None, frequency: float | None) -> Controller | None:
    """The controller that was asked for, if any was: the same for all joints that obey one.

    Args:
        name: what was given, one of `CONTROLLERS`.
        amplitude: of a sine, or what is held instead of the initial pose.
        frequency: of a sine [Hz].

    Raises:
        typer.BadParameter: when it is neither, or numbers are given that it has no use for.
    """
    from zoophyte.control import Hold, Sine

    for option, value in (("--amplitude", amplitude), ("--frequency", frequency)):
        if value is not None and name is None:
            raise typer.BadParameter(f"{option} needs --controller sine or hold.")
        if value is not None and not math.isfinite(value):
            raise typer.BadParameter(f"{option} is {value:g}, must be a finite number.")
    if name is None:
        return None
    if name not in CONTROLLERS:
        how = nearest(name, CONTROLLERS)
        raise typer.BadParameter(
            f"--controller '{name}' is unknown. Known: {', '.join(CONTROLLERS)}. {how}".rstrip()
        )
    if name == "sine":
        size = AMPLITUDE if amplitude is None else amplitude
        return Sine(amplitude=size, frequency=FREQUENCY if frequency is None else frequency)
    if frequency is not None:
        raise typer.BadParameter("--frequency goes with --controller sine; what is held has none.")
    return Hold("initial" if amplitude is None else amplitude)


def find_look(
    ground: str | None, sky: str | None, background: str | None, *, grid: bool, ghosts: int | None
) -> Look | None:
    """The look that was asked for, if any was.

    Args:
        ground: colour of it, or none.
        sky: colour overhead.
        background: colour behind everything.
        grid: whether the ground has lines.
        ghosts: how many.

    Raises:
        typer.BadParameter: when a colour does not exist, or a number is out of range.
    """
    if grid and ghosts is None and ground is None and sky is None and background is None:
        return None
    from zoophyte.export.look import Look

    with wrong_usage():
        return Look(ground=ground, sky=sky, background=background, grid=grid, ghosts=ghosts)
