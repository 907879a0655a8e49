"""A finding of `validate`: what is wrong, where, and how to mend it."""

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How much a finding matters; only errors make `validate` exit 1 (with `--strict`, warnings too)."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Problem(NamedTuple):
    """One finding at one place.

    `path` is relative to the repository root, with `/`. `line` and `column` count from 1 in
    characters; both are None when the finding concerns a whole file or folder. `code` is a key
    of `reading.rules.RULES`.
    """

    path: str
    line: int | None
    column: int | None
    severity: Severity
    code: str
    message: str
    hint: str | None = None

    def order(self) -> tuple[str, int, int, str, str]:
        """Return a key that sorts findings by file, place and code."""
        return (self.path, self.line or 0, self.column or 0, self.code, self.message)
