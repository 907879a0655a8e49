"""Fixtures of a case: found on disk as they are spelled."""

import os
import re
from pathlib import Path

from evals.skill_eval.model.problem import Severity
from evals.skill_eval.reading.findings import Findings, Part
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.regular_files import ACCESS, KIND, LINK, SIZE, UnusableFile, read_regular
from evals.skill_eval.reading.relative_paths import path_fault
from evals.skill_eval.reading.strict_json import kind_of

FIXTURE_LIMIT = 1_000
FIXTURE_LIMIT_BYTES = 16 << 20

_PRIVATE_KEY = rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


def workspace_path(fixture: str) -> str:
    """Return where `fixture` (relative to the skill) lies in the workspace."""
    return f"inputs/{fixture}"


def check_fixtures(part: Part, skill_directory: Path, runnable: bool, findings: Findings) -> tuple[str, ...]:
    """Return the fixtures listed at `part` that can be taken; everything else becomes a finding.

    A file that is not there is an error only in a `runnable` case: nothing else needs it.
    """
    if not isinstance(part.value, list):
        findings.add("SE270", part.where, f"expected a list of paths, found {kind_of(part.value)}")
        return ()
    if len(part.value) > FIXTURE_LIMIT:
        message = f"has {len(part.value)} fixtures; at most {FIXTURE_LIMIT} of a case are taken"
        findings.add("SE277", part.where, message)
        return ()
    listed: dict[str, str] = {}
    usable: list[str] = []
    for number, path in enumerate(part.value):
        item = Part((*part.where, number), path)
        if not isinstance(path, str):
            hint = "write the path alone, as a string" if isinstance(path, dict) else None
            findings.add("SE270", item.where, f"expected a path, found {kind_of(path)}", hint)
        elif folded(path) in listed:
            other = listed[folded(path)]
            same = "is listed twice" if path == other else f"is the same as {quoted(other)} on some file systems"
            findings.add("SE275", item.where, f"{quoted(path)} {same}")
        else:
            listed[folded(path)] = path
            if _formed(item, path, findings) and _on_disk(item, path, skill_directory, runnable, findings):
                usable.append(path)
    return tuple(usable)


def refuse_link(directory: Path) -> None:
    """Raise UnusableFile when a folder on the way to a file is a link."""
    if os.path.islink(directory):
        raise UnusableFile(LINK, f"leads through the link {quoted(directory.name)}, and links are not followed")


def folded(name: str) -> str:
    """Return `name` as the most forgiving file system compares it."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize

    return normalize("NFKC", normalize("NFKC", name).casefold())


def _formed(item: Part, path: str, findings: Findings) -> bool:
    """Tell whether `path` can be a fixture by its form."""
    fault = path_fault(path, "the skill's folder")
    if fault is not None:
        findings.add("SE271", item.where, f"{quoted(path)} {fault}", "write a path like `evals/fixtures/input.txt`")
        return False
    if folded(path) in ("skill.md", "evals/evals.json"):
        whom = "the baseline the skill itself" if folded(path) == "skill.md" else "the agent the answers"
        findings.add("SE276", item.where, f"{quoted(path)} as a fixture gives {whom}")
        return False
    return True


def _on_disk(item: Part, path: str, skill_directory: Path, runnable: bool, findings: Findings) -> bool:
    """Tell whether `path` is a regular file of the skill, spelled so on disk and reached without a link."""
    absent = Severity.ERROR if runnable else Severity.WARNING
    try:
        directory = skill_directory
        for step in path.split("/")[:-1]:
            directory = _listed(directory, step)
            refuse_link(directory)
        content = read_regular(_listed(directory, path.rpartition("/")[2]), FIXTURE_LIMIT_BYTES).content
    except _Absent as error:
        hint = error.hint or _elsewhere(path, skill_directory)
        findings.add(error.code, item.where, f"{quoted(path)} {error}", hint, severity=absent)
        return False
    except UnusableFile as error:
        code = {SIZE: "SE277", LINK: "SE274", KIND: "SE274"}.get(error.code, "SE272")
        severity = None if error.code in (SIZE, LINK) else absent
        findings.add(code, item.where, f"{quoted(path)} {error}", severity=severity)
        return False
    return _examine(item, path, content, absent, findings)


class _Absent(Exception):
    """A step of a path that is not listed in its folder; `hint` when it is spelled otherwise there."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint


def _listed(directory: Path, step: str) -> Path:
    """Return the entry `step` of `directory` when the listing spells it exactly so.

    A file system that ignores case or composition would open it under other names too, but only there.
    """
    try:
        names = os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _Absent("SE272", "does not exist") from error
    except OSError as error:
        raise UnusableFile(ACCESS, f"lies in the folder {quoted(directory.name)}, which cannot be listed") from error
    if step in names:
        return directory / step
    others = [name for name in names if folded(name) == folded(step)]
    if others:
        raise _Absent("SE273", _spelling(step, others[0]), "spell the path exactly as the file is called, or rename it")
    raise _Absent("SE272", "does not exist")


def _spelling(written: str, listed: str) -> str:
    from unicodedata import is_normalized, normalize

    if normalize("NFC", written) != normalize("NFC", listed):
        return f"is spelled {quoted(listed)} on disk"
    form = "composed (NFC)" if is_normalized("NFC", listed) else "decomposed (NFD)"
    return f"looks like {quoted(listed)} on disk, which is {form}"


def _elsewhere(path: str, skill_directory: Path) -> str | None:
    """Return a hint when the path is right for another starting point than the skill's folder."""
    steps = path.split("/")
    own = skill_directory.name
    below = "/".join(steps[steps.index(own) + 1 :]) if own in steps else ""
    for candidate in (f"evals/{path}", below):
        if candidate and os.path.lexists(skill_directory / candidate):
            return f"paths are relative to the skill's folder: write {quoted(candidate)}"
    return None


def _examine(item: Part, path: str, content: bytes, absent: Severity, findings: Findings) -> bool:
    if content.startswith(_LFS_POINTER):
        message = f"{quoted(path)} is a Git LFS pointer, not the file that it points to"
        findings.add("SE279", item.where, message, "fetch it with `git lfs pull`", severity=absent)
        return False
    if re.search(_PRIVATE_KEY, content):
        findings.add("SE278", item.where, f"{quoted(path)} holds a private key, and every agent is given it")
    return True
