"""Agents behind protocol 1: one self-contained program for each runtime."""
