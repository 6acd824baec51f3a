"""The scenes of the contact benchmarks, where the zoo's bodies are not already them."""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path

from zoophyte import zoo
from zoophyte.bench.peers_models import mujoco_humanoid_path
from zoophyte.control import Sine
from zoophyte.description import Description, Servo, Surface, load
from zoophyte.simulation import Habitat

LEGS = 4


def ground_for(description: Description) -> Habitat:
    """A plane with the body's own friction, so that all rules of mixing agree on it."""
    friction = description.surface.friction if description.surface is not None else 1.0
    return Habitat(surface=Surface(friction=friction))


def ants_of_many_orders(ant: Description, count: int) -> list[Description]:
    """The same ant with its bodies listed in other orders: the physics of one, tables of parents of another topology.

    Args:
        ant: whose bodies are torso, upper0, lower0, upper1, …
        count: how many; the first is the ant as it is.
    """
    torso, *others = ant.bodies
    uppers, lowers = others[0::2], others[1::2]
    orders = []
    for n in range(count):
        # Lower legs come `ahead` legs after their upper ones: 1 is leg by leg, 4 all upper ones first.
        shift, ahead = n // LEGS, 1 + n % LEGS
        legs = [(leg + shift) % LEGS for leg in range(LEGS)]
        places = [(2 * place, uppers[leg]) for place, leg in enumerate(legs)]
        places += [(2 * (place + ahead) - 1, lowers[leg]) for place, leg in enumerate(legs)]
        bodies = [torso, *(body for _, body in sorted(places, key=lambda item: item[0]))]
        orders.append(ant.model_copy(update={"bodies": bodies}))
    return orders


def humanoid_on_a_floor() -> str | None:
    """MuJoCo's humanoid as MJCF: all its geoms meet the floor and none another; None where its file is not installed."""
    path = mujoco_humanoid_path()
    if path is None:
        return None
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"<pair [^>]*/>|<keyframe>.*?</keyframe>", "", text, flags=re.DOTALL)
    text = text.replace('contype="0" conaffinity="0"', 'contype="2" conaffinity="1"')
    return text.replace('<geom name="floor"', '<geom name="floor" contype="1" conaffinity="2"')


def description_of(mjcf: str) -> Description:
    """The body of an MJCF text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "body.xml"
        path.write_text(mjcf, encoding="utf-8")
        return load(path)


GAIT_FREQUENCY, GAIT_SWING, GAIT_LIFT = 1.5, 0.25, 0.25
"""Of the six-legged creature's steps [Hz], of its hips and of its knees [rad]; ours."""
STRONG = Servo(stiffness=60.0, damping=3.0)
"""Muscles that carry 13.9 kg on three legs [N·m/rad, N·m·s/rad]; the reference creature's own are for swinging freely."""


def six_legs(*, as_springs: bool = False) -> Description:
    """The zoo's six-legged reference creature (18 degrees of freedom), with strong servos and feet that touch.

    Args:
        as_springs: whether its servos are springs that pull to the middle of their sines; so their energy is counted.
    """
    body = zoo.ref6()
    middle = gait(1.0).offset
    trunk, *legs = body.bodies
    bodies = [trunk]
    for leg in legs:
        spring = {"stiffness": STRONG.stiffness, "damping": STRONG.damping, "rest": middle.get(leg.name, 0.0)}
        change = {"actuator": None, **spring} if as_springs else {"actuator": STRONG}
        bodies.append(leg.model_copy(update={"joint": leg.joint.model_copy(update=change)}))
    return body.model_copy(update={"bodies": bodies, "surface": Surface(friction=1.0)})


def gait(swing: float) -> Sine:
    """A tripod's sines: three feet swing forward, lifted, while the other three push back.

    Args:
        swing: part of the full movement; 0 stands still.
    """
    amplitude, phase, offset = {}, {}, {}
    for body in zoo.ref6().bodies[1:]:
        pair, side, part = body.name.split("_")
        turn = 0.0 if (side == "right") == (pair != "middle") else math.pi
        if part == "upper":
            amplitude[body.name], phase[body.name] = swing * GAIT_SWING, turn
        else:  # the knee is bent most when the hip moves forward fastest, and nearly straight on the way back
            amplitude[body.name], phase[body.name] = swing * GAIT_LIFT, turn + 0.5 * math.pi
            offset[body.name] = GAIT_LIFT
    return Sine(amplitude=amplitude, frequency=GAIT_FREQUENCY, phase=phase, offset=offset)
