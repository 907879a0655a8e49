"""The findings of one JSON document, each at the place of the value that it is about."""

import re
from collections import Counter
from typing import NamedTuple

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.problems import finding, usual_severity
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.strict_json import Document, JsonFault, Where

LIMIT = 1_000

_PLAIN_KEY = r"[A-Za-z_$][A-Za-z0-9_-]{0,39}"


class Part(NamedTuple):
    """A value of the document and the way to it."""

    where: Where
    value: object


class Findings:
    """What is wrong with the document shown as `path`, collected in one pass.

    Of each severity the first thousand are kept and the others counted: no file needs more, and a
    hostile one could ask for millions.
    """

    def __init__(self, path: str, document: Document) -> None:
        self._path = path
        self._document = document
        self._problems: list[Problem] = []
        self._shared: dict[tuple[str, str], tuple[Problem, int]] = {}
        self._count: Counter[Severity] = Counter()

    def add(
        self,
        code: str,
        where: Where,
        message: str,
        hint: str | None = None,
        *,
        key: bool = False,
        severity: Severity | None = None,
    ) -> None:
        """Note a finding at the value of `where`, or with `key` at its key.

        `severity` is the rule's own unless it is given.
        """
        severity = severity or usual_severity(code)
        self._count[severity] += 1
        if self._count[severity] <= LIMIT:
            self._problems.append(self._problem(severity, code, where, message, hint, key))

    def add_once(
        self, code: str, where: Where, message: str, *, key: bool = False, severity: Severity | None = None
    ) -> None:
        """Note a finding that much of the document may share: at its first place, with a count of the others."""
        first, others = self._shared.get((code, message), (None, -1))
        first = first or self._problem(severity or usual_severity(code), code, where, message, None, key)
        self._shared[code, message] = first, others + 1

    def problems(self) -> tuple[Problem, ...]:
        """Return all findings in the order of the document."""
        problems = self._problems.copy()
        for first, others in self._shared.values():
            more = f" (and {others} more)" if others else ""
            problems.append(first._replace(message=first.message + more))
        for severity, count in self._count.items():
            if count > LIMIT:
                message = f"{count - LIMIT} more findings of this severity are not shown"
                problems.append(Problem(self._path, None, None, severity, "SE238", message))
        return tuple(sorted(problems, key=Problem.order))

    def _problem(
        self, severity: Severity, code: str, where: Where, message: str, hint: str | None, key: bool
    ) -> Problem:
        line, column = self._document.place(where, key=key)
        text = f"{pointer(where)}: {message}" if where else message
        return Problem(self._path, line, column, severity, code, text, hint)


def fault_problem(path: str, fault: JsonFault) -> Problem:
    """Return the finding for a text that is no strict JSON."""
    return finding(fault.code, path, fault.message, fault.hint, place=(fault.line, fault.column))


def pointer(where: Where) -> str:
    """Return the way to a value as it is written in code: `evals[0].checks[0].type`."""
    text = ""
    for step in where:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(_PLAIN_KEY, step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step, 40)}]"
    return text
