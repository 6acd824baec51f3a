"""How it moves: kinematics, dynamics both ways, inertia, responses and sums, as kernels over flat arrays."""
