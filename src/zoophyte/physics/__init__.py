"""One step: kinematics, forces, forward dynamics, integration (4).

The kernels are plain functions on numbers over the flat arrays of :mod:`zoophyte.model.layout`;
:mod:`zoophyte.physics.functions` wraps them for one model and one state.
"""

from zoophyte.model.layout import INTEGRATORS
from zoophyte.physics.external import Force, Forces
from zoophyte.physics.functions import (
    Energy,
    Momentum,
    bias_forces,
    body_poses,
    body_velocities,
    contact_matrix,
    driven_forces,
    energy,
    factor_rows,
    forward_dynamics,
    impulse_response,
    inverse_dynamics,
    jacobian,
    mass_matrix,
    momentum,
    passive_forces,
    point_acceleration,
    point_velocity,
    step,
)

__all__ = [
    "INTEGRATORS", "Energy", "Force", "Forces", "Momentum", "bias_forces", "body_poses", "body_velocities",
    "contact_matrix", "driven_forces", "energy", "factor_rows", "forward_dynamics", "impulse_response",
    "inverse_dynamics", "jacobian", "mass_matrix", "momentum", "passive_forces", "point_acceleration",
    "point_velocity", "step",
]  # fmt: skip
