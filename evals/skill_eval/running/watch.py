"""See whether files are read that nobody has to read while a trial runs (Linux, through inotify).

No agent has a reason to open the repository's copy of a skill, for it is given one, nor what the run
has already written. Who reads either has answers, however little of them shows. What is watched are
the files themselves: another name for the same file does not help.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from evals.skill_eval.artifacts.layout import eval_steps
from evals.skill_eval.model.trial import TrialKey
from evals.skill_eval.running.inotify import ARRIVED, IN_ACCESS, IN_ISDIR, IN_OPEN, READ, Events, entries, folders_below

_MOST_FOLDERS, _MOST_FILES, _MOST_WATCHES = 64, 200, 1_000
_NEVER_EXEMPT = ("SKILL.md", os.path.join("evals", "evals.json"))


class SkillWatch:
    """Watches a skill's folder; files that the `words` of a command name are the adapter's own.

    Nothing below `beside`, where runs are written, belongs to the skill.
    """

    def __init__(self, folder: str, words: Iterable[str] = (), beside: str | None = None) -> None:
        self._folder = os.path.realpath(folder)
        named = {os.path.relpath(os.path.realpath(word), self._folder) for word in words if os.path.isfile(word)}
        self._exempt = named.difference(_NEVER_EXEMPT)
        self._events = Events()
        for path, mask in _watchable(self._folder, beside):
            if os.path.relpath(path, self._folder) not in self._exempt:
                self._events.add(path, mask)

    @property
    def able(self) -> bool:
        """Tell whether reading would be seen."""
        return self._events.able

    def opened(self) -> frozenset[str]:
        """Return the files (relative to the skill) that were opened since the last time this was asked."""
        found = {path for path, mask in self._events.drained() if mask & (IN_OPEN | READ)}
        return frozenset(os.path.relpath(path, self._folder) for path in found) - self._exempt

    def close(self) -> None:
        """Stop watching."""
        self._events.close()


def installed_copies(home: str, skill: str) -> Iterator[str]:
    """Yield the folders in which agents look for this skill below the home folder, if there are any."""
    for settings in (home, os.path.join(home, ".config")):
        hidden = (entry.path for entry in entries(settings) if settings != home or entry.name.startswith("."))
        yield from (place for path in hidden if os.path.isdir(place := os.path.join(path, "skills", skill)))


class FinishedWatch:
    """Watches what a run has written of the cases that it comes to, which grows meanwhile.

    The run itself writes there and does not read. Its journal is for everybody to follow.
    """

    def __init__(self, run: str) -> None:
        self._run = os.path.realpath(run)
        self._events = Events()

    def begin(self, key: TrialKey) -> None:
        """Watch what there is of the trial's case, and forget what was seen before."""
        if self._events.count > _MOST_WATCHES:
            self._events.close()
            self._events = Events()
        _, fresh = self._caught_up(key)
        if fresh:
            self._caught_up(key)

    def was_read(self, key: TrialKey) -> bool:
        """Tell whether a file was read since `begin`, be it one that came only then."""
        read, fresh = self._caught_up(key)
        return read or any(map(_has_been_read, fresh))

    def close(self) -> None:
        """Stop watching."""
        self._events.close()

    def _caught_up(self, key: TrialKey) -> tuple[bool, list[str]]:
        """Watch what is new; tell whether a file was read, and which folders are new."""
        if not self._events.able:
            return False, []
        events = list(self._events.drained())
        arrived = [path for path, mask in events if mask & IN_ISDIR and mask & ARRIVED]
        arrived += self._unwatched_cases(key)
        fresh = [path for top in arrived for path in folders_below(top, None)]
        for path in fresh:
            self._events.add(path, READ | ARRIVED)
        return any(mask & READ and not mask & IN_ISDIR for _, mask in events), fresh

    def _unwatched_cases(self, key: TrialKey) -> Iterator[str]:
        """Yield where iterations of a case stand that are not watched yet."""
        skill, _, case = eval_steps(key)
        try:
            iterations = os.listdir(f"{self._run}/{skill}")
        except OSError:
            return
        for one in iterations:
            path = f"{self._run}/{skill}/{one}/{case}"
            if path not in self._events.places and os.path.isdir(path):
                yield path


def _watchable(folder: str, beside: str | None) -> Iterator[tuple[str, int]]:
    """Yield the folders of a skill, then its files, each with what to watch for."""
    folders = list(islice(folders_below(folder, beside and os.path.realpath(beside)), _MOST_FOLDERS))
    yield from ((path, IN_ACCESS | IN_OPEN) for path in folders)
    files = (entry.path for path in folders for entry in entries(path) if entry.is_file(follow_symlinks=False))
    yield from ((path, IN_ACCESS | IN_OPEN) for path in islice(files, _MOST_FILES))


def _has_been_read(folder: str) -> bool:
    """Tell whether a file has been read since it was written, which a file system notes the first time."""
    try:
        files = (entry.stat() for entry in entries(folder) if entry.is_file(follow_symlinks=False))
        return any(file.st_atime_ns > file.st_mtime_ns for file in files)
    except OSError:
        return False
