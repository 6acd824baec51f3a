"""A creature's own numbers: placed in its links' frames, and written into a lane of `data`, be it of a block or of a pen."""
