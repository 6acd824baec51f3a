"""``zoophyte doctor``: what is installed, and what this machine can do."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from importlib import metadata
from typing import Annotated, Any

import typer

from zoophyte import __version__
from zoophyte.cli.output import as_size, print_facts, print_json
from zoophyte.errors import counted, install_command

CORE = ("numpy", "numba", "llvmlite", "scipy", "pydantic", "ruamel.yaml", "typer", "rich")
FEATURES = ("sse4.2", "avx", "avx2", "fma", "avx512f")
EXTRAS = {
    "mjcf": {"mujoco-core": "reads MuJoCo's files"},
    "video": {"imageio-ffmpeg": "films as MP4"},
    "mesh": {"trimesh": "reads the mesh files of robots"},
    "gym": {"gymnasium": "environments for learning"},
    "cluster": {"distributed": "evolution on many machines"},
    "opt": {"cma": "the population 'cma' of evolution"},
    "data": {"pyarrow": "writes runs as Parquet files"},
    "gpu": {"numba-cuda": "compiles the physics for CUDA"},
    "peers": {"pin": "Pinocchio, to measure against", "pybullet": "PyBullet, likewise"},
}
"""Optional packages that something imports today, by the extra that brings them, and what for."""


def doctor(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Report versions, processor, GPU, kernel cache and optional packages."""
    report = {
        "zoophyte": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in CORE},
        "processor": _processor(),
        "cuda": _cuda(),
        "cache": _cache(),
        "extras": {
            name: {
                "packages": {package: _version(package) for package in packages},
                "complete": all(map(_version, packages)),
                "for": "; ".join(packages.values()),
            }
            for name, packages in EXTRAS.items()
        },
    }
    if json:
        print_json(report)
    else:
        _print(report)


def _print(report: dict[str, Any]) -> None:
    processor, cuda, cache = report["processor"], report["cuda"], report["cache"]
    writable = "" if cache["writable"] else ", not writable"
    features = ", ".join(
        f"{name} {'yes' if there else 'no'}" for name, there in processor["features"].items()
    )
    print_facts(
        [
            ("zoophyte", report["zoophyte"]),
            ("python", report["python"]),
            ("platform", report["platform"]),
            (
                "packages",
                ", ".join(f"{name} {version or 'missing'}" for name, version in report["packages"].items()),
            ),
            ("processor", f"{processor['name']}, {counted(processor['cores'], 'core')} usable"),
            ("features", features),
            ("cuda", cuda["device"] or f"no device ({cuda['reason']})"),
            (
                "cache",
                f"{cache['folder']}, {as_size(cache['bytes'])}{writable}",
            ),
        ]
    )
    print("\nextras, installed from Zoophyte's source folder")
    for name, extra in report["extras"].items():
        state = ", ".join(
            f"{package} {version or 'missing'}" for package, version in extra["packages"].items()
        )
        hint = "" if extra["complete"] else f": pip install '.[{name}]'"
        print(f"  {name:<7}  {state:<19}  {extra['for']}{hint}")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> dict[str, Any]:
    from llvmlite import binding

    found = binding.get_host_cpu_features()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "name": binding.get_host_cpu_name(),
        "cores": cores,
        "features": {name: bool(found.get(name, False)) for name in FEATURES},
    }


def _cuda() -> dict[str, str | None]:
    if importlib.util.find_spec("numba_cuda") is None:
        return {"device": None, "reason": f"numba-cuda is not installed: {install_command('gpu')}"}
    try:
        from numba import cuda

        if not cuda.is_available():
            return {"device": None, "reason": "no driver or no GPU found"}
        device = cuda.get_current_device()
        name = device.name.decode() if isinstance(device.name, bytes) else str(device.name)
        return {
            "device": f"{name}, compute capability {'.'.join(map(str, device.compute_capability))}",
            "reason": None,
        }
    except (
        Exception
    ) as failure:  # a half-installed driver fails in many ways; the doctor reports, and never falls ill
        return {"device": None, "reason": f"{type(failure).__name__}: {failure}"[:200]}


def _cache() -> dict[str, Any]:
    from zoophyte.numbers.cache import cache_home

    home = cache_home()
    files = [path for path in home.rglob("*") if path.is_file()] if home.is_dir() else []
    nearest = next(folder for folder in (home, *home.parents) if folder.exists())
    return {
        "folder": os.fspath(home),
        "bytes": sum(path.stat().st_size for path in files),
        "writable": os.access(nearest, os.W_OK),
    }
