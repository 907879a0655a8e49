"""`adapter check`: put an adapter to the probes of the conformance kit and keep the certificate."""

import os
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from evals.skill_eval.artifacts.certificates import store_certificate
from evals.skill_eval.artifacts.layout import output_root
from evals.skill_eval.artifacts.redaction import Redactor, sensitive_values
from evals.skill_eval.commands import options
from evals.skill_eval.commands.console import Console
from evals.skill_eval.commands.execution import normalise
from evals.skill_eval.commands.output_file import output_file, write_output
from evals.skill_eval.commands.selection import current_folder, repository_root
from evals.skill_eval.model.certificate import Certificate, ProbeResult
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.reporting.certificate import summary, text
from evals.skill_eval.reporting.escape import escape_line, escaped_json
from evals.skill_eval.running.adapters import find_adapter
from evals.skill_eval.running.conformance.check import CALLS, PROBES, check_adapter
from evals.skill_eval.running.interruption import signals_end_calls
from evals.skill_eval.running.workspace import choose_temporary_root

__all__ = ["add_arguments", "main", "normalise"]

FORMATS = ("text", "json")
_EXIT_CODES = """exit codes:
  0  no probe failed
  1  a probe failed
  2  the adapter cannot be started, or wrong usage
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what can be done with an adapter: so far, `check`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    purpose = "put an adapter to the probes of the conformance kit"
    check = actions.add_parser(
        "check",
        help=purpose,
        description=purpose,
        epilog=_EXIT_CODES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_check_arguments(check)


def _add_check_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("adapter", metavar="NAME|PATH", help="a shipped adapter's name or an executable")
    parser.add_argument(
        "--adapter-arg",
        action="append",
        default=[],
        metavar="ARG",
        help="an argument for the adapter (repeatable); all that follows a bare `--` is one each",
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="text", metavar="FORMAT", help="text or json (default text)"
    )
    parser.add_argument(
        "--output",
        type=output_file,
        metavar="FILE",
        help="write the certificate there (default, and `-`: standard output)",
    )
    parser.add_argument(
        "--timeout-seconds",
        type=options.seconds,
        default=120.0,
        metavar="SECONDS",
        help="limit of one adapter call (default 120)",
    )
    parser.add_argument("--repo-root", type=Path, metavar="DIR", help="the repository in which the certificate is kept")
    parser.add_argument("--output-root", type=Path, metavar="DIR", help="where runs are kept (default tmp/skills-eval)")


def main(args: Namespace, out: Console) -> int:
    """Check the adapter, keep and print its certificate, and return 1 when a probe failed."""
    repository = repository_root(args, out)
    kept = output_root(repository, args.output_root)
    adapter = find_adapter(args.adapter, tuple(args.adapter_arg), current_folder())
    certificate = _checked(adapter, args.timeout_seconds, repository, out)
    path = store_certificate(kept, certificate)
    _deliver(certificate, args, out)
    out.talk(f"certificate: {path}")
    return 0 if certificate.passed else 1


def _checked(adapter: AdapterCommand, timeout_seconds: float, repository: Path, out: Console) -> Certificate:
    root = choose_temporary_root([repository])
    for flaw in root.flaws:
        out.talk(f"warning: workspaces are in `{root.path}`: {flaw}")
    out.talk(
        f"adapter `{escape_line(adapter.name)}`: up to {CALLS} adapter calls, one of them with a prompt of 200 kB; "
        "where a model is behind it, they may cost money"
    )
    done: list[ProbeResult] = []

    def tell(result: ProbeResult) -> None:
        done.append(result)
        out.talk(f"[{len(done)}/{len(PROBES)}] {result.name}: {result.verdict}")

    with signals_end_calls():
        redactor = Redactor(sensitive_values(os.environ))
        return check_adapter(adapter, root.path, timeout_seconds, redactor.text, tell)


def _deliver(certificate: Certificate, args: Namespace, out: Console) -> None:
    shown = escaped_json(certificate.to_json()) if args.format == "json" else text(certificate)
    if args.output is None:
        out.result(shown)
        return
    write_output(args.output, f"{shown}\n")
    out.talk(f"{summary(certificate)}; written to `{args.output}`")
