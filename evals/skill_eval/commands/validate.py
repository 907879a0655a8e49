"""`validate`: check every skill and its evals.json, and say all that is wrong at once."""

import os
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.output_file import write_output
from evals.skill_eval.commands.selection import add_selection_arguments, repository_root
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.reading.discovery import discover
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.reading.validation import Validation, validate
from evals.skill_eval.reporting import findings

FORMATS = ("text", "json", "github", "sarif", "junit", "gitlab")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `validate`."""
    add_selection_arguments(parser)
    parser.add_argument("--strict", action="store_true", help="make every warning an error")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", metavar="FORMAT", help=f"{', '.join(FORMATS)} (default text)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the findings there (default: standard output)"
    )
    parser.add_argument("--self-test", action="store_true", help="grade every suite without a model, too")
    parser.add_argument("--explain", metavar="CODE", help="say what a finding's code means, and do nothing else")


def main(args: Namespace, out: Console) -> int:
    """Validate what the options select; 1 when there is a finding of severity error."""
    if args.explain is not None:
        out.result(_explanation(args.explain.upper()))
        return 0
    root = repository_root(args)
    discovery = discover(root, skills_dirs=tuple(args.skills_dir), recursive=args.recursive)
    validation = validate(discovery, names=tuple(args.skill))
    if args.self_test:
        from evals.skill_eval.commands.selftest import self_tested

        validation = self_tested(validation)
    if args.strict:
        validation = validation.strict()
    _deliver(_rendered(validation, args.format), validation, args.output, out)
    if os.environ.get("GITHUB_ACTIONS") == "true" and (args.format != "github" or args.output):
        _annotate(validation, out)
    return 1 if validation.count(Severity.ERROR) else 0


def _explanation(code: str) -> str:
    rule = RULES.get(code)
    if rule is None:
        raise ConfigError(f"no finding has the code {quoted(code)}", _near(code))
    return f"{rule.code} ({rule.severity}): {rule.title}\n{rule.remedy}"


def _near(code: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(code, sorted(RULES), 5)
    return f"close to it: {', '.join(f'`{near}`' for near in close)}" if close else "codes look like `SE101`"


def _rendered(validation: Validation, name: str) -> str:
    """Return the findings in one format; each is loaded only when it is asked for."""
    match name:
        case "json":
            return findings.json_text(validation)
        case "junit":
            from evals.skill_eval.reporting.junit_findings import junit_findings

            return junit_findings(validation)
        case "github":
            return "\n".join([*_annotations(validation), findings.summary(validation)])
        case "sarif":
            from evals.skill_eval.reporting.sarif import sarif

            return sarif(_in_checkout(validation))
        case "gitlab":
            from evals.skill_eval.reporting.gitlab import code_quality

            return code_quality(_in_checkout(validation))
        case _:
            return findings.text(validation)


def _annotations(validation: Validation) -> list[str]:
    from evals.skill_eval.reporting.github import annotations

    return annotations(_in_checkout(validation))


def _annotate(validation: Validation, out: Console) -> None:
    for line in _annotations(validation):
        out.talk(line)


def _in_checkout(validation: Validation) -> tuple[Problem, ...]:
    """Return the findings with paths relative to the CI's checkout, of which the repository root may be a part."""
    checkout = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    real = Path(os.path.realpath(checkout)) if checkout else validation.root
    if not validation.root.is_relative_to(real) or validation.root == real:
        return validation.problems
    part = validation.root.relative_to(real).as_posix()
    return tuple(replace(problem, path=f"{part}/{problem.path}") for problem in validation.problems)


def _deliver(report: str, validation: Validation, output: Path | None, out: Console) -> None:
    if output is None:
        out.result(report)
        return
    write_output(output, report + "\n")
    out.talk(f"{findings.summary(validation)}; written to {_path(output)}")


def _path(path: Path) -> str:
    return quoted(str(path), limit=4096)
