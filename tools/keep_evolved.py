"""Keep a creature of a run in the showcase, with all that is needed to evolve it again.

    python tools/keep_evolved.py NAME RUN.db "What it does." [--individual NUMBER]

Takes the fittest if no number is given.  Pictures: docs/images/evolved/NAME.png are drawn with it.
"""

from __future__ import annotations

import argparse
import base64
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ruamel.yaml import YAML

import zoophyte as zp
from zoophyte.evolution import registry, showcase
from zoophyte.evolution.run.evolving import FROM_PROPORTIONAL
from zoophyte.evolution.run.populace import KIND, VERSION
from zoophyte.evolution.wire import pack
from zoophyte.export import Camera, film_of, png_bytes, scene_of

ROOT = Path(__file__).parents[1]
CREATURES = ROOT / "src/zoophyte/evolution/showcase/creatures"
PICTURES = ROOT / "docs/images/evolved"
FIGURES = ("distance", "height", "upright", "straightness", "leap", "airborne", "parts", "mass")
MOMENTS, APART, SIZE = 4, 0.12, (168, 126)  # frames of a picture, seconds from one to the next, pixels
LATE = 0.72  # of a life: where a picture begins


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


def keep(name: str, path: Path, text: str, number: int | None) -> Path:
    """Write the creature's file."""
    run = zp.Run(path)
    asked = run.configuration
    one = run.best() if number is None else run.individual(number)
    assert one.score is not None
    found = one.score.descriptors
    made = {
        "text": text, "arguments": arguments_of(asked),
        "task": {key: asked["task"][key] for key in ("name", "settings")},
        "number": one.number, "generation": one.generation,
        "stage": run.stage(one.generation), "fitness": one.fitness,
        "figures": {key: float(f"{found[key]:.4g}") for key in FIGURES}, "version": asked["version"],
    }  # fmt: skip
    entry = {
        "fitness": one.fitness,
        "from": f"{asked['task']['name']}, seed {asked['seed']}, individual {one.number}",
    }
    entry["genome"] = base64.b64encode(pack(one.genome.record())).decode()
    genome = {key: asked["genome"][key] for key in ("name", "settings")}
    content = {"zoophyte": KIND, "version": VERSION, "made": made, "genome": genome, "creatures": [entry]}
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.default_flow_style, yaml.width, yaml.sort_base_mapping_type_on_output = False, 1 << 20, False
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
    parser.add_argument("run", type=Path)
    parser.add_argument("text")
    parser.add_argument("--individual", type=int, default=None)
    parser.add_argument("--begin", type=float, default=None, help="of the picture [s]")
    parser.add_argument("--apart", type=float, default=APART, help="moments of the picture [s]")
    parser.add_argument("--eye", type=float, nargs=3, default=None, help="of the picture [m]")
    given = parser.parse_args()
    for path in (
        keep(given.name, given.run, given.text, given.individual),
        draw(given.name, given.begin, given.apart, given.eye),
    ):
        print(f"wrote {path} ({path.stat().st_size} bytes)")  # noqa: T201


if __name__ == "__main__":
    main()
