"""A limp person who falls down a flight of stairs."""

from __future__ import annotations

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_product
from zoophyte.description import Body, Box, Capsule, Description, Joint, Surface
from zoophyte.description.values import Triple
from zoophyte.zoo.figures import CORES, SKIN, humanoid

STONE: Triple = (0.70, 0.69, 0.66)

# Stiffness [N·m/rad] and damping [N·m·s/rad] of joints without muscle tone, about a tenth of those of a person who holds a
# pose: what ligaments and soft tissue do.  Ours.
PASSIVE = {
    "trunk": (80.0, 8.0), "head": (15.0, 1.0), "upper_arm": (2.0, 0.4), "forearm": (0.0, 0.2), "hand": (0.5, 0.02),
    "thigh": (10.0, 2.0), "shank": (0.0, 1.0), "foot": (5.0, 0.2),
}  # fmt: skip
KNEES = 0.35


def ragdoll(
    steps: int = 11,
    *,
    rise: float = 0.17,
    run: float = 0.29,
    lean: float = 0.2,
    yaw: float = 0.9,
    height: float = 1.75,
) -> Description:
    """A limp person at the head of a stair, who falls down it and comes to rest.

    The person of :func:`~zoophyte.zoo.humanoid` without servos: joints keep their limits and have the weak springs and
    dampers of soft tissue.  Everything touches everything but neighbours.  The stair is scenery of boxes, 2 m wide; its
    measures keep 2 rise + run = 0.63 m.

    Args:
        steps: of the stair, down from the landing.
        rise: height of a step [m].
        run: depth of a step [m].
        lean: towards the stair, at the start [rad].
        yaw: to which side it faces, 0 for down the stair [rad].
        height: stature [m].
    """
    figure = humanoid(height)
    for body in figure.bodies:
        part = body.name.removeprefix("left_").removeprefix("right_")
        joint = body.joint
        joint.actuator = None
        if part in PASSIVE:
            joint.stiffness, joint.damping = PASSIVE[part]
        if part == "shank":
            joint.initial = KNEES
        if part == "head":
            body.mass = body.mass_properties()
            body.shapes = [_skull(height), *body.shapes[1:]]
    top = steps * rise
    pelvis = figure.body("pelvis").joint
    assert isinstance(pelvis.initial, tuple)
    # Nothing may overlap when life begins: the feet are a few centimetres above the landing.
    turn = quaternion_product(quaternion_exp((0.0, lean, 0.0)), quaternion_exp((0.0, 0.0, yaw)))
    pelvis.initial = (*turn, 0.1, 0.0, top + pelvis.initial[6] + 0.05)
    return Description(
        name="ragdoll", bodies=[*figure.bodies, *_stair(steps, rise, run)],
        surface=Surface(friction=0.5), self_contact=True,
    )  # fmt: skip


def _skull(height: float) -> Capsule:
    """The skull as a shape that can touch others; its mass is given."""
    core = CORES["head"]
    radius, length = core.thickness * height, core.length * height
    place = (0.0, 0.0, 0.6 * length)
    return Capsule(
        radius=radius, length=0.8 * length - 2.0 * radius, position=place, density=0.0, colour=SKIN
    )


def _stair(steps: int, rise: float, run: float) -> list[Body]:
    """A landing before x = 0, and steps down from it, each a box that stands on the ground."""
    width, landing = 2.0, 1.0
    boxes = [Box(size=(landing, width, steps * rise), position=(-0.5 * landing, 0.0, 0.5 * steps * rise))]
    for n in range(1, steps):
        size = (run, width, (steps - n) * rise)
        boxes.append(Box(size=size, position=((n - 0.5) * run, 0.0, 0.5 * size[2])))
    for box in boxes:
        box.density, box.colour = 0.0, STONE
    return [
        Body(name=f"step{n}" if n else "landing", joint=Joint(), shapes=[box]) for n, box in enumerate(boxes)
    ]
