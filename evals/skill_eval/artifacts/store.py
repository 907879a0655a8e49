"""One run's folder: the only writer of artifacts, redacting whatever it is given."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.artifacts.documents import (
    case_document,
    eval_metadata_document,
    grading_document,
    response_document,
    tells,
    timing_document,
    verdict_files,
)
from evals.skill_eval.artifacts.files import json_bytes, remove, write_folder, write_whole
from evals.skill_eval.artifacts.journal import NAME as JOURNAL_NAME
from evals.skill_eval.artifacts.journal import Journal
from evals.skill_eval.artifacts.layout import eval_folder, eval_steps, trial_folder
from evals.skill_eval.artifacts.plain_files import (
    cannot,
    copy_file,
    copy_folder,
    exists,
    is_plain_folder,
    make_folders,
    read_plain,
)
from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.artifacts.run_facts import options_digest, planned_by, read_facts
from evals.skill_eval.artifacts.wide_text import redacted_bytes
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.record import JsonObject, TrialRecord
from evals.skill_eval.model.suite import Case
from evals.skill_eval.model.trial import Failure, Trial, TrialKey

RUN_FILE = "run.json"


@dataclass(frozen=True, slots=True)
class RunStore:
    """The folder of one run."""

    path: Path
    redactor: Redactor

    def write_run(self, facts: JsonObject) -> None:
        """Write `run.json`, with a digest of its options as they stand there."""
        digest = options_digest(self.redactor.value(facts["options"]))
        self._write_json(RUN_FILE, facts | {"options_digest": digest})

    def facts(self) -> JsonObject:
        """Read `run.json`; raises ConfigError when this is no run of ours."""
        return read_facts(self.path / RUN_FILE)

    def write_benchmark(self, skill: str, benchmark: JsonObject) -> None:
        """Write `<skill>/benchmark.json`."""
        make_folders(self.path, skill)
        self._write_json(f"{skill}/benchmark.json", benchmark)

    def keep(self, case: Case, trial: Trial) -> TrialRecord:
        """Write a trial's files, then the journal line that makes it count; return its redacted record."""
        self._write_case(case, trial)
        write_folder(trial_folder(self.path, trial.key), self._files(trial))
        record = self._record(trial)
        self._unread_journal.append(record)
        return record

    @property
    def journal(self) -> Journal:
        """Return the run's journal, which holds trials that `run.json` planned and no others."""
        return Journal(self.path / JOURNAL_NAME, planned_by(self.facts()))

    def records(self) -> tuple[TrialRecord, ...]:
        """Return what the journal counts; raises ConfigError when the files of a trial are gone or say otherwise."""
        records = self.journal.records()
        for record in records:
            fault = self._fault(record)
            if fault is not None:
                raise ConfigError(fault, hint=f"`run --resume {self.path.name}` runs it again")
        return records

    def counted(self) -> tuple[TrialRecord, ...]:
        """Return those records of the journal that the trials' own files bear out."""
        return tuple(record for record in self.journal.records() if self._fault(record) is None)

    def _fault(self, record: TrialRecord) -> str | None:
        """Return why a line of the journal is not borne out by files; raises ConfigError when a link is in the way."""
        folder = trial_folder(self.path, record.key)
        if not self._holds(record.key):
            return f"`{folder}` or its `case.json` is gone, but the journal counts it"
        verdict, other = verdict_files(record)
        if not exists(f"{folder}/{verdict}"):
            return f"`{folder}/{verdict}` is gone, but the journal counts its trial"
        if any(exists(f"{folder}/{name}") for name in other) or not tells(read_plain(f"{folder}/{verdict}"), record):
            return f"the files in `{folder}` give another verdict than the journal"
        return None

    def _holds(self, key: TrialKey) -> bool:
        """Tell whether a trial's folder is there; raises ConfigError when a link or file is in the way."""
        path = str(self.path)
        for step in (*eval_steps(key), str(key.mode)):
            path = f"{path}/{step}"
            if not is_plain_folder(path):
                return False
        return exists(f"{eval_folder(self.path, key)}/case.json")

    def forget_partial(self) -> None:
        """Remove what a killed process had not put in place yet; whoever calls this holds the lock."""
        try:
            for path in tuple(_partial(str(self.path))):
                remove(path)
        except OSError as error:
            raise cannot("cleaned", self.path, error) from error

    def take_over(self, other: "RunStore") -> None:
        """Copy the trials of another run, each with its files before its journal line."""
        for record in other.records():
            make_folders(self.path, *eval_steps(record.key))
            copy_folder(trial_folder(other.path, record.key), trial_folder(self.path, record.key))
            for name in ("case.json", "eval_metadata.json"):
                shared = f"{eval_folder(self.path, record.key)}/{name}"
                if not exists(shared):
                    copy_file(f"{eval_folder(other.path, record.key)}/{name}", shared)
            self._unread_journal.append(record)

    @property
    def _unread_journal(self) -> Journal:
        """Return the journal to be added to, which needs no look at `run.json`."""
        return Journal(self.path / JOURNAL_NAME)

    def _write_case(self, case: Case, trial: Trial) -> None:
        """Write what both modes of a case share, once."""
        folder = eval_folder(self.path, trial.key)
        make_folders(self.path, *eval_steps(trial.key))
        if not exists(f"{folder}/case.json"):
            write_whole(f"{folder}/eval_metadata.json", self._json(eval_metadata_document(case)))
            write_whole(f"{folder}/case.json", self._json(case_document(case)))

    def _files(self, trial: Trial) -> dict[str, bytes]:
        files = {"timing.json": self._json(timing_document(trial))}
        output = trial.output or ""
        text = self.redactor.text(output)
        if trial.output is not None:
            files["response.json"] = self._response(trial, text)
        if trial.failure is not None:
            failure: JsonObject = {"kind": trial.failure.kind, "message": trial.failure.message}
            return files | {"error.json": self._json(failure)}
        files["output.txt"] = text.encode()
        files |= {f"outputs/{name}": content for name, content in self._outputs(trial, files["output.txt"]).items()}
        if trial.grading is not None and trial.grading.results:
            files["grading.json"] = self._json(grading_document(trial.grading, output))
        return files

    def _response(self, trial: Trial, text: str) -> bytes:
        """Return `response.json`; its output, which may be long, is redacted already: `text`."""
        parts = response_document(trial).items()
        redacted = {name: self.redactor.value(part) for name, part in parts if name != "output"}
        return json_bytes(redacted | {"output": text})

    def _outputs(self, trial: Trial, text: bytes) -> dict[str, bytes]:
        """Return the agent's files; viewers also want the answer there, unless the agent used its name."""
        made = {
            self._name(at, file.path): redacted_bytes(file.content, self.redactor.text)
            for at, file in enumerate(trial.created)
        }
        taken = any(name.split("/")[0] == "output.txt" for name in made)
        return made if taken else made | {"output.txt": text}

    def _name(self, at: int, path: str) -> str:
        """Give a file whose name had to be redacted a name that meets no other."""
        return path if self.redactor.text(path) == path else f"redacted-{at}"

    def _record(self, trial: Trial) -> TrialRecord:
        return TrialRecord(
            trial.key,
            trial.duration_seconds,
            None if trial.grading is None else Grading(tuple(map(self._result, trial.grading.results))),
            None if trial.failure is None else Failure(trial.failure.kind, self.redactor.text(trial.failure.message)),
            {self.redactor.text(name): amount for name, amount in trial.usage.items()},
            any(event.type == "skill_loaded" and event.name == trial.key.skill for event in trial.events),
            False if any(event.type == "activation_telemetry_unavailable" for event in trial.events) else None,
            trial.retries,
            tuple(map(self.redactor.text, trial.notes)),
        )

    def _result(self, result: CheckResult) -> CheckResult:
        text = self.redactor.text
        return CheckResult(text(result.id), result.type, result.required, result.passed, text(result.message))

    def _write_json(self, name: str, value: JsonObject) -> None:
        write_whole(self.path / name, self._json(value))

    def _json(self, value: JsonObject) -> bytes:
        return json_bytes(self.redactor.value(value))


def create_run(output_root: Path, run_id: str, redactor: Redactor) -> RunStore:
    """Make the folder of a new run; raises ConfigError when it exists or cannot be made."""
    path = output_root / run_id
    try:
        _make_root(output_root)
        path.mkdir()
    except FileExistsError as error:
        if not path.is_dir():
            raise ConfigError(f"run folder `{path}` cannot be made: a file is in its way") from error
        hint = f"go on with it by `--resume {run_id}`, or choose another `--run-id`"
        raise ConfigError(f"run folder `{path}` exists", hint) from error
    except OSError as error:
        raise cannot("made", path, error) from error
    return RunStore(path, redactor)


def _make_root(output_root: Path) -> None:
    """Make the folder of all runs; a new one tells git to leave it alone."""
    new = not output_root.is_dir()
    output_root.mkdir(parents=True, exist_ok=True)
    if new:
        write_whole(output_root / ".gitignore", b"*\n")


def open_run(path: Path, redactor: Redactor) -> RunStore:
    """Return the store of an existing run; raises ConfigError when there is none."""
    if not exists(path / RUN_FILE):
        raise ConfigError(f"`{path}` holds no run: `{RUN_FILE}` is missing")
    return RunStore(path, redactor)


def _partial(run: str) -> Iterator[str]:
    """Yield what stands half-written where the harness writes: in a run's own folder, a skill's and a case's.

    An agent's file and a case's id may end in `.partial` as well.
    """
    for folder, names, files in os.walk(run):
        depth = 0 if folder == run else folder[len(run) + 1 :].count(os.sep) + 1
        if depth != 2:
            yield from (os.path.join(folder, name) for name in (*names, *files) if name.endswith(".partial"))
        if depth == 3:
            names.clear()
