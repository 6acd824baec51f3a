"""A body of your own: built in Python, saved as YAML, read back, simulated until it rests.

Run it with ``python 02_your_own_body.py [FOLDER]``; files go to FOLDER, or to a new temporary one.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import zoophyte as zp
from zoophyte.description import Body, Capsule, Joint, Sphere

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="zoophyte_"))

# A desk lamp: a foot that turns, two arms with springs and dampers, and a heavy head. The body frame sits at
# the joint.
arm = Capsule(radius=0.01, length=0.3, position=(0.0, 0.0, 0.15), density=2700.0)
lamp = zp.Description(
    name="lamp",
    notes="Springs carry the head; how far they give is what we want to know.",
    bodies=[
        Body(
            name="foot", joint=Joint(kind="hinge", axis=(0, 0, 1), damping=0.05), shapes=[Sphere(radius=0.05)]
        ),
        Body(
            name="lower_arm",
            parent="foot",
            joint=Joint(kind="hinge", axis=(0, 1, 0), stiffness=20.0, damping=1.0, rest=-0.4, initial=-0.4),
            shapes=[arm],
        ),
        Body(
            name="upper_arm",
            parent="lower_arm",
            joint=Joint(
                kind="hinge",
                position=(0, 0, 0.3),
                axis=(0, 1, 0),
                stiffness=12.0,
                damping=0.5,
                rest=1.2,
                initial=1.2,
            ),
            shapes=[arm, Sphere(radius=0.05, position=(0.0, 0.0, 0.33))],
        ),
    ],
)

# Files are for people: edit lamp.yaml, and every mistake in it is told with its line.
lamp.save(folder / "lamp.yaml")
description = zp.load(folder / "lamp.yaml")
assert description == lamp

# Springs and dampers go into a linearly implicit step, so that stiff ones do no harm.
world = zp.World(description, dt=5e-3, integrator="ros2")
life = world.simulate(seconds=10.0)
life.save(folder / "lamp.npz")
life.plot(["q:lower_arm", "q:upper_arm", "height:upper_arm"], path=folder / "lamp.svg")
sag = life.q[-1] - life.q[0]
print(life)
print(f"the arms give by {sag[1]:.3f} and {sag[2]:.3f} rad; see {folder}")

# The check: at rest the springs carry exactly the weight (inverse dynamics tells what that takes).
model = zp.compile(description)
carried = zp.passive_forces(model, life.final)
needed = zp.inverse_dynamics(model, life.final, np.zeros(model.nv))
assert np.allclose(carried, needed, atol=1e-6), (carried, needed)
