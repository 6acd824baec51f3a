"""Whole lives in the kernel: controllers, sensors, samples, stops and audits around the step with contact."""
