"""The option that says which domains are meant."""

from argparse import ArgumentParser
from collections.abc import Sequence

from evals.fortis.reading import domain_names
from evals.skill_eval.errors import ConfigError


def add_domain_option(parser: ArgumentParser) -> None:
    """Add `--domain`, which may be given more than once."""
    parser.add_argument(
        "--domain",
        action="append",
        metavar="NAME",
        help="a domain, repeatable (default: every domain that is there)",
    )


def chosen_domains(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the domains that were asked for. Raises ConfigError for an unknown one."""
    known = domain_names()
    for name in names or ():
        if name not in known:
            raise ConfigError(f"`--domain`: unknown domain `{name}`; known: {', '.join(f'`{each}`' for each in known)}")
    return tuple(dict.fromkeys(names)) if names else known
