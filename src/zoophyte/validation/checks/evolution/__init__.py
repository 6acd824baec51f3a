"""Checks of the machinery of evolution: not what evolves, but whether it is judged and kept as promised."""
