"""How a plan becomes a run: adapter, facts, lock, journal, resume; for `run` here and in other programs."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from evals.skill_eval.artifacts.certificates import find_certificate
from evals.skill_eval.artifacts.files import as_kept, is_as_kept, write_whole
from evals.skill_eval.artifacts.layout import check_run_id, find_run, new_run_id, output_root, timestamp
from evals.skill_eval.artifacts.lock import locked
from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values
from evals.skill_eval.artifacts.run_facts import planned_facts, refuse_secret_names
from evals.skill_eval.artifacts.store import RunStore, create_run, open_run
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.progress import Progress
from evals.skill_eval.commands.selection import current_folder
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.protocol import PROTOCOL_VERSION
from evals.skill_eval.model.record import JsonObject
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.running.adapters import adapter_digest, configured_adapter, find_adapter
from evals.skill_eval.running.conditions import Canaries, Conditions, Sandbox
from evals.skill_eval.running.engine import Crew, Plan, Threads, remaining
from evals.skill_eval.running.gate import ERRORS_IN_A_ROW, Gate, Limits
from evals.skill_eval.running.interruption import Interrupted, signals_end_calls
from evals.skill_eval.running.material import shard
from evals.skill_eval.running.workspace import choose_temporary_root
from evals.skill_eval.version import VERSION


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


def resumed_run(args: Namespace, repository: Path) -> RunStore | None:
    """Return the run that `--resume` names, None without that option; raises ConfigError when there is none."""
    if not args.resume:
        return None
    path = find_run(args.resume, repository, args.output_root)
    return open_run(path, Redactor(sensitive_values(os.environ)))


@contextmanager
def opened_run(args: Namespace, repository: Path, facts: JsonObject, earlier: RunStore | None) -> Iterator[RunStore]:
    """Hold the lock of the run to write: a new one that says `facts`, or `earlier` if they are its own."""
    store = earlier or _new_run(args, repository)
    with locked(store.path):
        _begin(store, facts | {"adapter_certificate": _certificate(store, facts)}, earlier is not None)
        yield store


def _new_run(args: Namespace, repository: Path) -> RunStore:
    redactor = Redactor(sensitive_values(os.environ))
    run_id = new_run_id() if args.run_id is None else check_run_id(args.run_id, redactor)
    return create_run(output_root(repository, args.output_root), run_id, redactor)


def chosen_adapter(args: Namespace, repository: Path, earlier: RunStore | None) -> AdapterCommand:
    """Return the adapter that the resumed run, the options or the repository's configuration name.

    A run is resumed from any folder: its command was stored with whole paths. Raises ConfigError.
    """
    before: Any = earlier.facts()["adapter"] if earlier else None
    if before and all(map(is_as_kept, before["argv"])):
        return AdapterCommand(before["name"], tuple(before["argv"]), before["notice"])
    if args.adapter is not None:
        return find_adapter(args.adapter, tuple(args.adapter_arg), current_folder())
    configured = configured_adapter(repository)
    if configured is None:
        raise ConfigError(
            "no adapter: `--adapter` is missing and `pyproject.toml` has no `[tool.skill-eval]` with `adapter`",
            hint="try `--adapter offline`; the command `adapters` lists those that ship",
        )
    name, arguments = configured
    return find_adapter(name, (*arguments, *args.adapter_arg), repository)


def part_of(plan: Plan, part: str | None) -> Plan:
    """Return part `I/N` of the plan, all of it without a part."""
    if part is None:
        return plan
    index, _, count = part.partition("/")
    return shard(plan, int(index), int(count))


def run_facts(adapter: AdapterCommand, options: JsonObject, skills: JsonObject, plan: Plan, whole: Plan) -> JsonObject:
    """Return what `run.json` says: who measured what, within which bounds, on what machine.

    `skills` holds the digests of what is measured, by name; `plan` is the part of `whole` to run.
    Raises ConfigError when the name of a skill or the id of a case looks like a secret.
    """
    planned = planned_facts(job.key for unit in whole.units for job in unit)
    refuse_secret_names(planned, Redactor(sensitive_values(os.environ)))
    return planned | {
        "tool": {"name": "skill-eval", "version": VERSION},
        "protocol_version": PROTOCOL_VERSION,
        "adapter": {
            "name": adapter.name,
            "argv": list(adapter.argv),
            "digest": adapter_digest(adapter),
            "notice": adapter.notice,
        },
        "options": options,
        "skills": skills,
        "python": sys.version.split()[0],
        "platform": sys.platform,
        "start": timestamp(),
        "end": None,
        "complete": False,
        "planned_trials": plan.trials,
        "planned_total": whole.trials,
    }


def execute(args: Namespace, whole: Plan, store: RunStore, repository: Path, out: Console) -> None:
    """Run what is missing of the plan, and write each trial as it ends."""
    counted = store.counted()
    finished = {record.key for record in counted}
    done = {record.key for record in counted if not (args.retry_errors and record.failure)}
    errored = sum(record.failure is not None for record in counted)
    if errored and not args.retry_errors:
        out.talk(f"note: {errored} errored {'trial is' if errored == 1 else 'trials are'} kept; see `--retry-errors`")
    plan = remaining(whole, done)
    conditions = _conditions(args, store, repository, out)
    progress = Progress(whole.trials, len(done), out)
    gate = Gate(_limits(args))
    try:
        with signals_end_calls(), _crew(args, plan, conditions, gate) as crew:
            cases = {job.key: job.case for unit in plan.units for job in unit}
            for trial in crew.results():
                finished.add(trial.key)
                progress.show(store.keep(cases[trial.key], trial))
    except (Interrupted, KeyboardInterrupt):
        progress.end()
        out.talk(f"what was finished is kept; go on with `run --resume {store.path.name}`")
        raise
    progress.end()
    _say_end(gate, out)
    store.write_run(store.facts() | {"end": timestamp(), "complete": len(finished) >= whole.trials})


def _begin(store: RunStore, facts: JsonObject, resumed: bool) -> None:
    if not resumed:
        store.write_run(facts)
        return
    changed = list(_changes(store.facts(), as_kept(store.redactor.value(facts))))
    if changed:
        listed = ", ".join(changed)
        raise ConfigError(f"run `{store.path.name}` cannot be resumed: {listed} changed", hint="start a new run")
    store.forget_partial()
    store.journal.repair()


def _changes(before: JsonObject, now: Any) -> Iterator[str]:
    """Yield what is not as it was when the run began."""
    if before.get("adapter") != now["adapter"]:
        yield "the adapter"
    yield from (f"`{part}`" for part in ("cases", "modes", "iterations") if before[part] != now[part])
    skills: Any = before.get("skills") or {}
    for name in sorted({*skills, *now["skills"]}):
        if skills.get(name) != now["skills"].get(name):
            yield f"`{name}` or its suite"


def _certificate(store: RunStore, facts: JsonObject) -> JsonObject | None:
    """Return what `adapter check` last said of this adapter, None when it was never asked."""
    adapter: Any = facts["adapter"]
    certificate = find_certificate(store.path.parent, adapter["digest"])
    return None if certificate is None else certificate.to_json()


def _limits(args: Namespace) -> Limits:
    streak = 1 if args.fail_fast else ERRORS_IN_A_ROW
    return Limits(args.max_calls, args.max_tokens, args.max_cost_usd, args.max_minutes, streak)


def _say_end(gate: Gate, out: Console) -> None:
    if gate.reason:
        out.talk(f"stopped: {gate.reason}; no further trial was started")


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
        evaluator=str(store.path.absolute()),
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
