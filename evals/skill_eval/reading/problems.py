"""Findings as their rules rank them."""

from evals.skill_eval.model.problem import Problem, Severity

Place = tuple[int, int]


def finding(code: str, path: str, message: str, hint: str | None = None, *, place: Place | None = None) -> Problem:
    """Return a finding on `path`, or at line and column `place` of it, with the severity of its rule."""
    line, column = place or (None, None)
    return Problem(path, line, column, usual_severity(code), code, message, hint)


def usual_severity(code: str) -> Severity:
    """Return how much a finding with `code` matters."""
    from evals.skill_eval.reading.rules import RULES  # a long table, and most skills break no rule

    return RULES[code].severity
