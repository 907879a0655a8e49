"""`merge`: the shards of one run become one run, after a check that they belong together."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from evals.skill_eval.artifacts.files import remove
from evals.skill_eval.artifacts.layout import check_run_id, find_run, new_run_id, output_root
from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values
from evals.skill_eval.artifacts.store import RunStore, create_run, open_run
from evals.skill_eval.commands.conclusion import conclude
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.rebuild import add_place_arguments
from evals.skill_eval.commands.selection import repository_root
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.trial import TrialKey

# The same in all shards of one run; of the options, all but the shard's own number.
_IDENTITY = (
    "tool",
    "protocol_version",
    "adapter",
    "skills",
    "planned_total",
    "cases",
    "modes",
    "iterations",
    "benchmark",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `merge`."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a shard's folder or its id")
    parser.add_argument(
        "--run-id", metavar="ID", help="name of the merged run's folder (default: UTC time and a suffix)"
    )
    add_place_arguments(parser)


def main(args: Namespace, out: Console) -> int:
    """Write the merged run and return its exit code."""
    return conclude(merged_run(args, out), out)


def merged_run(args: Namespace, out: Console) -> RunStore:
    """Write the run that the shards `args.runs` make up; raises ConfigError when they do not belong together."""
    repository = repository_root(args, out)
    redactor = Redactor(sensitive_values(os.environ))
    shards = [open_run(find_run(run, repository, args.output_root), redactor) for run in args.runs]
    facts = _merged_facts(shards)
    done = _refuse_overlap(shards)
    run_id = new_run_id() if args.run_id is None else check_run_id(args.run_id, redactor)
    merged = create_run(output_root(repository, args.output_root), run_id, redactor)
    try:
        for shard in shards:
            merged.take_over(shard)
        merged.write_run(facts | {"complete": done >= facts["planned_total"]})
    except BaseException:
        remove(str(merged.path))
        raise
    return merged


def _merged_facts(shards: Sequence[RunStore]) -> dict[str, Any]:
    every: list[dict[str, Any]] = [shard.facts() for shard in shards]
    first = every[0]
    for shard, facts in zip(shards, every, strict=True):
        options, others = _options(first), _options(facts)
        odd = [
            f"`--{name.replace('_', '-')}`"
            for name in sorted(options.keys() | others.keys())
            if options.get(name) != others.get(name)
        ]
        odd = odd or [f"`{part}`" for part in _IDENTITY if facts.get(part) != first.get(part)]
        if odd:
            listed = f"{', '.join(odd)} {'differs' if len(odd) == 1 else 'differ'}"
            raise ConfigError(f"`{shard.path.name}` does not belong to `{shards[0].path.name}`: {listed}")
    return first | {
        "options": first["options"] | {"shard": None},
        "planned_trials": first["planned_total"],
        "merged_from": [shard.path.name for shard in shards],
        "start": min(facts["start"] for facts in every),
        "end": max((facts["end"] for facts in every if facts["end"]), default=None),
    }


def _options(facts: dict[str, Any]) -> dict[str, object]:
    return {name: value for name, value in facts["options"].items() if name != "shard"}


def _refuse_overlap(shards: Sequence[RunStore]) -> int:
    """Return how many trials the shards hold; raises ConfigError when two hold the same one."""
    owner: dict[TrialKey, str] = {}
    for shard in shards:
        for record in shard.records():
            if record.key in owner:
                raise ConfigError(f"both `{owner[record.key]}` and `{shard.path.name}` hold {record.key}")
            owner[record.key] = shard.path.name
    return len(owner)
