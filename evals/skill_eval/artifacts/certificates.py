"""Certificates of adapters: `<output root>/certificates/<digest>.json`, one for each adapter, the newest."""

import json
from pathlib import Path

from evals.skill_eval.artifacts.files import json_bytes, write_whole
from evals.skill_eval.artifacts.layout import CERTIFICATES
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.certificate import Certificate


def store_certificate(output_root: Path, certificate: Certificate) -> Path:
    """Write a certificate in place of an earlier one of the same adapter; raises SkillEvalError."""
    path = _place(output_root, certificate.digest)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"`{path.parent}` cannot be made: {error.strerror}") from error
    write_whole(path, json_bytes(certificate.to_json()))
    return path


def find_certificate(output_root: Path, digest: str) -> Certificate | None:
    """Return the certificate of the adapter with this digest; None when there is none that can be read."""
    try:
        certificate = Certificate.from_json(json.loads(_place(output_root, digest).read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return certificate if certificate.digest == digest else None


def _place(output_root: Path, digest: str) -> Path:
    return output_root / CERTIFICATES / f"{digest}.json"
