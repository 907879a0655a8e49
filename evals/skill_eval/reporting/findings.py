"""The findings of `validate` as lines, and what the other formats share."""

from collections.abc import Iterable, Iterator

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.validation import Validation
from evals.skill_eval.reporting.escape import escape_line


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


def message_with_hint(problem: Problem) -> str:
    """Return what a finding says, the hint on a line of its own."""
    return problem.message if problem.hint is None else f"{problem.message}\nhint: {problem.hint}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
