"""Review sheets: what a reader found of sampled queries, kept beside the data and held against it."""

from collections.abc import Iterator
from pathlib import Path

from evals.fortis.findings import Finding
from evals.fortis.model import Domain

REVIEW = Path(__file__).parent / "review"
COLUMNS = ("id", "text", "label", "goal stated", "label right", "natural", "note")
_VERDICTS = ("goal stated", "label right", "natural")


def review_findings(domain: Domain, folder: Path = REVIEW) -> Iterator[Finding]:
    """Yield a finding for every reviewed text that has changed since, and for every verdict that is missing."""
    import csv

    path = folder / f"{domain.library.domain}.csv"
    if not path.is_file():
        yield Finding("review", path.name, "is missing; draw it with `sample --sheet` and read")
        return
    texts = {query.id: query.text for query in domain.queries}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if texts.get(row["id"]) != row["text"]:
                yield Finding("review", path.name, f"`{row['id']}` has another text now and must be read again")
            if any(row[verdict] not in ("yes", "no") for verdict in _VERDICTS):
                yield Finding("review", path.name, f"`{row['id']}` lacks a verdict of yes or no")


def review_counts(name: str, folder: Path = REVIEW) -> dict[str, tuple[int, int]]:
    """Return for each question how many reviewed queries passed, and how many there are."""
    import csv

    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {verdict: (sum(row[verdict] == "yes" for row in rows), len(rows)) for verdict in _VERDICTS}
