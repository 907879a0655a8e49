"""`selftest`: what a suite's checks are worth, without a model."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.selection import add_selection_arguments, repository_root
from evals.skill_eval.errors import ConfigError, SkillEvalError
from evals.skill_eval.grading.checks import Search
from evals.skill_eval.grading.selftest import Finding, SelfTest, self_test
from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.model.skill import Skill
from evals.skill_eval.model.suite import Case, Suite
from evals.skill_eval.reading.discovery import discover
from evals.skill_eval.reading.file_copies import load
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.reading.strict_json import Document, Where, parse
from evals.skill_eval.reading.validation import ValidatedSkill, Validation, validate, without_dot
from evals.skill_eval.reporting.findings import finding_lines, summary
from evals.skill_eval.reporting.selftest import score_table
from evals.skill_eval.running.matcher import Matcher

EXIT_CODES = """exit codes:
  0  no finding of severity error
  1  findings of severity error; with `--strict` every warning is one
  2  wrong usage, or a folder that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `selftest`."""
    add_selection_arguments(parser)
    parser.add_argument("--strict", action="store_true", help="make every warning an error")


def main(args: Namespace, out: Console) -> int:
    """Print the table of mutation scores and the findings; 1 when there is an error."""
    found = discover(repository_root(args, out), skills_dirs=tuple(args.skills_dir), recursive=args.recursive)
    validation = validate(found, names=tuple(args.skill))
    results = _results(validation)
    scores = [score for result in results.values() for score in result.scores]
    if not scores and not validation.count(Severity.ERROR):
        raise ConfigError("no case here has checks, so there is nothing to test")
    tested = _with_findings(validation, results)
    shown = tested.strict() if args.strict else tested
    table = score_table(scores) if scores else []
    for line in (*table, *finding_lines(shown.problems), summary(shown)):
        out.result(line)
    return 1 if shown.count(Severity.ERROR) else 0


def self_tested(validation: Validation) -> Validation:
    """Return `validation` with the findings of the self-test of every readable suite."""
    return _with_findings(validation, _results(validation))


def _with_findings(validation: Validation, results: Mapping[Path, SelfTest]) -> Validation:
    return validation._replace(
        skills=tuple(_with_own(one, results.get(one.folder.directory)) for one in validation.skills)
    )


def _with_own(one: ValidatedSkill, result: SelfTest | None) -> ValidatedSkill:
    return one if result is None else one._replace(problems=(*one.problems, *_problems(one, result)))


def _results(validation: Validation) -> dict[Path, SelfTest]:
    """Return the self-test of each skill folder with a readable suite."""
    with _quick_search() as search:
        readable = ((one, one.skill, one.suite) for one in validation.skills)
        return {
            one.folder.directory: _tested(skill, suite, search)
            for one, skill, suite in readable
            if skill is not None and suite is not None
        }


def weak_checks(skill: Skill, suite: Suite) -> Iterator[str]:
    """Yield a line for each finding about a suite that is about to run."""
    with _quick_search() as search:
        for finding in _tested(skill, suite, search).findings:
            yield f"{skill.name}: {finding.code} {finding.message}"


@contextmanager
def _quick_search() -> Iterator[Search]:
    """Give a search that is stopped soon, and tries no pattern again that had to be stopped."""
    stopped: set[str] = set()
    with Matcher(bound_seconds=0.2) as matcher:

        def search(pattern: str, text: str, ignore_case: bool) -> bool | None:
            found = None if pattern in stopped else matcher(pattern, text, ignore_case)
            if found is None:
                stopped.add(pattern)
            return found

        yield search


def _tested(skill: Skill, suite: Suite, search: Search) -> SelfTest:
    fixtures = {case.id: _fixture_text(skill.directory, case) for case in suite.cases}
    return self_test(suite, skill.body, fixtures, search)


def _fixture_text(folder: Path, case: Case) -> str:
    try:
        files = load(folder, case)
    except SkillEvalError:
        return ""  # `validate` has said that a fixture is missing
    return "\n".join(file.content.decode("utf-8", "replace") for file in files)


def _problems(one: ValidatedSkill, result: SelfTest) -> Iterator[Problem]:
    if one.suite is None or not result.findings:
        return
    document = parse(one.suite.path.read_bytes())
    for finding in result.findings:
        line, column = document.place(_where(document, finding))
        severity = RULES[finding.code].severity
        path = f"{one.folder.shown}/evals/evals.json"
        yield without_dot(Problem(path, line, column, severity, finding.code, finding.message))


def _where(document: Document, finding: Finding) -> Where:
    """Return where a case or check stands, in whichever shape the suite is written."""
    if finding.case is None:
        return ()
    value = document.value
    key = next((key for key in ("evals", "cases") if isinstance(value, dict) and key in value), None)
    case: Where = (finding.case,) if isinstance(value, list) else () if key is None else (key, finding.case)
    own = (*case, "checks", finding.check) if finding.check is not None else case
    return own if _holds(value, own) else case


def _holds(value: object, where: Where) -> bool:
    """Tell whether a check stands where the harness's own shape has it."""
    for step in where:
        if isinstance(value, dict) and step in value:
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return False
    return True
