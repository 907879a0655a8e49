"""Decide from values alone whether an outcome meets its checks."""
