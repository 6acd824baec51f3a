"""Genomes: what creatures inherit, and how a body and its controller grow from it."""
