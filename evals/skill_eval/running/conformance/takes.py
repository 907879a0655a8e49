"""One call of the check: what the adapter was asked, and all that could be seen of its answer."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.model.protocol import Event, Mode, Response
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.reading.responses import read_response
from evals.skill_eval.running.process import Completed
from evals.skill_eval.running.trial import TRANSIENT

_SHOWN_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and where.

    With a `skill_word` there is a skill that knows it. `below_traces` puts the workspace below
    planted skills, `clean` offers a clean environment, `timeout_seconds` is another limit than usual.
    """

    prompt: str
    skill_word: str | None = None
    below_traces: bool = False
    clean: bool = False
    timeout_seconds: float | None = None

    @property
    def mode(self) -> Mode:
        """Return the mode of the request."""
        return Mode.WITHOUT_SKILL if self.skill_word is None else Mode.WITH_SKILL


@dataclass(frozen=True, slots=True)
class Take:
    """What came of a question.

    `response` is what could be read with indulgence, `fault` why a strict reader refuses it and
    `silence` why this is no answer at all. `shown` is everything in which a word could turn up, in
    folded case; `strays` are names beside the workspace. `completed` is None when the call itself
    could not be kept in its bounds.
    """

    question: Question
    completed: Completed | None
    response: Response | None = None
    fault: str | None = None
    silence: str | None = None
    shown: str = ""
    strays: tuple[str, ...] = ()

    @property
    def ended(self) -> Completed | None:
        """Return how the call ended, if it did so by itself."""
        return self.completed if self.completed is not None and self.completed.stopped == "exited" else None

    @property
    def is_transient(self) -> bool:
        """Tell whether the adapter asked to be called later."""
        return self.response is None and self.ended is not None and self.ended.exit_code == TRANSIENT

    def shows(self, word: str) -> bool:
        """Tell whether `word` turns up in the output, the events, the files or on standard error."""
        return word.casefold() in self.shown


def take_of(
    question: Question,
    completed: Completed,
    made: Iterable[FileCopy],
    strays: tuple[str, ...],
    redact: Callable[[str], str],
) -> Take:
    """Return what there is to see of a call; whatever is quoted of it is quoted redacted."""
    ended = completed.stopped == "exited"
    response, fault = _read(completed.stdout, redact) if ended else (None, None)
    if ended and completed.exit_code != 0 and response is None:
        fault = None  # who fails owes no response
    return Take(
        question=question,
        completed=completed,
        response=response,
        fault=fault,
        silence=None if response else _why_silent(completed, fault, redact),
        shown="\n".join(_shown(completed, response, made)).casefold(),
        strays=strays,
    )


def _read(stdout: bytes, redact: Callable[[str], str]) -> tuple[Response | None, str | None]:
    try:
        return read_response(stdout), None
    except AdapterError as error:
        fault = str(error)
    text = stdout.decode("utf-8", "replace")
    hidden = redact(text)
    if hidden != text:
        fault = _fault_of(hidden.encode()) or "the response breaks the protocol where it holds a secret"
    return _indulgent(text), fault


def _fault_of(stdout: bytes) -> str | None:
    try:
        read_response(stdout)
    except AdapterError as error:
        return str(error)
    return None


def _indulgent(text: str) -> Response | None:
    """Read the first object with an `output` whatever else there is, so that one fault is not taken for many."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text, max(0, text.find("{")))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("output"), str):
        return None
    events, usage = value.get("events"), value.get("usage")
    return Response(
        value["output"],
        tuple(map(_event, filter(_is_object, events))) if isinstance(events, list) else (),
        {name: n for name, n in usage.items() if isinstance(n, int | float)} if isinstance(usage, dict) else {},
    )


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _event(value: Mapping[str, object]) -> Event:
    name = value.get("name")
    return Event(str(value.get("type")), name if isinstance(name, str) else None)


def _why_silent(completed: Completed, fault: str | None, redact: Callable[[str], str]) -> str:
    match completed.stopped:
        case "timeout":
            return f"no answer within {completed.duration_seconds:.3g} s"
        case "stdout_limit" | "stderr_limit":
            return f"standard {'output' if completed.stopped == 'stdout_limit' else 'error'} is over its limit"
        case "not_started":
            return f"could not be started: {completed.reason}"
    if completed.exit_code == 0:
        return fault or "no response"
    lines = redact(completed.stderr.decode("utf-8", "replace")).split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"exit status {completed.exit_code}{': ' + last[:_SHOWN_CHARACTERS] if last else ''}"


def _shown(completed: Completed, response: Response | None, made: Iterable[FileCopy]) -> Iterator[str]:
    yield completed.stdout.decode("utf-8", "replace")
    yield completed.stderr.decode("utf-8", "replace")
    yield "" if response is None else response.output
    yield from (f"{file.path}\n{file.content.decode('utf-8', 'replace')}" for file in made)
