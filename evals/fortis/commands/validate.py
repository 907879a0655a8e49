"""`validate`: every label recomputed, every text rule checked, the leak audit printed."""

from argparse import ArgumentParser, Namespace

from evals.fortis.commands.domain_option import add_domain_option, chosen_domains
from evals.skill_eval.commands.console import Console


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `validate`."""
    add_domain_option(parser)
    parser.add_argument("--no-data", action="store_true", help="check the hand-written files alone, not stored queries")


def main(args: Namespace, console: Console) -> int:
    """Print all findings and the audit; return 1 when there is a finding."""
    from evals.fortis.audit import audit_lines
    from evals.fortis.phrase_reading import load_phrasebook
    from evals.fortis.storage import load_domain
    from evals.fortis.validation import findings

    faults = 0
    for name in chosen_domains(args.domain):
        found = findings(name, stored=not args.no_data)
        faults += len(found)
        for finding in found:
            console.result(f"{name}: {finding}")
        if not args.no_data:
            for line in audit_lines(load_domain(name), load_phrasebook(name).phrase_count):
                console.result(line)
    console.result(f"{faults} findings in {len(chosen_domains(args.domain))} domains")
    return 1 if faults else 0
