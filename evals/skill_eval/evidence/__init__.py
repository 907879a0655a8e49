"""Turn graded trials into rates, lift and benchmarks; pure functions."""
