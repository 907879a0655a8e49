"""See whether a baseline reads what an earlier call kept outside of its workspace (Linux, through inotify).

An adapter that remembers can give a baseline what the skill taught it a call before. What is written
during the run, in the places where programs keep things, is watched while a baseline runs; what is read
then is looked into. Agents that note their sessions do no harm: they write and do not read.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from json import dumps, loads
from pathlib import Path

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.trial import Trial, TrialJob
from evals.skill_eval.reading.regular_files import UnusableFile, read_regular
from evals.skill_eval.running.abandoned import PREFIX
from evals.skill_eval.running.contamination import quotes
from evals.skill_eval.running.harvest import TOOL_FOLDERS
from evals.skill_eval.running.inotify import ARRIVED, IN_CLOSE_WRITE, IN_ISDIR, READ, Events, entries, folders_below

_LIMIT_BYTES, _MOST_FOLDERS, _MOST_FILES = 1 << 20, 256, 1_000
_MANY_CHARACTERS = 40  # a shorter answer may stand in a file by chance, such as in a program
_MOST_CHARACTERS, _MOST_CASES = 1_000, 1_000
_TOPS = ("/", "/home", "/opt", "/run", "/srv", "/usr/local", "/var/lib", "/var/cache")
_DATABASE = b"SQLite format 3\0"
"""Where agents keep all their sessions, and look some of them up; that is no memory yet."""


class KeptWatch:
    """Watches what is written in `places` (a folder and how deep), not in the folders of `beside`, which are runs."""

    def __init__(self, places: Iterable[tuple[str, int]], beside: str | None) -> None:
        self._beside = beside and os.path.realpath(beside)
        self._events = Events()
        self._written: dict[str, None] = {}
        self._answers: dict[tuple[str, str], set[str]] = {}
        for folder in _folders(places, self._beside):
            self._events.add(folder, IN_CLOSE_WRITE | ARRIVED)

    def begin(self) -> None:
        """Watch what has been written so far, and forget what was read before."""
        self._noted()
        for path in self._written:
            if path not in self._events.places:
                self._events.add(path, READ)

    def read(self, job: TrialJob) -> str | None:
        """Return what was read since `begin` that holds the skill or an answer to the case of `job`."""
        answers = self._answers.get((job.key.skill, str(job.key.case_id)), set())
        for path in self._noted():
            text = _text(path)
            if any(_holds(text, answer) for answer in answers) or quotes(text, job.skill_text, (job.case.prompt,)):
                return path
        return None

    def answered(self, trial: Trial) -> None:
        """Remember an answer that was given with the skill, or how it begins."""
        answer = (trial.output or "").strip()[:_MOST_CHARACTERS]
        if trial.key.mode is Mode.WITH_SKILL and answer:
            self._answers.setdefault((trial.key.skill, str(trial.key.case_id)), set()).add(answer)
            if len(self._answers) > _MOST_CASES:
                del self._answers[next(iter(self._answers))]

    def close(self) -> None:
        """Stop watching."""
        self._events.close()

    def _noted(self) -> list[str]:
        """Take note of what was written; return which of the files watched were read."""
        read = []
        for path, mask in list(self._events.drained()):
            if mask & IN_ISDIR:
                self._watch_new(path)
            elif mask & READ:
                read.append(path)
            else:
                self._write(path)
        return list(dict.fromkeys(read))

    def _watch_new(self, top: str) -> None:
        """Watch a folder that came, and take what is in it already for new."""
        is_ours = os.path.basename(top).startswith(PREFIX) or os.path.dirname(top) == self._beside
        if is_ours or self._events.count > _MOST_FILES:
            return
        for folder in folders_below(top, self._beside):
            self._events.add(folder, IN_CLOSE_WRITE | ARRIVED)
            for entry in entries(folder):
                if entry.is_file(follow_symlinks=False):
                    self._write(entry.path)

    def _write(self, path: str) -> None:
        self._written.pop(path, None)
        self._written[path] = None
        if len(self._written) > _MOST_FILES:
            del self._written[next(iter(self._written))]


def places_of(argv: Iterable[str], homes: Iterable[str | None], temporary: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield where programs keep things, and how deep to look there.

    Beside the files that a command names and one level up, in the home folder and those of the user's
    settings, in temporary folders, and at the top of the file system.
    """
    for folder in (os.path.dirname(os.path.realpath(word)) for word in argv if os.path.isfile(word)):
        yield from ((folder, 1), (os.path.dirname(folder), 0))
    yield from ((os.path.realpath(home), 2) for home in homes if home)
    yield from ((os.path.realpath(folder), 0) for folder in temporary)
    yield from ((folder, 0) for folder in _TOPS)


def _folders(places: Iterable[tuple[str, int]], beside: str | None) -> Iterator[str]:
    """Yield the folders of the places, those nearest to the top first, each once and within a bound."""
    waiting, seen = deque(places), set[str]()
    while waiting and len(seen) < _MOST_FOLDERS:
        folder, depth = waiting.popleft()
        if folder in seen or not os.path.isdir(folder):
            continue
        seen.add(folder)
        yield folder
        depth = 0 if folder == beside else depth
        inner = (entry for entry in entries(folder) if depth and entry.is_dir(follow_symlinks=False))
        waiting += ((entry.path, depth - 1) for entry in inner if entry.name not in (".git", *TOOL_FOLDERS))


def _text(path: str) -> str:
    try:
        content = read_regular(Path(path), _LIMIT_BYTES).content
    except UnusableFile:
        return ""
    return "" if content.startswith(_DATABASE) else content.decode("utf-8", "replace")


def _holds(text: str, answer: str) -> bool:
    """Tell whether a file holds an answer: as a line, as a text in JSON, or anywhere when it is long."""
    if len(answer) >= _MANY_CHARACTERS:
        return answer in text or any(dumps(answer, ensure_ascii=way)[1:-1] in text for way in (True, False))
    lines = text.splitlines()
    return answer in map(str.strip, lines) or any(answer in _texts_of(one) for one in (text, *lines) if '"' in one)


def _texts_of(json_text: str) -> Iterator[str]:
    """Yield every text in a JSON value, none of what is no JSON."""
    try:
        waiting = [loads(json_text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case list() as items:
                waiting += items
            case dict() as fields:
                waiting += (*fields, *fields.values())
