"""From genomes to scores: chunks for the herd, and farms of workers that judge them."""

from zoophyte.evolution.evaluation.chunks import Order, Scored, evaluate, evaluate_timed
from zoophyte.evolution.evaluation.farm import Farm

__all__ = ["Farm", "Order", "Scored", "evaluate", "evaluate_timed"]
