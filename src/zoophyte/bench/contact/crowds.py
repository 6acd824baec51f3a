"""Many free bodies."""
