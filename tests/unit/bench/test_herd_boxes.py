"""The random box creatures of the herd's benchmarks, and the arithmetic of their rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.bench.herd import boxes, unlike
from zoophyte.description import Box, Description, Servo


def edges(body: Description) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Centre and half edges of every box at birth, all along the world's axes."""
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    origins: dict[str, np.ndarray] = {"ground": np.zeros(3)}
    for part in body.bodies:
        (shape,) = part.shapes
        assert isinstance(shape, Box)
        place = part.joint.position if part.joint.kind == "hinge" else part.joint.initial_coordinates()[4:]
        origins[part.name] = origins[part.parent] + np.array(place)
        found[part.name] = (origins[part.name] + np.array(shape.position), 0.5 * np.array(shape.size))
    return found


def test_a_seed_gives_the_tree_of_the_definition() -> None:
    """Oracle: numbers drawn here once more, in the order that the definition names."""
    rng = np.random.default_rng(7)
    count = int(rng.integers(5, 13))
    parents = [int(rng.integers(0, i)) for i in range(1, count)]
    halves = [rng.uniform(0.05, 0.2, 3) for _ in range(count)]
    body = boxes.box_creature(7)
    assert len(body.bodies) == count
    by_name = {part.name: part for part in body.bodies}
    assert [by_name[f"box{i}"].parent for i in range(1, count)] == [f"box{parent}" for parent in parents]
    for name, (_, half) in edges(body).items():
        assert half == pytest.approx(halves[int(name[3:])].round(3), abs=1e-12)
    assert all(isinstance(part.joint.actuator, Servo) for part in body.bodies[1:])


@pytest.mark.parametrize("make", [boxes.box_creature, boxes.sparse_box_creature])
def test_boxes_hang_face_to_face(make: object) -> None:
    for seed in range(20):
        body = make(seed)  # type: ignore[operator]
        found = edges(body)
        for part in body.bodies[1:]:
            (here, half), (there, other) = found[part.name], found[part.parent]
            apart = np.abs(here - there)
            # Sums are rounded to millimetres after they are formed.
            assert np.count_nonzero(apart) == 1 and np.min(np.abs(apart - half - other)) < 1.6e-3


@pytest.mark.parametrize("make", [boxes.box_creature, boxes.sparse_box_creature])
def test_bodies_that_were_not_checked_are_right(make: object) -> None:
    """Oracle: the checks that every description goes through, which leave it as it is."""
    for seed in range(20):
        body = make(seed)  # type: ignore[operator]
        assert Description.model_validate(body.model_dump()) == body


def test_a_genome_holds_the_whole_body() -> None:
    """Oracle: the same tree without a table of numbers in between."""
    for seed in range(20):
        assert boxes.box_body(boxes.box_genome(seed), f"boxes{seed}") == boxes.box_creature(seed)


def test_sparse_creatures_touch_nothing_at_birth() -> None:
    """Parents and children touch by construction, and never count as a pair."""
    for seed in range(boxes.COUNT):
        body = boxes.sparse_box_creature(seed)
        found, parents = edges(body), {part.name: part.parent for part in body.bodies}
        assert body.self_contact
        assert min(centre[2] - half[2] for centre, half in found.values()) >= boxes.CLEARANCE
        for a, b in itertools.combinations(found, 2):
            if parents[a] != b and parents[b] != a:
                (x, s), (y, t) = found[a], found[b]
                assert np.max(np.abs(x - y) - s - t) > 0.0


def test_sines_are_held_from_tick_to_tick() -> None:
    model = zp.compile(boxes.box_creature(3))
    table = boxes.sampled_sines(model)
    assert table.interpolation == "hold" and table.rate == pytest.approx(10.0)
    assert table.samples.shape == (100, model.nv) and not table.samples[:, :6].any()
    assert table.samples[13, 6 + 2] == pytest.approx(np.sin(2.0 * np.pi * 1.3 + 2.0))


def test_ranks_alone_count() -> None:
    a = np.array([0.1, 0.5, 0.2, 9.0])
    assert unlike.rank_correlation(a, a**3) == pytest.approx(1.0)
    assert unlike.rank_correlation(a, -a) == pytest.approx(-1.0)
