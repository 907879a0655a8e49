"""Probes with prompts that are hard to pass on: all of Unicode, and a great length."""

from unicodedata import category, normalize

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.reading.quoting import quoted as shown
from evals.skill_eval.running.conformance.kit import Kit
from evals.skill_eval.running.conformance.probe import DO_AS_ASKED, Finding, failed, passed, probe, unanswered, unseen
from evals.skill_eval.running.conformance.takes import Question

LARGE_BYTES = 200_000
SAMPLES = {
    "cjk": "漢字かな交じり文 한국어",
    "emoji": "👩‍💻 🏳️‍🌈 🇺🇳 🙂",
    "combining": "e\u0301 o\u0308 n\u0303 \u1112\u1161\u11ab",
    "rtl": "שלום עולם مرحبا بالعالم",
    "control": "a\x01b\x08c\x1b[1md\x7fe\tf",
}

_BASELINE = (Mode.WITHOUT_SKILL,)
_EMOJI_STYLE = "\ufe0f"
_RECORDED = "it repeats an earlier run and answers no other prompt"
_INSTEAD = "check the adapter whose answers were recorded"
_FILLER = "This line fills the space in the middle and says nothing that matters.\n"


@probe(
    "unicode-prompt",
    calls=1,
    needs=_BASELINE,
    does="sends CJK, emoji, combining, right-to-left and control characters, and compares what is quoted of them",
    mend="read standard input as UTF-8 whatever the locale is, and pass the prompt on without encoding it anew",
)
def unicode_prompt(kit: Kit) -> Finding:
    """Send a line of each kind between two words, and look at what stands between them in the answer."""
    if kit.occasion:
        return unseen(_RECORDED, _INSTEAD)
    words = {kind: kit.word() for kind in SAMPLES}
    lines = "\n".join(f"{words[kind]} {sample} {words[kind]}" for kind, sample in SAMPLES.items())
    take = kit.ask(Question(f"Copy these lines exactly, character for character, and write nothing else:\n\n{lines}"))
    if take.response is None:
        return unanswered("no answer to a prompt with characters beyond ASCII", take)
    return _compared({kind: _between(take.response.output, word) for kind, word in words.items()})


@probe(
    "large-prompt",
    calls=1,
    needs=_BASELINE,
    does="sends a prompt of 200 kB and asks for its first and its last word",
    mend="pass the prompt through standard input or a file: one argument holds 128 KiB at most; cut nothing off",
)
def large_prompt(kit: Kit) -> Finding:
    """Look whether a long prompt arrives, from its first word to its last."""
    if kit.occasion:
        return unseen(_RECORDED, _INSTEAD)
    first, last = kit.word(), kit.word()
    take = kit.ask(Question(_large(first, last)))
    if take.response is None:
        return unanswered(f"no answer to a prompt of {LARGE_BYTES} bytes", take)
    seen = [take.shows(word) for word in (first, last)]
    if any(seen) and not all(seen):
        return failed(f"of a prompt of {LARGE_BYTES} bytes it shows the {'first' if seen[0] else 'last'} word only")
    if not any(seen):
        return unseen(f"{LARGE_BYTES} bytes were answered, but neither end of them is quoted", DO_AS_ASKED)
    return passed(f"{LARGE_BYTES} bytes were answered, and both ends of them are quoted")


def _between(output: str, word: str) -> str | None:
    """Return what stands between the first two of a word; None when it is not there twice."""
    parts = output.split(word, 2)
    return parts[1].strip(" ") if len(parts) == 3 else None


def _compared(found: dict[str, str | None]) -> Finding:
    copied = {kind: text for kind, text in found.items() if text is not None}
    wrong = [kind for kind, text in copied.items() if kind != "control" and _plain(text) != _plain(SAMPLES[kind])]
    if wrong:
        kind = wrong[0]
        came, went = shown(copied[kind]), shown(SAMPLES[kind])
        return failed(f"the {', '.join(wrong)} line came back changed: {came} for {went}")
    bent = [kind for kind, text in copied.items() if text != SAMPLES[kind]]
    if bent:
        return unseen(
            f"the {', '.join(bent)} line came back in another form; models do that, too",
            "see whether the adapter normalises the prompt or drops control characters from it",
        )
    if not copied:
        return unseen("answered, but nothing of the prompt is quoted", DO_AS_ASKED)
    missing = ", ".join(kind for kind in SAMPLES if kind not in copied)
    rest = f"; {missing} was not quoted" if missing else ""
    return passed(f"answered, and {', '.join(copied)} came back unchanged{rest}")


def _plain(text: str) -> str:
    """Return what even a model that normalises and drops the invisible would keep."""
    kept = (character for character in normalize("NFC", text) if character != _EMOJI_STYLE)
    return "".join(character for character in kept if category(character)[0] not in "CZ")


def _large(first: str, last: str) -> str:
    head = f"The first word is {first}.\n\n"
    tail = f"\n\nReply with the first word and with the last word, and nothing else. The last word is {last}."
    room = LARGE_BYTES - len(head) - len(tail)
    return head + (_FILLER * (room // len(_FILLER) + 1))[:room] + tail
