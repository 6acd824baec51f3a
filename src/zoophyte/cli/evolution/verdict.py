"""Verdict: what is told of a run beside its fitness: whether its champion is honest, and how many niches are held."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from zoophyte.cli.output import progress_of
from zoophyte.errors import ZoophyteError, own_place, told
from zoophyte.evolution.report.curves import measured

if TYPE_CHECKING:
    from zoophyte.evolution.populations.archive import Archive
    from zoophyte.evolution.report.data import Audited
    from zoophyte.evolution.run import Run


def audited_champion(run: Run) -> Audited | str:
    """The champion lived again in other ways; or why it could not be.

    Args:
        run: that has a champion.
    """
    from zoophyte.evolution.audit import audit_all

    try:
        with progress_of("living the champion again, with half the step and elsewhere") as progress:
            if progress is not None:
                progress(0.0)
            (found,) = audit_all(
                [run.best()],
                run.task,
                stage=run.stage,
                seed=run.configuration["seed"],
                precision=run.precision,
            )
    except ZoophyteError as problem:
        return str(problem)
    except Exception as failure:
        if not own_place(failure):
            raise
        return told(failure)
    return found


def as_facts(audit: Audited | str | None, archive: Archive | None, unit: str) -> list[tuple[str, str]]:
    """The lines that tell of both, as names and values.

    Args:
        audit: of the champion; why there is none; None where nobody asked.
        archive: of the run, if it has niches.
        unit: of fitness.
    """
    facts = []
    if archive is not None:
        names = " × ".join(name for name, _, _ in archive.axes)
        held = f"{len(archive)} of {archive.niches} niches ({100.0 * archive.coverage:.3g} %)"
        facts.append(("elites", f"{held} of {names}, QD-score {measured(archive.qd_score, unit)}"))
    if isinstance(audit, str):
        facts.append(("audit", f"none: {audit}"))
    elif audit is not None:
        verdict = "EXPLOIT, it lives on an error of the simulation" if audit.is_exploit else "holds"
        facts.append(("audit", f"{verdict}: {'; '.join(_figures(audit))}"))
        if audit.note:
            facts.append(("", audit.note))
    return facts


def _figures(audit: Audited) -> list[str]:
    """What the champion reached, simulation by simulation."""
    named = (
        ("in the run", audit.at_step), ("with half the step", audit.at_half_step), ("in a World", audit.in_world),
        ("in MuJoCo", audit.in_mujoco),
    )  # fmt: skip
    return [f"{measured(value, audit.unit)} {name}" for name, value in named if value is not None]


def as_json(audit: Audited | str | None, archive: Archive | None) -> dict[str, Any]:
    """Both as plain values."""
    found: dict[str, Any] = {}
    if isinstance(audit, str):
        found["audit"] = {"reason": audit}
    elif audit is not None:
        found["audit"] = {**asdict(audit), "verdict": "exploit" if audit.is_exploit else "holds"}
    if archive is not None:
        found["archive"] = {
            "axes": [{"descriptor": name, "low": low, "high": high} for name, low, high in archive.axes],
            "bins": archive.bins, "elites": len(archive), "coverage": archive.coverage, "qd_score": archive.qd_score,
            "qd_offset": 0.0,
        }  # fmt: skip
    return found
