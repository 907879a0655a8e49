"""The findings of `validate` as JSON.

    {
      "tool": {"name": "skill-eval", "version": "..."},
      "summary": {
        "skills": 4, "suites": 3, "cases": 20, "runnable_cases": 18,
        "errors": 0, "warnings": 2, "infos": 0
      },
      "findings": [
        {
          "code": "SE301", "severity": "error", "message": "...",
          "path": "skills/sample", "line": null, "column": null, "hint": null
        }
      ]
    }

`path` is relative to the repository root, with `/`; `line` and `column` count from 1 and are null
together when a whole file or folder is meant. Findings are sorted by path, line and column. The
document is ASCII; what a file name holds that is no Unicode text is shown as `\\udc80` and the like.
"""

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.validation import Validation
from evals.skill_eval.reporting.escape import encodable, escaped_json
from evals.skill_eval.version import VERSION


def json_text(validation: Validation) -> str:
    """Return the JSON document that this module describes."""
    document = {
        "tool": {"name": "skill-eval", "version": VERSION},
        "summary": {
            "skills": len(validation.skills),
            "suites": validation.suite_count,
            "cases": validation.case_count,
            "runnable_cases": validation.runnable_count,
            "errors": validation.count(Severity.ERROR),
            "warnings": validation.count(Severity.WARNING),
            "infos": validation.count(Severity.INFO),
        },
        "findings": [_finding(problem) for problem in validation.problems],
    }
    return escaped_json(document)


def _finding(problem: Problem) -> dict[str, object]:
    return {
        "code": problem.code,
        "severity": str(problem.severity),
        "message": encodable(problem.message),
        "path": encodable(problem.path),
        "line": problem.line,
        "column": problem.column,
        "hint": None if problem.hint is None else encodable(problem.hint),
    }
