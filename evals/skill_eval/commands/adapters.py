"""`adapters`: the adapters that ship, what each needs, and whether that is found here."""

from argparse import ArgumentParser, Namespace
from shutil import which

from evals.skill_eval.commands.console import Console
from evals.skill_eval.running.shipped import SHIPPED, ShippedAdapter

EXIT_CODES = "exit codes: 0 done, 2 wrong usage"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `adapters`: there are none."""


def main(args: Namespace, out: Console) -> int:
    """Print one paragraph for each adapter."""
    for adapter in SHIPPED.values():
        out.result(f"{adapter.name}: {adapter.summary}")
        out.result(f"  needs {adapter.needs}: {_found(adapter)}")
        if adapter.notice:
            out.result(f"  note: {adapter.notice}")
    return 0


def _found(adapter: ShippedAdapter) -> str:
    if adapter.executable is None:
        return "ready"
    found = which(adapter.executable)
    return f"found at `{found}`" if found else f"`{adapter.executable}` is not on PATH"
