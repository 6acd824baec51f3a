"""A creature's own numbers, written into a lane of `data`, be it of a block or of a pen."""
