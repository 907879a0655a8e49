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
    """Pack a copy: `zipapp` of Python 3.13.0 leaves out every file of the current folder."""
    from shutil import copytree
    from tempfile import TemporaryDirectory

    try:
        with TemporaryDirectory(prefix="skill-eval-") as folder:
            copytree(package, f"{folder}/{package.name}", ignore=_unwanted)
            zipapp.create_archive(folder, output, "/usr/bin/env python3", _ENTRY, compressed=True)
        output.chmod(output.stat().st_mode | 0o111)
    except OSError as error:
        raise ConfigError(f"`{output}` cannot be written: {error.strerror or error}") from error


def _unwanted(folder: str, names: list[str]) -> set[str]:
    """Leave out what is neither the package's own code nor its data."""
    packed = {name for name in names if Path(name).suffix in _PACKED or Path(folder, name).is_dir()}
    return set(names) - packed | _LEFT_OUT
