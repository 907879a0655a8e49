"""GitHub annotations: workflow commands that put a finding beside its line.

Source of the syntax and its escapes: the workflow commands that GitHub documents and `@actions/core`.
"""

from collections.abc import Iterable

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.reporting.escape import escape_block, escape_line
from evals.skill_eval.reporting.findings import message_with_hint

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_IN_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def annotations(problems: Iterable[Problem]) -> list[str]:
    """Return one command for each finding, errors first: GitHub shows only ten of each kind a step."""
    ranks = list(_COMMANDS)
    return [_annotation(problem) for problem in sorted(problems, key=lambda problem: ranks.index(problem.severity))]


def _annotation(problem: Problem) -> str:
    properties = {"file": problem.path}
    if problem.line is not None:
        properties |= {"line": str(problem.line), "col": str(problem.column or 1)}
    properties["title"] = f"{problem.code} {RULES[problem.code].title}"
    listed = ",".join(f"{key}={escape_line(value).translate(_IN_PROPERTIES)}" for key, value in properties.items())
    data = escape_block(message_with_hint(problem)).translate(_IN_DATA)
    return f"::{_COMMANDS[problem.severity]} {listed}::{data}"
