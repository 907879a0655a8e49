"""Frontmatter at its plainest: each field on one line, its value a few words or a text in quotes.

Nearly half of all skills have no other, and for those the YAML parser need not be loaded.
"""

import re

from evals.skill_eval.reading.yaml_nodes import Document, Entry, Scalar, YamlMap, kind_of_plain

_WORDS = r"[A-Za-z](?:[^:#\t]|:(?=[^ ])|(?<! )#)*(?<! )"  # a colon before a blank, and `#` after one, end them
_FIELD = re.compile(
    rf"""([A-Za-z][A-Za-z0-9_-]{{0,99}}): (?:"(?P<double>[^"\\\t]*)"|'(?P<single>[^'\t]*)'|(?P<plain>{_WORDS}))"""
)


def parse_plain(text: str, first_line: int) -> Document | None:
    """Return what `yaml_subset.parse` returns for `text`, or None when it takes more than this to read it."""
    entries: dict[str, Entry] = {}
    for line, written in enumerate(text.removesuffix("\n").split("\n"), first_line):
        found = _FIELD.fullmatch(written)
        if not found or found[1] in entries:
            return None
        entries[found[1]] = _entry(found, line)
    return Document(YamlMap(tuple(entries.values()), first_line, 1), frozenset(), ())


def _entry(found: re.Match[str], line: int) -> Entry:
    key, style = found[1], found.lastgroup or ""
    kind = kind_of_plain(found[style]) if style == "plain" else "str"
    value = Scalar(found[style], kind, style, line, len(key) + 3)
    return Entry(Scalar(key, kind_of_plain(key), "plain", line, 1), value)
