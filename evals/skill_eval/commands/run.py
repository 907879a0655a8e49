"""`run`: every selected case with and without its skill, through an adapter."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.commands.arms import with_controls
from evals.skill_eval.commands.conclusion import conclude
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.execution import (
    chosen_adapter,
    execute,
    normalise,
    opened_run,
    part_of,
    resumed_run,
    run_facts,
)
from evals.skill_eval.commands.run_options import add_arguments, complete, stored
from evals.skill_eval.commands.selected import Selected, select
from evals.skill_eval.commands.selection import repository_root
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.record import JsonObject
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.reporting.summary import at_most
from evals.skill_eval.running.conditions import Sandbox
from evals.skill_eval.running.engine import Plan, remaining
from evals.skill_eval.running.material import Bounds, Material, plan_trials, take_material
from evals.skill_eval.running.sandbox import require_bubblewrap

_MOST_WEAK = 20

__all__ = ["add_arguments", "main", "normalise"]


def main(args: Namespace, out: Console) -> int:
    """Run what was asked for, or what is missing of it, and return the exit code."""
    repository = repository_root(args, out)
    _refuse_idle_options(args)
    earlier = resumed_run(args, repository)
    args = complete(args, None if earlier is None else earlier.facts()["options"])  # type: ignore[arg-type]
    prepared = _prepare(args, repository, earlier, out)
    if args.dry_run:
        return _describe(prepared, earlier, out)
    with opened_run(args, repository, prepared.facts, earlier) as store:
        execute(args, prepared.plan, store, repository, out)
        if prepared.plan.units:
            return conclude(store, out)
        out.result(f"no case falls to shard {args.shard}; `{store.path.name}` is empty, for `merge`")
        return 0


def _refuse_idle_options(args: Namespace) -> None:
    """An option that does nothing without another one is more likely a mistake than a wish."""
    for option, needed in (("retry_errors", "resume"), ("pass_env", "clean_env")):
        if getattr(args, option) and not getattr(args, needed) and not args.resume:
            raise ConfigError(f"`--{option.replace('_', '-')}` does nothing without `--{needed.replace('_', '-')}`")


@dataclass(frozen=True, slots=True)
class _Prepared:
    """All that is known before the first call; `facts` is what `run.json` says of it."""

    plan: Plan
    materials: tuple[Material, ...]
    facts: JsonObject


def _prepare(args: Namespace, repository: Path, earlier: RunStore | None, out: Console) -> _Prepared:
    adapter = chosen_adapter(args, repository, earlier)
    if args.sandbox == Sandbox.BWRAP:
        require_bubblewrap()
    selected = select(args, repository, out)
    if args.baseline_skill is not None and len(selected) != 1:
        raise ConfigError(f"`--baseline-skill` is the older copy of one skill, but {len(selected)} are selected")
    taken = (take_material(one.skill, one.suite, one.cases) for one in selected)
    materials = tuple(with_controls(material, args, repository) for material in taken)
    bounds = Bounds(args.iterations, args.timeout_seconds, args.max_output_bytes)
    whole = plan_trials(materials, adapter, bounds, args.seed)
    plan = part_of(whole, args.shard)
    skills: JsonObject = {one.skill: {"skill": one.skill_digest, "suite": one.suite_digest} for one in materials}
    facts = run_facts(adapter, stored(args), skills, plan, whole)
    if adapter.notice is None:
        _say_weak_checks(selected, out)
    return _Prepared(plan, materials, facts)


def _say_weak_checks(selected: Sequence[Selected], out: Console) -> None:
    """Say before calls that may cost money what the checks are worth."""
    from evals.skill_eval.commands.selftest import weak_checks

    lines = [line for one in selected for line in weak_checks(one.skill, one.suite)]
    for line in at_most(_MOST_WEAK, lines, "the command `selftest` prints them all"):
        out.talk(f"selftest: {escape_line(line)}")


def _describe(prepared: _Prepared, earlier: RunStore | None, out: Console) -> int:
    """Say which trials would run: of a shard or a resumed run only what is left."""
    done = set() if earlier is None else {record.key for record in earlier.counted()}
    plan = remaining(prepared.plan, done)
    for material in prepared.materials:
        keys = [job.key for unit in plan.units for job in unit if job.key.skill == material.skill]
        cases = dict.fromkeys(str(key.case_id) for key in sorted(keys, key=lambda key: str(key.case_id)))
        if keys:
            out.result(f"{material.skill}: cases {', '.join(cases)}; modes {', '.join(material.given)}")
    out.result(f"{plan.trials} adapter calls; nothing was run")
    return 0
