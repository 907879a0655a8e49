"""What a command may say: the command line hands it in, tests hand in their own."""

from typing import Protocol


class Console(Protocol):
    """Results go to standard output, talk and progress to standard error."""

    def result(self, text: str) -> None:
        """Print a result and end the line."""

    def talk(self, text: str, end: str = "\n") -> None:
        """Print progress or a remark."""
