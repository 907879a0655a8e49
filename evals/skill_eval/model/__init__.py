"""Frozen records that every room speaks of; no input, no output."""
