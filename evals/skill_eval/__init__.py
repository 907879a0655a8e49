"""Measure whether a skill makes an agent better, by how much and how surely."""
