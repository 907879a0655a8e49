"""`run`: every selected case with and without its skill, through an adapter."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from evals.skill_eval.artifacts.layout import check_run_id, new_run_id, output_root, timestamp
from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values
from evals.skill_eval.artifacts.store import RunStore, create_run
from evals.skill_eval.commands import options
from evals.skill_eval.commands.conclusion import Ended, conclude
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.progress import Progress
from evals.skill_eval.commands.selection import add_selection_arguments, repository_root, select
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.protocol import PROTOCOL_VERSION
from evals.skill_eval.model.record import JsonObject, TrialRecord
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.running.adapters import configured_adapter, find_adapter
from evals.skill_eval.running.engine import ErrorStreak, Plan, Workers
from evals.skill_eval.running.environment import inherited
from evals.skill_eval.running.matcher import Matcher
from evals.skill_eval.running.material import Bounds, Material, plan_trials, take_material
from evals.skill_eval.running.supervisor import Supervisor, cancel_all, signals_end_calls
from evals.skill_eval.running.trial import Tools
from evals.skill_eval.running.workspace import choose_temporary_root
from evals.skill_eval.version import VERSION


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `run`."""
    add_selection_arguments(parser)
    parser.add_argument("--case", action="append", default=[], metavar="ID", help="run only this case (repeatable)")
    parser.add_argument("--adapter", metavar="NAME|PATH", help="a shipped adapter's name or an executable")
    parser.add_argument(
        "--adapter-arg",
        action="append",
        default=[],
        metavar="ARG",
        help="an argument for the adapter (repeatable); all that follows a bare `--` is one each",
    )
    parser.add_argument("--iterations", type=options.whole_number, default=1, metavar="N", help="repetitions (default 1)")
    parser.add_argument(
        "--timeout-seconds",
        type=options.seconds,
        default=120.0,
        metavar="SECONDS",
        help="limit of one adapter call in seconds (default 120)",
    )
    parser.add_argument(
        "--max-output-bytes",
        type=options.byte_count,
        default=1 << 20,
        metavar="BYTES",
        help="limit of standard output and standard error each, in bytes (default 1048576)",
    )
    parser.add_argument(
        "--minimum-lift", type=options.lift, metavar="LIFT", help="fail below this lift, from -1 to 1 (default: none)"
    )
    parser.add_argument("--jobs", type=options.whole_number, default=1, metavar="N", help="pairs at a time (default 1)")
    parser.add_argument(
        "--seed", type=options.seed_number, default=0, metavar="N", help="draws which mode of a pair is first (default 0)"
    )
    parser.add_argument("--fail-fast", action="store_true", help="stop at the first adapter error (default: three in a row)")
    parser.add_argument("--dry-run", action="store_true", help="say what would run and how many adapter calls; run nothing")
    parser.add_argument("--run-id", metavar="ID", help="name of the run's folder (default: UTC time and a random suffix)")
    parser.add_argument("--output-root", type=Path, metavar="DIR", help="where runs are kept (default tmp/skills-eval)")


def normalise(argv: Sequence[str]) -> list[str]:
    """Let adapter arguments begin with a dash: after `--adapter-arg`, and after a bare `--`."""
    if "--" in argv:
        at = list(argv).index("--")
        return [*normalise(argv[:at]), *(f"--adapter-arg={word}" for word in argv[at + 1 :])]
    words: list[str] = []
    for word in argv:
        if words and words[-1] == "--adapter-arg":
            words[-1] = f"--adapter-arg={word}"
        else:
            words.append(word)
    return words


def main(args: Namespace, out: Console) -> int:
    """Run what was asked for and return the exit code."""
    repository = repository_root(args)
    adapter = _adapter(args, repository)
    selected = select(args, repository, out)
    bounds = Bounds(args.iterations, args.timeout_seconds, args.max_output_bytes)
    materials = tuple(take_material(one.skill, one.suite, one.cases) for one in selected)
    plan = plan_trials(materials, adapter, bounds, args.seed)
    if args.dry_run:
        return _describe(plan, adapter, materials, out)
    store = _store(args, repository)
    facts = _facts(args, store.path.name, adapter, materials)
    store.write_run(facts)
    records = _execute(args, plan, repository, store, out)
    store.write_run(facts | {"end": timestamp(), "complete": len(records) == plan.trials})
    return conclude(Ended(store, adapter, args.minimum_lift, plan.trials, records), out)


def _adapter(args: Namespace, repository: Path) -> AdapterCommand:
    if args.adapter is not None:
        return find_adapter(args.adapter, tuple(args.adapter_arg), Path.cwd())
    configured = configured_adapter(repository)
    if configured is None:
        raise ConfigError(
            "no adapter: `--adapter` is missing and `pyproject.toml` has no `[tool.skill-eval]` with `adapter`",
            hint="try `--adapter offline`; the command `adapters` lists those that ship",
        )
    name, arguments = configured
    return find_adapter(name, (*arguments, *args.adapter_arg), repository)


def _describe(plan: Plan, adapter: AdapterCommand, materials: tuple[Material, ...], out: Console) -> int:
    for material in materials:
        out.result(f"{material.skill}: cases {', '.join(str(case.id) for case in material.cases)}")
    out.result(f"{plan.trials} adapter calls through {adapter.name}; nothing was run")
    return 0


def _store(args: Namespace, repository: Path) -> RunStore:
    run_id = new_run_id() if args.run_id is None else check_run_id(args.run_id)
    return create_run(output_root(repository, args.output_root), run_id, Redactor(sensitive_values(os.environ)))


def _facts(args: Namespace, run_id: str, adapter: AdapterCommand, materials: tuple[Material, ...]) -> JsonObject:
    """Return `run.json`: who measured what, with which bounds, on what machine."""
    return {
        "tool": {"name": "skill-eval", "version": VERSION},
        "protocol_version": PROTOCOL_VERSION,
        "run_id": run_id,
        "adapter": {"name": adapter.name, "argv": list(adapter.argv), "notice": adapter.notice},
        "options": {
            "iterations": args.iterations,
            "timeout_seconds": args.timeout_seconds,
            "max_output_bytes": args.max_output_bytes,
            "minimum_lift": None if args.minimum_lift is None else str(args.minimum_lift),
            "jobs": args.jobs,
            "seed": args.seed,
            "cases": args.case,
            "fail_fast": args.fail_fast,
        },
        "skills": {one.skill: {"skill": one.skill_digest, "suite": one.suite_digest} for one in materials},
        "python": sys.version.split()[0],
        "platform": sys.platform,
        "start": timestamp(),
        "end": None,
        "complete": False,
    }


def _execute(args: Namespace, plan: Plan, repository: Path, store: RunStore, out: Console) -> list[TrialRecord]:
    """Run the plan, write each trial as it ends, and return the records of all that ended."""
    root = choose_temporary_root([repository])
    for flaw in root.flaws:
        out.talk(f"warning: workspaces are in `{root.path}`: {flaw}")
    cases = {job.key: job.case for pair in plan.pairs for job in pair}
    progress, streak = Progress(plan.trials, out), ErrorStreak(args.fail_fast)
    records: list[TrialRecord] = []
    with signals_end_calls(), Workers(plan, args.jobs, _tools(root.path, store.redactor), cancel_all) as workers:
        for trial in workers.results():
            records.append(store.keep(cases[trial.key], trial))
            progress.show(records[-1])
            if streak.add(trial):
                workers.stop()
    progress.end()
    return records


def _tools(root: Path, redactor: Redactor) -> Callable[[], AbstractContextManager[Tools]]:
    environment = inherited(os.environ)

    @contextmanager
    def one_worker() -> Iterator[Tools]:
        with Supervisor() as supervisor, Matcher() as matcher:
            yield Tools(supervisor.call, matcher, root, environment, redactor)

    return one_worker
