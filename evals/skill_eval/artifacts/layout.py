"""Where each artifact of a run stands: `<run>/<skill>/iteration-N/eval-<id>/<mode>/`."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from evals.skill_eval.artifacts.plain_files import is_plain_folder
from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.trial import TrialKey

DEFAULT_OUTPUT_ROOT = "tmp/skills-eval"
CERTIFICATES = "certificates"
"""The one folder below the output root that is no run."""

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_run_id(run_id: str, redactor: Redactor) -> str:
    """Return `run_id` if it is safe as a folder name and no secret; raises ConfigError."""
    if redactor.text(run_id) != run_id:
        raise ConfigError("run id looks like a secret", "it names a folder and is printed; choose another `--run-id`")
    if not _RUN_ID.fullmatch(run_id) or run_id.endswith(".") or run_id == CERTIFICATES:
        raise ConfigError(
            f"run id `{run_id}` is not usable as a folder name",
            hint="use 1 to 100 letters, digits, `.`, `_` or `-`, beginning with a letter or digit",
        )
    return run_id


def new_run_id() -> str:
    """Return the UTC time with a random suffix: two runs in one second do not meet."""
    from secrets import token_hex

    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{token_hex(3)}"


def timestamp() -> str:
    """Return the time in UTC, ISO 8601, to the second."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def output_root(repository: Path, chosen: Path | None) -> Path:
    """Return where runs go: `chosen`, else below `repository`; raises ConfigError when a link or file is in the way.

    Only the default is held to be free of links: whoever names a folder may well name one through a link.
    """
    if chosen is not None:
        return chosen
    path = repository
    for part in DEFAULT_OUTPUT_ROOT.split("/"):
        path = path / part
        is_plain_folder(path)
    return path


def find_run(name: str, repository: Path, chosen: Path | None) -> Path:
    """Return the folder of the run `name`: an id below the output root, else a path; raises ConfigError."""
    by_id = output_root(repository, chosen) / name
    found = next((path for path in (by_id, Path(name)) if os.path.isdir(path)), None)
    if found is None:
        raise ConfigError(f"there is no run `{name}`: neither `{by_id}` nor such a folder exists")
    return found.absolute()


def eval_folder(run: Path | str, key: TrialKey) -> str:
    """Return the folder that both modes of one case and iteration share."""
    return "/".join((str(run), *eval_steps(key)))


def eval_steps(key: TrialKey) -> tuple[str, str, str]:
    """Return the names of the folders from a run's to that of one case and iteration."""
    return key.skill, f"iteration-{key.iteration}", f"eval-{key.case_id}"


def trial_folder(run: Path | str, key: TrialKey) -> str:
    """Return the folder of one trial."""
    return f"{eval_folder(run, key)}/{key.mode}"
