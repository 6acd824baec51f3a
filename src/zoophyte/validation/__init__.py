"""The catalogue of physical checks behind ``zoophyte validate``: laws, golden values and claims (10).

One module per source work, and `laws`, `identities` and `implicit` for what binds every simulator.
"""

from zoophyte.validation.catalogue import (
    Check,
    Measurement,
    Result,
    at_most,
    catalogue,
    check,
    compare,
    explain,
    find,
    holds,
    run_check,
    run_checks,
)
from zoophyte.validation.page import write_page

__all__ = [
    "Check", "Measurement", "Result", "at_most", "catalogue", "check", "compare", "explain", "find", "holds",
    "run_check", "run_checks", "write_page",
]  # fmt: skip
