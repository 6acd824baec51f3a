"""Detection: where shapes meet the ground, the terrain and each other."""
