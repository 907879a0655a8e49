"""A skill folder's SKILL.md: read, checked, and made into a record."""

import os
from pathlib import Path
from typing import NamedTuple

from evals.skill_eval.model.problem import Problem
from evals.skill_eval.model.skill import Skill
from evals.skill_eval.reading.frontmatter import Frontmatter, read_frontmatter
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.regular_files import ACCESS, SIZE, UnusableFile, read_regular
from evals.skill_eval.reading.skill_body import check_body
from evals.skill_eval.reading.skill_fields import check_fields, is_safe_name, text_of
from evals.skill_eval.reading.text_findings import TextFindings
from evals.skill_eval.reading.yaml_nodes import plain_value

FILE_NAME = "SKILL.md"
LARGEST_FILE_BYTES = 2 * 1024 * 1024


class SkillReading(NamedTuple):
    """What came of reading a skill folder.

    `skill` is None unless name and description can be used; it may be there beside errors.
    """

    skill: Skill | None
    problems: tuple[Problem, ...]


def read_skill(directory: Path, shown: str, *, match_directory: bool = True) -> SkillReading:
    """Read the SKILL.md of a skill folder; whatever is wrong with it is a problem, never an exception.

    `shown` is the folder's path relative to the repository root with `/`. Without
    `match_directory` the skill's name need not be the folder's. Links are not followed.
    """
    names = _spellings(directory)
    file_name = FILE_NAME if FILE_NAME in names or not names else names[0]
    findings = TextFindings(file_name if shown == "." else f"{shown}/{file_name}")
    _check_spelling(names, findings)
    content = _content(directory / file_name, findings) if names else None
    if content is None:
        return SkillReading(None, findings.problems())
    frontmatter = read_frontmatter(content, findings)
    check_fields(frontmatter, directory.name if match_directory else None, findings)
    check_body(frontmatter.body, frontmatter.body_line, directory, findings)
    return SkillReading(_skill(directory, frontmatter), findings.problems())


def _spellings(directory: Path) -> list[str]:
    # A file system that ignores case would open SKILL.md by any spelling, so the folder is listed.
    try:
        return sorted(name for name in os.listdir(directory) if name.lower() == FILE_NAME.lower())
    except OSError:
        return [FILE_NAME]  # reading it will tell why


def _check_spelling(names: list[str], findings: TextFindings) -> None:
    if not names:
        findings.add("SE101", None, f"no `{FILE_NAME}` in the folder", "every skill begins with that file")
    elif FILE_NAME not in names:
        findings.add("SE102", None, f"the file is called {quoted(names[0])}, expected `{FILE_NAME}`", "rename it")
    for other in names:
        if other != FILE_NAME and FILE_NAME in names:
            message = f"{quoted(other)} beside it differs only in case"
            findings.add("SE112", None, message, "delete one: on Windows and macOS the two are one file")


def _content(path: Path, findings: TextFindings) -> bytes | None:
    try:
        return read_regular(path, LARGEST_FILE_BYTES).content
    except UnusableFile as error:
        code = {ACCESS: "SE104", SIZE: "SE105"}.get(error.code, "SE103")
        hint = "put the file itself in its place" if code == "SE103" else None
        findings.add(code, None, f"the file {error}", hint)
        return None


def _skill(directory: Path, frontmatter: Frontmatter) -> Skill | None:
    name, description = text_of(frontmatter, "name"), text_of(frontmatter, "description")
    if not name or not description or not frontmatter.fields or not is_safe_name(name):
        return None
    properties = {entry.key.text: plain_value(entry.value) for entry in frontmatter.fields.entries}
    properties |= {"name": name, "description": description}
    return Skill(name, description, directory, properties, frontmatter.body, frontmatter.body_line)
