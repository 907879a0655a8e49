"""Find the program that `--adapter` names, before any case is run."""

import os
from pathlib import Path

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.running.shipped import SHIPPED, shipped_command


def find_adapter(name: str, arguments: tuple[str, ...], folder: Path) -> AdapterCommand:
    """Return how the adapter is started: a shipped one, a bare name on `PATH`, or a path from `folder`.

    Raises ConfigError when there is no such program or it cannot be executed.
    """
    if name in SHIPPED:
        return shipped_command(name, arguments, str(folder))
    return AdapterCommand(name, (_program(name, folder), *arguments))


def _program(name: str, folder: Path) -> str:
    if not name or "\0" in name:
        raise ConfigError("the adapter's name is empty or holds a NUL character", hint=_choices())
    found = _on_path(name)
    if found is not None:
        return found
    path = os.path.abspath(folder / name)
    if not os.path.exists(path):
        raise ConfigError(f"adapter `{name}` was found neither on PATH nor at `{path}`", hint=_choices())
    if not os.path.isfile(path):
        raise ConfigError(f"adapter `{path}` is not a file")
    if not os.access(path, os.X_OK):
        raise ConfigError(f"adapter `{path}` is not executable", hint=f"`chmod +x {path}`, or name its interpreter")
    return path


def _on_path(name: str) -> str | None:
    """Search `PATH` for a bare name only."""
    if os.path.basename(name) != name:
        return None
    from shutil import which

    return which(name)


def _choices() -> str:
    return f"name an executable, or one of {', '.join(f'`{name}`' for name in SHIPPED)}"


def adapter_digest(adapter: AdapterCommand) -> str:
    """Return a SHA-256 (hexadecimal) of the command line and of the files that it names."""
    from hashlib import sha256

    total = sha256(repr(adapter.argv).encode())
    for path in filter(os.path.isfile, adapter.argv):
        with open(path, "rb") as file:
            total.update(sha256(file.read()).digest())
    return total.hexdigest()


def configured_adapter(repository: Path) -> tuple[str, tuple[str, ...]] | None:
    """Return adapter and arguments of `[tool.skill-eval]` in the repository's `pyproject.toml`, if any.

    Keys: `adapter` (string), `adapter-args` (list of strings). Raises ConfigError on anything else.
    """
    path = repository / "pyproject.toml"
    if not path.is_file():
        return None
    import tomllib

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"`{path}` cannot be read: {error}") from error
    tools = document.get("tool", {})
    return _checked(tools.get("skill-eval", {}) if isinstance(tools, dict) else tools, path)


def _checked(table: object, path: Path) -> tuple[str, tuple[str, ...]] | None:
    if not isinstance(table, dict) or set(table) - {"adapter", "adapter-args"}:
        raise ConfigError(
            f"`{path}`: `[tool.skill-eval]` takes `adapter` and `adapter-args`, found other keys or types"
        )
    adapter, arguments = table.get("adapter"), table.get("adapter-args", [])
    if adapter is None:
        return None
    if (
        not isinstance(adapter, str)
        or not isinstance(arguments, list)
        or not all(isinstance(a, str) for a in arguments)
    ):
        raise ConfigError(f"`{path}`: expected `adapter` to be text and `adapter-args` a list of texts")
    return adapter, tuple(arguments)
