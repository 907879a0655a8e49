"""One run's folder: the only writer of artifacts, redacting whatever it is given."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.artifacts.documents import (
    case_document,
    eval_metadata_document,
    grading_document,
    response_document,
    timing_document,
)
from evals.skill_eval.artifacts.files import json_bytes, write_folder, write_whole
from evals.skill_eval.artifacts.journal import NAME as JOURNAL_NAME
from evals.skill_eval.artifacts.journal import Journal
from evals.skill_eval.artifacts.layout import eval_folder, trial_folder
from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.record import JsonObject, TrialRecord
from evals.skill_eval.model.suite import Case
from evals.skill_eval.model.trial import Failure, Trial

RUN_FILE = "run.json"


@dataclass(frozen=True, slots=True)
class RunStore:
    """The folder of one run."""

    path: Path
    redactor: Redactor

    def write_run(self, facts: JsonObject) -> None:
        """Write `run.json`."""
        self._write_json(RUN_FILE, facts)

    def facts(self) -> JsonObject:
        """Read `run.json`; raises ConfigError when this is no run of ours."""
        path = self.path / RUN_FILE
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"`{path}` cannot be read: {error}") from error
        if not isinstance(value, dict) or not isinstance(value.get("options"), dict):
            raise ConfigError(f"`{path}` is not the `run.json` of a run")
        return value

    def write_benchmark(self, skill: str, benchmark: JsonObject) -> None:
        """Write `<skill>/benchmark.json`."""
        (self.path / skill).mkdir(exist_ok=True)
        self._write_json(f"{skill}/benchmark.json", benchmark)

    def keep(self, case: Case, trial: Trial) -> TrialRecord:
        """Write a trial's files, then the journal line that makes it count; return its redacted record."""
        self._write_case(case, trial)
        write_folder(trial_folder(self.path, trial.key), self._files(trial))
        record = self._record(trial)
        self.journal.append(record)
        return record

    @property
    def journal(self) -> Journal:
        """Return the run's journal."""
        return Journal(self.path / JOURNAL_NAME)

    def forget_partial(self) -> None:
        """Remove what a killed process had not put in place yet; whoever calls this holds the lock."""
        import shutil

        for path in self.path.rglob("*.partial"):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def take_over(self, other: "RunStore") -> None:
        """Copy the trials of another run, each with its files before its journal line."""
        import shutil

        for record in other.journal.records():
            shutil.copytree(trial_folder(other.path, record.key), trial_folder(self.path, record.key))
            for name in ("case.json", "eval_metadata.json"):
                shared = f"{eval_folder(other.path, record.key)}/{name}"
                shutil.copyfile(shared, f"{eval_folder(self.path, record.key)}/{name}")
            self.journal.append(record)

    def _write_case(self, case: Case, trial: Trial) -> None:
        """Write what both modes of a case share, once."""
        folder = eval_folder(self.path, trial.key)
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(f"{folder}/case.json"):
            write_whole(f"{folder}/eval_metadata.json", self._json(eval_metadata_document(case)))
            write_whole(f"{folder}/case.json", self._json(case_document(case)))

    def _files(self, trial: Trial) -> dict[str, bytes]:
        files = {"timing.json": self._json(timing_document(trial))}
        if trial.failure is not None:
            failure: JsonObject = {"kind": trial.failure.kind, "message": trial.failure.message}
            answer = {} if trial.output is None else {"response.json": self._json(response_document(trial))}
            return files | answer | {"error.json": self._json(failure)}
        output = trial.output or ""
        text = self.redactor.text(output).encode()
        files |= {"output.txt": text, "response.json": self._json(response_document(trial))}
        files |= {f"outputs/{name}": content for name, content in self._outputs(trial, text).items()}
        if trial.grading is not None and trial.grading.results:
            files["grading.json"] = self._json(grading_document(trial.grading, output))
        return files

    def _outputs(self, trial: Trial, text: bytes) -> dict[str, bytes]:
        """Return the agent's files; viewers also want the answer there, unless the agent used its name."""
        made = {self._name(at, file.path): self._redacted(file.content) for at, file in enumerate(trial.created)}
        taken = any(name.split("/")[0] == "output.txt" for name in made)
        return made if taken else made | {"output.txt": text}

    def _name(self, at: int, path: str) -> str:
        """Give a file whose name had to be redacted a name that meets no other."""
        return path if self.redactor.text(path) == path else f"redacted-{at}"

    def _redacted(self, content: bytes) -> bytes:
        """Redact text as text and anything else byte by byte, so that pictures stay pictures."""
        try:
            return self.redactor.text(content.decode()).encode()
        except UnicodeDecodeError:
            return self.redactor.text(content.decode("latin-1")).encode("latin-1")

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
        hint = f"go on with it by `--resume {run_id}`, or choose another `--run-id`"
        raise ConfigError(f"run folder `{path}` exists or a file is in its way", hint) from error
    except OSError as error:
        raise ConfigError(f"run folder `{path}` cannot be made: {error.strerror}") from error
    return RunStore(path, redactor)


def _make_root(output_root: Path) -> None:
    """Make the folder of all runs; a new one tells git to leave it alone."""
    new = not output_root.is_dir()
    output_root.mkdir(parents=True, exist_ok=True)
    if new:
        write_whole(output_root / ".gitignore", b"*\n")


def open_run(path: Path, redactor: Redactor) -> RunStore:
    """Return the store of an existing run; raises ConfigError when there is none."""
    if not (path / RUN_FILE).is_file():
        raise ConfigError(f"`{path}` holds no run: `{RUN_FILE}` is missing")
    return RunStore(path, redactor)
