"""Run one trial: lay a workspace, call the adapter, read its answer, look for contamination, grade, clean up."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.errors import AdapterError, SkillEvalError
from evals.skill_eval.grading.checks import Search, grade
from evals.skill_eval.model.grading import Outcome
from evals.skill_eval.model.protocol import InputFile, Mode, Request, Response
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.model.trial import CONTAMINATED, Failure, Trial, TrialJob
from evals.skill_eval.reading.responses import read_response
from evals.skill_eval.running.conditions import Conditions, Sandbox
from evals.skill_eval.running.contamination import CANARY_FILE, TOKEN_OVERLAP, contamination
from evals.skill_eval.running.environment import adapter_environment
from evals.skill_eval.running.harvest import Created, created, made_files, tampered, unread_pieces
from evals.skill_eval.running.process import Call, Completed
from evals.skill_eval.running.sandbox import sandboxed
from evals.skill_eval.running.workspace import prepared_workspace, reason_of

TRANSIENT = 75
"""The exit status by which an adapter says `try again later` (EX_TEMPFAIL of sysexits.h)."""

_SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Tools:
    """What a worker has at hand: `call` runs a bounded process, `search` a bounded pattern.

    `root` is where workspaces are made, `environment` what adapters inherit, taken once.
    """

    call: Callable[[Call], Completed]
    search: Search
    root: Path
    conditions: Conditions
    redactor: Redactor
    environment: Mapping[str, str]


def run_trial(job: TrialJob, tools: Tools) -> Trial:
    """Run one trial; whatever the adapter does comes back as a value, never as an exception."""
    laid = {file.path: file for file in _files(job, tools.conditions)}
    left: list[str] = []
    try:
        with (
            prepared_workspace(tools.root, files=laid.values(), on_left=left.extend) as workspace,
            _home(tools, left) as home,
        ):
            completed = tools.call(_call(job, tools, workspace, home))
            trial = _judged(job, tools, workspace, laid, completed)
        lost = tuple(f"could not be removed from `{workspace.parent}`: {name}" for name in left)
        return replace(trial, notes=(*trial.notes, *lost)) if lost else trial
    except AdapterError as error:
        return errored(job, 0.0, Failure("adapter", str(error)))
    except (SkillEvalError, OSError) as error:
        return errored(job, 0.0, Failure("workspace", reason_of(error)))


def errored(job: TrialJob, duration_seconds: float, failure: Failure) -> Trial:
    """Return a trial that is not scored."""
    return Trial(key=job.key, duration_seconds=duration_seconds, failure=failure)


def _files(job: TrialJob, conditions: Conditions) -> Iterator[FileCopy]:
    yield from job.inputs
    if job.skill is None:
        return
    folder = f"skills/{job.skill.name}"
    yield from (FileCopy(f"{folder}/{f.path}", f.content, f.executable) for f in job.skill.files)
    if conditions.canaries and job.key.mode is Mode.WITH_SKILL:
        yield FileCopy(f"{folder}/{CANARY_FILE}", conditions.canaries.skill.encode())


@contextmanager
def _home(tools: Tools, left: list[str]) -> Iterator[str | None]:
    """Make the empty home of a clean environment, which goes when the trial does."""
    if not tools.conditions.clean_environment:
        yield None
        return
    with prepared_workspace(tools.root, files=(), on_left=left.extend) as home:
        (home / "tmp").mkdir()
        yield str(home)


def _call(job: TrialJob, tools: Tools, workspace: Path, home: str | None) -> Call:
    from json import dumps

    conditions, argv = tools.conditions, job.adapter.argv
    if conditions.sandbox is Sandbox.BWRAP:
        writable = [str(workspace), *([home] if home else ())]
        runs = os.path.dirname(conditions.evaluator) if conditions.evaluator else None
        hidden = (*conditions.avoid, *([runs] if runs else ()))
        argv = sandboxed(argv, writable=writable, hidden=hidden, temporary=str(tools.root))
    return Call(
        argv=argv,
        stdin=dumps(_request(job, workspace).to_json(), ensure_ascii=False).encode() + b"\n",
        cwd=str(workspace),
        environment=adapter_environment(tools.environment, conditions, home),
        timeout_seconds=job.timeout_seconds,
        limit_bytes=job.limit_bytes,
    )


def _request(job: TrialJob, workspace: Path) -> Request:
    name = job.skill.name if job.skill else None
    return Request(
        mode=job.key.mode,
        skill_name=name,
        skill_path=None if name is None else os.path.join(workspace, "skills", name),
        prompt=job.case.prompt,
        files=tuple(InputFile(file.path, sha256(file.content).hexdigest()) for file in job.inputs),
        workspace=str(workspace),
    )


def _judged(job: TrialJob, tools: Tools, workspace: Path, laid: Mapping[str, FileCopy], completed: Completed) -> Trial:
    failure = _stopped(job, completed, tools.redactor)
    if failure is not None:
        return errored(job, completed.duration_seconds, failure)
    try:
        response = _read(completed.stdout, tools.redactor)
    except AdapterError as error:
        return errored(job, completed.duration_seconds, Failure("protocol", str(error)))
    left = created(workspace, laid)
    unread = unread_pieces(workspace, left.unread, TOKEN_OVERLAP)
    seen = contamination(job, tools.conditions.canaries, response, completed.stderr, left, unread)
    if seen is not None:
        evidence = errored(job, completed.duration_seconds, Failure(CONTAMINATED, seen))
        return replace(evidence, output=response.output, events=response.events, usage=response.usage)
    wanted = [check.operands[0] for check in job.case.checks if check.type is CheckType.FILE_EXISTS]
    outcome = Outcome(response.output, made_files(workspace, laid, wanted), response.events)
    return Trial(
        key=job.key,
        duration_seconds=completed.duration_seconds,
        output=response.output,
        events=response.events,
        usage=response.usage,
        grading=grade(job.case, job.key.mode, outcome, tools.search),
        created=left.files,
        omitted=left.omitted,
        notes=(*_changed(workspace, laid, left), *_survivors(completed.survivors - _own_processes(tools.conditions))),
    )


def _own_processes(conditions: Conditions) -> int:
    """Count what the sandbox itself leaves: bubblewrap's first process ends a little after its command."""
    return 1 if conditions.sandbox is Sandbox.BWRAP else 0


def _changed(workspace: Path, laid: Mapping[str, FileCopy], left: Created) -> Iterator[str]:
    return (f"the agent changed `{path}`, which it was given" for path in tampered(workspace, laid, left.intact))


def _survivors(survivors: int) -> Iterator[str]:
    if survivors > 0:
        yield f"{survivors} {'process' if survivors == 1 else 'processes'} outlived the adapter and had to be ended"


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
    kind = "transient" if completed.exit_code == TRANSIENT else "exit"
    return Failure(kind, f"{_ending(completed.exit_code)}{': ' + last if last else ''}")


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
