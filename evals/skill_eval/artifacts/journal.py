"""The journal of a run: a trial counts when its line is on disk, after its files are."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.artifacts.files import json_text_bytes
from evals.skill_eval.artifacts.plain_files import cannot, exists, open_plain, read_plain
from evals.skill_eval.artifacts.run_facts import Planned
from evals.skill_eval.errors import SkillEvalError
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.model.trial import TrialKey
from evals.skill_eval.reading.case_ids import id_fault
from evals.skill_eval.reading.strict_json import JsonFault, parse

NAME = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class Journal:
    """`journal.jsonl` of one run, only ever appended to; what is read must be among `planned`, where that is known."""

    path: Path
    planned: Planned | None = None

    def append(self, record: TrialRecord) -> None:
        """Add one line in one write, so that a kill leaves it whole or cut, never mixed."""
        line = _line_of(record) + b"\n"
        descriptor = open_plain(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            _write_all(descriptor, line)
        except OSError as error:
            raise cannot("written", self.path, error) from error
        finally:
            os.close(descriptor)

    def repair(self) -> None:
        """Cut off a last line that a kill left without its end, so that the next one starts anew."""
        content = self._content()
        whole, newline, cut = content.rpartition(b"\n")
        if not cut:
            return
        descriptor = open_plain(self.path, os.O_WRONLY)
        try:
            os.ftruncate(descriptor, len(whole + newline))
        except OSError as error:
            raise cannot("repaired", self.path, error) from error
        finally:
            os.close(descriptor)

    def records(self) -> tuple[TrialRecord, ...]:
        """Return the last record of each trial, in the order of their first lines.

        A last line without its end was cut by a kill and does not count. Raises SkillEvalError
        when any other line is not one of ours.
        """
        *lines, _cut = self._content().split(b"\n")
        return _last_of_each(self._read(number, line) for number, line in enumerate(lines, start=1))

    def _content(self) -> bytes:
        return read_plain(self.path) if exists(self.path) else b""

    def _read(self, number: int, line: bytes) -> TrialRecord:
        try:
            record = _own(line) or TrialRecord.from_json(parse(line).value)
        except JsonFault as fault:
            raise SkillEvalError(f"{self.path}:{number}:{fault.column}: {fault.message}", fault.hint) from fault
        except KeyError as error:
            raise SkillEvalError(f"{self.path}:{number}: not a trial's record: `{error.args[0]}` is missing") from error
        except (ValueError, TypeError) as error:
            raise SkillEvalError(f"{self.path}:{number}: not a trial's record: {error}") from error
        fault_found = _key_fault(record.key, self.planned)
        if fault_found is not None:
            raise SkillEvalError(f"{self.path}:{number}: not a trial of this run: {fault_found}")
        return record


_text_of = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False).encode


def _line_of(record: TrialRecord) -> bytes:
    return json_text_bytes(_text_of(record.to_json()))


def _own(line: bytes) -> TrialRecord | None:
    """Return the record of a line that is just what `append` writes, as nearly all are: it needs no strict reader."""
    try:
        record = TrialRecord.from_json(json.loads(line))
        return record if _line_of(record) == line else None
    except (KeyError, ValueError, TypeError, RecursionError):
        return None


def _key_fault(key: TrialKey, planned: Planned | None) -> str | None:
    if planned is not None:
        return planned.fault(key)
    fault = id_fault(key.case_id)
    return None if fault is None else f"case: {fault}"


def _write_all(descriptor: int, line: bytes) -> None:
    """Write the line; on a full disk take a half-written one back, so that the journal stays readable."""
    written = os.write(descriptor, line)
    if written < len(line):
        os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
        raise OSError(28, "No space left on device")


def _last_of_each(records: Iterable[TrialRecord]) -> tuple[TrialRecord, ...]:
    found: dict[TrialKey, TrialRecord] = {}
    for record in records:
        found[record.key] = record
    return tuple(found.values())
