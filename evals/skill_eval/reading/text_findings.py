"""The findings of one text, each at its line and column."""

from collections import Counter

from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.problems import Place, finding

MOST_ALIKE = 100


class TextFindings:
    """What is wrong with the file shown as `path`, collected in one pass."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._problems: list[Problem] = []
        self._counts: Counter[str] = Counter()

    def add(self, code: str, place: Place | None, message: str, hint: str | None = None) -> None:
        """Note a finding at line and column `place`, or on the file as a whole; of one code at most `MOST_ALIKE`."""
        self._counts[code] += 1
        if self._counts[code] > MOST_ALIKE:
            return
        if self._counts[code] == MOST_ALIKE:
            message = f"{message}; further ones are not listed"
        self._problems.append(finding(code, self._path, message, hint, place=place))

    def problems(self) -> tuple[Problem, ...]:
        """Return all findings in the order of the text."""
        return tuple(sorted(self._problems, key=Problem.order))


def place_of(text: str, offset: int) -> Place:
    """Return line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
