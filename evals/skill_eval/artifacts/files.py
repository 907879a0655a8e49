"""Files are written whole or not at all, as UTF-8 with `\\n`, JSON sorted and indented."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evals.skill_eval.artifacts.spans import MARK
from evals.skill_eval.errors import SkillEvalError

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_ESCAPED = re.compile(r"\\ud[89a-f][0-9a-f]{2}")
_SURROGATE = re.compile("[\ud800-\udfff]")


def json_bytes(value: object) -> bytes:
    """Return strict JSON (no NaN), sorted, indented by two, with a final newline."""
    return json_text_bytes(_indented(value, "\n") + "\n")


def json_text_bytes(text: str) -> bytes:
    """Encode a JSON text; half a surrogate pair, as in a file name that is not UTF-8, becomes its visible escape."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\\\u{ord(match[0]):04x}", text).encode()


def as_kept(value: object) -> object:
    """Return what a JSON artifact that holds `value` gives when it is read."""
    return json.loads(json_bytes(value))


def is_as_kept(text: str) -> bool:
    """Tell whether a text that was read from an artifact is what was to be kept, nothing hidden and no byte lost."""
    return MARK not in text and not _ESCAPED.search(text)


def write_whole(path: Path | str, content: bytes) -> None:
    """Write `content` to a neighbour of `path`, then put it in place at once; raises SkillEvalError."""
    neighbour = f"{path}.{os.getpid()}.partial"
    with _whole_or_nothing(str(path), neighbour):
        write_new(neighbour, content)
        os.replace(neighbour, path)


def write_folder(folder: str, files: dict[str, bytes]) -> None:
    """Lay `files` (relative names with `/`) into a neighbour of `folder`, then put it in place at once.

    An older folder of that name is replaced. Raises SkillEvalError when the disk does not take it.
    """
    neighbour = f"{folder}.{os.getpid()}.partial"
    with _whole_or_nothing(folder, neighbour):
        os.mkdir(neighbour)
        for directory in {os.path.dirname(name) for name in files if "/" in name}:
            os.makedirs(f"{neighbour}/{directory}", exist_ok=True)
        for name, content in files.items():
            write_new(f"{neighbour}/{name}", content)
        remove(folder)
        os.rename(neighbour, folder)


def write_new(path: str, content: bytes, mode: int = 0o666) -> None:
    """Write a file that does not exist yet, through no link; raises OSError."""
    descriptor = os.open(path, _NEW_FILE, mode)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)


def _indented(value: object, line: str) -> str:
    """Return what `json.dumps` with `indent=2` returns, which does it in Python, three times as slowly.

    `line` is a line break with the indentation of the line on which the value begins.
    """
    inner = line + "  "
    match value:
        case str():
            return _quoted(value)
        case dict() if value:
            rows = [f"{_quoted(str(key))}: {_indented(value[key], inner)}" for key in sorted(value)]
            return f"{{{inner}{f',{inner}'.join(rows)}{line}}}"
        case list() | tuple() if value:
            return f"[{inner}{f',{inner}'.join([_indented(item, inner) for item in value])}{line}]"
        case None | bool():
            return _WORDS[value]
        case int():
            return int.__repr__(value)
    return _compact(value)


_WORDS = {None: "null", True: "true", False: "false"}
_quoted = json.encoder.encode_basestring
_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


@contextmanager
def _whole_or_nothing(shown: str, neighbour: str) -> Iterator[None]:
    """Let nothing stand at `neighbour` before, so that no link there is written through, nor after a failure."""
    try:
        remove(neighbour)
        yield
    except OSError as error:
        _try_to_remove(neighbour)
        raise SkillEvalError(f"`{shown}` cannot be written: {error.strerror or error}") from error
    except BaseException:
        _try_to_remove(neighbour)
        raise


def _try_to_remove(path: str) -> None:
    with suppress(OSError):
        remove(path)


def remove(path: str) -> None:
    """Remove a file, a link or a folder with all it holds, if it is there."""
    if not os.path.lexists(path):
        return
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
