"""The journal of a run: a trial counts when its line is on disk, after its files are."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.errors import SkillEvalError
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.model.trial import TrialKey

NAME = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class Journal:
    """`journal.jsonl` of one run, only ever appended to."""

    path: Path

    def append(self, record: TrialRecord) -> None:
        """Add one line in one write, so that a kill leaves it whole or cut, never mixed."""
        line = json.dumps(record.to_json(), sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                _write_all(descriptor, line.encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise SkillEvalError(f"`{self.path}` cannot be written: {error.strerror}") from error

    def repair(self) -> None:
        """Cut off a last line that a kill left without its end, so that the next one starts anew."""
        if self.path.exists():
            whole, newline, _cut = self.path.read_bytes().rpartition(b"\n")
            os.truncate(self.path, len(whole + newline))

    def records(self) -> tuple[TrialRecord, ...]:
        """Return the last record of each trial, in the order of their first lines.

        A last line without its end was cut by a kill and does not count. Raises SkillEvalError
        when any other line is not one of ours.
        """
        if not self.path.exists():
            return ()
        whole, _, _cut = self.path.read_bytes().rpartition(b"\n")
        return _last_of_each(map(self._read, enumerate(whole.splitlines(), start=1)))

    def _read(self, numbered: tuple[int, bytes]) -> TrialRecord:
        number, line = numbered
        try:
            return TrialRecord.from_json(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SkillEvalError(f"{self.path}:{number}: not a trial's record: {error}") from error


def _write_all(descriptor: int, line: bytes) -> None:
    """Write the line; on a full disk take a half-written one back, so that the journal stays readable."""
    written = os.write(descriptor, line)
    if written < len(line):
        os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
        raise OSError(28, "no space left on device")


def _last_of_each(records: Iterable[TrialRecord]) -> tuple[TrialRecord, ...]:
    found: dict[TrialKey, TrialRecord] = {}
    for record in records:
        found[record.key] = record
    return tuple(found.values())
