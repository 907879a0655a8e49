"""`rebuild`: benchmarks and summary again, from the trials of a run that are on disk."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from evals.skill_eval.artifacts.layout import find_run
from evals.skill_eval.artifacts.lock import locked
from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values
from evals.skill_eval.artifacts.store import open_run
from evals.skill_eval.commands.conclusion import conclude
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.selection import repository_root


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `rebuild`."""
    parser.add_argument("run", metavar="RUN", help="a run's folder or its id")
    add_place_arguments(parser)


def add_place_arguments(parser: ArgumentParser) -> None:
    """Declare where runs given by their id are looked for."""
    parser.add_argument("--repo-root", type=Path, metavar="DIR", help="the repository whose runs are meant")
    parser.add_argument("--output-root", type=Path, metavar="DIR", help="where runs are kept (default tmp/skills-eval)")


def main(args: Namespace, out: Console) -> int:
    """Write `benchmark.json` again and return the run's exit code."""
    redactor = Redactor(sensitive_values(os.environ))
    store = open_run(find_run(args.run, repository_root(args, out), args.output_root), redactor)
    with locked(store.path):
        return conclude(store, out)
