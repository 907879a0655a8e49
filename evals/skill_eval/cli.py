"""The command line: one parser, one error boundary, the only place that prints."""

import importlib
import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from evals.skill_eval.errors import SkillEvalError
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.version import VERSION

USAGE = 2

COMMANDS = {
    "validate": "check every skill and its evals.json; needs no adapter",
    "selftest": "grade every suite without a model: what are its checks worth?",
    "run": "run suites with and without their skill through an adapter",
    "rebuild": "write benchmarks and summary of a run again, from its trials on disk",
    "merge": "join the shards of a run",
    "adapter": "check whether an adapter keeps to the protocol and isolates its agent",
    "adapters": "list the adapters that ship with the harness",
    "schema": "print the JSON Schema of a file or message",
    "package": "write the harness into one file, skill-eval.pyz",
}

_EXIT_CODES = """exit codes:
  0  clean, or every required with-skill check passed and any minimum lift was met
  1  findings of severity error, a failed with-skill check, or a missed minimum lift
  2  invalid configuration, adapter errors or time-outs, or nothing was measured
  129, 130, 143  interrupted by SIGHUP, Ctrl-C or SIGTERM; what was finished is kept
"""


class OutputLost(Exception):
    """Standard output could not take what was printed."""


class StandardConsole:
    """Where a command speaks: results on standard output, talk on standard error."""

    def __init__(self, out: TextIO | None, err: TextIO | None) -> None:
        self.out, self.err = out, err
        for stream in (out, err):
            _never_fail_to_encode(stream)

    def result(self, text: str) -> None:
        """Print a result and end the line; raises OutputLost."""
        if self.out is None:
            raise OutputLost("it is closed")
        try:
            print(text, file=self.out)
        except OSError as error:
            raise OutputLost(str(error)) from error

    def talk(self, text: str, end: str = "\n") -> None:
        """Print progress or a remark; a closed standard error is no reason to stop."""
        if self.err is None:
            return
        with suppress(OSError):
            print(text, file=self.err, end=end, flush=True)

    def flush(self) -> None:
        """Make sure that results arrived; raises OutputLost when they did not."""
        if self.out is None:
            return
        try:
            self.out.flush()
        except OSError as error:
            raise OutputLost(str(error)) from error


def main(argv: list[str] | None = None) -> int:
    """Run `skill-eval` with `argv` (default: the process's) and return the exit code."""
    return run_program("skill-eval", __package__ or "evals.skill_eval", COMMANDS, argv)


def exit_with_main() -> None:
    """End the process with the exit code of `main`: the entry of the packed harness."""
    sys.exit(main())


def run_program(
    program: str,
    package: str,
    commands: Mapping[str, str],
    argv: list[str] | None = None,
    exit_codes: str = _EXIT_CODES,
) -> int:
    """Parse `argv`, run the command's module `<package>.commands.<name>` and turn errors into exit codes.

    `exit_codes` is what help says of them where a command's module has no `EXIT_CODES`.
    """
    console = StandardConsole(sys.stdout, sys.stderr)
    try:
        code = _dispatch(program, package, commands, sys.argv[1:] if argv is None else argv, console, exit_codes)
        console.flush()
        return code
    except SkillEvalError as error:
        return _say(console, error)
    except OutputLost as error:
        return _give_up_output(console, error)
    except Exception:
        import traceback

        console.talk(traceback.format_exc() + f"{program}: internal error, please report it")
        return USAGE
    except BaseException as stop:
        return _stopped(console, stop)


def _dispatch(
    program: str, package: str, commands: Mapping[str, str], argv: list[str], console: StandardConsole, exit_codes: str
) -> int:
    name = next((word for word in argv if word in commands), None)
    argv = _command_first(argv, name)
    if name is None or argv[0] != name:
        overview = _overview(program, commands, exit_codes)
        overview.parse_args(argv)
        overview.error("the command has to be the first word")
    module = importlib.import_module(f"{package}.commands.{name}")
    if hasattr(module, "normalise"):
        argv = module.normalise(argv)
    parser = _parser(f"{program} {name}", commands[name], getattr(module, "EXIT_CODES", exit_codes))
    module.add_arguments(parser)
    return int(module.main(parser.parse_args(argv[1:]), console))


def _command_first(argv: list[str], name: str | None) -> list[str]:
    """Let `--repo-root DIR` stand before the command as well as after it."""
    if name is None or not argv[0].startswith("--repo-root"):
        return argv
    place = argv.index(name)
    return [name, *argv[:place], *argv[place + 1 :]]


def _overview(program: str, commands: Mapping[str, str], exit_codes: str) -> ArgumentParser:
    """Return the parser of everything that does not begin with a command: help, version and errors."""
    parser = _parser(program, None, exit_codes)
    parser.add_argument("--version", action="version", version=f"{program} {VERSION}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in commands.items():
        subparsers.add_parser(name, help=summary, add_help=False, formatter_class=_formatter)
    return parser


def _parser(program: str, description: str | None, exit_codes: str) -> ArgumentParser:
    return ArgumentParser(
        prog=program, description=description, epilog=exit_codes, formatter_class=_formatter, allow_abbrev=False
    )


def _formatter(prog: str) -> RawDescriptionHelpFormatter:
    """Return a formatter as wide as the terminal; left to itself, it would load `shutil` to learn the width."""
    return RawDescriptionHelpFormatter(prog, width=_columns() - 2)


def _columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    with suppress(OSError):
        return os.get_terminal_size().columns or 80
    return 80


def _say(console: StandardConsole, error: SkillEvalError) -> int:
    from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values

    redact = Redactor(sensitive_values(os.environ)).text
    console.talk(f"error: {escape_line(redact(str(error)))}")
    if error.hint:
        console.talk(f"hint: {escape_line(redact(error.hint))}")
    return USAGE


def _stopped(console: StandardConsole, stop: BaseException) -> int:
    """Return 130 for Ctrl-C and what `running.interruption` says for other signals; let anything else go."""
    if not isinstance(stop, KeyboardInterrupt) and not hasattr(stop, "exit_code"):
        raise stop
    console.talk(f"interrupted{': ' + str(stop) if str(stop) else ''}")
    return int(getattr(stop, "exit_code", 130))


def _give_up_output(console: StandardConsole, error: OutputLost) -> int:
    """Report lost output once, and keep the interpreter from trying again at its end."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")
    if not isinstance(error.__cause__, BrokenPipeError):  # whoever closed it does not want to hear of it
        console.talk(f"error: standard output could not be written: {error}")
    return USAGE


def _never_fail_to_encode(stream: TextIO | None) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
