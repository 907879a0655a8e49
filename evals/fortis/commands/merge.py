"""`merge`: the shards of one run become one run, after a check that they belong together."""

from argparse import Namespace

from evals.fortis.commands.run import EXIT_CODES
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.merge import add_arguments, merged_run

__all__ = ["EXIT_CODES", "add_arguments", "main"]


def main(args: Namespace, out: Console) -> int:
    """Write the merged run, report it and return its exit code."""
    from evals.fortis.conclusion import conclude

    return conclude(merged_run(args, out), out)
