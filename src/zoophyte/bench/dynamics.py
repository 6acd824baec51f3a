"""Forward dynamics against Pinocchio, one at a time and in lanes; and its cost against the number of bodies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from zoophyte import zoo
from zoophyte.bench import pinocchio
from zoophyte.bench.harness import Row, benchmark, fastest
from zoophyte.model import Block, Model, State
from zoophyte.model import compile as compile_model
from zoophyte.model import layout as at
from zoophyte.numbers.forms import compiled
from zoophyte.physics import bias_forces, mass_matrix
from zoophyte.physics.repeat import repeat_forward

AGREEMENT = 1e-9
PEER_BATCH = 2000
OUR_BATCH = 8000


def random_state(model: Model, seed: int) -> State:
    """Coordinates and velocities of order one, quaternions of unit length."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=model.nq)
    for link, kind in enumerate(model.links.kind):
        if kind in (at.BALL, at.FREE):
            first = model.q_start[link]
            q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    return State.neutral(model).at(q, rng.normal(size=model.nv))


def loaded_block(models: list[Model], mixed: bool) -> tuple[Block, list[State], list[Any]]:
    """A block of random states under random joint forces."""
    block = Block(models, mixed=mixed)
    states = [random_state(model, lane) for lane, model in enumerate(models)]
    forces = [np.random.default_rng(1000 + lane).normal(size=model.nv) for lane, model in enumerate(models)]
    for lane, state in enumerate(states):
        block.set_state(lane, state)
        block.set_dofs(at.TAU, forces[lane], lane)
    return block, states, forces


def our_side(block: Block) -> Callable[[], int]:
    """A batch of forward dynamics inside compiled code."""
    kernel, repeats = compiled(repeat_forward), OUR_BATCH // block.width

    def run() -> int:
        kernel(block.ints, block.data, block.scratch, repeats, block.spec)
        return repeats * block.width

    return run


def peer_side(body: Any, state: State, tau: Any) -> Callable[[], int]:
    """A batch of `pin.aba` from Python."""
    import pinocchio as pin

    q, v, forces = body.configuration(state), body.dofs(state.v), body.dofs(tau)

    def run() -> int:
        for _ in range(PEER_BATCH):
            pin.aba(body.pin, body.data, q, v, forces)
        return PEER_BATCH

    return run


def compare(name: str, workload: str, models: list[Model], bar: float, mixed: bool = False) -> Row:
    """Measure a block against Pinocchio on its first creature, after comparing every lane."""
    block, states, forces = loaded_block(models, mixed)
    ours = our_side(block)
    if not pinocchio.available():
        seconds = fastest(ours)[0]
        return Row(
            name,
            workload,
            seconds * 1e6,
            None,
            "Pinocchio (not installed: pip install pin)",
            "µs",
            None,
            f"≥ {bar:g}",
        )
    import pinocchio as pin

    ours()
    worst = 0.0
    for lane, model in enumerate(models):
        body = pinocchio.PinocchioBody(model)
        theirs = pin.aba(
            body.pin,
            body.data,
            body.configuration(states[lane]),
            body.dofs(states[lane].v),
            body.dofs(forces[lane]),
        )
        expected = body.dofs(theirs, back=True)
        worst = max(
            worst,
            float(np.max(np.abs(block.dofs(at.ACCELERATION, lane) - expected)) / np.max(np.abs(expected))),
        )
    if not worst < AGREEMENT:
        return Row(
            name,
            workload,
            None,
            None,
            "Pinocchio",
            "µs",
            None,
            f"≥ {bar:g}",
            False,
            f"results differ by {worst:.1e}",
        )
    mine, peer = fastest(ours, peer_side(pinocchio.PinocchioBody(models[0]), states[0], forces[0]))
    checked = f"accelerations of {len(models)} bodies agree to {worst:.1e} relative"
    return Row(name, workload, mine * 1e6, peer * 1e6, f"Pinocchio {pin.__version__} aba from Python", "µs",
               peer / mine, f"≥ {bar:g}", peer / mine >= bar, checked)  # fmt: skip


@benchmark("aba-scalar")
def aba_scalar() -> Iterator[Row]:
    """Forward dynamics of one body at a time, float64, against Pinocchio."""
    yield compare("aba-scalar", "12-hinge fixed-base tree", [compile_model(zoo.tree12())], 2.5)
    yield compare("aba-scalar", "32-dof humanoid", [compile_model(zoo.humanoid32())], 2.0)


@benchmark("aba-lanes")
def aba_lanes() -> Iterator[Row]:
    """Forward dynamics in lanes of one topology, float64, per core, against Pinocchio."""
    for body, workload, bar in (
        ("tree12", "12-hinge fixed-base tree", 12.0),
        ("humanoid32", "32-dof humanoid", 10.0),
    ):
        model, scaled = compile_model(zoo.get(body)), bar * isa_factor()
        rows = [
            compare("aba-lanes", f"{workload}, {width} lanes", [model] * width, scaled) for width in (4, 8)
        ]
        yield min(rows, key=lambda row: row.ours if row.ours is not None else np.inf)


@benchmark("aba-lanes-mixed")
def aba_lanes_mixed() -> Iterator[Row]:
    """Forward dynamics with another topology in every lane, float64, per core, against Pinocchio."""
    models = [compile_model(zoo.tree12(seed, mixed=True)) for seed in range(8)]
    yield compare(
        "aba-lanes-mixed", "8 different 12-hinge trees, 8 lanes", models, 6.0 * isa_factor(), mixed=True
    )


def isa_factor() -> float:
    """The bars of lanes are for AVX-512; eight tenths of them for AVX2."""
    from llvmlite import binding

    return 1.0 if binding.get_host_cpu_features().get("avx512f") else 0.8


@benchmark("aba-scaling")
def aba_scaling() -> Iterator[Row]:
    """Cost against the number of bodies: the articulated-body algorithm, and mass matrix with Cholesky."""
    from scipy.linalg import cho_factor, cho_solve

    counts = (10, 30, 100, 300, 1000, 3000)
    linear, cubic, worst = [], [], 0.0
    for count in counts:
        model = compile_model(zoo.chain(count))
        block, states, forces = loaded_block([model], mixed=False)
        repeats = max(1, 30_000 // count)
        kernel = compiled(repeat_forward)
        linear.append(
            _best(partial(kernel, block.ints, block.data, block.scratch, repeats, block.spec), 7) / repeats
        )

        def dense(model: Model = model, state: State = states[0], tau: Any = forces[0]) -> Any:
            return cho_solve(cho_factor(mass_matrix(model, state)), tau - bias_forces(model, state))

        expected = dense()
        if (
            count <= 100
        ):  # beyond, the condition of M (which grows with the fourth power) decides, not the algorithm
            worst = max(
                worst,
                float(np.max(np.abs(block.dofs(at.ACCELERATION) - expected)) / np.max(np.abs(expected))),
            )
        cubic.append(_best(dense, 3))
    slope = float(np.polyfit(np.log(counts), np.log(linear), 1)[0])
    dense_slope = float(np.polyfit(np.log(counts[-3:]), np.log(cubic[-3:]), 1)[0])
    reached = abs(slope - 1.0) <= 0.1 and dense_slope > 2.0 and worst < AGREEMENT
    yield Row("aba-scaling", "chains of 10 … 3000 bodies", slope, dense_slope, "our own CRBA + Cholesky (300 … 3000)",
              "log–log slope", None, "1.0 ± 0.1 against ≈ 3", reached,
              f"accelerations of chains up to 100 agree to {worst:.1e}")  # fmt: skip
    for count, seconds, dense_seconds in zip(counts, linear, cubic, strict=True):
        yield Row("aba-scaling", f"chain of {count}", seconds * 1e6, dense_seconds * 1e6, "our own CRBA + Cholesky", "µs",
                  dense_seconds / seconds)  # fmt: skip


def _best(call: Callable[[], Any], rounds: int) -> float:
    call()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)
