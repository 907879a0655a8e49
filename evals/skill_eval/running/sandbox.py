"""Bubblewrap around an adapter: the file system is read-only, the repository and other skills are not there."""

import os
import sys
from collections.abc import Iterable

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.running.shipped import FOLDER

# Where agents look for skills that their user has installed.
USER_SKILL_FOLDERS = (
    ".agents/skills",
    ".claude/skills",
    ".cline/skills",
    ".codex/skills",
    ".config/agents/skills",
    ".config/opencode/skill",
    ".config/opencode/skills",
    ".copilot/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".goose/skills",
    ".opencode/skills",
    ".pi/agent/skills",
    ".qwen/skills",
    ".vibe/skills",
)


def require_bubblewrap() -> str:
    """Return the path of `bwrap`; raises ConfigError where there is none."""
    from shutil import which

    found = which("bwrap") if sys.platform == "linux" else None
    if found is None:
        raise ConfigError("`--sandbox bwrap` needs Linux with bubblewrap installed, and `bwrap` is not on PATH")
    return found


def sandboxed(
    argv: tuple[str, ...], *, writable: Iterable[str], hidden: Iterable[str], temporary: str
) -> tuple[str, ...]:
    """Return `argv` started through bubblewrap.

    Everything is read-only but `writable` (the workspace, the temporary home). `hidden` folders, the `temporary`
    one with the other workspaces, and those of the user's own skills are empty. The adapter's own files
    stay visible even there, and so does the network: agents need their model.
    """
    covered = [folder for folder in (*hidden, *_user_folders()) if os.path.isdir(folder)]
    own = _needed(argv)
    needed = [path for path in own if any(_below(path, folder) for folder in covered)]
    beside = dict.fromkeys(_beside(path, temporary) for path in own if path not in needed and _below(path, temporary))
    return (
        require_bubblewrap(),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *("--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"),
        *("--tmpfs", temporary),
        *(word for path in beside for word in ("--ro-bind", path, path)),
        *(word for folder in covered for word in ("--tmpfs", folder)),
        *(word for path in needed for word in ("--ro-bind", path, path)),
        *(word for path in writable for word in ("--bind", path, path)),
        "--",
        *argv,
    )


def _user_folders() -> list[str]:
    home = os.path.expanduser("~")
    return [os.path.join(home, folder) for folder in USER_SKILL_FOLDERS]


def _needed(argv: tuple[str, ...]) -> list[str]:
    """Return what an adapter needs of hidden folders: its program, its files, the interpreter."""
    own = [FOLDER if _below(word, FOLDER) else word for word in argv if os.path.isabs(word)]
    return [path for path in dict.fromkeys((*own, sys.prefix, sys.base_prefix)) if os.path.exists(path)]


def _beside(path: str, temporary: str) -> str:
    """Return the folder of an adapter that lies below the temporary folder: it may need what is there."""
    folder = os.path.dirname(path)
    return path if folder == temporary else folder


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
