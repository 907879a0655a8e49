"""`report`: one or several runs as text, Markdown, JSON or HTML, beside the baselines and the published rows."""

import os
from argparse import ArgumentParser, Namespace

from evals.skill_eval.commands import options
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.output_file import output_file
from evals.skill_eval.commands.rebuild import add_place_arguments

EXIT_CODES = """exit codes:
  0  every trial of the runs was answered
  2  wrong usage, an adapter error, or a trial that was not run
"""
_FORMATS = ("terminal", "markdown", "json", "html")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `report`."""
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help="a run's folder or its id (default: none, the baselines alone)"
    )
    parser.add_argument("--format", choices=_FORMATS, default="terminal", help="form of the report (default terminal)")
    parser.add_argument(
        "--output", type=output_file, metavar="FILE", help="write it there (default, and `-`: standard output)"
    )
    parser.add_argument(
        "--entries",
        type=options.whole_number,
        metavar="N",
        help="show N over-privileged answers a run (default 10; html and json: all)",
    )
    add_place_arguments(parser)


def main(args: Namespace, out: Console) -> int:
    """Print or write the report; return 2 when something of the runs was not measured."""
    from evals.fortis.conclusion import Reporter, exit_code, terminal_width
    from evals.fortis.results import load_result
    from evals.skill_eval.artifacts.layout import find_run
    from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values
    from evals.skill_eval.artifacts.store import open_run
    from evals.skill_eval.commands.output_file import write_output
    from evals.skill_eval.commands.selection import repository_root

    repository, redactor = repository_root(args, out), Redactor(sensitive_values(os.environ))
    stores = [open_run(find_run(run, repository, args.output_root), redactor) for run in dict.fromkeys(args.runs)]
    results = [load_result(store) for store in stores]
    reporter = Reporter(results)
    if args.output is None:
        out.result(reporter.text(args.format, args.entries, terminal_width()).rstrip("\n"))
    else:
        write_output(args.output, reporter.text(args.format, args.entries))
    return exit_code(results)
