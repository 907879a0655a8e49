"""The command line of FORTIS: its commands, run by the harness's own error boundary."""

from evals.skill_eval.cli import run_program

COMMANDS = {
    "validate": "recompute every label and check every text rule; print the leak audit",
    "build": "write the queries of a domain from its hand-written files, or compare them with what is stored",
    "sample": "print stored queries drawn by a seed, with their labels, for a person to read",
    "run": "put the queries to a model through an adapter, and report",
    "merge": "join the shards of a run, and report",
    "report": "judge one or several runs: tables, figures, the over-privileged answers, the baselines",
    "show": "print a domain's skills, tools, acts and intents with what the solver computes for them",
}

_EXIT_CODES = """exit codes:
  0  done, and nothing to find fault with
  1  `validate` has findings, or `build --check` a difference
  2  wrong usage, an adapter error, or a trial that was not run
  129, 130, 143  interrupted by SIGHUP, Ctrl-C or SIGTERM; what was finished is kept
"""


def main(argv: list[str] | None = None) -> int:
    """Run `fortis` with `argv` (default: the process's) and return the exit code."""
    return run_program("fortis", "evals.fortis", COMMANDS, argv, _EXIT_CODES)
