"""A young tree is pushed, sways, and comes to rest; then the same wood on the Moon.

Run it with ``python 03_swaying_sapling.py [FOLDER]``; the picture goes to FOLDER, or to a new temporary one.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import zoophyte as zp

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="zoophyte_"))
model = zp.compile(zp.zoo.sapling())
print(model)

lives = []
for place, gravity in (("Earth", 9.81), ("Moon", 1.62)):
    world = zp.World(model, habitat=zp.Habitat(gravity=(0.0, 0.0, -gravity)), dt=5e-3, integrator="ros2")
    resting = world.simulate(seconds=10.0, record_rate=10.0)  # let it sag under its weight first
    state = resting.final
    push = state.v.copy()
    push[model.dof_index("stem1.y")] += 1.0  # rad/s about y: to +x
    life = world.simulate(seconds=10.0, state=state.at(v=push), record_rate=50.0)
    tip = life.channel("x:stem8") - resting.channel("x:stem8")[-1]
    turns = np.flatnonzero(np.diff(np.sign(tip)))
    period = 2.0 * np.mean(np.diff(life.times[turns[:6]]))
    print(f"{place}: sways {tip.max() * 100:.1f} cm at the tip, once in {period:.2f} s; {life.status}")
    lives.append((life, tip, period))

picture = folder / "sapling.svg"
lives[0][0].plot(
    ["x:stem8", "energy"],
    compare=[lives[1][0]],
    path=picture,
    title="A sapling on Earth and on the Moon",
)
print("see", picture)

# The check: weight softens an upright tree, so it sways more slowly on Earth; and dampers bring it to rest.
(earth, earth_tip, earth_period), (moon, moon_tip, moon_period) = lives
assert earth.status.kind == moon.status.kind == "ended"
assert earth_period > moon_period
for tip in (earth_tip, moon_tip):
    assert abs(tip[-100:]).max() < 0.3 * abs(tip).max()
