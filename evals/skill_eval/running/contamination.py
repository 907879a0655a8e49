"""Signs that a baseline is none: tokens, events and passages that only the skill could have given it."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from evals.skill_eval.model.protocol import Mode, Response
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.trial import TrialJob
from evals.skill_eval.running.conditions import Canaries

CANARY_FILE = ".skill-eval-canary"
PASSAGE_WORDS = 16
_WORD = re.compile(r"\w+")


def contamination(
    job: TrialJob, canaries: Canaries | None, response: Response, stderr: bytes, made: Iterable[FileCopy]
) -> str | None:
    """Return how this trial shows what its agent must not have seen, or None.

    Nobody may show the evaluator's token, and only the skilled mode the skill's. A mode without any
    version of the skill may neither report that it was loaded nor quote `PASSAGE_WORDS` words of it
    in a row that prompt and fixtures lack.
    """
    shown = "\n".join(_shown(response, stderr, made))
    if canaries and canaries.evaluator in shown:
        return "the agent shows a token that only the evaluator's files hold"
    if canaries and canaries.skill in shown and job.key.mode is not Mode.WITH_SKILL:
        return "the baseline shows a token that only the copy of the skill holds"
    if job.key.mode in (Mode.WITH_SKILL, Mode.OLD_SKILL):
        return None
    if any(event.type == "skill_loaded" and event.name == job.key.skill for event in response.events):
        return "the baseline reports that it loaded the skill under test"
    if _quotes(shown, job.skill_text, (job.case.prompt, *_texts(job.inputs))):
        return f"the baseline quotes {PASSAGE_WORDS} words of the skill in a row"
    return None


def _shown(response: Response, stderr: bytes, made: Iterable[FileCopy]) -> Iterator[str]:
    yield response.output
    yield from (f"{event.type} {event.name}" for event in response.events)
    yield stderr.decode("utf-8", "replace")
    for file in made:
        yield f"{file.path}\n{file.content.decode('utf-8', 'replace')}"


def _quotes(shown: str, skill_text: str, given: Iterable[str]) -> bool:
    """Tell whether `shown` repeats a passage of the skill that the agent was not given."""
    own = _passages(skill_text)
    repeated = own & _passages(shown) if own else frozenset()
    return bool(repeated) and not repeated <= frozenset().union(*map(_passages, given))


@lru_cache(maxsize=256)
def _passages(text: str) -> frozenset[int]:
    """Return a hash of every run of `PASSAGE_WORDS` words; texts of a run come again and again."""
    words = _WORD.findall(text.casefold())
    return frozenset(hash(tuple(words[at : at + PASSAGE_WORDS])) for at in range(len(words) - PASSAGE_WORDS + 1))


def _texts(files: Iterable[FileCopy]) -> Iterator[str]:
    return (file.content.decode("utf-8", "replace") for file in files)
