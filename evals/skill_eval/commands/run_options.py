"""The options of `run`: those that define what is measured are stored, so that a resumed run keeps them."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from evals.skill_eval.artifacts.files import is_as_kept
from evals.skill_eval.commands import options
from evals.skill_eval.commands.selection import add_selection_arguments, folder
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.record import JsonObject

# What each defining option is when neither the user nor the resumed run says otherwise.
DEFINING: Mapping[str, object] = {
    "skills_dir": [],
    "recursive": False,
    "skill": [],
    "case": [],
    "adapter": None,
    "adapter_arg": [],
    "iterations": 1,
    "timeout_seconds": 120.0,
    "max_output_bytes": 1 << 20,
    "minimum_lift": None,
    "seed": 0,
    "shard": None,
    "retries": 0,
    "clean_env": False,
    "pass_env": [],
    "sandbox": "none",
    "control": [],
    "sentinels": False,
    "baseline_skill": None,
    "baseline_ref": None,
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare every option of `run`; defining ones have no default here, see `DEFINING`."""
    add_selection_arguments(parser)
    parser.add_argument("--case", action="append", metavar="ID", help="only this case (repeatable)")
    for add in (_adapter, _what, _how, _compared, _bounds, _place):
        add(parser)
    parser.set_defaults(**dict.fromkeys(DEFINING))


def add_running_arguments(parser: ArgumentParser) -> None:
    """Declare the options that say how trials are run, whatever they measure."""
    for add in (_adapter, _how, _bounds, _place):
        add(parser)


def _adapter(parser: ArgumentParser) -> None:
    parser.add_argument("--adapter", metavar="NAME|PATH", help="a shipped adapter's name or an executable")
    parser.add_argument(
        "--adapter-arg",
        action="append",
        metavar="ARG",
        help="an argument for the adapter (repeatable); all that follows a bare `--` is one each",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would run and how many adapter calls; run nothing"
    )


def _what(parser: ArgumentParser) -> None:
    parser.add_argument("--iterations", type=options.whole_number, metavar="N", help="repetitions (default 1)")
    parser.add_argument("--seed", type=options.seed_number, metavar="N", help="draws which mode goes first (default 0)")


def _how(parser: ArgumentParser) -> None:
    parser.add_argument("--jobs", type=options.whole_number, default=1, metavar="N", help="pairs at a time (default 1)")
    parser.add_argument(
        "--executor", metavar="MODULE:CALLABLE", help="run on what this returns: any concurrent.futures.Executor"
    )
    parser.add_argument(
        "--shard", type=shard_number, metavar="I/N", help="only part I of N, to be merged (default: all)"
    )
    parser.add_argument("--clean-env", action="store_true", help="give the adapter an empty home and few variables")
    parser.add_argument(
        "--pass-env",
        action="append",
        type=options.variable_name,
        metavar="NAME",
        help="with --clean-env: pass this variable on (repeatable)",
    )
    parser.add_argument("--sandbox", choices=["none", "bwrap"], help="wrap the adapter in bubblewrap (default none)")
    parser.add_argument(
        "--retries", type=options.small_number, metavar="N", help="repeat after exit status 75, N times (default 0)"
    )


def _compared(parser: ArgumentParser) -> None:
    parser.add_argument("--minimum-lift", type=options.lift, metavar="LIFT", help="fail below this lift, from -1 to 1")
    parser.add_argument(
        "--control",
        action="append",
        choices=["aa", "placebo"],
        help="add an arm: the baseline again, or an irrelevant skill of the same size (repeatable)",
    )
    parser.add_argument("--sentinels", action="store_true", help="add two cases with known answers to each suite")
    old = parser.add_mutually_exclusive_group()
    old.add_argument("--baseline-skill", type=folder, metavar="DIR", help="compare with this older copy of the skill")
    old.add_argument("--baseline-ref", metavar="GITREF", help="compare with the skill as it was at this commit")


def _bounds(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--timeout-seconds",
        type=options.seconds,
        metavar="SECONDS",
        help="limit of one adapter call (default 120 seconds)",
    )
    parser.add_argument(
        "--max-output-bytes",
        type=options.byte_count,
        metavar="BYTES",
        help="limit of standard output and standard error each, in bytes (default 1048576)",
    )
    parser.add_argument("--max-calls", type=options.whole_number, metavar="N", help="start no trial after N calls")
    parser.add_argument("--max-minutes", type=options.minutes, metavar="MINUTES", help="start no trial after this time")
    parser.add_argument("--max-tokens", type=options.token_count, metavar="N", help="start no trial after N tokens")
    parser.add_argument("--max-cost-usd", type=options.amount, metavar="USD", help="start no trial after this cost")
    parser.add_argument(
        "--fail-fast", action="store_true", help="stop at the first adapter error (default: three in a row)"
    )


def _place(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--run-id", metavar="ID", help="name of the run's folder (default: UTC time and a random suffix)"
    )
    parser.add_argument(
        "--output-root", type=folder, metavar="DIR", help="where runs are kept (default tmp/skills-eval)"
    )
    parser.add_argument("--resume", metavar="ID", help="finish this run; its own options hold")
    parser.add_argument("--retry-errors", action="store_true", help="with --resume: run errored trials again, too")


def shard_number(text: str) -> str:
    """Return `I/N` with 1 <= I <= N <= 100,000."""
    index, slash, count = text.partition("/")
    if slash and options.whole_number(index) <= options.whole_number(count):
        return text
    raise ArgumentTypeError(f"expected I/N with I from 1 to N, found `{text}`")


def stored(args: Namespace, defining: Mapping[str, object] = DEFINING) -> JsonObject:
    """Return the defining options as `run.json` keeps them."""
    return {name: _plain(getattr(args, name)) for name in defining}


def complete(
    args: Namespace, earlier: Mapping[str, object] | None = None, defining: Mapping[str, object] = DEFINING
) -> Namespace:
    """Return `args` with every defining option filled: from the resumed run `earlier`, else by default.

    Raises ConfigError that names each option which the user gives otherwise than `earlier` has it.
    """
    options = ((name, getattr(args, name)) for name in defining)
    given = {name: value for name, value in options if value is not None and value is not False}
    if earlier is not None:
        changed = [
            name for name, value in given.items() if _plain(value) != earlier.get(name) and not _is_lost(earlier, name)
        ]
        if changed:
            listed = ", ".join(f"`--{name.replace('_', '-')}` was {earlier.get(name)!r}" for name in changed)
            raise ConfigError(
                f"the run to resume had other options: {listed}", hint="leave them out, or start a new run"
            )
    before = {name: _typed(name, value) for name, value in (earlier or {}).items() if name in defining}
    return Namespace(**{**vars(args), **defining, **before, **given})


def _is_lost(earlier: Mapping[str, object], name: str) -> bool:
    """Tell whether the stored value is not the one given, so that only the adapter's digest can be compared."""
    value = earlier.get(name)
    return not all(map(is_as_kept, map(str, value if isinstance(value, list) else [value])))


def _plain(value: object) -> object:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path | Fraction) else value


def _typed(name: str, value: object) -> object:
    if value is None:
        return None
    if name == "minimum_lift":
        return Fraction(str(value))
    if name == "baseline_skill":
        return Path(str(value))
    return [Path(str(item)) for item in value] if name == "skills_dir" and isinstance(value, list) else value
