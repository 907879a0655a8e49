"""Which suites and cases a run takes; whatever stands in the way is said before any adapter call."""

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from evals.skill_eval.commands.console import Console
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.model.skill import Skill
from evals.skill_eval.model.suite import Case, Suite
from evals.skill_eval.reading.discovery import discover
from evals.skill_eval.reading.file_copies import load, same_files
from evals.skill_eval.reading.validation import ValidatedSkill, validate
from evals.skill_eval.reporting.findings import finding_lines


@dataclass(frozen=True, slots=True)
class Selected:
    """A skill and the cases of its suite that will run."""

    skill: Skill
    suite: Suite
    cases: tuple[Case, ...]


def select(args: Namespace, repository: Path, out: Console) -> tuple[Selected, ...]:
    """Return the suites to run; raises ConfigError when a needed one is invalid or none is left.

    Named skills must all be runnable. Without names every suite runs; a skill without one, or
    whose cases have no checks, is left out and said.
    """
    if any(not name for name in args.skill):
        raise ConfigError("`--skill` needs a name, found an empty one")
    found = discover(repository, skills_dirs=tuple(args.skills_dir), recursive=args.recursive)
    validated = validate(found, names=tuple(dict.fromkeys(args.skill)))
    wanted = [one for one in validated.skills if args.skill or one.has_suite]
    _refuse_invalid([*(validated.elsewhere if args.skill else ()), *(p for one in wanted for p in one.problems)], out)
    return _with_cases(_runnable(wanted, bool(args.skill), out), tuple(dict.fromkeys(args.case)))


def _refuse_invalid(problems: Iterable[Problem], out: Console) -> None:
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if not errors:
        return
    for line in finding_lines(errors):
        out.talk(line)
    raise ConfigError(f"{len(errors)} errors in skills that this run needs; nothing was run")


def _runnable(wanted: list[ValidatedSkill], named: bool, out: Console) -> list[Selected]:
    refusals = []
    selected = []
    for one in wanted:
        reason = _refusal(one.suite)
        if reason is None and one.skill is not None and one.suite is not None:
            selected.append(Selected(one.skill, one.suite, one.suite.runnable_cases))
            _say_left_out(one.suite, out)
        else:
            refusals.append(f"`{one.folder.shown}` {reason}")
    if refusals and (named or not selected):
        raise ConfigError("; ".join(refusals), hint="`run` needs `evals/evals.json` with cases that have `checks`")
    for refusal in refusals:
        out.talk(f"warning: not run: {refusal}")
    if not selected:
        raise ConfigError("no skill here has a suite, so there is nothing to run")
    return _without_copies(selected)


def _without_copies(selected: list[Selected]) -> list[Selected]:
    """Take equal copies of a skill once; different skills of one name would share their artifacts."""
    first: dict[str, Selected] = {}
    for one in selected:
        other = first.setdefault(one.skill.name, one)
        if other is not one and not _are_copies(one, other):
            raise ConfigError(
                f"`{one.skill.directory}` and `{other.skill.directory}` are both called `{one.skill.name}`, and differ",
                hint="name the folder that you mean with `--skills-dir`",
            )
    return list(first.values())


def _are_copies(one: Selected, other: Selected) -> bool:
    """Tell whether a run of either would measure the same."""
    folders = one.skill.directory, other.skill.directory
    return (
        one.cases == other.cases
        and same_files(*folders)
        and all(load(folders[0], case) == load(folders[1], case) for case in one.cases)
    )


def _refusal(suite: Suite | None) -> str | None:
    if suite is None:
        return "has no suite `evals/evals.json`"
    return None if suite.runnable_cases else "has no case with a required check; assertions alone need a judge"


def _say_left_out(suite: Suite, out: Console) -> None:
    left_out = [str(case.id) for case in suite.cases if not case.runnable]
    if left_out:
        out.talk(f"warning: {suite.skill_name}: cases without a required check are not run: {', '.join(left_out)}")


def _with_cases(selected: list[Selected], ids: tuple[str, ...]) -> tuple[Selected, ...]:
    if not ids:
        return tuple(selected)
    from difflib import get_close_matches

    known = {str(case.id) for one in selected for case in one.cases}
    for unknown in (wanted for wanted in ids if wanted not in known):
        near = get_close_matches(unknown, known, n=3)
        raise ConfigError(f"no runnable case `{unknown}`", hint=f"did you mean {', '.join(near)}?" if near else None)
    narrowed = (replace(one, cases=tuple(case for case in one.cases if str(case.id) in ids)) for one in selected)
    return tuple(one for one in narrowed if one.cases)
