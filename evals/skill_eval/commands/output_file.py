"""The file that `--output` names."""

import os
from argparse import ArgumentTypeError
from pathlib import Path

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.reading.quoting import quoted


def output_file(text: str) -> Path | None:
    """Return the file to write, or None for `-`, which is standard output."""
    if not text or "\0" in text:
        raise ArgumentTypeError("expected a file, found an empty text or a NUL character")
    return None if text == "-" else Path(text)


def write_output(path: Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all; a device or a pipe is written to, never replaced.

    Raises SkillEvalError when it cannot be written.
    """
    from evals.skill_eval.artifacts.files import write_whole  # slow to load, and `validate` seldom writes

    if os.path.isfile(path) or not os.path.exists(path):
        write_whole(path, text.encode("utf-8"))
        return
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"{quoted(str(path), 4096)} cannot be written: {error.strerror}") from error
