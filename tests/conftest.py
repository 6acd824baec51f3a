"""What all tests share."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import settings

# A first call may compile, so no example has a deadline; the same examples are drawn in every run, so that a
# red test is red for everybody. `--hypothesis-profile=search` looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("same")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator seeded by the test's own name: the order and the number of processes change nothing."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
