"""A skill: a folder with a SKILL.md that agents can load."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Skill(NamedTuple):
    """A skill whose SKILL.md could be read.

    `directory` is the real folder. `properties` are the decoded top-level frontmatter fields
    (text, or nested maps and lists). `body_line` is the line on which the body begins, from 1.
    """

    name: str
    description: str
    directory: Path
    properties: Mapping[str, object]
    body: str
    body_line: int


class FileCopy(NamedTuple):
    """A file taken once at the start of a run and laid into every workspace that needs it.

    `path` is relative, with `/`; `executable` is the owner's x bit.
    """

    path: str
    content: bytes
    executable: bool = False
