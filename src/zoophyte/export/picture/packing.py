"""LZW, the packing of GIF files (compiled; see :mod:`zoophyte.export.picture.compiled`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

CODE_LIMIT = 4096
CLEAR, END = 256, 257


def pack_lzw(pixels: Bytes, children: NDArray[np.int16], packed: Bytes) -> int:
    """Pack bytes with variable-length LZW codes, 9 to 12 bits, lowest bit first; returns the number of bytes.

    The dictionary is a tree: `children` holds for every known string and next byte the code of the longer string.

    Args:
        pixels: at least one, of 8 bits.
        children: room for the tree, shape (CODE_LIMIT, 256).
        packed: room for the result; 2 bytes per pixel and 16 more always suffice.
    """
    children[:, :] = 0
    held, size, bytes_out, free = 9, 9, 0, END + 1
    bits = np.int64(CLEAR)
    # Signed, as the others: together with unsigned numbers Numba would turn them into floats.
    string = np.int64(pixels[0])
    for k in range(1, len(pixels)):
        byte = np.int64(pixels[k])
        longer = np.int64(children[string, byte])
        if longer:
            string = longer
            continue
        bits |= string << held
        held += size
        children[string, byte] = free
        string = byte
        if free == 1 << size:
            size += 1
        free += 1
        if free == CODE_LIMIT:
            bits |= CLEAR << held
            held += size
            children[:, :] = 0
            size, free = 9, END + 1
        while held >= 8:
            packed[bytes_out] = bits & 255
            bytes_out += 1
            bits >>= 8
            held -= 8
    bits |= string << held
    held += size
    if free == 1 << size and size < 12:
        size += 1
    bits |= END << held
    held += size
    while held > 0:
        packed[bytes_out] = bits & 255
        bytes_out += 1
        bits >>= 8
        held -= 8
    return bytes_out
