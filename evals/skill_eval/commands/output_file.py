"""The file that `--output` names."""

import os
from pathlib import Path

from evals.skill_eval.artifacts.files import write_whole
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.reading.quoting import quoted


def write_output(path: Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all; a device or a pipe is written to, never replaced.

    Raises SkillEvalError when it cannot be written.
    """
    if os.path.isfile(path) or not os.path.exists(path):
        write_whole(path, text.encode("utf-8"))
        return
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"{quoted(str(path), 4096)} cannot be written: {error.strerror}") from error
