"""`validate`: check every skill and its evals.json, and say all that is wrong at once."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.output_file import output_file
from evals.skill_eval.commands.selection import add_selection_arguments, repository_root
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Severity
from evals.skill_eval.reading.discovery import discover
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.validation import validate
from evals.skill_eval.reporting import findings

FORMATS = ("text", "json", "github", "sarif", "junit", "gitlab")

EXIT_CODES = """exit codes:
  0  no finding of severity error
  1  findings of severity error; with `--strict` every warning is one
  2  wrong usage, or a folder that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `validate`."""
    add_selection_arguments(parser)
    parser.add_argument("--strict", action="store_true", help="make every warning an error")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", metavar="FORMAT", help=f"{', '.join(FORMATS)} (default text)"
    )
    parser.add_argument(
        "--output",
        type=output_file,
        metavar="FILE",
        help="write the findings there (default, and `-`: standard output)",
    )
    parser.add_argument("--self-test", action="store_true", help="grade every suite without a model, too")
    parser.add_argument("--explain", metavar="CODE", help="say what a finding's code means, and do nothing else")


def main(args: Namespace, out: Console) -> int:
    """Validate what the options select; 1 when there is a finding of severity error."""
    if args.explain is not None:
        out.result(_explanation(args.explain.upper()))
        return 0
    root = repository_root(args, out)
    discovery = discover(root, skills_dirs=tuple(args.skills_dir), recursive=args.recursive)
    validation = validate(discovery, names=tuple(args.skill))
    if args.self_test:
        from evals.skill_eval.commands.selftest import self_tested

        validation = self_tested(validation)
    if args.strict:
        validation = validation.strict()
    if args.format == "text" and args.output is None and os.environ.get("GITHUB_ACTIONS") != "true":
        out.result(findings.text(validation))
    else:
        from evals.skill_eval.commands.delivery import deliver

        deliver(validation, args.format, args.output, out)
    return 1 if validation.count(Severity.ERROR) else 0


def _explanation(code: str) -> str:
    from evals.skill_eval.reading.rules import RULES

    rule = RULES.get(code)
    if rule is None:
        raise _unknown_code(code, RULES)
    return f"{rule.code} ({rule.severity}): {rule.title}\n{rule.remedy}"


def _unknown_code(code: str, known: Iterable[str]) -> ConfigError:
    from difflib import get_close_matches

    close = get_close_matches(code, sorted(known), 5)
    hint = f"close to it: {', '.join(f'`{near}`' for near in close)}" if close else "codes look like `SE101`"
    return ConfigError(f"no finding has the code {quoted(code)}", hint)
