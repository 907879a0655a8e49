"""Signs that a baseline is none: tokens, events and passages that only the skill could have given it."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from evals.skill_eval.model.protocol import Mode, Response
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.trial import TrialJob
from evals.skill_eval.running.conditions import Canaries
from evals.skill_eval.running.harvest import Created

CANARY_FILE = ".skill-eval-canary"
TOKEN_OVERLAP = 128
"""More bytes than a token has: so much do pieces of a file overlap."""

PASSAGE_WORDS, DIFFERENT_WORDS = 16, 8
_LOWER = bytes(range(256)).lower()
_NO_WORD = bytes(byte for byte in range(256) if not chr(byte).isascii() or not chr(byte).isalnum())
_WORD = re.compile(r"\w+")
_LONG = re.compile(r"[^\W\d_]{3}")


def contamination(
    job: TrialJob,
    canaries: Canaries | None,
    response: Response,
    stderr: bytes,
    left: Created,
    unread: Iterable[bytes] = (),
) -> str | None:
    """Return how this trial shows what its agent must not have seen, or None.

    Nobody may show the evaluator's token, and only the skilled mode the skill's. A mode without any
    version of the skill may neither report that it was loaded nor quote `PASSAGE_WORDS` words of it
    in a row that prompt and fixtures lack. `unread` are pieces of the files that are not in `left`.
    """
    shown = "\n".join(_shown(response, stderr, left)).casefold()
    if canaries:
        pieces = chain((shown.encode("utf-8", "replace"),), unread)
        found = _found((canaries.evaluator, canaries.skill), pieces)
        if canaries.evaluator in found:
            return "the agent shows a token that only the evaluator's files hold"
        if canaries.skill in found and job.key.mode is not Mode.WITH_SKILL:
            return "the baseline shows a token that only the copy of the skill holds"
    if job.key.mode is Mode.WITH_SKILL or job.key.mode.has_old_skill:
        return None
    if any(event.type == "skill_loaded" and event.name == job.key.skill for event in response.events):
        return "the baseline reports that it loaded the skill under test"
    if quotes(shown, job.skill_text, (job.case.prompt, *_texts(job.inputs))):
        return f"the baseline quotes {PASSAGE_WORDS} words of the skill in a row"
    return None


def _shown(response: Response, stderr: bytes, left: Created) -> Iterator[str]:
    yield response.output
    yield from (f"{event.type} {event.name}" for event in response.events)
    yield from response.usage
    yield stderr.decode("utf-8", "replace")
    yield from left.names
    yield from _texts(left.files)


def _found(tokens: Iterable[str], pieces: Iterable[bytes]) -> set[str]:
    """Return those of the tokens that stand anywhere, in whatever letter case, width or spelling, whole or split."""
    spellings = {token: _spellings(token) for token in tokens}
    found = set[str]()
    for piece in pieces:
        plain = piece.translate(_LOWER, _NO_WORD)
        found |= {token for token, ways in spellings.items() if any(way in plain for way in ways)}
    return found


@lru_cache(maxsize=64)
def _spellings(token: str) -> tuple[bytes, ...]:
    """Return a token as it is, backwards, in hexadecimal and in Base64 (by where it begins), in lower case."""
    plain = token.encode()
    return plain, plain[::-1], plain.hex().encode(), *(_base64(plain, before) for before in range(3))


def _base64(plain: bytes, before: int) -> bytes:
    """Return the digits that are the same whatever stands around `plain`; `before` bytes of a triple are before it."""
    digits = b64encode(bytes(before) + plain)
    return digits[-(-8 * before // 6) : 8 * (before + len(plain)) // 6].translate(_LOWER, _NO_WORD)


def quotes(shown: str, skill_text: str, given: Iterable[str]) -> bool:
    """Tell whether `shown` repeats a passage of the skill that the agent was not given."""
    own = _distinctive_passages(skill_text)
    repeated = own.intersection(map(hash, _runs(shown))) if own else frozenset()
    return bool(repeated) and not repeated <= frozenset().union(*map(_passages, given))


@lru_cache(maxsize=256)
def _passages(text: str) -> frozenset[int]:
    """Return a hash of every run of `PASSAGE_WORDS` words; prompts and inputs come again and again."""
    return frozenset(map(hash, _runs(text)))


@lru_cache(maxsize=64)
def _distinctive_passages(text: str) -> frozenset[int]:
    """Leave out what anybody may write: numbers, and the same few words over and over."""
    return frozenset(hash(run) for run in _runs(text) if len(set(filter(_LONG.match, run))) >= DIFFERENT_WORDS)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[at : at + PASSAGE_WORDS]) for at in range(len(words) - PASSAGE_WORDS + 1))


def _texts(files: Iterable[FileCopy]) -> Iterator[str]:
    return (file.content.decode("utf-8", "replace") for file in files)
