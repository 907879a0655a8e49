"""Model records become text; pure functions that return strings."""
