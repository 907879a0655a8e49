"""Check an adapter: all probes in the order in which their calls are made."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from evals.skill_eval.artifacts.layout import timestamp
from evals.skill_eval.errors import AdapterError
from evals.skill_eval.model.certificate import Certificate, ProbeResult
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.running.adapters import adapter_digest
from evals.skill_eval.running.conformance import answers, invalid, isolation, processes, prompts
from evals.skill_eval.running.conformance.ground import prepared_ground
from evals.skill_eval.running.conformance.kit import Kit
from evals.skill_eval.running.conformance.occasion import recorded_occasion
from evals.skill_eval.running.conformance.probe import Probe
from evals.skill_eval.running.supervisor import Supervisor

# The plain questions come first, since others build on them; `writes` comes before a call is cut off, which may
# leave files that nobody could have removed; the probes without calls of their own look back at all.
PROBES: tuple[Probe, ...] = (
    answers.both_modes,
    isolation.global_skill,
    isolation.ancestors,
    isolation.secret_variable,
    isolation.kept_state,
    prompts.unicode_prompt,
    prompts.large_prompt,
    processes.concurrency,
    invalid.invalid_requests,
    isolation.writes,
    processes.cancellation,
    processes.leftover_processes,
    answers.protocol,
    answers.exit_status,
    answers.standard_error,
    answers.usage,
    answers.skill_loaded,
)
CALLS = sum(probe.calls for probe in PROBES)


def check_adapter(
    adapter: AdapterCommand,
    root: Path,
    timeout_seconds: float,
    redact: Callable[[str], str],
    tell: Callable[[ProbeResult], None],
    probes: Sequence[Probe] = PROBES,
) -> Certificate:
    """Put an adapter to the probes on a ground in `root`; `tell` hears of each result at once.

    `probes` begin with `both_modes`. `redact` is applied to what is quoted of the adapter. The
    user's own home is not offered to it. Raises AdapterError when it cannot be started, and
    CallCancelled when a signal ends the calls.
    """
    with prepared_ground(root, os.environ) as ground, Supervisor(root) as supervisor:
        kit = Kit(adapter, ground, recorded_occasion(adapter.argv), supervisor, timeout_seconds, redact)
        results = []
        for probe in probes:
            results.append(probe.result(kit))
            _require_start(kit)
            tell(results[-1])
    return Certificate(adapter.name, adapter_digest(adapter), timestamp(), tuple(results), adapter.notice)


def _require_start(kit: Kit) -> None:
    first = kit.takes[0].completed
    if first is not None and first.stopped == "not_started":
        raise AdapterError(f"adapter `{kit.adapter.name}` could not be started: {first.reason}")
