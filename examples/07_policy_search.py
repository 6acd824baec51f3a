"""An ant learns to walk with what it feels: random search in the weights of a linear policy, 48 lives at a time.

Run it with ``python 07_policy_search.py [ITERATIONS]``; 100 of them, which is usual, take about half a minute on two cores.
It needs Gymnasium: ``pip install '.[gym]'`` in Zoophyte's source folder.
"""

import sys

import numpy as np

import zoophyte as zp

DIRECTIONS, BEST, STEPS, STEP, NOISE = 24, 8, 100, 0.06, 0.1


def reward(view):
    """Speed along x, less what is spent on the motors."""
    return view.mean_velocity[:, 0] - 0.02 * np.sum(view.action**2, axis=1)


def observation(view):
    """Height, tilt, joints and velocities as usual, and a clock that ticks at 1.5 Hz."""
    angle = 2.0 * np.pi * 1.5 * view.time
    return np.column_stack([view.usual_observation, np.sin(angle), np.cos(angle), np.ones(len(view))])


def returns(environments, weights, scale):
    """The return of one episode of each policy, weights of shape (n, actions, senses); and how large the senses were."""
    seen, _ = environments.reset(seed=0)
    total, alive, squares = np.zeros(len(weights)), np.ones(len(weights), bool), 0.0
    for _ in range(STEPS):
        actions = np.tanh((weights * (seen / scale)[:, None, :]).sum(axis=2))
        seen, rewards, terminated, _, _ = environments.step(actions)
        total += rewards * alive
        alive &= ~terminated
        squares = squares + (seen**2).mean(axis=0) / STEPS
    return total, squares


def learn(iterations, seed=2):
    """Augmented random search: a step along the best of many directions; the mean return of each iteration."""
    environments = zp.make(
        "ant", 2 * DIRECTIONS, reward=reward, observation=observation, max_episode_steps=STEPS
    )
    rng, history = np.random.default_rng(seed), []
    weights = np.zeros((8, environments.single_observation_space.shape[0]))
    _, squares = returns(environments, NOISE * rng.standard_normal((2 * DIRECTIONS, *weights.shape)), 1.0)
    for number in range(iterations):
        tries = rng.standard_normal((DIRECTIONS, *weights.shape))
        both = np.concatenate([weights + NOISE * tries, weights - NOISE * tries])
        found, now = returns(environments, both, np.sqrt(squares) + 1e-3)
        squares += (now - squares) / (number + 2)
        up, down = found[:DIRECTIONS], found[DIRECTIONS:]
        best = np.argsort(-np.maximum(up, down), kind="stable")[:BEST]
        gain = (up - down)[best] / np.concatenate([up[best], down[best]]).std()
        weights += STEP * (gain[:, None, None] * tries[best]).mean(axis=0)
        history.append(float(found.mean()))
        print(f"iteration {number + 1}: mean return {history[-1]:.2f}, best {found.max():.2f}", flush=True)
    return history


if __name__ == "__main__":
    history = learn(int(sys.argv[1]) if len(sys.argv) > 1 else 100)

    # The check: the returns at the end are better than at the beginning by far more than those at the beginning differ.
    first, last = history[:5], history[-5:]
    assert min(last) > max(first) + 5.0 * np.std(first)
