"""The command line: one file per verb (12; the only folder that prints)."""
