"""What all probes share: the adapter, the ground, and the calls made so far."""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.model.protocol import InputFile, Mode, Request
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.running.conformance.ground import Ground
from evals.skill_eval.running.conformance.leavings import changes, files_with, snapshot
from evals.skill_eval.running.conformance.occasion import Occasion
from evals.skill_eval.running.conformance.phrases import new_word, skill_text
from evals.skill_eval.running.conformance.takes import Question, Take, take_of
from evals.skill_eval.running.harvest import created
from evals.skill_eval.running.process import Call
from evals.skill_eval.running.supervisor import Supervisor
from evals.skill_eval.running.workspace import prepared_workspace

LIMIT_BYTES = 1 << 20
SKILL, SKILL_THING = "harbour-word", "harbour word"

_CLOCK_SLACK_SECONDS = 1.0


class Kit:
    """Asks an adapter questions on a ground and remembers every take.

    With an `occasion` every prompt is replaced by the one that was recorded.
    """

    def __init__(
        self,
        adapter: AdapterCommand,
        ground: Ground,
        occasion: Occasion | None,
        supervisor: Supervisor,
        timeout_seconds: float,
        redact: Callable[[str], str],
    ) -> None:
        self.adapter, self.ground, self.occasion = adapter, ground, occasion
        self.timeout_seconds = timeout_seconds
        self.takes: list[Take] = []
        self._supervisor, self._redact = supervisor, redact
        self._words: list[str] = [*(getattr(ground.planted, name) for name in ground.planted.__slots__)]
        self.first_word = self.word()
        self._before, self._since = snapshot(str(ground.folder)), time.time() - _CLOCK_SLACK_SECONDS

    @property
    def is_mute(self) -> bool:
        """Tell whether questions were asked and none was answered."""
        return bool(self.takes) and not any(take.response for take in self.takes)

    @property
    def repeats(self) -> bool:
        """Tell whether the adapter repeats what it is told: only then would it show what it remembers or finds."""
        return any(take.shows(self.first_word) for take in self.takes[:1])

    def answers(self, mode: Mode) -> bool:
        """Tell whether a question in this mode was answered."""
        return any(take.response for take in self.takes if take.question.mode is mode)

    def word(self) -> str:
        """Return a new random word, which is looked for in what the adapter leaves."""
        word = new_word()
        self._words.append(word)
        return word

    @property
    def skill_words(self) -> list[str]:
        """Return the words of all skills so far; no baseline may know one."""
        return [take.question.skill_word for take in self.takes if take.question.skill_word]

    @property
    def skill_name(self) -> str:
        """Return the name of the skill in requests that have one."""
        return self.occasion.skill if self.occasion else SKILL

    def ask(self, question: Question) -> Take:
        """Ask one question and remember what came of it."""
        return self._keep(self._asked(question, self._supervisor))

    def ask_at_once(self, questions: Sequence[Question]) -> list[Take]:
        """Ask all questions at the same time and remember what came of them."""
        with ThreadPoolExecutor(len(questions)) as pool:
            return [self._keep(take) for take in list(pool.map(self._asked_alone, questions))]

    def send(self, stdin: bytes) -> Take:
        """Send something that is no valid request; this is not remembered."""
        return self._sent(Question(""), self._supervisor, lambda workspace: stdin)

    def left_outside(self) -> list[str]:
        """Return what was left on the ground, and elsewhere in its root, beside what strayed out of a workspace."""
        strays = [f"workspace/../{name}" for take in self.takes for name in take.strays]
        told = files_with(self._words, str(self.ground.root), self._since)
        return [*dict.fromkeys(strays), *changes(self._before, snapshot(str(self.ground.folder))), *told]

    def _keep(self, take: Take) -> Take:
        self.takes.append(take)
        return take

    def _asked_alone(self, question: Question) -> Take:
        with Supervisor(self.ground.root) as supervisor:
            return self._asked(question, supervisor)

    def _asked(self, question: Question, supervisor: Supervisor) -> Take:
        return self._sent(question, supervisor, lambda workspace: self._request(question, workspace))

    def _sent(self, question: Question, supervisor: Supervisor, stdin: Callable[[Path], bytes]) -> Take:
        laid = tuple(self._laid(question))
        root = self.ground.below_traces if question.below_traces else self.ground.calls
        with prepared_workspace(root, files=laid) as workspace:
            try:
                completed = supervisor.call(self._call(question, workspace, stdin(workspace)))
            except AdapterError as error:
                return Take(question, None, silence=str(error))
            made = created(workspace, {file.path: file for file in laid}).files
            return take_of(question, completed, made, _strays(workspace), self._redact)

    def _laid(self, question: Question) -> Iterator[FileCopy]:
        """Yield the files of a workspace; of recorded fixtures only the names are known."""
        yield from (FileCopy(path, b"") for path in self._inputs)
        if question.skill_word is not None:
            text = skill_text(self.skill_name, SKILL_THING, question.skill_word)
            yield FileCopy(f"skills/{self.skill_name}/SKILL.md", text.encode())

    @property
    def _inputs(self) -> list[str]:
        return [f"inputs/{path}" for path in self.occasion.files] if self.occasion else []

    def _request(self, question: Question, workspace: Path) -> bytes:
        name = None if question.skill_word is None else self.skill_name
        request = Request(
            mode=question.mode,
            skill_name=name,
            skill_path=None if name is None else os.path.join(workspace, "skills", name),
            prompt=self.occasion.prompt if self.occasion else question.prompt,
            files=tuple(InputFile(path, sha256(b"").hexdigest()) for path in self._inputs),
            workspace=str(workspace),
        )
        return json.dumps(request.to_json(), ensure_ascii=False).encode() + b"\n"

    def _call(self, question: Question, workspace: Path, stdin: bytes) -> Call:
        return Call(
            argv=self.adapter.argv,
            stdin=stdin,
            cwd=str(workspace),
            environment=self.ground.clean_environment if question.clean else self.ground.environment,
            timeout_seconds=question.timeout_seconds or self.timeout_seconds,
            limit_bytes=LIMIT_BYTES,
        )


def _strays(workspace: Path) -> tuple[str, ...]:
    """Return what stands beside a workspace, where nothing else should."""
    try:
        return tuple(sorted(set(os.listdir(workspace.parent)) - {workspace.name}))
    except OSError:
        return ()
