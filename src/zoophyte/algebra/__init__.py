"""Algebra on tuples of numbers: vectors, rotations, quaternions, spatial vectors, inertias (1; knows no bodies).

Vectors are 3-tuples, rotation matrices 9-tuples in row order, symmetric matrices 6-tuples (xx, xy, xz, yy, yz, zz),
quaternions 4-tuples (w, x, y, z), spatial motion (ω; v) and force (n; f) vectors 6-tuples with the angular part first.
The functions are plain Python; a number may be a float, a SIMD lane or a CUDA thread's float32.
"""
