"""Ants learn to walk along x by trial and error: many environments at once, each with a policy of its own.

Run it with ``python 04_learning_to_walk.py [FOLDER]``; the picture goes to FOLDER, or to a new temporary one.
It needs Gymnasium: ``pip install '.[gym]'`` in Zoophyte's source folder.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import zoophyte as zp
from zoophyte.export import png_bytes

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="zoophyte_"))
PAIRS, STEPS, ROUNDS = 16, 60, 12
NOISE, RATE = 0.3, 0.3

# A gait: every motor swings at 1.5 Hz with an amplitude and a phase of its own, 16 numbers in all.
phase = 2.0 * np.pi * 1.5 * 0.05 * np.arange(STEPS)


def walk(environments, gaits):
    """Total reward of one episode of each gait, and how far each ant went."""
    environments.reset(seed=0)
    total = np.zeros(len(gaits))
    for angle in phase:
        actions = np.sin(angle) * gaits[:, :8] + np.cos(angle) * gaits[:, 8:]
        _, rewards, _, _, info = environments.step(actions)
        total += rewards
    return total, info["x_position"]


# Evolution strategy: try pairs of gaits on both sides of the best guess, and go where the reward is.
environments = zp.make("ant", 2 * PAIRS, ctrl_cost_weight=0.02, reset_noise_scale=0.01)
rng = np.random.default_rng(1)
gait, history = np.zeros(16), []
for number in range(ROUNDS):
    tries = rng.standard_normal((PAIRS, 16))
    rewards, _ = walk(environments, np.concatenate([gait + NOISE * tries, gait - NOISE * tries]))
    gain = rewards[:PAIRS] - rewards[PAIRS:]
    gait = gait + RATE * (gain @ tries) / (PAIRS * max(gain.std(), 1e-9))
    history.append(rewards.mean())
    print(f"round {number + 1}: mean reward {history[-1]:.2f}")

# The same ant alone, from the same seed as environment 0: the same bits, and a picture of where it got to.
environment = zp.make("ant", ctrl_cost_weight=0.02, reset_noise_scale=0.01, render_mode="rgb_array")
seen, info = environment.reset(seed=0)
begin = info["x_position"]
for angle in phase:
    seen, reward, _, _, info = environment.step(np.sin(angle) * gait[:8] + np.cos(angle) * gait[8:])
picture = folder / "walking_ant.png"
picture.write_bytes(png_bytes(environment.render()))
print(f"went {info['x_position'] - begin:.2f} m in {STEPS * 0.05:g} s; see {picture}")

# The check: it has learnt something, and one of many is the same as one alone.
together, places = walk(environments, np.tile(gait, (2 * PAIRS, 1)))
assert places[0] == info["x_position"]
assert history[-1] > history[0] + 1.0
assert info["x_position"] - begin > 0.2
