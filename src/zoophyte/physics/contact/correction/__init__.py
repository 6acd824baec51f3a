"""What is left of depth, open loops and overrun limits, moved away in positions alone."""
