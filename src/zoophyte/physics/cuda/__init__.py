"""Herds on a GPU: the same kernels, one creature per thread."""

from zoophyte.physics.cuda.herd import DeviceHerd

__all__ = ["DeviceHerd"]
