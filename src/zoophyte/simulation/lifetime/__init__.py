"""The loop of a World: steps, the controller's calls, and the record of both."""
