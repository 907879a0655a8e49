"""A fresh folder for one trial, far from skills and settings, and gone afterwards whatever happened in it."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.errors import ConfigError, SkillEvalError
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.running.removal import empty_folder, remove_tree

# What agents read in the folders above the one they work in.
AGENT_TRACES = (
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".github/skills",
    ".goose",
    ".opencode",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "skills",
)
_SKELETON = ((".git/HEAD", b"ref: refs/heads/main\n"),)
_SKELETON_FOLDERS = (".git", ".git/objects", ".git/refs")
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class TemporaryRoot:
    """Where workspaces are made; `flaws` says what is not ideal about the place."""

    path: Path
    flaws: tuple[str, ...] = ()


def choose_temporary_root(avoid: Iterable[Path]) -> TemporaryRoot:
    """Return a writable folder that is not below `avoid` or HOME and has no agent's files above it.

    Candidates in order: `TMPDIR`, `TEMP`, `TMP`, then the platform's usual places. Where none is
    without flaw, the first with the fewest is taken. Raises ConfigError when none is writable.
    """
    refused = [os.path.realpath(path) for path in avoid]
    candidates = [path for path in _candidates() if _writable(path)]
    judged = [TemporaryRoot(Path(path), tuple(_flaws(path, refused))) for path in candidates]
    usable = [root for root in judged if not any(_below(str(root.path), place) for place in refused)]
    if not usable:
        raise ConfigError(
            "no folder for workspaces: none of the temporary folders is writable and outside of the repository",
            hint="set `TMPDIR` to a folder that is",
        )
    return min(usable, key=lambda root: len(root.flaws))


@contextmanager
def prepared_workspace(root: Path, *, files: Iterable[FileCopy]) -> Iterator[Path]:
    """Make `<root>/skill-eval-…/workspace` with `files` and a `.git` skeleton; remove it at the end.

    The folder around it belongs to this trial alone. A workspace that the agent has moved is
    emptied where it is.
    """
    around = _fresh(root)
    workspace = os.path.join(around, "workspace")
    held = None
    try:
        os.mkdir(workspace)
        held = _hold(workspace)
        _lay(workspace, files)
        yield Path(workspace)
    finally:
        _clean_up(around, held)


def _fresh(root: Path) -> str:
    for _ in range(100):
        path = os.path.join(root, f"skill-eval-{os.urandom(6).hex()}")
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        return path
    raise SkillEvalError(f"no free name for a workspace in `{root}`")


def _lay(workspace: str, files: Iterable[FileCopy]) -> None:
    made = {""}
    for folder in _SKELETON_FOLDERS:
        os.mkdir(f"{workspace}/{folder}")
    for path, content in _SKELETON:
        _write(f"{workspace}/{path}", content, 0o644)
    for file in files:
        folder = os.path.dirname(file.path)
        if folder not in made:
            os.makedirs(f"{workspace}/{folder}", exist_ok=True)
            made.add(folder)
        _write(f"{workspace}/{file.path}", file.content, 0o755 if file.executable else 0o644)


def _write(path: str, content: bytes, mode: int) -> None:
    descriptor = os.open(path, _NEW_FILE, mode)
    with open(descriptor, "wb") as file:
        file.write(content)


def _hold(workspace: str) -> int | None:
    """Keep the workspace open, so that it is found again wherever it goes."""
    if not hasattr(os, "O_DIRECTORY"):
        return None
    return os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _clean_up(around: str, held: int | None) -> None:
    remove_tree(around)
    if held is None:
        return
    try:
        empty_folder(held)
        _remove_moved(held)
    finally:
        os.close(held)


def _remove_moved(held: int) -> None:
    """Remove the emptied folder itself where the agent has put it (Linux tells where)."""
    try:
        os.rmdir(os.readlink(f"/proc/self/fd/{held}"))
    except OSError:
        pass


def _candidates() -> Iterator[str]:
    from tempfile import _candidate_tempdir_list  # type: ignore[attr-defined]

    yield from dict.fromkeys(os.path.realpath(path) for path in _candidate_tempdir_list())


def _writable(path: str) -> bool:
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)


def _flaws(path: str, refused: list[str]) -> Iterator[str]:
    home = os.path.realpath(os.path.expanduser("~"))
    if home != os.path.dirname(home) and _below(path, home):
        yield "it lies below the home folder"
    while True:
        found = next((trace for trace in AGENT_TRACES if os.path.lexists(os.path.join(path, trace))), None)
        if found is not None:
            yield f"`{path}` above it holds `{found}`, which agents read"
        if os.path.dirname(path) == path:
            return
        path = os.path.dirname(path)


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
