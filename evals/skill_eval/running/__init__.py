"""Processes and directories: one trial at a time, bounded and cleaned up."""
