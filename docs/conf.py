"""Sphinx configuration of the manual; build it with `make docs`."""

import zoophyte

project = "Zoophyte"
author = "Zoophyte contributors"
project_copyright = "2026, Zoophyte contributors"
version = release = zoophyte.__version__

extensions = ["myst_parser"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Zoophyte {release}"
