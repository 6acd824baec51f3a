"""The choice of parents by eye (ARN-75): a page, a server for it, and what a choice does to a run."""

from zoophyte.evolution.report.picking.choice import Choice, numbers_in
from zoophyte.evolution.report.picking.page import write_picker
from zoophyte.evolution.report.picking.pick import pick
from zoophyte.evolution.report.picking.server import serve_picker

__all__ = ["Choice", "numbers_in", "pick", "serve_picker", "write_picker"]
