"""Where a command looks for skills: the options that say so, and the repository that they name."""

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from evals.skill_eval.commands.console import Console
from evals.skill_eval.reading.discovery import find_repository_root
from evals.skill_eval.reading.quoting import quoted


def add_selection_arguments(parser: ArgumentParser) -> None:
    """Declare where skills are looked for and which are taken."""
    parser.add_argument(
        "--repo-root",
        type=folder,
        metavar="DIR",
        help="the repository (default: the nearest folder above that holds skills/)",
    )
    parser.add_argument(
        "--skills-dir",
        type=folder,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of skills (repeatable)",
    )
    parser.add_argument("--recursive", action="store_true", help="look for skills everywhere below the root")
    parser.add_argument("--skill", action="append", default=[], metavar="NAME", help="only this skill (repeatable)")


def folder(text: str) -> Path:
    """Return a path that says something: an empty one would silently mean the current folder."""
    if not text or "\0" in text:
        raise ArgumentTypeError("expected a folder, found an empty text or a NUL character")
    return Path(text)


def repository_root(args: Namespace, out: Console) -> Path:
    """Return the repository that the options or the current folder name.

    This project's own is the last resort, is said to be, and only of those who name no other place for skills
    and keep no runs where they are.
    """
    package_root = Path(__file__).parents[3]
    elsewhere = getattr(args, "recursive", False) or getattr(args, "skills_dir", None)
    home = package_root if not elsewhere and (package_root / "skills").is_dir() else None
    here = current_folder()
    root = here / args.repo_root if args.repo_root else find_repository_root(here, home)
    if root == home and home not in (here, *here.parents):
        from evals.skill_eval.artifacts.layout import DEFAULT_OUTPUT_ROOT  # slow to load, and hardly ever needed

        if (here / DEFAULT_OUTPUT_ROOT).is_dir():
            return here
        places = quoted(str(here), 4096), quoted(str(root), 4096)
        out.talk("note: no `skills` folder at or above {}: using that of {}".format(*places))
    return root


def current_folder() -> Path:
    """Return the current folder, or the root of all folders when it has been deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.sep)
