"""A double pendulum, and what two integrators make of its energy.

Run it with ``python 01_double_pendulum.py [FOLDER]``; the picture goes to FOLDER, or to a new temporary one.
"""

import sys
import tempfile
from pathlib import Path

import zoophyte as zp

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="zoophyte_"))

# A description is what a person writes; a model is its compiled, frozen arrays.
model = zp.compile(zp.zoo.double_pendulum())
state = zp.State.neutral(model)

# Two equal rods that start horizontal: the first acceleration is known exactly.
first = zp.forward_dynamics(model, state)[0]
print(f"first acceleration {first:.6f} rad/s², exactly {-9 / 7 * 9.81 / 0.1:.6f}")

# The same life twice. Without friction its energy should stay what it was.
careful = zp.World(model, dt=1e-3, integrator="rk4").simulate(seconds=5.0)
quick = zp.World(model, dt=1e-3, integrator="semi_implicit").simulate(seconds=5.0)
for life in (careful, quick):
    energy, largest = life.channel("energy"), life.channel("kinetic").max()
    error = abs(energy - energy[0]).max() / largest
    print(f"{life.integrator:<14} energy off by {error:.1e} of the largest kinetic energy")

picture = folder / "double_pendulum.svg"
careful.plot(["energy", "q:upper", "q:lower"], compare=[quick], path=picture)
print("see", picture)

# The check: Runge and Kutta keep the energy to better than a part in ten thousand, Euler does not.
drift = {
    life.integrator: abs(life.channel("energy")).max() / life.channel("kinetic").max()
    for life in (careful, quick)
}
assert abs(first + 9 / 7 * 9.81 / 0.1) < 1e-9
assert drift["rk4"] < 1e-4 < drift["semi_implicit"]
