"""SARIF 2.1.0, within what GitHub code scanning reads of it."""

from collections.abc import Sequence
from urllib.parse import quote

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.rule import Rule
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.reporting.escape import encodable, escaped_json
from evals.skill_eval.reporting.findings import message_with_hint
from evals.skill_eval.reporting.fingerprints import fingerprints
from evals.skill_eval.version import VERSION

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif(problems: Sequence[Problem]) -> str:
    """Return the findings as one run that knows every rule, ASCII only."""
    places = {code: place for place, code in enumerate(sorted(RULES))}
    run = {
        "tool": {
            "driver": {"name": "skill-eval", "version": VERSION, "rules": [_rule(RULES[code]) for code in places]}
        },
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(problem, places[problem.code], fingerprint)
            for problem, fingerprint in zip(problems, fingerprints(problems), strict=True)
        ],
    }
    return escaped_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.title}. {rule.remedy}"},
        "help": {"text": rule.remedy},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(problem: Problem, rule_index: int, fingerprint: str) -> dict[str, object]:
    place = {"artifactLocation": {"uri": _uri(problem.path)}, "region": _region(problem)}
    return {
        "ruleId": problem.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[problem.severity],
        "message": {"text": encodable(message_with_hint(problem))},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:1"},
    }


def _uri(path: str) -> str:
    """Return a reference relative to the repository, or a `file` URI for a path outside of it."""
    quoted = quote(path, safe="/", errors="surrogateescape")
    return f"file://{quoted}" if quoted.startswith("/") else quoted


def _region(problem: Problem) -> dict[str, int]:
    """Return the place; GitHub wants a line of every result, so a whole file is shown at its first."""
    region = {"startLine": problem.line or 1}
    return region if problem.column is None else {**region, "startColumn": problem.column}
