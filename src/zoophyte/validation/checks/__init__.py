"""The checks themselves: one module per source work, and three for what binds every simulator."""
