"""`sample`: stored queries for a person to read, drawn by a seed, as text or as a review sheet."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from evals.fortis.commands.domain_option import add_domain_option, chosen_domains
from evals.fortis.commands.setting_option import SETTINGS_HELP, setting_name
from evals.fortis.model import Query, SkillLabel
from evals.skill_eval.commands.console import Console


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options of `sample`."""
    add_domain_option(parser)
    parser.add_argument("--task", type=int, choices=(1, 2), help="one task (default: both)")
    parser.add_argument("--setting", type=setting_name, metavar="SETTING", help=f"{SETTINGS_HELP} (default: all)")
    parser.add_argument("--count", type=int, default=5, metavar="N", help="queries a task and setting (default: 5)")
    parser.add_argument("--seed", default="1", metavar="TEXT", help="seed of the draw (default: 1)")
    parser.add_argument("--sheet", action="store_true", help="print a review sheet (CSV) with empty verdicts")


def main(args: Namespace, console: Console) -> int:
    """Print the drawn queries, each with its label."""
    for name in chosen_domains(args.domain):
        queries = list(_drawn(name, args))
        console.result(_sheet(queries) if args.sheet else "\n\n".join("\n".join(_lines(query)) for query in queries))
    return 0


def _drawn(name: str, args: Namespace) -> Iterator[Query]:
    from evals.fortis.draws import Draw, seed_of
    from evals.fortis.model import TASK_SETTINGS
    from evals.fortis.storage import load_domain

    domain = load_domain(name)
    for task, settings in TASK_SETTINGS.items():
        for setting in settings:
            if args.task in (None, task) and args.setting in (None, setting):
                queries = [query for query in domain.queries if (query.task, query.setting) == (task, setting)]
                drawn = Draw(seed_of(args.seed, name, task, setting)).shuffled(queries)[: args.count]
                yield from sorted(drawn, key=lambda query: query.id)


def _lines(query: Query) -> list[str]:
    first = f"{query.id}  [{query.setting}, {query.register}, {query.template}]"
    goals = ", ".join(f"{goal.atom} ({goal.scope.name.lower()}, {goal.count})" for goal in query.goals)
    known = ", ".join(sorted(query.known)) or "nothing"
    return [first, f"  {query.text}", f"  goals: {goals}; known: {known}", f"  {_label(query)}"]


def _label(query: Query) -> str:
    label = query.label
    if isinstance(label, SkillLabel):
        return f"{label.skill} (L{label.level}); would do too: {', '.join(label.sufficient)}"
    optimal = " or ".join(" + ".join(group) for group in label.optimal)
    wish = f"; wish: {query.wish.atom}" if query.wish else ""
    return f"under {query.skill}: {optimal} (L{label.level}); broader: {' + '.join(label.broader)}{wish}"


def _sheet(queries: Sequence[Query]) -> str:
    import csv
    import io

    from evals.fortis.review import COLUMNS

    text = io.StringIO()
    sheet = csv.writer(text, lineterminator="\n")
    sheet.writerow(COLUMNS)
    sheet.writerows((query.id, query.text, _label(query), "", "", "", "") for query in queries)
    return text.getvalue().rstrip("\n")
