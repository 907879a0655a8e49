"""GitLab code quality: what a merge request shows beside the changed lines."""

from collections.abc import Sequence

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reporting.escape import encodable, escaped_json
from evals.skill_eval.reporting.findings import message_with_hint
from evals.skill_eval.reporting.fingerprints import fingerprints

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def code_quality(problems: Sequence[Problem]) -> str:
    """Return the findings as a JSON array, ASCII only; a whole file is shown at its first line."""
    rows = [_row(*pair) for pair in zip(problems, fingerprints(problems), strict=True)]
    return escaped_json(rows)


def _row(problem: Problem, fingerprint: str) -> dict[str, object]:
    return {
        "description": encodable(message_with_hint(problem)),
        "check_name": problem.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[problem.severity],
        "location": {"path": encodable(problem.path), "lines": {"begin": problem.line or 1}},
    }
