"""Where the numbers of a medium lie in a block: ints[MEDIUM] names the section in `data`: wind, then one record per link.

The record keeps the principal axes as a matrix: drag acts along each of them with a coefficient of its own and grows with
the square of the velocity, so that no symmetric matrix in link axes could stand for it.
"""

from __future__ import annotations

WIND, MEDIUM_HEADER = 0, 3  # velocity of the medium in world axes
# Record of a link.
AXES = 0  # principal axes as columns, in link axes (9)
CENTRE = 9  # centre of mass (3)
BLUNT, BLUNT_TURN = 12, 15  # force per |u|·u along each principal axis; torque per |ω|·ω (3, 3)
VISCOUS, VISCOUS_TURN = 18, 19  # force per velocity, torque per rate of turning, the same for all axes
PRINCIPAL = 20  # central moments of inertia (3)
DISPLACED, DISPLACED_MOMENT = (
    23,
    24,
)  # mass of the medium that the shapes displace, and its first moment (1, 3)
MEDIUM_RECORD = 27
