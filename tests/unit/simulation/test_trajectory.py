"""Trajectories: shapes, frames, channels, statuses and pictures."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Joint, Sphere
from zoophyte.errors import UsageError
from zoophyte.simulation.axes import axis, finite_pieces, round_step, thinned
from zoophyte.simulation.channels import coordinate_names, velocity_names
from zoophyte.simulation.plot import Line, Panel, draw, life_tags
from zoophyte.simulation.status import Status
from zoophyte.simulation.trajectory import Trajectory

SVG = "{http://www.w3.org/2000/svg}"


def made(name: str = "pair", count: int = 5, **changes: Any) -> Trajectory:
    """A life that never was: a free body and a ball joint on it, with made-up numbers."""
    description = zp.Description(
        name=name,
        bodies=[
            Body(name="root", joint=Joint(kind="free"), shapes=[Sphere(radius=0.1)]),
            Body(name="arm", parent="root", joint=Joint(kind="ball"), shapes=[Sphere(radius=0.1)]),
            Body(name="slider", parent="arm", joint=Joint(kind="slide"), shapes=[Sphere(radius=0.1)]),
        ],
    )
    model = zp.compile(description)
    q = np.tile(model.q_initial, (count, 1))
    q[:, 4] = np.arange(count)
    v = np.arange(count * model.nv, dtype=float).reshape(count, model.nv)
    times = 0.5 * np.arange(count)
    fields: dict[str, Any] = {
        "times": times, "q": q, "v": v,
        "channels": {"energy": times**2, "com": np.stack([times, 2 * times, 3 * times], axis=1)},
        "status": Status("ended", times[-1] if count else 0.0),
        "final": zp.State.neutral(model).at(q[-1] if count else None, v[-1] if count else None),
        "description": description, "dt": 0.5, "integrator": "rk4",
    }  # fmt: skip
    return Trajectory(**{**fields, **changes})


def test_it_tells_what_it_is() -> None:
    life = made()
    assert len(life) == 5
    assert repr(life) == "Trajectory('pair': 5 states from 0 to 2 s, rk4 with dt 0.5 s, ended at 2 s)"
    assert life.version == zp.__version__
    assert life.gravity == (0.0, 0.0, -9.81)


def test_arrays_cannot_be_written_to_but_the_givers_can() -> None:
    given = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    life = made(times=given)
    for array in (life.times, life.q, life.v, life.channels["energy"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    given[0] = -1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        life.dt = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"q": np.zeros((5, 3))}, r"q has shape \(5, 3\), must be \(5, 12\)"),
        ({"v": np.zeros((4, 10))}, r"v has shape \(4, 10\), must have 5 rows"),
        ({"times": np.array([0.0, 1.0, 1.0, 2.0, 3.0])}, "each larger than the one before"),
        ({"times": np.array([0.0, 1.0, np.inf, np.inf, np.inf])}, "not finite in row 2"),
        ({"channels": {"energy": np.zeros(4)}}, r"channel 'energy' has shape \(4,\), must have 5 rows"),
        ({"channels": {"energy": np.zeros((5, 2, 2))}}, "must have 5 rows"),
        ({"channels": {"e": np.array([0, 1, np.nan, 3, 4])}}, "channel 'e' holds a value .* in row 2"),
        ({"v": np.full((5, 10), np.nan)}, "v holds a value that is not finite in row 0"),
        ({"final": zp.State(np.zeros(2), np.zeros(10))}, r"final.q has shape \(2,\), must be \(12,\)"),
        ({"final": zp.State(np.full(12, np.nan), np.zeros(10))}, "final.q holds a value that is not finite"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        made(**changes)


def test_an_empty_life_is_refused() -> None:
    with pytest.raises(UsageError, match="one or more finite numbers"):
        made(count=0)


def test_a_life_that_diverged_may_hold_what_is_not_finite() -> None:
    life = made(v=np.full((5, 10), np.inf), status=Status("diverged", 1.0, "arm", "too fast"))
    assert not life.status.is_sound
    assert np.isinf(life.v).all()


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status("ended", 10.0), "ended at 10 s"),
        (Status("diverged", 0.153, "shin", "too fast"), "diverged at 0.153 s in body 'shin': too fast"),
        (Status("overflowed", 1e-9), "overflowed at 1e-09 s"),
    ],
)  # fmt: skip
def test_a_status_reads_as_a_sentence(status: Status, text: str) -> None:
    assert str(status) == text


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(
        UsageError,
        match=r"'divergd' is unknown. Known: ended, diverged, overflowed, .*, cheated. Did you mean 'diverged'\?",
    ):
        Status("divergd", 0.0)


def test_frames_are_states() -> None:
    life = made()
    state = life.frame(2)
    assert state.time == 1.0
    assert (state.q == life.q[2]).all()
    assert (state.v == life.v[2]).all()
    assert (life.frame(-1).q == life.q[4]).all()
    state.q[0] = 0.5  # a copy, free to be changed
    assert life.q[2, 0] == 1.0
    assert life.frame(2).checked(life.model) is not None


@pytest.mark.parametrize("index", [5, -6])
def test_a_frame_out_of_range_is_refused(index: int) -> None:
    with pytest.raises(UsageError, match=rf"frame {index} is out of range; there are 5 \(0 to 4\)"):
        made().frame(index)


@pytest.mark.parametrize(("time", "expected"), [(0.0, 0.0), (0.74, 0.5), (0.76, 1.0), (2.0, 2.0), (2.2, 2.0)])
def test_at_gives_the_nearest_frame(time: float, expected: float) -> None:
    assert made().at(time).time == expected


@pytest.mark.parametrize("time", [-0.3, 2.3, float("nan")])
def test_a_time_outside_the_life_is_refused(time: float) -> None:
    with pytest.raises(UsageError, match="lies outside of the life, which was recorded from 0 to 2 s"):
        made().at(time)


def test_names_of_coordinates_and_velocities_match_the_model() -> None:
    for name in zp.zoo.names():
        description = zp.zoo.get(name)
        model = zp.compile(description)
        assert [found for found, _ in velocity_names(description)] == list(model.dof_names)
        assert len(coordinate_names(description)) == model.nq


def test_channels_are_found_by_name() -> None:
    life = made()
    assert (life.channel("energy") == life.times**2).all()
    assert life.channel("com").shape == (5, 3)
    assert (life.channel("com.z") == 3 * life.times).all()
    assert (life.channel("q:root.x") == life.q[:, 4]).all()
    assert (life.channel("q:arm.qw") == life.q[:, 7]).all()
    assert (life.channel("v:slider") == life.v[:, 9]).all()
    assert (life.channel("v:root.turn_y") == life.v[:, 1]).all()
    assert (life.channel("q:arm") == life.q[:, 7:11]).all()
    assert (life.channel("v:root") == life.v[:, :6]).all()
    assert life.channel("position:arm").shape == (5, 3)
    assert life.channel("x:arm") == pytest.approx(np.arange(5.0))
    assert life.channel("height:slider") == pytest.approx(np.zeros(5))


def test_every_listed_channel_can_be_read() -> None:
    life = made()
    for name in life.channel_names():
        assert life.channel(name).shape[0] == len(life)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("enrgy", "energy"),
        ("q:slidr", "q:slider"),
        ("com.w", "com."),
        ("hight:arm", "height:arm"),
        ("q:amr", "q:arm.q"),
    ],
)
def test_an_unknown_channel_gets_the_nearest_one(name: str, nearest: str) -> None:
    with pytest.raises(
        UsageError, match=rf"pair: there is no channel '{name}'. Known: energy, .*Did you mean '{nearest}"
    ):
        made().channel(name)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_a_plot_is_a_readable_picture() -> None:
    figure = made().plot("energy")
    shown = texts(figure.svg)
    assert {"pair", "time [s]", "energy [J]", "0", "0.5", "2.0"} <= set(shown)
    assert figure._repr_svg_() == figure.svg
    assert len(ET.fromstring(figure.svg).findall(f"{SVG}path[@class='line']")) == 1


def test_channels_of_different_units_get_panels_of_their_own() -> None:
    root = ET.fromstring(made().plot(["energy", "com", "v:slider"]).svg)
    assert len(root.findall(f"{SVG}rect[@class='frame']")) == 3
    labels = texts(made().plot(["energy", "com", "v:slider"]).svg)
    assert {"energy [J]", "com [m]", "v:slider [m/s]", "com.x", "com.y", "com.z"} <= set(labels)


def test_compared_lives_are_told_apart() -> None:
    first, second, third = made(), made(integrator="ros2"), made(name="other")
    assert life_tags([first]) == [""]
    assert life_tags([first, second]) == ["rk4", "ros2"]
    assert life_tags([first, third]) == ["pair", "other"]
    assert life_tags([first, made()]) == ["#1", "#2"]
    assert life_tags([first, made(gravity=(0, 3, 4))]) == ["gravity 9.81 m/s²", "gravity 5 m/s²"]
    assert life_tags([first, made(dt=0.25)]) == ["dt 0.5 s", "dt 0.25 s"]
    assert {"energy · rk4", "energy · ros2"} <= set(texts(first.plot("energy", compare=[second]).svg))


def test_names_cannot_become_markup() -> None:
    name = "<script>alert('&\"')</script>]]>"
    life = made(name=name)
    figure = life.plot("energy", compare=[made(name=name + "2")])
    root = ET.fromstring(figure.svg)
    assert "<script" not in figure.svg
    assert not any(element.tag.endswith("script") for element in root.iter())
    assert root.find(f"{SVG}title").text == name  # type: ignore[union-attr]


def test_a_plot_is_saved_only_as_svg(tmp_path: Any) -> None:
    life = made()
    figure = life.plot("energy", path=tmp_path / "energy.svg")
    assert (tmp_path / "energy.svg").read_text(encoding="utf-8") == figure.svg
    with pytest.raises(UsageError, match=r"written as SVG only; end the name with '.svg'"):
        figure.save(tmp_path / "energy.png")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "no channel is named"),
        (["energy"] * 401, "401 lines are asked for"),
        ("enrgy", "Did you mean 'energy'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(names: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        made().plot(names)


@pytest.mark.parametrize(
    "values",
    [
        [0.0, 0.0, 0.0], [1e300, -1e300, 0.0], [np.nan, np.nan, np.nan], [1.0, np.inf, 2.0],
        [np.nan, 3.0, np.nan], [1e-320, 0.0, 1e-320], [5.0, 5.0 + 1e-15, 5.0],
        [-1.4715, -1.4715 + 1e-9, -1.4715 - 1e-9],
    ],
)  # fmt: skip
def test_any_values_give_well_formed_pictures_inside_the_frame(values: list[float]) -> None:
    times = np.array([0.0, 1.0, 2.0])
    svg = draw([Panel("x", (Line("x", times, np.array(values)),))], title="t", x_label="time [s]").svg
    root = ET.fromstring(svg)
    assert "nan" not in svg.replace("DejaVu Sans", "") and "inf" not in svg.replace("no finite", "")
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for path in root.iter(f"{SVG}path"):
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d", "")):
            assert 0 <= float(x) <= width and 0 <= float(y) <= height


def test_a_life_of_one_frame_is_drawn_as_a_dot() -> None:
    root = ET.fromstring(made(count=1).plot("energy").svg)
    assert len(root.findall(f"{SVG}circle")) == 1


@pytest.mark.parametrize(
    ("step", "expected"),
    [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (2.1, 5.0), (5.1, 10.0), (0.03, 0.05), (3e-9, 5e-9)],
)
def test_steps_between_ticks_are_round(step: float, expected: float) -> None:
    assert round_step(step) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "labels", "note"),
    [
        (0.0, 1.0, ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"), ""),
        (-0.3, 0.3, ("−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3"), ""),
        (0.0, 6e-6, ("0", "1", "2", "3", "4", "5", "6"), "×10⁻⁶"),
        (0.0, 3e7, ("0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"), "×10⁷"),
        (100.0, 100.03, ("−0.015", "−0.010", "−0.005", "0.000", "0.005", "0.010", "0.015"), "+ 100.015"),
    ],
)
def test_ticks_are_written_briefly(low: float, high: float, labels: tuple[str, ...], note: str) -> None:
    found = axis(low, high, padded=False)
    assert (found.labels, found.note) == (labels, note)
    assert all(low - 1e-9 * abs(low) <= tick <= high * (1 + 1e-9) for tick in found.ticks)


def test_thinning_keeps_every_peak(rng: np.random.Generator) -> None:
    x = np.linspace(0.0, 1.0, 100_000)
    y = rng.normal(size=len(x))
    thin_x, thin_y = thinned(x, y, 700)
    assert len(thin_x) <= 4 * 700 + 2
    assert (thin_y.min(), thin_y.max()) == (y.min(), y.max())
    assert (thin_x[0], thin_x[-1]) == (x[0], x[-1])
    assert (np.diff(thin_x) > 0).all()


def test_lines_break_where_values_are_not_finite() -> None:
    x = np.arange(7.0)
    y = np.array([np.nan, 1.0, 2.0, np.inf, 3.0, np.nan, np.nan])
    pieces = finite_pieces(x, y)
    assert [part[1].tolist() for part in pieces] == [[1.0, 2.0], [3.0]]
