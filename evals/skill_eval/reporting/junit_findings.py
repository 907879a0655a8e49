"""The findings of `validate` as JUnit XML."""

from collections.abc import Iterator

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.validation import Validation
from evals.skill_eval.reporting.findings import finding_lines
from evals.skill_eval.reporting.junit import JUnitCase, JUnitSuite, Verdict, junit


def junit_findings(validation: Validation) -> str:
    """Return a suite for each folder: a skill without errors has a passed case in it.

    An error is a failed case; a warning or an info is a skipped one, so that it is seen but fails nothing.
    """
    groups = {skill.folder.shown: list(skill.problems) for skill in validation.skills}
    skills = set(groups)
    for problem in validation.elsewhere:
        groups.setdefault(problem.path, []).append(problem)
    suites = [JUnitSuite(path, tuple(_cases(path, groups[path], path in skills))) for path in sorted(groups)]
    return junit("skill-eval validate", suites)


def _cases(path: str, problems: list[Problem], is_skill: bool) -> Iterator[JUnitCase]:
    if is_skill and all(problem.severity is not Severity.ERROR for problem in problems):
        yield JUnitCase(path, "no errors", file=path)
    yield from (_case(path, problem) for problem in problems)


def _case(path: str, problem: Problem) -> JUnitCase:
    return JUnitCase(
        path,
        f"{problem.code} {problem.message}",
        Verdict.FAILURE if problem.severity is Severity.ERROR else Verdict.SKIPPED,
        kind=problem.code,
        message=problem.message,
        details="\n".join(finding_lines([problem])),
        file=problem.path,
        line=problem.line,
    )
