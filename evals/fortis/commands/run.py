"""`run`: queries through an adapter, one request each; then the report."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from evals.fortis.commands.domain_option import add_domain_option, chosen_domains
from evals.fortis.commands.setting_option import SETTINGS_HELP, setting_name
from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.commands import options, run_options
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
from evals.skill_eval.commands.selection import repository_root
from evals.skill_eval.model.record import JsonObject
from evals.skill_eval.running.conditions import Sandbox
from evals.skill_eval.running.engine import Plan
from evals.skill_eval.running.material import Bounds
from evals.skill_eval.running.sandbox import require_bubblewrap

__all__ = ["add_arguments", "main", "normalise"]

EXIT_CODES = """exit codes:
  0  every trial was answered
  2  wrong usage, an adapter error, or a trial that was not run; 130 and 143 after Ctrl-C and SIGTERM
"""

# What each defining option is when neither the user nor the resumed run says otherwise.
DEFINING: Mapping[str, object] = {
    "domain": [],
    "task": [],
    "setting": [],
    "sample": None,
    "repeats": 1,
    "order_seed": 0,
    "hint": False,
} | {
    name: run_options.DEFINING[name]
    for name in (
        "adapter",
        "adapter_arg",
        "timeout_seconds",
        "max_output_bytes",
        "shard",
        "retries",
        "clean_env",
        "pass_env",
        "sandbox",
    )
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `run`; defining ones have no default here, see `DEFINING`."""
    add_domain_option(parser)
    parser.add_argument(
        "--task", action="append", type=int, choices=(1, 2), help="one task, repeatable (default: both)"
    )
    parser.add_argument(
        "--setting",
        action="append",
        type=setting_name,
        metavar="SETTING",
        help=f"{SETTINGS_HELP}, repeatable (default: all)",
    )
    parser.add_argument(
        "--sample", type=options.whole_number, metavar="N", help="N queries, each domain, task and setting by its share"
    )
    parser.add_argument("--repeats", type=options.whole_number, metavar="K", help="ask each query K times (default 1)")
    parser.add_argument(
        "--order-seed", type=options.seed_number, metavar="N", help="draws the order of skills and tools (default 0)"
    )
    parser.add_argument(
        "--hint", action="store_true", help="add one sentence that asks for restraint; reported apart (default: none)"
    )
    parser.add_argument("--repo-root", type=Path, metavar="DIR", help="the repository whose run folder is meant")
    run_options.add_running_arguments(parser)
    parser.set_defaults(**dict.fromkeys(DEFINING))


def main(args: Namespace, out: Console) -> int:
    """Ask what is to be asked, or what is missing of it; return 0, or 2 when something was not measured."""
    from evals.fortis.conclusion import conclude

    repository = repository_root(args, out)
    earlier = resumed_run(args, repository)
    before = None if earlier is None else earlier.facts()["options"]
    args = run_options.complete(args, before, DEFINING)  # type: ignore[arg-type]
    args.domain = list(chosen_domains(args.domain))
    plan, facts = _prepare(args, repository, earlier, out)
    if args.dry_run:
        out.result(f"{plan.trials} adapter call{'' if plan.trials == 1 else 's'}; nothing was run")
        return 0
    with opened_run(args, repository, facts, earlier) as store:
        execute(args, plan, store, repository, out)
        del plan  # prompts take much memory, and so does the report
        return conclude(store, out)


def _prepare(args: Namespace, repository: Path, earlier: RunStore | None, out: Console) -> tuple[Plan, JsonObject]:
    from evals.fortis.results import PROGRAM, data_digests, domains_of, queries_of, remarks_of
    from evals.fortis.trials import plan_queries

    adapter = chosen_adapter(args, repository, earlier)
    if args.sandbox == Sandbox.BWRAP:
        require_bubblewrap()
    domains = domains_of(vars(args))
    queries = queries_of(vars(args), domains)
    for remark in remarks_of(vars(args), domains):
        out.talk(f"note: {remark}")
    libraries = {name: domain.library for name, domain in domains.items()}
    bounds = Bounds(args.repeats, args.timeout_seconds, args.max_output_bytes)
    whole = plan_queries(queries, libraries, adapter, bounds, seed=args.order_seed, hint=args.hint)
    plan = part_of(whole, args.shard)
    digests = data_digests(queries, domains)
    chosen = run_options.stored(args, DEFINING)
    return plan, run_facts(adapter, chosen, digests, plan, whole) | {"benchmark": PROGRAM}
