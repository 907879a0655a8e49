"""`run`: every selected case with and without its skill, through an adapter."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from evals.skill_eval.artifacts.files import write_whole
from evals.skill_eval.artifacts.layout import check_run_id, new_run_id, output_root, timestamp
from evals.skill_eval.artifacts.lock import locked
from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values
from evals.skill_eval.artifacts.store import RunStore, create_run, open_run
from evals.skill_eval.commands.arms import with_controls
from evals.skill_eval.commands.conclusion import conclude
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.progress import Progress
from evals.skill_eval.commands.run_options import add_arguments, complete, stored
from evals.skill_eval.commands.selection import Selected, repository_root, select
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.protocol import PROTOCOL_VERSION
from evals.skill_eval.model.record import JsonObject
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.running.adapters import adapter_digest, configured_adapter, find_adapter
from evals.skill_eval.running.conditions import Canaries, Conditions, Sandbox
from evals.skill_eval.running.engine import Crew, Plan, Threads, remaining
from evals.skill_eval.running.gate import ERRORS_IN_A_ROW, Gate, Limits
from evals.skill_eval.running.interruption import Interrupted, signals_end_calls
from evals.skill_eval.running.material import Bounds, Material, plan_trials, shard, take_material
from evals.skill_eval.running.sandbox import require_bubblewrap
from evals.skill_eval.running.workspace import choose_temporary_root
from evals.skill_eval.version import VERSION

__all__ = ["add_arguments", "main", "normalise"]

# What must be the same before a run is resumed, and what it is called in the refusal.
_IDENTITY = {"adapter": "the adapter", "skills": "a skill or its suite", "options": "the options"}


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
    """Run what was asked for, or what is missing of it, and return the exit code."""
    repository = repository_root(args)
    redactor = Redactor(sensitive_values(os.environ))
    root = output_root(repository, args.output_root)
    earlier = open_run(root / check_run_id(args.resume), redactor) if args.resume else None
    args = complete(args, None if earlier is None else earlier.facts()["options"])  # type: ignore[arg-type]
    prepared = _prepare(args, repository, out)
    if args.dry_run:
        return _describe(prepared, out)
    store = earlier or create_run(root, new_run_id() if args.run_id is None else check_run_id(args.run_id), redactor)
    with locked(store.path):
        _begin(store, prepared, earlier is not None)
        _execute(args, prepared, store, repository, out)
        return conclude(store, out)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """All that is known before the first call; `facts` is what `run.json` says of it."""

    plan: Plan
    materials: tuple[Material, ...]
    facts: JsonObject


def _prepare(args: Namespace, repository: Path, out: Console) -> _Prepared:
    adapter = _adapter(args, repository)
    if args.sandbox == Sandbox.BWRAP:
        require_bubblewrap()
    selected = select(args, repository, out)
    if adapter.notice is None:
        _say_weak_checks(selected, out)
    taken = (take_material(one.skill, one.suite, one.cases) for one in selected)
    materials = tuple(with_controls(material, args, repository) for material in taken)
    bounds = Bounds(args.iterations, args.timeout_seconds, args.max_output_bytes)
    whole = plan_trials(materials, adapter, bounds, args.seed)
    plan = _shard(whole, args.shard) if args.shard else whole
    totals = {"planned_trials": plan.trials, "planned_total": whole.trials}
    return _Prepared(plan, materials, _facts(args, adapter, materials) | totals)


def _say_weak_checks(selected: Sequence[Selected], out: Console) -> None:
    """Say before calls that may cost money what the checks are worth."""
    from evals.skill_eval.commands.selftest import weak_checks

    for one in selected:
        for line in weak_checks(one.skill, one.suite):
            out.talk(f"selftest: {line}")


def _shard(plan: Plan, part: str) -> Plan:
    index, _, count = part.partition("/")
    return shard(plan, int(index), int(count))


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


def _facts(args: Namespace, adapter: AdapterCommand, materials: Sequence[Material]) -> JsonObject:
    """Return what `run.json` says: who measured what, within which bounds, on what machine."""
    return {
        "tool": {"name": "skill-eval", "version": VERSION},
        "protocol_version": PROTOCOL_VERSION,
        "adapter": {
            "name": adapter.name,
            "argv": list(adapter.argv),
            "digest": adapter_digest(adapter),
            "notice": adapter.notice,
        },
        "options": stored(args),
        "skills": {one.skill: {"skill": one.skill_digest, "suite": one.suite_digest} for one in materials},
        "python": sys.version.split()[0],
        "platform": sys.platform,
        "start": timestamp(),
        "end": None,
        "complete": False,
    }


def _describe(prepared: _Prepared, out: Console) -> int:
    for material in prepared.materials:
        cases = ", ".join(str(case.id) for case in material.cases)
        out.result(f"{material.skill}: cases {cases}; modes {', '.join(material.given)}")
    out.result(f"{prepared.plan.trials} adapter calls; nothing was run")
    return 0


def _begin(store: RunStore, prepared: _Prepared, resumed: bool) -> None:
    if not resumed:
        store.write_run(prepared.facts)
        return
    before = store.facts()
    for part, name in _IDENTITY.items():
        now = store.redactor.value(prepared.facts[part])
        if part != "options" and before.get(part) != now:
            raise ConfigError(f"run `{store.path.name}` cannot be resumed: {name} changed", hint="start a new run")
    store.journal.repair()


def _execute(args: Namespace, prepared: _Prepared, store: RunStore, repository: Path, out: Console) -> None:
    """Run what is missing, and write each trial as it ends."""
    done = {record.key for record in store.journal.records() if not (args.retry_errors and record.failure)}
    plan = remaining(prepared.plan, done)
    conditions = _conditions(args, store, repository, out)
    progress = Progress(prepared.plan.trials, len(done), out)
    gate = Gate(_limits(args))
    try:
        with signals_end_calls(), _crew(args, plan, conditions, gate) as crew:
            cases = {job.key: job.case for unit in plan.units for job in unit}
            for trial in crew.results():
                progress.show(store.keep(cases[trial.key], trial))
    except (Interrupted, KeyboardInterrupt):
        progress.end()
        out.talk(f"what was finished is kept; go on with `run --resume {store.path.name}`")
        raise
    progress.end()
    _say_end(gate, out)
    complete_now = len(store.journal.records()) >= prepared.plan.trials
    store.write_run(store.facts() | {"end": timestamp(), "complete": complete_now})


def _limits(args: Namespace) -> Limits:
    streak = 1 if args.fail_fast else ERRORS_IN_A_ROW
    return Limits(args.max_calls, args.max_tokens, args.max_cost_usd, args.max_minutes, streak)


def _say_end(gate: Gate, out: Console) -> None:
    if gate.reason:
        out.talk(f"stopped: {gate.reason}; no further trial was started")
    if gate.blind:
        out.talk("warning: the adapter does not report what the budget counts, so the budget could not hold")


def _conditions(args: Namespace, store: RunStore, repository: Path, out: Console) -> Conditions:
    root = choose_temporary_root([repository])
    for flaw in root.flaws:
        out.talk(f"warning: workspaces are in `{root.path}`: {flaw}")
    canaries = Canaries(token_hex(16), token_hex(16))
    write_whole(store.path / "evaluator-canary.txt", f"{canaries.evaluator}\n".encode())
    return Conditions(
        avoid=(str(repository),),
        secret_values=store.redactor.secret_values,
        clean_environment=bool(args.clean_env),
        passed_variables=tuple(args.pass_env),
        sandbox=Sandbox(args.sandbox),
        retries=args.retries,
        canaries=canaries,
    )


@contextmanager
def _crew(args: Namespace, plan: Plan, conditions: Conditions, gate: Gate) -> Iterator[Crew]:
    if args.executor is None:
        with Threads(plan, conditions, gate, args.jobs) as threads:
            yield threads
        return
    from evals.skill_eval.running.on_executor import OnExecutor, make_executor

    with OnExecutor(plan, conditions, gate, make_executor(args.executor), 4 * args.jobs) as remote:
        yield remote
