"""Run one trial: lay a workspace, call the adapter, read its answer, grade, clean up."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.errors import AdapterError, SkillEvalError
from evals.skill_eval.grading.checks import Search, grade
from evals.skill_eval.model.grading import Outcome
from evals.skill_eval.model.protocol import Event, InputFile, Mode, Request, Response
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.model.trial import Failure, Trial, TrialJob
from evals.skill_eval.reading.responses import read_response
from evals.skill_eval.running.harvest import Created, created, made_files, tampered
from evals.skill_eval.running.process import Call, Completed
from evals.skill_eval.running.workspace import prepared_workspace

_SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Tools:
    """What a worker has at hand: `call` runs a bounded process, `search` a bounded pattern.

    `root` is where workspaces are made; `environment` is what the adapter inherits.
    """

    call: Callable[[Call], Completed]
    search: Search
    root: Path
    environment: Mapping[str, str]
    redactor: Redactor


def run_trial(job: TrialJob, tools: Tools) -> Trial:
    """Run one trial; whatever the adapter does comes back as a value, never as an exception."""
    laid = {file.path: file for file in _files(job)}
    try:
        with prepared_workspace(tools.root, files=laid.values()) as workspace:
            completed = tools.call(_call(job, tools, workspace))
            return _judged(job, tools, workspace, laid, completed)
    except (SkillEvalError, OSError) as error:
        return _errored(job, 0.0, Failure("adapter", str(error)))


def _files(job: TrialJob) -> tuple[FileCopy, ...]:
    skill = job.skill_files or ()
    return (*job.inputs, *(FileCopy(f"skills/{job.key.skill}/{f.path}", f.content, f.executable) for f in skill))


def _call(job: TrialJob, tools: Tools, workspace: Path) -> Call:
    from json import dumps

    stdin = dumps(_request(job, workspace).to_json(), ensure_ascii=False).encode() + b"\n"
    return Call(
        argv=job.adapter.argv,
        stdin=stdin,
        cwd=str(workspace),
        environment=dict(tools.environment),
        timeout_seconds=job.timeout_seconds,
        limit_bytes=job.limit_bytes,
    )


def _request(job: TrialJob, workspace: Path) -> Request:
    with_skill = job.key.mode is Mode.WITH_SKILL
    return Request(
        mode=job.key.mode,
        skill_name=job.key.skill if with_skill else None,
        skill_path=os.path.join(workspace, "skills", job.key.skill) if with_skill else None,
        prompt=job.case.prompt,
        files=tuple(InputFile(file.path, sha256(file.content).hexdigest()) for file in job.inputs),
        workspace=str(workspace),
    )


def _judged(
    job: TrialJob, tools: Tools, workspace: Path, laid: Mapping[str, FileCopy], completed: Completed
) -> Trial:
    failure = _stopped(job, completed, tools.redactor)
    if failure is not None:
        return _errored(job, completed.duration_seconds, failure)
    try:
        response = _read(completed.stdout, tools.redactor)
    except AdapterError as error:
        return _errored(job, completed.duration_seconds, Failure("protocol", str(error)))
    if _contaminated(job, response.events):
        return _errored(job, completed.duration_seconds, _CONTAMINATED)
    wanted = [check.operands[0] for check in job.case.checks if check.type is CheckType.FILE_EXISTS]
    outcome = Outcome(response.output, made_files(workspace, laid, wanted), response.events)
    left, notes = created(workspace, laid), _notes(workspace, laid, completed)
    return _graded(job, tools.search, response, outcome, left, notes, completed.duration_seconds)


def _graded(
    job: TrialJob,
    search: Search,
    response: Response,
    outcome: Outcome,
    left: Created,
    notes: tuple[str, ...],
    duration_seconds: float,
) -> Trial:
    return Trial(
        key=job.key,
        duration_seconds=duration_seconds,
        output=response.output,
        events=response.events,
        usage=response.usage,
        grading=grade(job.case, job.key.mode, outcome, search),
        created=left.files,
        omitted=left.omitted,
        notes=notes,
    )


def _errored(job: TrialJob, duration_seconds: float, failure: Failure) -> Trial:
    return Trial(key=job.key, duration_seconds=duration_seconds, failure=failure)


_CONTAMINATED = Failure("contaminated", "the baseline reports that it loaded the skill under test")


def _contaminated(job: TrialJob, events: tuple[Event, ...]) -> bool:
    """Tell whether a baseline had the skill: then it is none."""
    loads = (event for event in events if event.type == "skill_loaded")
    return job.key.mode is Mode.WITHOUT_SKILL and any(event.name == job.key.skill for event in loads)


def _notes(workspace: Path, laid: Mapping[str, FileCopy], completed: Completed) -> tuple[str, ...]:
    changed = [f"the agent changed its input `{path}`" for path in tampered(workspace, laid)]
    survivors = completed.survivors
    return (*changed, f"{survivors} processes outlived the adapter and were ended") if survivors else tuple(changed)


def _stopped(job: TrialJob, completed: Completed, redactor: Redactor) -> Failure | None:
    """Return why the call is no result, however complete its answer looks."""
    match completed.stopped:
        case "timeout":
            return Failure("timeout", f"no answer within {job.timeout_seconds:g} s")
        case "stdout_limit" | "stderr_limit":
            stream = "output" if completed.stopped == "stdout_limit" else "error"
            return Failure("limit", f"standard {stream} is over {job.limit_bytes} bytes")
        case "not_started":
            return Failure("start", f"could not be started: {completed.reason}")
    if completed.exit_code == 0:
        return None
    last = _last_line(redactor.text(completed.stderr.decode("utf-8", "replace")))
    return Failure("exit", f"{_ending(completed.exit_code)}{': ' + last if last else ''}")


def _ending(exit_code: int | None) -> str:
    if exit_code is None or exit_code >= 0:
        return f"exit status {exit_code}"
    from signal import Signals

    try:
        return f"ended by {Signals(-exit_code).name}"
    except ValueError:
        return f"ended by signal {-exit_code}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_SHOWN_CHARACTERS] if lines else ""


def _read(stdout: bytes, redactor: Redactor) -> Response:
    """Read the response; a message that quotes it quotes the redacted text.

    Shortening first could leave a piece of a secret that is too short to be recognised.
    """
    try:
        return read_response(stdout)
    except AdapterError as error:
        text = stdout.decode("utf-8", "replace")
        quoted = redactor.text(text)
        if quoted == text:
            raise
        read_response(quoted.encode())
        raise AdapterError("the response breaks the protocol where it holds a secret") from error
