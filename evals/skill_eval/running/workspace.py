"""A fresh folder for one trial, far from skills and settings, and gone afterwards whatever happened in it."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.artifacts.files import write_new
from evals.skill_eval.errors import ConfigError, SkillEvalError
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.running.abandoned import fresh_name, own
from evals.skill_eval.running.removal import remove_moved, remove_tree

# What agents read in the folders above the one they work in.
AGENT_TRACES = (
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".cursorrules",
    ".gemini",
    ".git",
    ".github/copilot-instructions.md",
    ".github/skills",
    ".goose",
    ".goosehints",
    ".mcp.json",
    ".opencode",
    ".pi",
    ".qwen",
    ".vibe",
    "AGENTS.md",
    "CLAUDE.local.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    "opencode.json",
)

SKELETON = (FileCopy(".git/HEAD", b"ref: refs/heads/main\n"),)
"""Makes the workspace a repository of its own, above which agents look for no skills."""

_PAUSES_SECONDS = (0.0, 0.02, 0.1, 0.3)
_SKELETON_FOLDERS = (".git", ".git/objects", ".git/refs")


@dataclass(frozen=True, slots=True)
class TemporaryRoot:
    """Where workspaces are made; `flaws` says what is not ideal about the place."""

    path: Path
    flaws: tuple[str, ...] = ()


def choose_temporary_root(avoid: Iterable[Path]) -> TemporaryRoot:
    """Return the best place for workspaces on this machine that is not below `avoid` (see `best_root`).

    Candidates in order: `TMPDIR`, `TEMP`, `TMP`, then the platform's usual places.
    """
    return best_root(temporary_folders(), avoid)


def best_root(candidates: Iterable[str], avoid: Iterable[Path]) -> TemporaryRoot:
    """Return the first of the writable candidates with the fewest flaws; none may lie below `avoid`.

    Flaws: it lies below HOME, programs cannot be run from it, it or a folder above holds what
    agents read. Raises ConfigError when no candidate is writable and outside of `avoid`.
    """
    refused = [os.path.realpath(path) for path in avoid]
    writable = [path for path in dict.fromkeys(map(os.path.realpath, candidates)) if _is_writable(path)]
    usable = [path for path in writable if not any(_is_below(path, place) for place in refused)]
    if not usable:
        raise ConfigError(
            "no folder for workspaces: no temporary folder is writable and outside of the repository",
            hint="set `TMPDIR` to a folder that is",
        )
    return min((TemporaryRoot(Path(path), tuple(_flaws(path))) for path in usable), key=lambda root: len(root.flaws))


def reason_of(error: SkillEvalError | OSError) -> str:
    """Return why something could not be done, in the words of a message."""
    if isinstance(error, SkillEvalError):
        return str(error)
    place = f"`{os.fsdecode(error.filename)}`: " if isinstance(error.filename, str | bytes) else ""
    return f"{place}{(error.strerror or str(error)).lower()}"


@contextmanager
def prepared_workspace(
    root: Path, *, files: Iterable[FileCopy], on_left: Callable[[tuple[str, ...]], None] | None = None
) -> Iterator[Path]:
    """Make `<root>/skill-eval-…/workspace` with `files` and the skeleton; remove it at the end.

    The folder around the workspace belongs to this trial alone. Either is removed, too, from where
    an agent has moved it to. `on_left` is told what could not be removed, if anything.
    """
    with fresh_name() as name:
        around = os.path.join(os.path.realpath(root), name)
        os.mkdir(around, 0o700)
        held: list[int] = []
        try:
            held += _hold(around)
            for folder in held:
                own(folder)
            reserve = _hold(around)  # removing a folder takes two descriptors, and making it may take the last one
            workspace = os.path.join(around, "workspace")
            try:
                os.mkdir(workspace)
            finally:
                _give_back(reserve)
            held += _hold(workspace)
            _lay(workspace, files)
            yield Path(workspace)
        finally:
            left = _remove(around, held)
            if left and on_left:
                on_left(left)


def _hold(folder: str) -> tuple[int, ...]:
    """Keep a folder open, where that can be done, to find it again wherever it goes."""
    return (os.open(folder, os.O_RDONLY | os.O_DIRECTORY),) if hasattr(os, "O_DIRECTORY") else ()


def _lay(workspace: str, files: Iterable[FileCopy]) -> None:
    for folder in _SKELETON_FOLDERS:
        os.mkdir(f"{workspace}/{folder}")
    made = {"", ".git"}
    for file in (*SKELETON, *files):
        folder = file.path.rpartition("/")[0]
        if folder not in made:
            os.makedirs(f"{workspace}/{folder}", exist_ok=True)
            made.add(folder)
        write_new(f"{workspace}/{file.path}", file.content, 0o755 if file.executable else 0o644)


def _remove(around: str, held: list[int]) -> tuple[str, ...]:
    """Remove what is at the folder's place, then what was there before and has been moved.

    Where the process has no descriptors left, those given back at the end are enough for another try;
    when another thread takes them, for one a little later.
    """
    left, moved = remove_tree(around), tuple[str, ...]()
    for folder in reversed(held):
        moved += remove_moved(folder)
        os.close(folder)
    for pause in _PAUSES_SECONDS:
        if not left:
            break
        time.sleep(pause)
        left = remove_tree(around)
    return left + moved


def _give_back(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def temporary_folders() -> Iterator[str]:
    """Yield where this system may keep temporary files, whether it is there or not."""
    yield from (os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name))
    if os.name == "nt":
        yield from (os.path.expandvars(place) for place in (r"%LOCALAPPDATA%\Temp", r"%SYSTEMROOT%\Temp", r"C:\Temp"))
    else:
        yield from ("/tmp", "/var/tmp", "/usr/tmp", "/dev/shm")


def _is_writable(path: str) -> bool:
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)


def _flaws(path: str) -> Iterator[str]:
    home = os.path.realpath(os.path.expanduser("~"))
    if home != os.path.dirname(home) and _is_below(path, home):
        yield "it lies below the home folder"
    if hasattr(os, "statvfs") and os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0):
        yield "programs cannot be run from it"
    for folder in (path, *map(str, Path(path).parents)):
        found = _trace(folder)
        if found:
            yield f"`{folder}` holds `{found}`, which agents read"


def _trace(folder: str) -> str | None:
    """Return something in `folder` that an agent working below would read."""
    found = next((trace for trace in AGENT_TRACES if os.path.lexists(os.path.join(folder, trace))), None)
    return found or _skill(os.path.join(folder, "skills"), "skills")


def _skill(folder: str, shown: str) -> str | None:
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    name = next((name for name in names if os.path.lexists(os.path.join(folder, name, "SKILL.md"))), None)
    return None if name is None else f"{shown}/{name}/SKILL.md"


def _is_below(path: str, folder: str) -> bool:
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
