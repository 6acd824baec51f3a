"""Many free bodies: a wall that stands, dominoes that fall, and piles of growing size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.bench.contact import bullet, mujoco, scenes
from zoophyte.bench.contact.duel import NO_ENERGY, guarded
from zoophyte.bench.contact.ours import Ours
from zoophyte.bench.contact.sides import Effort, Reading, Side, Timer, Watch, apart, is_no_worse, race
from zoophyte.bench.harness import Quality, Row, benchmark
from zoophyte.description import Description
from zoophyte.model import ContactSettings, Model, State
from zoophyte.model import compile as compile_model
from zoophyte.zoo.blocks import box_pile, brick_wall, dominoes

DT = 0.002
AGREE_STEPS = 25
AGREE = 2e-3
"""Distance of twins after AGREE_STEPS [m]: what soft contact gives way in 50 ms."""
STANDS = 0.01
"""A wall whose bricks have all moved less has not fallen [m]."""
FALLEN = 0.7
"""A domino stands no more when the cosine of its tilt is less than this; leaning on one another they make 0.3."""


@dataclass(frozen=True)
class Scene:
    """Free boxes, and how long they are followed.

    Args:
        name: of the benchmark.
        words: what it is.
        description: the boxes.
        effort: `settle` steps before the clock starts; a batch of `steps` is timed; `standing` steps are watched.
        moving: steps that are watched before the standing ones.
        falls: whether all boxes should have fallen in the end; else none may have.
    """

    name: str
    words: str
    description: Description
    effort: Effort
    moving: int = 0
    falls: bool = False


class Crowd:
    """A scene on our side and in any peer, with MuJoCo as the ruler where it is installed.

    Args:
        scene: what to build.
        sleep: whether boxes at rest may sleep, on every side.
    """

    def __init__(self, scene: Scene, *, sleep: bool) -> None:
        self.scene, self.sleep = scene, sleep
        self.model: Model = compile_model(scene.description)
        self.habitat = scenes.ground_for(scene.description)
        self.weight = 9.81 * float(np.sum(self.model.links.mass))
        self.ruler: Any = None
        if mujoco.available():
            self.ruler = mujoco.MuJoCoRuler(mujoco.exported(scene.description, DT, self.habitat))

    def ours(self, *, tolerance: float | None = None, states: Sequence[State] | None = None) -> Ours:
        """Our side, as born or in a state.

        Args:
            tolerance: of the sweeps, if not the default.
            states: to start from.
        """
        contact = ContactSettings(surface=self.habitat.surface, sleep=self.sleep)
        contact = contact if tolerance is None else replace(contact, tolerance=tolerance)
        side = Ours([self.model], contact, DT, states=states)
        if self.ruler is not None:
            side.twins = [mujoco.Twin(self.model, self.ruler.model)]
        return side

    def peers(self) -> Iterator[tuple[str, Any]]:
        """What to say where a peer is not installed, and its side where it is."""
        theirs = None
        if self.ruler is not None:
            model = mujoco.exported(self.scene.description, DT, self.habitat)
            theirs = mujoco.MuJoCo(model, mujoco.Twin(self.model, model), sleep=self.sleep)
        yield mujoco.MISSING, theirs
        if self.ruler is None or not bullet.available():
            yield (
                (bullet.MISSING if self.ruler is not None else f"PyBullet, measured by {mujoco.MISSING}"),
                None,
            )
            return
        boxes = bullet.Bullet(self.scene.description, DT, sleep=self.sleep)
        yield bullet.MISSING, boxes
        boxes.close()

    def watched(self, side: Side) -> tuple[Quality, int]:
        """The whole life of the scene from its birth; and how many boxes lie in the end."""
        effort = self.scene.effort
        watch = Watch(side, [self.ruler], effort.stride)
        if self.scene.moving:
            watch.release(self.scene.moving)
        quality = watch.stand(effort.standing, DT)
        return quality, fallen(watch.look()[0])

    def ended_well(self, quality: Quality, down: int) -> bool:
        """Whether all lie that should, and all stand that should."""
        if self.scene.falls:
            return down == len(self.scene.description.bodies)
        return quality.creep < STANDS and down == 0


def fallen(reading: Reading) -> int:
    """How many boxes do not stand upright."""
    return int(np.sum(reading.upright < FALLEN))


def crowd_rows(scene: Scene) -> Iterator[Row]:
    """Against each peer, with everything awake, and with sleep on both sides."""
    for sleep in (False, True):
        crowd = Crowd(scene, sleep=sleep)
        workload = f"{scene.words}, dt 2 ms, {'sleep allowed' if sleep else 'all awake'}"
        own = crowd.watched(crowd.ours()) if crowd.ruler is not None else None
        for missing, peer in crowd.peers():
            if peer is None or own is None:
                yield _alone(crowd, workload, missing)
            else:
                yield _against(crowd, workload, peer, own)


BAR = "≥ 1, at smaller drift"


def _alone(crowd: Crowd, workload: str, missing: str) -> Row:
    scene = crowd.scene
    (seconds,) = race(settled_timers(crowd.ours(), scene.effort), rounds=scene.effort.rounds)
    return Row(scene.name, workload, seconds * 1e6, None, missing, "µs", None, BAR)


def _against(crowd: Crowd, workload: str, peer: Any, own: tuple[Quality, int]) -> Row:
    scene, ours = crowd.scene, crowd.ours()
    distance = apart(ours, peer, (crowd.ruler, crowd.ruler), AGREE_STEPS)
    quality, down = crowd.watched(peer)
    both = (own[0], quality)
    checked = f"from one state, boxes are at most {distance:.1e} m apart after {AGREE_STEPS} steps"
    checked += f"; lying in the end: ours {own[1]}, the peer's {down} of {len(scene.description.bodies)}"
    if not (distance <= AGREE and crowd.ended_well(*own)):
        return Row(scene.name, workload, None, None, peer.name, "µs", None, BAR, False, checked, both)
    if not crowd.ended_well(quality, down):
        checked += "; the peer's did not end as it should"
    holds = is_no_worse(*both, NO_ENERGY * crowd.weight)
    checked += "; we hold no worse" if holds else "; we hold WORSE"
    ours.restart()
    peer.restart()
    mine, theirs = race(
        settled_timers(ours, scene.effort), settled_timers(peer, scene.effort), rounds=scene.effort.rounds
    )
    return Row(scene.name, workload, mine * 1e6, theirs * 1e6, peer.name, "µs", theirs / mine, BAR,
               theirs / mine >= 1.0 and holds, checked, both)  # fmt: skip


def settled_timers(side: Side, effort: Effort) -> Sequence[Timer]:
    """Timers of a side from its settled state."""
    if effort.settle:
        side.advance(effort.settle)
    side.keep()
    return side.timers(effort.steps)


# -------------------------------------------------------------------------------------------------------------- scaling


COUNTS = (10, 30, 100, 300, 1000)
SLOPE, SLOPE_TOLERANCE = 1.0, 0.15


def scaling_rows(effort: Effort, counts: Sequence[int] = COUNTS) -> Iterator[Row]:
    """Time of a step against the number of contacts, for piles that have come to rest and stay awake.

    The bar is for equal numbers of sweeps; by default sweeps end when nothing changes, and a small pile needs fewer.
    """
    rows, contacts, times = [], [], []
    for count in counts:
        scene = Scene("contact-scaling", f"pile of {count} boxes", box_pile(count), effort)
        crowd = Crowd(scene, sleep=False)
        ours = crowd.ours()
        ended = settled_timers(ours, effort)
        whole = crowd.ours(tolerance=0.0, states=[ours.block.state()])
        fixed, usual = race(whole.timers(effort.steps), ended, rounds=effort.rounds)
        contacts.append(ours.contacts)
        times.append((fixed, usual))
        workload = f"{scene.words}, {ours.contacts:.0f} contacts, dt 2 ms"
        checked = (
            f"{whole.sweeps:.0f} sweeps; {usual * 1e6:.4g} µs when they end early, after {ours.sweeps:.0f}"
        )
        quality = (crowd.watched(ours)[0],) if crowd.ruler is not None else ()
        rows.append(
            Row(scene.name, workload, fixed * 1e6, None, "", "µs", None, checked=checked, quality=quality)
        )
    slope, other = (
        float(np.polyfit(np.log(contacts), np.log(column), 1)[0]) for column in zip(*times, strict=True)
    )
    yield Row("contact-scaling", f"piles of {counts[0]} … {counts[-1]} boxes", slope, None, "", "log–log slope", None,
              f"{SLOPE:g} ± {SLOPE_TOLERANCE:g}", abs(slope - SLOPE) <= SLOPE_TOLERANCE,
              f"time of a step of equal sweeps against contacts, all awake; slope {other:.2f} where sweeps end early",
              )  # fmt: skip
    yield from rows


# -------------------------------------------------------------------------------------------------------------- table


def wall(standing: int = 30_000, effort: Effort | None = None) -> Scene:
    """34 bricks, followed from their birth for 60 s."""
    effort = effort or Effort(rounds=10, steps=500, settle=500, standing=standing, stride=50)
    return Scene("brick-wall", "34 bricks standing", brick_wall(), effort)


def falling_dominoes(count: int = 150, moving: int = 2500, effort: Effort | None = None) -> Scene:
    """A row that falls, and then lies still for a second; the fall is timed as a whole."""
    effort = effort or Effort(rounds=3, steps=moving, settle=0, standing=500, stride=20)
    return Scene("dominoes", f"{count} dominoes falling", dominoes(count), effort, moving, falls=True)


@benchmark("brick-wall")
def brick_wall_row() -> Iterator[Row]:
    """A dry wall of 34 bricks that stands for 60 s, against MuJoCo and PyBullet."""
    yield from guarded("brick-wall", crowd_rows(wall()))


@benchmark("dominoes")
def dominoes_row() -> Iterator[Row]:
    """150 dominoes that fall one after another, against MuJoCo and PyBullet."""
    yield from guarded("dominoes", crowd_rows(falling_dominoes()))


@benchmark("contact-scaling")
def contact_scaling() -> Iterator[Row]:
    """Piles of 10 to 1000 boxes: the time of a step against the number of contacts."""
    yield from guarded(
        "contact-scaling", scaling_rows(Effort(rounds=5, steps=40, settle=1500, standing=250, stride=25))
    )
