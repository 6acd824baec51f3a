"""Blocks whose lanes hold unlike creatures, one after the other: packing, filling, and the tables of a whole life."""
