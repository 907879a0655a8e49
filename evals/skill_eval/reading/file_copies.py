"""What a workspace is given, taken as bytes: the fixtures of a case and the copy of its skill."""

import os
from collections.abc import Iterator, Set
from itertools import islice
from pathlib import Path
from typing import IO, cast

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.suite import Case
from evals.skill_eval.reading.fixtures import FIXTURE_LIMIT_BYTES, refuse_link, workspace_path
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.regular_files import UnusableFile, read_regular
from evals.skill_eval.reading.skill_folders import holds_run

SKILL_LIMIT_BYTES = 64 << 20
SKILL_LIMIT_ENTRIES = 5_000

_NOT_COPIED = ("__pycache__", ".git")
_IGNORE_LIMIT_BYTES = 4096


def load(skill_directory: Path, case: Case) -> tuple[FileCopy, ...]:
    """Return the fixtures of `case` as they lie in its workspace, in the order of the suite.

    Raises ConfigError when one has gone, has become something else, or cannot be read.
    """
    return tuple(_copy(skill_directory, path, case) for path in case.files)


def load_skill(skill_directory: Path) -> tuple[FileCopy, ...]:
    """Return what the agent gets of a skill: all of it but `evals/`, `__pycache__`, `.git`, links and special files.

    What holds answers elsewhere is left out, too: a suite beside SKILL.md, the `evals/` of skills inside of this one,
    and runs that are kept in it; so is a folder of which git ignores everything.

    The paths are relative to the skill and sorted. Raises ConfigError when the skill has more than
    5,000 files and folders or 64 MiB, a name that is not UTF-8, or something that cannot be read.
    """
    shown = str(skill_directory)
    sizes = dict(_sizes(skill_directory, shown))
    _require_size(sum(sizes.values()), shown)
    return tuple(_skill_copy(skill_directory, path) for path in sorted(sizes))


def require_copyable(skill_directory: Path, shown: str) -> None:
    """Raise the ConfigError that `load_skill` would, without opening the files; messages call the skill `shown`."""
    sizes = dict(_sizes(skill_directory, shown))
    _require_size(sum(sizes.values()), shown)
    effective = os.access in os.supports_effective_ids
    locked = [path for path in sizes if not os.access(skill_directory / path, os.R_OK, effective_ids=effective)]
    if locked:
        raise ConfigError(f"{quoted(min(locked))} of skill {quoted(shown)} cannot be read: permission denied")


def same_files(one: Path, other: Path) -> bool:
    """Tell whether agents get the same of two skills; False when either cannot be copied."""
    try:
        if dict(_sizes(one, str(one))) != dict(_sizes(other, str(other))):
            return False
        pairs = zip(load_skill(one), load_skill(other), strict=True)
        return all(left.content == right.content for left, right in pairs)
    except ConfigError:
        return False


def load_archive(archive: bytes, shown: str) -> tuple[FileCopy, ...]:
    """Return the same from a tar of a skill, which messages call `shown`, without laying it anywhere."""
    import io
    import tarfile

    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        listed = [member for member in members if member.isreg() and _is_copied(member.name)]
        inner = _inner_answers({member.name for member in listed})
        files = [member for member in listed if not member.name.startswith(inner)]
        _require_entries(len(files), shown)
        _require_size(sum(member.size for member in files), shown)
        copies = [(member, cast(IO[bytes], members.extractfile(member)).read()) for member in files]
    return tuple(
        sorted(FileCopy(_utf8(member.name, shown), text, bool(member.mode & 0o100)) for member, text in copies)
    )


def _copy(skill_directory: Path, path: str, case: Case) -> FileCopy:
    try:
        directory = skill_directory
        for step in path.split("/")[:-1]:
            directory = directory / step
            refuse_link(directory)
        copy = read_regular(skill_directory / path, FIXTURE_LIMIT_BYTES)
    except UnusableFile as error:
        raise ConfigError(f"fixture {quoted(path)} of case {quoted(str(case.id))} {error}") from error
    return FileCopy(workspace_path(path), copy.content, copy.executable)


def _skill_copy(skill_directory: Path, path: str) -> FileCopy:
    try:
        copy = read_regular(skill_directory / path, SKILL_LIMIT_BYTES)
    except UnusableFile as error:
        raise ConfigError(f"{quoted(path)} of skill {quoted(str(skill_directory))} {error}") from error
    return FileCopy(path, copy.content, copy.executable)


def _sizes(skill_directory: Path, shown: str) -> Iterator[tuple[str, int]]:
    """Yield path and size in bytes of every regular file to copy, without opening any."""
    folders, seen = [""], 0
    while folders:
        folder = folders.pop()
        entries = _entries(skill_directory, folder, shown)
        if folder:
            entries = _of_inner_folder(entries)
        seen += len(entries)
        _require_entries(seen, shown)
        for entry in entries:
            path = f"{folder}{_utf8(entry.name, shown)}"
            if entry.is_dir(follow_symlinks=False):
                folders.append(f"{path}/")
            elif entry.is_file(follow_symlinks=False):
                yield path, entry.stat(follow_symlinks=False).st_size


def _entries(skill_directory: Path, folder: str, shown: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(skill_directory / folder) as entries:
            some = islice(entries, SKILL_LIMIT_ENTRIES + 1)
            return [entry for entry in some if _is_copied(folder + entry.name)]
    except OSError as error:
        message = f"folder {quoted(folder or '.')} of skill {quoted(shown)} cannot be listed"
        raise ConfigError(message) from error


def _of_inner_folder(entries: "list[os.DirEntry[str]]") -> "list[os.DirEntry[str]]":
    """Return what is copied of a folder in a skill: of a run or an ignored folder nothing, of a skill no suite."""
    names = {entry.name: entry for entry in entries}
    if holds_run(names) or _ignores_all(names.get(".gitignore")):
        return []
    return [entry for entry in entries if entry.name != "evals"] if "SKILL.md" in names else entries


def _ignores_all(entry: "os.DirEntry[str] | None") -> bool:
    """Tell whether a `.gitignore` is that of a folder which its maker keeps out of git: of runs, or of a cache."""
    if entry is None:
        return False
    try:
        lines = read_regular(Path(entry.path), _IGNORE_LIMIT_BYTES).content.splitlines()
    except UnusableFile:
        return False
    return [line for line in lines if line and not line.startswith(b"#")] == [b"*"]


def _inner_answers(paths: Set[str]) -> tuple[str, ...]:
    """Return how the paths of an archive begin that lie in a run or in the suite of a skill inside of this one."""
    folders: dict[str, set[str]] = {}
    for folder, slash, name in (path.rpartition("/") for path in paths):
        folders.setdefault(folder + slash, set()).add(name)
    suites = (f"{folder}evals/" for folder, names in folders.items() if folder and "SKILL.md" in names)
    return (*(folder for folder, names in folders.items() if folder and holds_run(names)), *suites)


def _is_copied(path: str) -> bool:
    parts = path.lower().split("/")
    return parts[0] not in ("evals", "evals.json") and not any(part in _NOT_COPIED for part in parts)


def _require_entries(count: int, shown: str) -> None:
    if count > SKILL_LIMIT_ENTRIES:
        raise ConfigError(f"skill {quoted(shown)} has more than {SKILL_LIMIT_ENTRIES} files and folders")


def _require_size(size: int, shown: str) -> None:
    if size > SKILL_LIMIT_BYTES:
        message = f"skill {quoted(shown)} has {size} bytes"
        raise ConfigError(f"{message}; at most {SKILL_LIMIT_BYTES} are copied for the agent")


def _utf8(name: str, shown: str) -> str:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"skill {quoted(shown)} has a file name that is not UTF-8: {quoted(name)}"
        raise ConfigError(message, hint="rename the file") from error
    return name
