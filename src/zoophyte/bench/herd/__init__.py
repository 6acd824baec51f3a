"""The herd against MuJoCo: ants, humanoids, and creatures that are all different, per core.

Lives in a herd have the bits that they would have alone, so what is measured on a few of them holds for all.
"""
