"""Keep a creature of a run in the showcase: genome, controller, command, seed, version, and measures of its life.

    python tools/keep_evolved.py NAME RUN.db "What it does." [--individual NUMBER]
    python tools/keep_evolved.py NAME                                               measure and draw it again

Takes the fittest if no number is given.  Pictures: docs/images/evolved/NAME.png are drawn with it.

Measures (`measured` in the file) are taken of STARTS lives whose velocities at birth differ by NUDGE, with the task's step
and with half of it: their medians, and the larger spread.  `zoophyte.evolution.showcase.Made.bands` makes bands of them,
within which the creature lives on kernels of other last bits; a test looks whether it does.
"""

from __future__ import annotations

import argparse
import base64
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ruamel.yaml import YAML

import zoophyte as zp
from zoophyte.description import GROUND, Description
from zoophyte.evolution import registry, showcase
from zoophyte.evolution.run.evolving import FROM_PROPORTIONAL
from zoophyte.evolution.run.populace import KIND, VERSION, read_content
from zoophyte.evolution.wire import pack
from zoophyte.export import Camera, film_of, png_bytes, scene_of
from zoophyte.simulation.herd import Herd, Life

ROOT = Path(__file__).parents[1]
CREATURES = ROOT / "src/zoophyte/evolution/showcase/creatures"
PICTURES = ROOT / "docs/images/evolved"
MOMENTS, APART, SIZE = 4, 0.12, (168, 126)  # frames of a picture, seconds from one to the next, pixels
LATE = 0.72  # of a life: where a picture begins
STARTS, NUDGE = 128, 1e-9
"""Lives of a measure; by how much their velocities differ at birth [rad/s, m/s]: far above a last bit, yet nothing."""
OFTEN = 0.02
"""From sample to sample of what joints and contacts tell [s]."""
FEET, DOWN, AWAY = 4, 0.02, 0.1
"""Bodies whose steps are told, at most; share of time on the ground of a foot, at least; a step is away that long [s]."""
TASK_MEASURES = ("height", "upright", "leap", "airborne")


def arguments_of(asked: dict[str, Any]) -> dict[str, Any]:
    """What `zoophyte.evolve` was given, without what is usual anyway."""
    task, genome = asked["task"], asked["genome"]
    usual_task, usual_genome = (
        registry.task(task["name"]).settings(),
        registry.breed(genome["name"]).settings(),
    )
    task_settings = {key: value for key, value in task["settings"].items() if value != usual_task[key]}
    genome_settings = {
        key: value for key, value in genome["settings"].items() if _plain(value) != _plain(usual_genome[key])
    }
    controller = genome_settings.pop("controller", None)
    scheme = asked["scheme"]["name"]
    scheme_settings = {k: v for k, v in asked["scheme"]["settings"].items() if v is not None}
    selection = (asked["selection"] or {}).get("name")
    usual_selection = "proportional" if genome["name"] in FROM_PROPORTIONAL else "comma"
    given = {
        "task": task["name"], "genome": genome["name"], "controller": controller, "population": asked["population"],
        "generations": asked["generations"], "seed": asked["seed"],
        "scheme": None if scheme == "generational" else scheme,
        "selection": None if selection in (None, usual_selection) else selection,
        "task_settings": task_settings or None, "genome_settings": genome_settings or None,
        "scheme_settings": None if scheme == "generational" else scheme_settings or None,
    }  # fmt: skip
    return {key: value for key, value in given.items() if value is not None}


def lives(
    name: str, count: int = 1, *, shorter: int = 1, heavier: float = 1.0, dtype: Any = np.float64
) -> list[Life]:
    """Lives of a creature: the first as it was judged, the others with a nudge at birth.

    Args:
        name: of the creature.
        count: of lives.
        shorter: part of the task's step.
        heavier: how much denser than it is.
        dtype: of its numbers.
    """
    task, _, trial = showcase.judged(name)
    description = trial.description if heavier == 1.0 else denser(trial.description, heavier)
    model = zp.compile(description)
    nudges = [NUDGE * np.random.default_rng([n, 1]).normal(size=model.nv) for n in range(count)]
    states = [zp.State.neutral(model).at(v=nudge) if n else None for n, nudge in enumerate(nudges)]
    herd = Herd([model] * count, trial.habitat, [trial.controller] * count, dt=task.dt / shorter, width=8,
                sweeps=task.sweeps, dtype=dtype)  # fmt: skip
    return herd.simulate(
        trial.seconds, states, stops=trial.stops, guards=trial.guards, settle=trial.settle, sample_every=OFTEN,
        keep=["joints", "contacts"],
    )  # fmt: skip


def denser(description: Description, factor: float) -> Description:
    """The same body of heavier stuff; its actuators are as strong as before."""
    bodies = [
        body.model_copy(
            update={"shapes": [s.model_copy(update={"density": factor * s.density}) for s in body.shapes]}
        )
        for body in description.bodies
    ]
    return description.model_copy(update={"bodies": bodies})


def measures(name: str, life: Life, feet: Sequence[str]) -> dict[str, float]:
    """What a life is described by, from when it counts.

    Of the task: fitness, distance [m], height [m], upright, leap [m], airborne; thrown: way of what it was given [m].
    turns: of the trunk about its own axes, all in all. strides: touch-downs of the first foot after a tenth of a second in
    the air. ground: share of time that a foot is on it. together: share of time in which two feet are both on the ground, or
    both are not.

    Args:
        name: of the creature.
        life: of it, with joints and contacts.
        feet: bodies to look at.
    """
    task, grown, trial = showcase.judged(name)
    score = task.score(grown, [trial], [life])
    found = {"fitness": float(score.fitness), "distance": life.distance}
    found |= {key: float(score.descriptors[key]) for key in TASK_MEASURES}
    since = life.times >= trial.settle - 1e-9
    turned = np.zeros(3)
    if trial.description.bodies[0].joint.kind == "free":
        turned = (life.v[since, :3] * np.gradient(life.times[since])[:, None]).sum(axis=0)
    found["turns"] = float(np.linalg.norm(turned)) / (2.0 * np.pi)
    roots = [body.name for body in trial.description.bodies if body.parent == GROUND]
    if len(roots) > 1:
        way = life.joint(roots[-1])[:, -3:]
        found["thrown"] = float(np.linalg.norm(way[-1] - way[0]))
    down = {foot: life.touches(foot, "ground")[since] for foot in feet}
    if feet:
        found[f"strides {feet[0]}"] = float(strides(down[feet[0]]))
    found |= {f"ground {foot}": float(np.mean(down[foot])) for foot in feet}
    pairs = [(a, b) for n, a in enumerate(feet) for b in feet[:n]]
    return found | {f"together {a}, {b}": float(np.mean(down[a] == down[b])) for a, b in pairs}


def strides(down: NDArray[np.bool_]) -> int:
    """How often a foot comes down after it was away.

    Args:
        down: whether it is on the ground, sample by sample.
    """
    least, away, count = round(AWAY / OFTEN), 0, 0
    for on in down.tolist():
        count += bool(on and away >= least)
        away = 0 if on else away + 1
    return count


def feet_of(name: str, life: Life) -> list[str]:
    """Bodies that are on the ground most, if they are ever off it; the first is there most."""
    _, _, trial = showcase.judged(name)
    since = life.times >= trial.settle - 1e-9
    shares = {body: float(np.mean(life.touches(body, "ground")[since])) for body in life.bodies[1:]}
    feet = [body for body, share in shares.items() if DOWN <= share <= 1.0 - DOWN]
    return sorted(feet, key=lambda body: -shares[body])[:FEET]


class Row(list[float]):
    """Numbers that stand on one line of a file."""


def measured(name: str) -> dict[str, Row]:
    """Of each measure: median of nudged lives, the same with half of the step, and the larger spread."""
    whole, half = lives(name, STARTS), lives(name, STARTS, shorter=2)
    feet = feet_of(name, whole[0])
    tables = [[measures(name, life, feet) for life in group] for group in (whole, half)]
    found = {}
    for key in tables[0][0]:
        values = [np.array([table[key] for table in group]) for group in tables]
        row = (np.median(values[0]), np.median(values[1]), max(float(np.ptp(v)) for v in values))
        found[key] = Row(float(f"{x:.4g}") for x in row)
    return found


def keep(name: str, path: Path, text: str, number: int | None) -> Path:
    """Write the creature's file."""
    run = zp.Run(path)
    asked = run.configuration
    one = run.best() if number is None else run.individual(number)
    assert one.score is not None
    made = {
        "text": text, "arguments": arguments_of(asked),
        "task": {key: asked["task"][key] for key in ("name", "settings")},
        "number": one.number, "generation": one.generation,
        "stage": run.stage(one.generation), "fitness": one.fitness,
        "version": asked["version"], "measured": {},
    }  # fmt: skip
    entry = {
        "fitness": one.fitness,
        "from": f"{asked['task']['name']}, seed {asked['seed']}, individual {one.number}",
    }
    entry["genome"] = base64.b64encode(pack(one.genome.record())).decode()
    genome = {key: asked["genome"][key] for key in ("name", "settings")}
    content = {"zoophyte": KIND, "version": VERSION, "made": made, "genome": genome, "creatures": [entry]}
    return write(name, content)


def measure(name: str) -> Path:
    """Write the measures into the file of a creature that is kept."""
    content = read_content(CREATURES / f"{name}.yaml")
    content["made"]["measured"] = measured(name)
    return write(name, content)


def write(name: str, content: Any) -> Path:
    """The file of a creature."""
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.default_flow_style, yaml.width, yaml.sort_base_mapping_type_on_output = False, 1 << 20, False
    yaml.representer.add_representer(
        Row, lambda r, row: r.represent_sequence("tag:yaml.org,2002:seq", row, flow_style=True)
    )
    written = StringIO()
    yaml.dump(content, written)
    target = CREATURES / f"{name}.yaml"
    target.write_text(written.getvalue(), encoding="utf-8")
    return target


def moments(times: NDArray[np.float64], begin: float | None, apart: float) -> list[int]:
    """The frames nearest to equal intervals of time, whatever the rate at which the life was recorded.

    Args:
        times: of the frames [s].
        begin: of the first moment; a little before the last quarter of the life if None [s].
        apart: from one to the next [s].
    """
    first = times[0] + LATE * (times[-1] - times[0]) if begin is None else begin
    return [int(np.argmin(np.abs(times - (first + n * apart)))) for n in range(MOMENTS)]


def draw(name: str, begin: float | None, apart: float, eye: tuple[float, ...] | None) -> Path:
    """Draw a strip of its gait: from a place that looks at the origin, or going along."""
    camera = "follow" if eye is None else Camera(eye=(eye[0], eye[1], eye[2]), target=(0.45, -0.35, 0.0))
    scene = scene_of(showcase.life(name), rate=60.0)
    frames = moments(scene.times, begin, apart)
    pictures = film_of(scene, frames=frames, size=SIZE, camera=camera)
    strip = np.ascontiguousarray(np.hstack([np.asarray(picture) for picture in pictures]))
    PICTURES.mkdir(parents=True, exist_ok=True)
    target = PICTURES / f"{name}.png"
    target.write_bytes(png_bytes(strip))
    return target


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name")
    parser.add_argument(
        "run", type=Path, nargs="?", help="where it was evolved; one that is kept already if left out"
    )
    parser.add_argument("text", nargs="?")
    parser.add_argument("--individual", type=int, default=None)
    parser.add_argument("--begin", type=float, default=None, help="of the picture [s]")
    parser.add_argument("--apart", type=float, default=APART, help="moments of the picture [s]")
    parser.add_argument("--eye", type=float, nargs=3, default=None, help="of the picture [m]")
    parser.add_argument("--no-picture", dest="picture", action="store_false", help="only measure")
    given = parser.parse_args()
    if given.run is not None:
        if given.text is None:
            parser.error("say what it does")
        keep(given.name, given.run, given.text, given.individual)
    paths = [measure(given.name)]
    if given.picture:
        paths.append(draw(given.name, given.begin, given.apart, given.eye))
    for path in paths:
        print(f"wrote {path} ({path.stat().st_size} bytes)")  # noqa: T201


if __name__ == "__main__":
    main()
