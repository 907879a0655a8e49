"""`validate`: a domain's hand-written files and its stored queries against every rule."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evals.fortis.findings import Finding
from evals.fortis.generate import VERSION, generate
from evals.fortis.levels import library_levels
from evals.fortis.library_checks import library_findings, phrasebook_findings
from evals.fortis.model import Library
from evals.fortis.nodes import load
from evals.fortis.phrase_reading import load_phrasebook
from evals.fortis.query_checks import query_findings
from evals.fortis.reading import DATA, load_lexicon, load_library, load_recovery
from evals.fortis.recovery import Reader
from evals.fortis.review import review_findings
from evals.fortis.storage import domain_files, load_domain


def findings(name: str, folder: Path = DATA, *, stored: bool = True) -> tuple[Finding, ...]:
    """Return all faults of a domain; without `stored`, those of its hand-written files alone."""
    library, book = load_library(name), load_phrasebook(name)
    found = [*library_findings(library, load_lexicon(name)), *phrasebook_findings(library, book)]
    if stored:
        domain, templates = load_domain(name, folder), frozenset(template.id for template in book.templates)
        found += query_findings(domain, templates, Reader(*load_recovery(name)))
        found += review_findings(domain)
        found += lock_findings(library, folder)
    return tuple(found)


def lock_findings(library: Library, folder: Path = DATA) -> Iterator[Finding]:
    """Yield every stored level that is not the computed one."""
    lock = load(folder / f"{library.domain}-lock.json").only("levels", "version")
    if lock["version"].text() != VERSION:
        yield Finding(
            "lock", f"{library.domain}-lock.json", f"expected version {VERSION}, found {lock['version'].text()}"
        )
    for kind, computed in library_levels(library).items():
        stored = {name: node.number() for name, node in lock["levels"][kind].members()}
        for name in sorted(stored.keys() | computed.keys()):
            if stored.get(name) != computed.get(name):
                yield Finding(
                    "lock", f"{kind} {name}", f"computed level {computed.get(name)}, stored {stored.get(name)}"
                )


@dataclass(frozen=True, slots=True)
class Built:
    """The texts of a domain's stored files, by name."""

    files: dict[str, str]

    def write(self, folder: Path) -> None:
        """Write every file whole."""
        for name, text in self.files.items():
            beside = folder / f"{name}.new"
            beside.write_text(text, encoding="utf-8", newline="\n")
            beside.replace(folder / name)

    def differences(self, folder: Path) -> tuple[Finding, ...]:
        """Return the files that are not there byte for byte."""
        return tuple(
            Finding("build", name, "differs from what the hand-written files give")
            for name, text in self.files.items()
            if not (folder / name).is_file() or (folder / name).read_bytes() != text.encode()
        )


def built(name: str) -> Built:
    """Return what a domain's hand-written files give."""
    library = load_library(name)
    task1, task2 = generate(library, load_phrasebook(name))
    return Built(domain_files(library, task1, task2))
