"""Where each artifact of a run stands: `<run>/<skill>/iteration-N/eval-<id>/<mode>/`."""

import re
from datetime import UTC, datetime
from pathlib import Path

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.trial import TrialKey

DEFAULT_OUTPUT_ROOT = "tmp/skills-eval"
CERTIFICATES = "certificates"
"""The one folder below the output root that is no run."""

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_run_id(run_id: str) -> str:
    """Return `run_id` if it is safe as a folder name; raises ConfigError."""
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
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise ConfigError(f"`{path}` is not a folder of its own, so artifacts are not written there")
    return path


def find_run(name: str, repository: Path, chosen: Path | None) -> Path:
    """Return the folder of the run `name`: an id below the output root, else a path; raises ConfigError."""
    by_id = output_root(repository, chosen) / name
    found = next((path for path in (by_id, Path(name)) if path.is_dir()), None)
    if found is None:
        raise ConfigError(f"there is no run `{name}`: neither `{by_id}` nor such a folder exists")
    return found.absolute()


def eval_folder(run: Path, key: TrialKey) -> str:
    """Return the folder that both modes of one case and iteration share."""
    return f"{run}/{key.skill}/iteration-{key.iteration}/eval-{key.case_id}"


def trial_folder(run: Path, key: TrialKey) -> str:
    """Return the folder of one trial."""
    return f"{eval_folder(run, key)}/{key.mode}"
