"""Findings brought where they were asked for: in which format, into which file, onto which pull request."""

import os
from pathlib import Path

from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.output_file import write_output
from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.validation import Validation
from evals.skill_eval.reporting import findings


def deliver(validation: Validation, name: str, output: Path | None, out: Console) -> None:
    """Print the findings in the format `name`, or write them to `output`; on GitHub, annotate the pull request too."""
    report = _rendered(validation, name)
    if output is None:
        out.result(report)
    else:
        write_output(output, report + "\n")
        out.talk(f"{findings.summary(validation)}; written to {_path(output)}")
    if os.environ.get("GITHUB_ACTIONS") == "true" and (name != "github" or output):
        _annotate(validation, out)


def _rendered(validation: Validation, name: str) -> str:
    """Return the findings in one format; the module of each is loaded only when it is asked for."""
    match name:
        case "json":
            from evals.skill_eval.reporting.findings_json import json_text

            return json_text(validation)
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
    return tuple(problem._replace(path=f"{part}/{problem.path}") for problem in validation.problems)


def _path(path: Path) -> str:
    return quoted(str(path), limit=4096)
