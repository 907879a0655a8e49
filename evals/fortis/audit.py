"""The leak audit and the figures about language that `validate` prints."""

from collections.abc import Iterator

from evals.fortis.baselines import SKILL_PICKERS, TOOL_PICKERS, exact_rate
from evals.fortis.library_checks import leak_correlations, strong_word_levels
from evals.fortis.measures import variety
from evals.fortis.model import Domain
from evals.fortis.review import REVIEW, review_counts


def audit_lines(domain: Domain, phrases: int) -> Iterator[str]:
    """Yield the audit of one domain, a line for each figure."""
    found = variety([query.text for query in domain.queries])
    yield f"{domain.library.domain}: {len(domain.task1)} + {len(domain.task2)} queries, {phrases} hand-written phrases"
    yield f"  vocabulary {found.vocabulary}, distinct-2 {found.distinct_2:.3f}, {found.mean_words:.1f} words a query"
    yield f"  3-gram likeness: mean {found.mean_likeness:.4f}, most {found.most_likeness:.3f}"
    if (REVIEW / f"{domain.library.domain}.csv").is_file():
        counts = review_counts(domain.library.domain)
        yield "  review sheet: " + ", ".join(f"{what} {good} of {all_}" for what, (good, all_) in counts.items())
    yield "  correlation with the level:"
    for what, value in leak_correlations(domain.library).items():
        yield f"    {what}: {value:+.3f}"
    yield "  strong words in skill descriptions, by level:"
    for word, levels in strong_word_levels(domain.library).items():
        yield f"    {word}: {', '.join(map(str, levels)) or 'none'}"
    yield "  exact without a model, task 1 and task 2:"
    for name in TOOL_PICKERS:
        first = _rate(domain, 1, name) if name in SKILL_PICKERS else "-"
        yield f"    {name}: {first}, {_rate(domain, 2, name)}"


def _rate(domain: Domain, task: int, name: str) -> str:
    exact, total = exact_rate(domain.task1 if task == 1 else domain.task2, domain.library, name)
    return f"{exact} of {total} ({100 * exact / total:.1f} %)"
