"""The findings of `validate` as lines and as JSON, and what the other formats share.

The JSON document:

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

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.validation import Validation
from evals.skill_eval.reporting.escape import encodable, escape_line, escaped_json
from evals.skill_eval.version import VERSION


def text(validation: Validation) -> str:
    """Return `path:line:col: severity CODE message` for each finding, its hint below it, and the summary last."""
    return "\n".join([*finding_lines(validation.problems), summary(validation)])


def finding_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield the lines of each finding, safe to print: the finding, then its hint if it has one."""
    for problem in problems:
        place = problem.path if problem.line is None else f"{problem.path}:{problem.line}:{problem.column or 1}"
        yield escape_line(f"{place}: {problem.severity} {problem.code} {problem.message}")
        if problem.hint is not None:
            yield f"  hint: {escape_line(problem.hint)}"


def summary(validation: Validation) -> str:
    """Return the one line that counts what was validated and found."""
    parts = (
        _counted(len(validation.skills), "skill"),
        _counted(validation.suite_count, "suite"),
        f"{validation.runnable_count} of {_counted(validation.case_count, 'case')} runnable",
        _counted(validation.count(Severity.ERROR), "error"),
        _counted(validation.count(Severity.WARNING), "warning"),
    )
    return ", ".join(parts)


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


def message_with_hint(problem: Problem) -> str:
    """Return what a finding says, the hint on a line of its own."""
    return problem.message if problem.hint is None else f"{problem.message}\nhint: {problem.hint}"


def fingerprints(problems: Sequence[Problem]) -> list[str]:
    """Return a distinct hexadecimal digest for each finding that stays the same when lines move.

    It is made of code, path and message, the message without its numbers; equal ones are told
    apart by their order in the file.
    """
    from hashlib import sha256

    seen: Counter[str] = Counter()
    digests = []
    for problem in problems:
        subject = "\0".join((problem.code, problem.path, re.sub(r"\d+", "#", problem.message)))
        seen[subject] += 1
        digests.append(sha256(f"{subject}\0{seen[subject]}".encode("utf-8", "backslashreplace")).hexdigest())
    return digests


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


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
