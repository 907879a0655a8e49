"""Benchmarks: whole processes, medians and ratios; printed, never asserted."""
