"""Paths that a suite writes: relative, with `/`, and plain enough to mean the same on every system."""

import re

_DRIVE = r"[A-Za-z]:"
_UNSEEN = "[\x00-\x1f\x7f-\x9f]"


def path_fault(path: str, start: str) -> str | None:
    """Return why `path` is no plain path below `start` (a word for messages), or None."""
    if not path:
        return "is an empty path"
    if path.startswith(("/", "~")) or re.match(_DRIVE, path):
        return f"is not relative to {start}"
    if "\\" in path:
        return "has a backslash; folders are separated by `/`"
    if re.search(_UNSEEN, path):
        return "has a control character"
    odd = next((step for step in path.split("/") if step in ("", ".", "..")), None)
    return None if odd is None else f"has a step `{odd}`" if odd else "has an empty step"
