"""Benchmarks: us and a peer on the same body in one run, results compared before a ratio is printed (11)."""

from zoophyte.bench.harness import Quality, Row, benchmarks, chosen_names, run_benchmarks

__all__ = ["Quality", "Row", "benchmarks", "chosen_names", "run_benchmarks"]
