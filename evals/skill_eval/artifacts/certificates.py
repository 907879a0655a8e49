"""Certificates of adapters: `<output root>/certificates/<digest>.json`, one for each adapter, the newest."""

from pathlib import Path

from evals.skill_eval.artifacts.files import json_bytes, write_whole
from evals.skill_eval.artifacts.layout import CERTIFICATES
from evals.skill_eval.artifacts.plain_files import cannot, make_folders, read_plain
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.certificate import Certificate
from evals.skill_eval.reading.strict_json import parse


def store_certificate(output_root: Path, certificate: Certificate) -> Path:
    """Write a certificate in place of an earlier one of the same adapter; raises SkillEvalError."""
    path = _place(output_root, certificate.digest)
    try:
        output_root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot("made", output_root, error) from error
    make_folders(output_root, CERTIFICATES)
    write_whole(path, json_bytes(certificate.to_json()))
    return path


def find_certificate(output_root: Path, digest: str) -> Certificate | None:
    """Return the certificate of the adapter with this digest; None when there is none that can be read."""
    try:
        certificate = Certificate.from_json(parse(read_plain(_place(output_root, digest))).value)  # type: ignore[arg-type]
    except (ConfigError, ValueError, KeyError, TypeError):
        return None
    return certificate if certificate.digest == digest else None


def _place(output_root: Path, digest: str) -> Path:
    return output_root / CERTIFICATES / f"{digest}.json"
