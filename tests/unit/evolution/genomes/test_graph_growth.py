"""Growth of graph creatures: limits, cycles, placement on surfaces, mirror images (FON-52 … 57, FON-E14)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Description
from zoophyte.evolution.genomes.graph import Connection, Form, Graph, GraphGenome, Part, grow
from zoophyte.evolution.genomes.graph.genes import MOST_COPIES, Node
from zoophyte.evolution.genomes.graph.growth import LEAST_SIDE, MOST_SIDE, overlapping
from zoophyte.evolution.genomes.graph.making import random_connection, random_node
from zoophyte.evolution.genomes.graph.placement import GAP, frame_at, quaternion_of, surface_point
from zoophyte.physics import body_poses

ROUNDING = 1e-12
ALL_SHAPES = Form(shapes=("box", "sphere", "capsule"))
MIRROR = np.diag([1.0, -1.0, 1.0])


def wild(
    rng: np.random.Generator, form: Form = ALL_SHAPES
) -> tuple[tuple[Node, ...], tuple[Connection, ...]]:
    """Nodes and connections drawn without any care: cycles, loops and junk included."""
    count = int(rng.integers(1, 7))
    nodes = tuple(
        replace(random_node(form, rng), replication=int(rng.integers(1, MOST_COPIES + 1)))
        for _ in range(count)
    )
    ends = rng.integers(0, count, (int(rng.integers(0, 12)), 2))
    return nodes, tuple(random_connection(int(a), int(b), rng) for a, b in ends)


def genome_of(
    nodes: tuple[Node, ...], connections: tuple[Connection, ...], form: Form, rng: Any
) -> GraphGenome:
    brain = Graph(controller=form.controller).random(rng).brain
    return GraphGenome(form, nodes, connections, brain, 1.0)


def test_growth_ends_within_the_limits(rng: np.random.Generator) -> None:
    """Law (FON-E14): no node grows oftener than its limit, so parts ≤ the sum of limits; cycles end. Oracle: counting."""
    grown = 0
    for _ in range(300):
        nodes, connections = wild(rng)
        parts = grow(nodes, connections, ALL_SHAPES)
        grown = max(grown, len(parts))
        for n, node in enumerate(nodes):
            assert sum(part.node == n for part in parts) <= node.replication
        assert 1 <= len(parts) <= min(ALL_SHAPES.most_parts, sum(node.replication for node in nodes))
        assert all(part.parent < number for number, part in enumerate(parts))
    assert grown == ALL_SHAPES.most_parts  # some would go on for ever


def test_limits_per_path_count_ancestors(rng: np.random.Generator) -> None:
    """Law (Sims): a node occurs at most `replication` times on the way to the root. Oracle: a walk from every part."""
    form = replace(ALL_SHAPES, per_path=True)
    beyond = 0
    for _ in range(200):
        nodes, connections = wild(rng, form)
        parts = grow(nodes, connections, form)
        for number in range(len(parts)):
            path, here = [], number
            while here >= 0:
                path.append(parts[here].node)
                here = parts[here].parent
            assert all(path.count(n) <= nodes[n].replication for n in path)
        counts = [sum(part.node == n for part in parts) for n in range(len(nodes))]
        beyond += any(count > node.replication for count, node in zip(counts, nodes, strict=True))
    assert beyond > 20  # the two readings of the limit differ


def test_growth_is_breadth_first() -> None:
    """Law (FON-54): all children of a part come before any grandchild. Oracle: depths never fall."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        parts = grow(*wild(rng), ALL_SHAPES)
        depth: list[int] = []
        for part in parts:
            depth.append(0 if part.parent < 0 else depth[part.parent] + 1)
        assert depth == sorted(depth)


def test_the_same_genotype_grows_the_same_phenotype(rng: np.random.Generator) -> None:
    """Law (FON-E14): development is a function. Oracle: another genome, read from the first one's record; tolerance none."""
    for controller in ("neurons", "spectral", "sine", "oscillators"):
        breed = Graph(controller=controller)
        for _ in range(5):
            genome = breed.random(rng)
            first, second, third = (
                genome.develop(),
                genome.develop(),
                breed.restore(genome.record()).develop(),
            )
            assert first.description == second.description == third.description
            assert repr(first.controller) == repr(second.controller) == repr(third.controller)


def test_scale_multiplies_along_the_path(rng: np.random.Generator) -> None:
    """Law (FON-54): a chain of copies with scale s has sizes in the proportion s. Oracle: powers; tolerance: rounding."""
    node = replace(random_node(Form(), rng), size=(0.3, 0.4, 0.5), replication=5)
    loop = Connection(0, 0, (0.0, 0.0, 1.0), 0.0, False, 0.9, 0.25)
    parts = grow((node,), (loop,), Form())
    assert len(parts) == 5
    for k, part in enumerate(parts):
        assert part.size == pytest.approx([0.9**k * side for side in node.size], rel=ROUNDING)
        assert part.lag == pytest.approx(0.25 * k, rel=ROUNDING)
    small = grow((node,), (replace(loop, scale=0.5),), Form())[3]
    assert small.size == (LEAST_SIDE, 0.05, 0.0625)
    large = grow((node,), (replace(loop, scale=1.5),), Form())[3]
    assert large.size == pytest.approx((0.3 * 1.5**3, MOST_SIDE, MOST_SIDE), rel=ROUNDING)


def support(shape: Any, direction: np.ndarray) -> float:
    """How far a shape of a description reaches along a direction of its own frame, from its centre."""
    if shape.kind == "box":
        return float(0.5 * np.abs(direction) @ shape.size)
    along = 0.5 * shape.length * abs(direction[2]) if shape.kind == "capsule" else 0.0
    return float(shape.radius * np.linalg.norm(direction) + along)


def limbs(description: Description, parts: tuple[Part, ...]) -> Any:
    """(parent's shape and centre, child's shape, centre and rotation, joint and normal), all in the parent's shape axes."""
    model = zp.compile(description)
    R, p = body_poses(model, zp.State.neutral(model))
    index = {name: n for n, name in enumerate(model.body_names)}
    shapes = {body.name: body.shapes[0] for body in description.bodies if body.shapes}
    for number, part in enumerate(parts[1:], start=1):
        above, below = f"part{part.parent}", f"part{number}"
        a, b = index[above], index[below]
        centre = p[a] + R[a] @ shapes[above].position
        yield (
            shapes[above], shapes[below], R[a].T @ (p[b] + R[b] @ shapes[below].position - centre), R[a].T @ R[b],
            R[a].T @ (p[b] - centre), R[a].T @ R[b][:, 2],
        )  # fmt: skip


def test_surfaces_of_parent_and_child_are_a_gap_apart(rng: np.random.Generator) -> None:
    """Law (FON-55): a child touches its parent but for the gap.

    Oracle: geometry of convex bodies. The joint lies on the parent's surface, and the plane through it with the joint's z
    as normal has the whole parent below and the whole child GAP above; both reach their bounds. Tolerance: rounding.
    """
    seen = set()
    for _ in range(60):
        nodes, connections = wild(rng)
        genome = genome_of(nodes, connections, ALL_SHAPES, rng)
        for above, below, centre, turn, joint, normal in limbs(genome.develop().description, genome.parts):
            seen.add((above.kind, below.kind))
            assert normal @ joint == pytest.approx(support(above, normal), abs=ROUNDING)
            nearest = normal @ (centre - joint) - support(below, turn.T @ -normal)
            assert nearest == pytest.approx(GAP, abs=ROUNDING)
            foot = turn.T @ (
                joint + GAP * normal - centre
            )  # the child's point over the joint, in its own frame
            assert np.allclose(foot[:2], 0.0, atol=ROUNDING)
            _on_surface(above, joint)
    assert len(seen) == 9  # each shape on each


def _on_surface(shape: Any, point: np.ndarray) -> None:
    """The distance of a point to a shape's core is its radius; a box's scaled coordinates reach 1."""
    if shape.kind == "box":
        assert np.max(np.abs(point) / (0.5 * np.array(shape.size))) == pytest.approx(1.0, abs=ROUNDING)
        return
    half = 0.5 * shape.length if shape.kind == "capsule" else 0.0
    core = np.array([0.0, 0.0, np.clip(point[2], -half, half)])
    assert np.linalg.norm(point - core) == pytest.approx(shape.radius, abs=ROUNDING)


@pytest.mark.parametrize("shape", [0, 1, 2])
def test_the_link_point_lies_on_the_ray(shape: int, rng: np.random.Generator) -> None:
    """Law (FON-55): the ray from the centre along d meets the surface at p. Oracle: p ∥ d. Tolerance: rounding."""
    for d in [*np.eye(3), *-np.eye(3), *rng.standard_normal((40, 3))]:
        d = d / np.linalg.norm(d)
        point, normal = surface_point(shape, (0.3, 0.2, 0.5), tuple(d))
        assert np.linalg.norm(np.cross(point, d)) < ROUNDING < np.dot(point, d)
        assert np.dot(normal, d) > 0.0
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=ROUNDING)


def test_frames_are_rotations_about_the_normal(rng: np.random.Generator) -> None:
    """Law (FON-55): z is the normal, x is e × n turned by φ. Oracle: orthogonality, Rodrigues' formula. Rounding."""
    for n in [*np.eye(3), *-np.eye(3), *rng.standard_normal((40, 3))]:
        n = n / np.linalg.norm(n)
        turn = float(rng.uniform(-math.pi, math.pi))
        plain, turned = np.array(frame_at(tuple(n), 0.0)), np.array(frame_at(tuple(n), turn))
        assert np.allclose(turned.T @ turned, np.eye(3), atol=ROUNDING)
        assert np.linalg.det(turned) == pytest.approx(1.0, abs=ROUNDING)
        assert np.allclose(turned[:, 2], n, atol=ROUNDING)
        x = plain[:, 0]
        assert abs(x[int(np.argmin(np.abs(n)))]) < ROUNDING  # e × n has no part along e
        expected = x * math.cos(turn) + np.cross(n, x) * math.sin(turn)
        assert np.allclose(turned[:, 0], expected, atol=ROUNDING)
        w, *v = quaternion_of(frame_at(tuple(n), turn))
        skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
        assert np.allclose(np.eye(3) + 2 * w * skew + 2 * skew @ skew, turned, atol=ROUNDING)


def test_reflected_limbs_are_mirror_images_in_every_pose(rng: np.random.Generator) -> None:
    """Law: what a reflected connection grows is the mirror image, y → −y, also when its joints turn by the same angles.

    Oracle: M·R·M and M·p of the unreflected limb's poses, by the physics' own kinematics. Tolerance: rounding.
    """
    form = replace(ALL_SHAPES, self_contact=False)
    for _ in range(20):
        nodes = [replace(random_node(form, rng), freedom=1 + n % 3, replication=8) for n in range(4)]
        limb = [random_connection(0, 1, rng), random_connection(1, 2, rng), random_connection(2, 3, rng)]
        twin = replace(limb[0], reflected=not limb[0].reflected)
        parts = grow(tuple(nodes), (*limb, twin), form)
        assert [part.node for part in parts] == [0, 1, 1, 2, 2, 3, 3]
        genome = genome_of(tuple(nodes), (*limb, twin), form, rng)
        model = zp.compile(genome.develop().description)
        names = list(model.body_names)
        q = np.array(zp.State.neutral(model).q)
        dofs = {name: 7 + k for k, name in enumerate(model.dof_names[6:])}
        for k, part in enumerate(parts[1::2]):
            for axis in range(len(part.axes)):
                left, right = (_dof(2 * k + n, axis, len(part.axes)) for n in (1, 2))
                q[dofs[left]] = q[dofs[right]] = rng.uniform(-0.05, 0.05) * (1 + 20 * rng.random())
        R, p = body_poses(model, zp.State.neutral(model).at(q=q))
        for left in (1, 3, 5):
            a, b = names.index(f"part{left}"), names.index(f"part{left + 1}")
            assert np.allclose(R[b], MIRROR @ R[a] @ MIRROR, atol=ROUNDING)
            assert np.allclose(p[b], MIRROR @ p[a], atol=ROUNDING)


def _dof(part: int, axis: int, freedom: int) -> str:
    return f"part{part}" if axis == freedom - 1 else f"part{part}/{axis + 1}"


def test_a_part_and_its_parent_never_touch(rng: np.random.Generator) -> None:
    """Claim: pairs that may touch are all pairs but parents with children, whatever the number of axes. Oracle: the tree."""
    from zoophyte.model.meetings import allowed_pairs

    for _ in range(20):
        genome = genome_of(*wild(rng), Form(), rng) if rng.random() < 0.5 else Graph().random(rng)
        genome = replace(genome, form=replace(genome.form, shapes=ALL_SHAPES.shapes))
        model = zp.compile(genome.develop().description)
        found = {
            tuple(int(model.body_names[model.shapes[n].body][4:]) for n in pair)
            for pair in allowed_pairs(model)
        }
        parts = genome.parts
        count = len(parts)
        assert found == {(i, j) for j in range(count) for i in range(j) if parts[j].parent != i}


def test_overlaps_are_told_from_geometry() -> None:
    """Claim: boxes that cut each other are found, boxes apart are not. Oracle: hand-placed siblings on one face."""
    node = replace(Graph().random(np.random.default_rng(0)).nodes[0], size=(1.0, 1.0, 0.2), replication=1)
    stick = replace(node, size=(0.1, 0.1, 0.4), replication=4)

    def on_top(x: float) -> Connection:
        length = math.hypot(x, 0.1)
        return Connection(0, 1, (x / length, 0.0, 0.1 / length), 0.0, False, 1.0, 0.0)

    for distance, meets in ((0.099, True), (0.101, False)):
        nodes, connections = (node, stick), (on_top(0.2), on_top(0.2 + distance))
        assert overlapping(grow(nodes, connections, Form()), nodes) is meets
    tower = (on_top(0.0), replace(on_top(0.0), parent=1, direction=(0.0, 0.0, 1.0)))
    assert not overlapping(grow((node, stick), tower, Form()), (node, stick))
    back = (on_top(0.0), replace(on_top(0.0), parent=1, direction=(0.0, 0.0, -1.0)))
    assert overlapping(grow((node, stick), back, Form()), (node, stick))  # into its grandparent


def test_pruned_creatures_never_overlap(rng: np.random.Generator) -> None:
    """Claim: with `prune` no part lies in another that is not its parent, and what has room grows as ever.

    Oracle: `overlapping`, and growth without pruning where nothing overlaps. Tolerance: none.
    """
    pruned, cut = replace(ALL_SHAPES, prune=True), 0
    for _ in range(300):
        nodes, connections = wild(rng)
        parts, usual = grow(nodes, connections, pruned), grow(nodes, connections, ALL_SHAPES)
        assert not overlapping(parts, nodes)
        assert (parts == usual) == (not overlapping(usual, nodes))
        cut += parts != usual
    assert 30 < cut < 300  # it matters, and not always


def test_parts_that_do_not_touch_are_not_pruned(rng: np.random.Generator) -> None:
    ghosts = replace(ALL_SHAPES, self_contact=False)
    for _ in range(100):
        nodes, connections = wild(rng)
        assert grow(nodes, connections, replace(ghosts, prune=True)) == grow(nodes, connections, ghosts)
