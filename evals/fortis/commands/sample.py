"""`sample`: stored queries for a person to read, drawn by a seed."""

from argparse import ArgumentParser, Namespace

from evals.fortis.commands.domain_option import add_domain_option, chosen_domains
from evals.fortis.model import Query, Setting, SkillLabel
from evals.skill_eval.commands.console import Console


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of `sample`."""
    add_domain_option(parser)
    settings = [str(setting) for setting in Setting]
    parser.add_argument("--task", type=int, choices=(1, 2), help="one task (default: both)")
    parser.add_argument(
        "--setting", choices=settings, metavar="SETTING", help=f"one of {', '.join(settings)} (default: all)"
    )
    parser.add_argument("--count", type=int, default=20, metavar="N", help="number of queries a domain (default: 20)")
    parser.add_argument("--seed", default="1", metavar="TEXT", help="seed of the draw (default: 1)")


def main(args: Namespace, console: Console) -> int:
    """Print the drawn queries, each with its label."""
    from evals.fortis.draws import Draw, seed_of
    from evals.fortis.storage import load_domain

    for name in chosen_domains(args.domain):
        fitting = [
            query
            for query in load_domain(name).queries
            if args.task in (None, query.task) and args.setting in (None, query.setting)
        ]
        for query in Draw(seed_of(args.seed, name)).shuffled(fitting)[: args.count]:
            console.result("\n".join(_lines(query)) + "\n")
    return 0


def _lines(query: Query) -> list[str]:
    first = f"{query.id}  [{query.setting}, {query.register}, {query.template}]"
    return [first, f"  {query.text}", *(f"  {line}" for line in _label_lines(query))]


def _label_lines(query: Query) -> list[str]:
    label = query.label
    goals = ", ".join(f"{goal.atom} ({goal.scope.name.lower()}, {goal.count})" for goal in query.goals)
    asked = f"goals: {goals}; known: {', '.join(sorted(query.known)) or 'nothing'}"
    if isinstance(label, SkillLabel):
        return [asked, f"label: {label.skill} (L{label.level}); would do too: {', '.join(label.sufficient)}"]
    optimal = " or ".join(" + ".join(group) for group in label.optimal)
    wish = f"; wish: {query.wish.atom}" if query.wish else ""
    return [asked, f"under {query.skill}: {optimal} (L{label.level}); broader: {' + '.join(label.broader)}{wish}"]
