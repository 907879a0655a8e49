"""`build`: the queries of a domain from its hand-written files, or a comparison with what is stored."""

from argparse import ArgumentParser, Namespace

from evals.fortis.commands.domain_option import add_domain_option, chosen_domains
from evals.skill_eval.commands.console import Console


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `build`."""
    add_domain_option(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a stored file would differ")


def main(args: Namespace, console: Console) -> int:
    """Write or compare all stored files; return 1 when `--check` finds a difference."""
    from evals.fortis.reading import DATA
    from evals.fortis.validation import built

    different = 0
    for name in chosen_domains(args.domain):
        files = built(name)
        if not args.check:
            files.write(DATA)
        for finding in files.differences(DATA):
            different += 1
            console.result(f"{name}: {finding}")
        console.result(f"{name}: {len(files.files)} files, {'compared' if args.check else 'written'}")
    return 1 if different else 0
