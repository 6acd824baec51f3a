"""The verbs of evolution: evolve, resume, runs; and what others do with runs."""
