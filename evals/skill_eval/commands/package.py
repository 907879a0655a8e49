"""`package`: the whole harness in one file that any Python runs."""

import zipapp
from argparse import ArgumentParser, Namespace
from pathlib import Path
from shlex import quote

from evals.skill_eval.commands.console import Console
from evals.skill_eval.errors import ConfigError

_ENTRY = "evals.skill_eval.cli:exit_with_main"
_LEFT_OUT = {"tests", "benchmarks", "docs", "__pycache__"}
_PACKED = {".py", ".json", ".jsonl", ".md"}

EXIT_CODES = "exit codes: 0 done, 2 wrong usage"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `package`."""
    parser.add_argument(
        "--output", type=Path, default=Path("skill-eval.pyz"), metavar="FILE", help="the file (default skill-eval.pyz)"
    )


def main(args: Namespace, out: Console) -> int:
    """Write the file; raises ConfigError when this is already a packed harness."""
    package = Path(__file__).parents[2]
    if not package.is_dir():
        raise ConfigError("a packed harness cannot pack itself; use a checkout")
    _build(package, args.output)
    out.result(f"{args.output}: try `python3 {quote(str(args.output))} validate --repo-root DIR`")
    return 0


def _build(package: Path, output: Path) -> None:
    try:
        zipapp.create_archive(package.parent, output, "/usr/bin/env python3", _ENTRY, _wanted, compressed=True)
        output.chmod(output.stat().st_mode | 0o111)
    except OSError as error:
        raise ConfigError(f"`{output}` cannot be written: {error.strerror}") from error


def _wanted(path: Path) -> bool:
    """Take the package's own code and data, and none of the repository around it."""
    inside = path.parts[0] == "evals" and not _LEFT_OUT & set(path.parts)
    return inside and (not path.suffix or path.suffix in _PACKED)
