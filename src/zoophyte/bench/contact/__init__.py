"""Contact against MuJoCo and PyBullet: how fast, and how well it holds while it is fast.

A *side* is a program with one scene loaded (`sides.py`): ours, MuJoCo, PyBullet.  Before a ratio is formed, the sides start
from one state, get the same controls, and must have come to the same place a few steps later.
"""
