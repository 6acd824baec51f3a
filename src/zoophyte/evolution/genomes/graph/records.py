"""Records: the genes of a creature as columns of numbers, and back, with everything checked (FON-63, FON-E13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from zoophyte.errors import FileError, brief, nearest
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import (
    FREEDOMS,
    HARMONICS,
    LAG,
    LOWER,
    MOST_CONNECTIONS,
    MOST_COPIES,
    MOST_NEURONS,
    MOST_NODES,
    RHYTHM,
    SCALE,
    SHAPES,
    SIZE,
    TEMPO,
    TURN,
    UPPER,
    Connection,
    Node,
    apart,
)
from zoophyte.evolution.genomes.nets import INDEX_LIMIT, Net, is_valid

Genes: TypeAlias = tuple[tuple[Node, ...], tuple[Connection, ...], Net | None, float]

BREED, VERSION = "graph", 1
UNIT_TOLERANCE = 1e-12
WHOLE, REAL, COMPLEX = (np.dtype(kind) for kind in (np.int64, np.float64, np.complex128))
Columns: TypeAlias = dict[str, tuple[Any, tuple[int, ...]]]
"""Type of the numbers of each column, and the shape of a row."""
NODE_COLUMNS: Columns = {
    "shapes": (WHOLE, ()), "sizes": (REAL, (3,)), "freedoms": (WHOLE, ()),
    "axes": (REAL, (FREEDOMS, 3)), "limits": (REAL, (FREEDOMS, 2)), "replications": (WHOLE, ()),
}  # fmt: skip
CONNECTION_COLUMNS: Columns = {
    "ends": (WHOLE, (2,)), "directions": (REAL, (3,)), "turns": (REAL, ()), "reflected": (WHOLE, ()),
    "scales": (REAL, ()), "lags": (REAL, ()),
}  # fmt: skip
NEURON_COLUMNS: Columns = {
    "functions": (WHOLE, ()), "sources": (WHOLE, (3,)), "weights": (REAL, (3,)), "parameters": (REAL, ()),
}  # fmt: skip
"""Of all networks one after the other, that of the first node first, the global one last."""
EFFECTOR_COLUMNS: Columns = {
    "lengths": (WHOLE, ()), "outputs": (WHOLE, (FREEDOMS,)), "gains": (REAL, (FREEDOMS,)),
}  # fmt: skip
"""Of each node's network: how many of the neurons are its own, and what drives the joint."""
BITS = INDEX_LIMIT.bit_length() - 1
SHIFTS, MASKS = np.array([2 * BITS, BITS, 0]), np.array([-1, INDEX_LIMIT - 1, INDEX_LIMIT - 1])
"""Of kind, which and index in an address that is one number."""
RHYTHM_COLUMN = (COMPLEX, (FREEDOMS, HARMONICS))
KINDS_FOR: dict[Any, str] = {WHOLE: "i", REAL: "if", COMPLEX: "ifc"}
"""Kinds of numbers that a column of a type may be given as."""


def record_of(
    nodes: Sequence[Node], connections: Sequence[Connection], brain: Net | None, tempo: float
) -> dict[str, Any]:
    """Genes as plain values."""
    table: dict[str, Any] = {
        "shapes": [node.shape for node in nodes], "sizes": [node.size for node in nodes],
        "freedoms": [node.freedom for node in nodes], "axes": [node.axes for node in nodes],
        "limits": [node.limits for node in nodes], "replications": [node.replication for node in nodes],
    }  # fmt: skip
    links: dict[str, Any] = {
        "ends": [(c.parent, c.child) for c in connections], "directions": [c.direction for c in connections],
        "turns": [c.turn for c in connections], "reflected": [int(c.reflected) for c in connections],
        "scales": [c.scale for c in connections], "lags": [c.lag for c in connections],
    }  # fmt: skip
    record: dict[str, Any] = {
        "breed": BREED,
        "version": VERSION,
        "nodes": {key: _array(table[key], *NODE_COLUMNS[key]) for key in NODE_COLUMNS},
        "connections": {key: _array(links[key], *CONNECTION_COLUMNS[key]) for key in CONNECTION_COLUMNS},
    }
    if brain is None:
        return {**record, "rhythms": _array([node.rhythm for node in nodes], *RHYTHM_COLUMN), "tempo": tempo}
    local = [node.net for node in nodes if node.net is not None]
    neurons: dict[str, Any] = {
        key: np.concatenate([getattr(net, key) for net in (*local, brain)]) for key in NEURON_COLUMNS
    }
    effectors = {
        "lengths": np.array([len(net) for net in local], np.int64),
        "outputs": _coded(np.array([net.outputs for net in local])),
        "gains": np.array([net.gains for net in local]),
    }
    return {**record, "neurons": {**neurons, "sources": _coded(neurons["sources"])}, "effectors": effectors}


def _array(values: Any, kind: Any, shape: tuple[int, ...]) -> Any:
    return np.array(values, kind).reshape((len(values), *shape))


def _coded(addresses: Any) -> Any:
    """Addresses (kind, which, index) as one number each."""
    return (addresses[..., 0] * INDEX_LIMIT + addresses[..., 1]) * INDEX_LIMIT + addresses[..., 2]


def _addresses(coded: Any) -> Any:
    return coded[..., None] >> SHIFTS & MASKS


def genes_of(record: Any, form: Form) -> Genes:
    """The genes that a record holds.

    Args:
        record: as `record_of` made it; lists in place of arrays will do.
        form: of the breed that is to read it.

    Raises:
        FileError: says what is wrong with it.
    """
    if not isinstance(record, dict) or record.get("breed") != BREED:
        raise FileError(f"a record of a graph genome is needed, and {brief(record)} is none.")
    if record.get("version") != VERSION:
        raise FileError(
            f"a graph genome of version {brief(record.get('version'))} cannot be read; this is version {VERSION}."
        )
    control = ("neurons", "effectors") if form.thinks else ("rhythms", "tempo")
    wanted = {"breed", "version", "nodes", "connections", *control}
    if record.keys() != wanted:
        for key in sorted(wanted - set(record)):
            how = f"Controller {form.controller!r} needs it." if key in control else ""
            raise _damaged(f"{key!r} is missing. {how}")
        for key in sorted(set(record) - wanted, key=str):
            raise _damaged(f"{brief(key)} is unknown. {nearest(str(key), wanted)}")
    table = _columns(record["nodes"], NODE_COLUMNS, "nodes")
    count = len(table["shapes"])
    nets, brain, sound = _nets(record, count) if form.thinks else ([None] * count, None, False)
    rhythms = [()] * count if form.thinks else _rhythms(record["rhythms"], count)
    rows = zip(*(table[key].tolist() for key in NODE_COLUMNS), nets, rhythms, strict=True)
    nodes = tuple(
        Node(shape, tuple(size), freedom, _nested(axes), _nested(limits), copies, net, beat)
        for shape, size, freedom, axes, limits, copies, net, beat in rows
    )
    tempo = 1.0 if form.thinks else record["tempo"]
    genes = (nodes, _connections(record["connections"]), brain, tempo)
    if found := faults(*genes, form, sound=sound):
        raise _damaged(_endless(record) or found[0])
    return genes


def _damaged(what: str) -> FileError:
    return FileError(f"a graph genome is damaged: {what}".rstrip())


def _connections(given: Any) -> tuple[Connection, ...]:
    links = _columns(given, CONNECTION_COLUMNS, "connections")
    if not set(links["reflected"].tolist()) <= {0, 1}:
        raise _damaged("connections.reflected holds something else than 0 and 1.")
    rows = zip(*(links[key].tolist() for key in CONNECTION_COLUMNS), strict=True)
    return tuple(
        Connection(parent, child, tuple(direction), turn, bool(reflected), scale, lag)
        for (parent, child), direction, turn, reflected, scale, lag in rows
    )


def _rhythms(given: Any, count: int) -> list[Any]:
    column = _column(given, *RHYTHM_COLUMN, "rhythms").tolist()
    if len(column) != count:
        raise _damaged(f"there are {len(column)} rhythms for {count} nodes.")
    return [_nested(node) for node in column]


def _nets(record: dict[str, Any], count: int) -> tuple[list[Any], Net, bool]:
    """Local networks and the global one, cut out of the columns, and whether these hold what networks may hold."""
    neurons = _columns(record["neurons"], NEURON_COLUMNS, "neurons")
    effectors = _columns(record["effectors"], EFFECTOR_COLUMNS, "effectors")
    lengths = effectors["lengths"].tolist()
    total = len(neurons["functions"])
    if len(lengths) != count or any(length < 1 for length in lengths) or sum(lengths) >= total:
        raise _damaged(f"networks of {lengths} neurons do not fit {count} nodes and {total} neurons.")
    whole = Net(
        neurons["functions"].copy(), _addresses(neurons["sources"]), neurons["weights"].copy(),
        neurons["parameters"].copy(), _addresses(effectors["outputs"]).reshape(-1, 3), effectors["gains"].flatten(),
    )  # fmt: skip
    nets, start, drive = [], 0, 0
    for length in (*lengths, total - sum(lengths)):
        own, driven = (
            slice(start, start + length),
            slice(drive, drive + FREEDOMS),
        )  # the global one drives nothing
        nets.append(
            Net(
                whole.functions[own], whole.sources[own], whole.weights[own], whole.parameters[own],
                whole.outputs[driven], whole.gains[driven],
            )
        )  # fmt: skip
        start, drive = own.stop, driven.stop
    return nets[:-1], nets[-1], is_valid(whole)


def _nested(rows: Any) -> Any:
    return tuple(map(tuple, rows))


def _columns(given: Any, columns: dict[str, Any], name: str) -> dict[str, Any]:
    if not isinstance(given, dict) or given.keys() != columns.keys():
        raise _damaged(f"{name} is {brief(given)}, must have {', '.join(columns)}.")
    found = {}
    for key, (kind, shape) in columns.items():
        column = given[key]
        found[key] = (
            column if _is_column(column, kind, shape) else _column(column, kind, shape, f"{name}.{key}")
        )
    lengths = set(map(len, found.values()))
    if len(lengths) > 1:
        raise _damaged(f"columns of {name} have {sorted(lengths)} rows.")
    return found


def _is_column(given: Any, kind: Any, shape: tuple[int, ...]) -> bool:
    return (
        isinstance(given, np.ndarray)
        and given.dtype == kind
        and given.ndim == 1 + len(shape)
        and given.shape[1:] == shape
    )


def _column(given: Any, kind: Any, shape: tuple[int, ...], name: str) -> Any:
    """A column as an array of its type, where it is none yet."""
    try:
        return _of_kind(np.asarray(given), kind, shape).astype(kind)
    except (ValueError, TypeError, OverflowError):
        kinds = f"{kind} in the shape {('n', *shape)}"
        raise _damaged(f"{name} is {brief(given)}, must hold {kinds}.") from None


def _endless(record: dict[str, Any]) -> str:
    """Which column holds a number that is not finite, in words; no gene's range does, so only faulty ones are asked."""
    tables = {"nodes": NODE_COLUMNS, "neurons": NEURON_COLUMNS, "effectors": EFFECTOR_COLUMNS}
    named = {
        f"{name}.{key}": record[name][key]
        for name, columns in (tables | {"connections": CONNECTION_COLUMNS}).items()
        for key in (columns if name in record else ())
    }
    for name, column in {**named, "rhythms": record.get("rhythms", ())}.items():
        if not np.isfinite(column).all():
            return f"{name} holds a number that is not finite."
    return ""


def _of_kind(array: Any, kind: Any, shape: tuple[int, ...]) -> Any:
    """A column that is not of the type itself: of one that it can hold, or empty."""
    if array.size == 0 and len(array) == 0:
        array = array.reshape((0, *shape))
    same = array.dtype.kind in KINDS_FOR[kind] or array.size == 0
    if not same or array.shape[1:] != shape or array.ndim != 1 + len(shape):
        raise ValueError
    return array


# What a valid genome is.


def faults(
    nodes: Sequence[Node], connections: Sequence[Connection], brain: Net | None, tempo: Any, form: Form, *,
    sound: bool = False,
) -> list[str]:  # fmt: skip
    """What a valid genome does not have, in words.

    Args (beside the genes, and the form of their breed):
        sound: whether all networks are known to hold nothing that none may hold.
    """
    holds = (
        1 <= len(nodes) <= MOST_NODES,
        len(connections) <= MOST_CONNECTIONS,
        _net_fits(brain, 0, form, sound),
        isinstance(tempo, float) and TEMPO[0] <= tempo <= TEMPO[1],
    )
    found = []
    if not all(holds):
        words = (
            ("number of nodes", len(nodes), f"1 to {MOST_NODES}"),
            ("number of connections", len(connections), f"{MOST_CONNECTIONS} at most"),
            ("global network", brain, f"1 to {MOST_NEURONS} neurons, none for a rhythm"),
            ("tempo", tempo, f"from {TEMPO[0]} to {TEMPO[1]}"),
        )
        found = _told(holds, words)
    shapes = [SHAPES.index(name) for name in form.shapes]
    for number, node in enumerate(nodes):
        for fault in _node_faults(node, form, shapes, sound):
            found.append(f"node {number}: {fault}")
    for number, c in enumerate(connections):
        for fault in _connection_faults(c, len(nodes)):
            found.append(f"connection {number}: {fault}")
    return found


def _told(holds: Sequence[bool], words: Sequence[tuple[str, Any, str]]) -> list[str]:
    """Words (of what, given, wanted) for checks that do not hold."""
    checks = zip(holds, words, strict=True)
    return [
        f"{what} is {brief(given)}, must be {wanted}." for held, (what, given, wanted) in checks if not held
    ]


def _node_faults(node: Node, form: Form, shapes: Sequence[int], sound: bool) -> list[str]:
    beats = [x for axis in node.rhythm for z in axis for x in (z.real, z.imag)]
    (x, y, z), (a, b, c) = node.size, node.axes
    holds = (
        node.shape in shapes,
        _within(x, SIZE) and _within(y, SIZE) and _within(z, SIZE),
        1 <= node.freedom <= FREEDOMS,
        _is_unit(a) and _is_unit(b) and _is_unit(c) and apart(a, b) and apart(b, c) and apart(c, a),
        all(LOWER[0] <= low <= LOWER[1] and UPPER[0] <= high <= UPPER[1] for low, high in node.limits),
        1 <= node.replication <= MOST_COPIES,
        _net_fits(node.net, FREEDOMS, form, sound),
        bool(beats) != form.thinks and all(_within(x, RHYTHM) for x in beats),
    )
    if all(holds):  # nearly always: no words are made
        return []
    words = (
        ("shape", node.shape, f"one of {shapes}"),
        ("size", node.size, f"within {SIZE}"),
        ("freedom", node.freedom, f"1 to {FREEDOMS}"),
        ("axes", node.axes, "unit vectors more than 30° apart"),
        ("limits", node.limits, f"within {LOWER} and {UPPER}"),
        ("replication", node.replication, f"1 to {MOST_COPIES}"),
        ("local network", node.net, f"1 to {MOST_NEURONS} neurons, none for a rhythm"),
        ("rhythm", node.rhythm, f"within {RHYTHM}, and empty for neurons"),
    )
    return _told(holds, words)


def _net_fits(net: Net | None, effectors: int, form: Form, sound: bool) -> bool:
    if net is None:
        return not form.thinks
    sized = len(net) <= MOST_NEURONS and len(net.gains) == effectors
    return form.thinks and sized and (sound or is_valid(net))


def _connection_faults(c: Connection, count: int) -> list[str]:
    holds = (
        0 <= c.parent < count and 0 <= c.child < count,
        _is_unit(c.direction),
        _within(c.turn, TURN),
        _within(c.scale, SCALE),
        _within(c.lag, LAG),
    )
    if all(holds):
        return []
    words = (
        ("what it joins", (c.parent, c.child), f"nodes below {count}"),
        ("direction", c.direction, "a unit vector"),
        ("turn", c.turn, f"within {TURN}"),
        ("scale", c.scale, f"within {SCALE}"),
        ("lag", c.lag, f"within {LAG}"),
    )
    return _told(holds, words)


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _is_unit(v: Sequence[float]) -> bool:
    return math.isclose(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1.0, rel_tol=UNIT_TOLERANCE)
