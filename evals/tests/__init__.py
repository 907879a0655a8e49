"""Tests: sentences about behaviour, run by `python -m unittest discover -s evals/tests`."""
