"""The niches of MAP-Elites: coverage and QD-score, compared with pyribs, and the map of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from toys import Near, Toys
from zoophyte.evolution.populations.archive import Archive, archive_of
from zoophyte.evolution.populations.elites import Elites
from zoophyte.evolution.populations.schemes import Moment
from zoophyte.evolution.protocols import Individual, Score
from zoophyte.evolution.report.heat import heat_map

AXES = [["left", -0.5, 1.5], ["up", 0.0, 4.0]]


def individual(number: int, fitness: float, left: float, up: float) -> Individual:
    return Individual(number, 0, None, score=Score(fitness, descriptors={"left": left, "up": up}))


def filled(count: int, bins: int, seed: int = 1) -> tuple[Archive, list[Individual]]:
    """An archive as the scheme fills it, generation by generation, and everyone who was offered to it."""
    rng = np.random.default_rng(seed)
    everyone = [
        individual(
            n,
            round(float(rng.exponential(2.0)) * 64.0) / 64.0,
            float(rng.normal(0.5, 0.8)),
            float(rng.normal(2.0, 1.5)),
        )
        for n in range(count)
    ]  # fitness in 64ths, so that sums in any order are exact
    scheme, members = Elites(4, bins=bins), ()
    for first in range(0, count, 50):
        moment = Moment(1, 0.0, Toys(), tuple(members), {"axes": AXES})
        members = tuple(scheme.select(moment, everyone[first : first + 50], rng).members)
    return archive_of(AXES, bins, [(one.place, one.number, one.fitness) for one in members]), everyone


@pytest.mark.parametrize(("bins", "offset"), [(4, 0.0), (16, 0.0), (16, -1.5), (25, 0.25)])
def test_coverage_and_score_are_those_of_pyribs(bins: int, offset: float) -> None:
    """Claim: the same creatures in the same grid give pyribs the same elites, coverage and QD-score. Exact."""
    archives = pytest.importorskip("ribs.archives")
    made, everyone = filled(600, bins)
    theirs = archives.GridArchive(
        solution_dim=1, dims=[bins, bins], ranges=[(low, high) for _, low, high in AXES], qd_score_offset=offset,
        dtype=np.float64,
    )  # fmt: skip
    theirs.add(
        np.array([[float(one.number)] for one in everyone]), np.array([one.fitness for one in everyone]),
        np.array([list((one.score or Score(0.0)).descriptors.values()) for one in everyone]),
    )  # fmt: skip
    assert len(made) == theirs.stats.num_elites
    assert made.coverage == theirs.stats.coverage
    assert made.qd_score_above(offset) == theirs.stats.qd_score
    data = theirs.data()
    told = sorted(
        zip(
            data["index"].tolist(),
            data["solution"][:, 0].astype(int).tolist(),
            data["objective"].tolist(),
            strict=True,
        )
    )
    assert [(elite.niche, elite.number, elite.fitness) for elite in made.elites] == told


def test_a_run_of_elites_knows_its_archive() -> None:
    run = zp.evolve(
        Near(),
        genome=Toys(),
        population=12,
        generations=3,
        scheme="elites",
        workers=1,
        scheme_settings={"bins": 8},
    )
    archive = run.archive
    assert archive is not None and archive.bins == 8 and len(archive) == len(run.survivors())
    assert archive.coverage == len(archive) / archive.niches
    assert archive.qd_score == pytest.approx(sum(one.fitness for one in run.survivors()), rel=1e-12)
    assert "niches, QD-score" in repr(archive) and len(repr(archive)) < 120
    other = zp.evolve(Near(), genome=Toys(), population=4, generations=1, workers=1)
    assert other.archive is None


def test_the_map_shows_every_elite_where_it_is() -> None:
    made = archive_of(AXES, 4, [(0, 7, 1.0), (6, 8, 3.0)])
    text = heat_map(made, "m")
    cells = re.findall(
        r'<rect class="f1" x="([\d.]+)" y="([\d.]+)" [^>]+fill-opacity="([\d.]+)"><title>([^<]+)<', text
    )
    assert [(float(x) - 74.0, float(y) - 12.0, title.replace("\u00a0", " ")) for x, y, _, title in cells] == [
        (0.0, 315.0, "individual 7: 1.000 m, left −0.5 to 0, up 0 to 1"),
        (105.0, 105.0, "individual 8: 3.000 m, left 0 to 0.5, up 2 to 3"),
    ]
    assert float(cells[0][2]) < float(cells[1][2]) == 1.0
    assert np.nanmax(made.grid()) == made.grid()[1, 2] == 3.0


def test_of_more_axes_the_best_is_shown_and_one_axis_is_a_strip() -> None:
    three = archive_of([*AXES, ["deep", 0.0, 1.0]], 2, [(0, 1, 1.0), (1, 2, 5.0)])
    assert [(column, row, elite.number) for column, row, elite in three.plane()] == [(0, 0, 2)]
    assert heat_map(archive_of(AXES[:1], 8, [(3, 1, 0.0)])).count("<title>") == 1


def test_axes_of_the_map_have_units() -> None:
    text = heat_map(archive_of(AXES, 2, [(0, 1, 1.0)]), "m", {"left": "kg"})
    assert ">left [kg]</text>" in text and ">up</text>" in text and "left −0.5 to 0.5 kg" in text


def test_a_niche_outside_of_the_grid_is_refused() -> None:
    with pytest.raises(zp.UsageError, match="individual 3 is in niche 16, and there are 16"):
        archive_of(AXES, 4, [(16, 3, 1.0)])


def test_names_that_a_task_does_not_describe_are_refused_before_anybody_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A wrong descriptor was told when the whole first generation had been judged, and left a run that could not go on."""

    def refuse(*_: Any) -> None:
        raise AssertionError("somebody lived")

    monkeypatch.setattr("zoophyte.evolution.run.evolving._work", refuse)
    for scheme in ("elites", "novelty"):
        with pytest.raises(zp.UsageError, match=r"descriptor 'hight' is unknown.*Did you mean 'height'"):
            zp.evolve("walk", population=4, scheme=scheme, scheme_settings={"descriptors": ["hight"]})


def test_words_of_lives_and_creatures_fit_a_screen() -> None:
    """Python printed a trial, an individual or a genome as all of its numbers: ten thousand lines for some."""
    from zoophyte import zoo
    from zoophyte.evolution.registry import breed
    from zoophyte.evolution.tasks import make_task

    breeds = [
        breed("limbed"),
        breed("limbed", controller="neurons"),
        breed("graph"),
        breed("tune", body=zoo.ant()),
    ]
    for made in breeds:
        genome = made.random(np.random.default_rng(3))
        grown = genome.develop()
        trial = make_task("walk").trials(grown, 0.0, np.random.default_rng(0))[0]
        score = Score(1.25, "cheated", "energy " * 200, {f"number{n}": n / 3.0 for n in range(40)})
        one = Individual(7, 1, genome, (3, 4), "mutation", score=score)
        for thing in (genome, grown, trial, score, one, replace(one, score=None)):
            text = repr(thing)
            assert type(thing).__name__ in text and len(text) < 250 and "\n" not in text, text
