"""Text and bytes become model records, or problems with their places."""
