"""Links inside of skill folders: the copy that agents get does not have them."""

import os
from collections.abc import Iterator

from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.problems import finding
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.skill_folders import SkillFolder

_NOT_COPIED = frozenset({".git", "__pycache__", "node_modules"})


def inner_links(folder: SkillFolder) -> tuple[Problem, ...]:
    """Return one finding for all links below a skill folder, none when there is no link.

    The suite's folder and a link in place of SKILL.md have findings of their own; a skill that is
    a whole repository is not looked through.
    """
    root = str(folder.directory)
    links = sorted(_links(root)) if folder.match_directory else []
    if not links:
        return ()
    first = links[0].removeprefix(root).replace(os.sep, "/")
    more = f" and {len(links) - 1} more" if len(links) > 1 else ""
    message = f"link to {quoted(os.readlink(links[0]))}{more}: left out of the copy that agents get"
    return (finding("SE312", f"{folder.shown}{first}", message),)


def _links(root: str) -> Iterator[str]:
    pending = [root]
    while pending:
        directory = pending.pop()
        for entry in _entries(directory):
            if directory == root and entry.name.lower() in ("evals", "skill.md"):
                continue
            if entry.is_symlink():
                yield entry.path
            elif entry.is_dir(follow_symlinks=False) and entry.name not in _NOT_COPIED:
                pending.append(entry.path)


def _entries(directory: str) -> list[os.DirEntry[str]]:
    """Return what is in a folder; one that cannot be listed is another's finding."""
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return []
