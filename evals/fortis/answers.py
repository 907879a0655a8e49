"""Raw answers -> the names that were chosen: strictly, and flagged where the answer had to be searched.

Three forms are told apart. *As asked* is the form that the prompt asks for. *Normalised* is that form
after one of these: a leading reasoning block removed, one code fence or the quotes around the whole
removed, case folded, a refusal in words read as no choice. *Found* is a name or a list inside other text,
or calls that say `name` for `tool`; the strict reading does not count it. Nothing is guessed: two names,
two different lists, or a negation in the clause that holds the name leave an answer unparsable. A first line
that is only a name is the answer, whatever explains it below, unless what follows takes it back.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from evals.skill_eval.reading.strict_json import JsonFault, parse

TRUNCATED_EVENT = "output_truncated"
"""The event by which an adapter tells that the model was cut off."""


class Form(StrEnum):
    """How much had to be done to read an answer."""

    ASKED = "as_asked"
    NORMALISED = "normalised"
    FOUND = "found"
    UNREADABLE = "unreadable"


class Fault(StrEnum):
    """Why it cannot be told what an answer chooses."""

    TRUNCATED = "truncated"
    UNPARSABLE = "unparsable"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was chosen: distinct names in their order, none for no action; `fault` when it cannot be told.

    `blank` says that the answer was an empty text or list, not a refusal in words; `marks` says what
    was done to read it.
    """

    names: tuple[str, ...] = ()
    form: Form = Form.ASKED
    fault: Fault | None = None
    blank: bool = False
    marks: tuple[str, ...] = ()


def read_skill(text: str, skills: Iterable[str], *, cut: bool = False) -> Answer:
    """Read an answer to Task 1, one name. `cut` says that the model is known to have been cut off."""
    body, marks = _bared(text)
    if cut or body is None:
        return _TRUNCATED
    return _marked(_skill_in(body, {name.casefold(): name for name in skills}), marks)


def read_tools(text: str, tools: Iterable[str], *, cut: bool = False) -> Answer:
    """Read an answer to Task 2, a JSON list of calls. `cut` says that the model is known to have been cut off."""
    body, marks = _bared(text)
    if cut or body is None:
        return _TRUNCATED
    return _marked(_tools_in(body, {name.casefold(): name for name in tools}), marks)


_REASONING_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_REASONING = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)


def _bared(text: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the answer without its reasoning and its one fence; None when the reasoning has no end."""
    body, marks = text.strip(), []
    begins, end = _REASONING.match(body), _REASONING_END.search(body)
    if begins and not end:
        return None, ()
    if end and (begins or not _REASONING.search(body, 0, end.start())):
        body = body[end.end() :].strip()
        marks.append("reasoning removed")
    fence = _FENCE.fullmatch(body)
    if fence and "```" not in fence[1]:
        body = fence[1].strip()
        marks.append("fence removed")
    return body, tuple(marks)


def _marked(answer: Answer, marks: tuple[str, ...]) -> Answer:
    form = Form.NORMALISED if marks and answer.form is Form.ASKED else answer.form
    return replace(answer, form=form, marks=(*marks, *answer.marks))


_UNPARSABLE = Answer(form=Form.UNREADABLE, fault=Fault.UNPARSABLE)
_TRUNCATED = Answer(form=Form.UNREADABLE, fault=Fault.TRUNCATED)
_ONE_WORD = re.compile(r"[`\"'*_]*([^\W_](?:[\w-]*[^\W_])?)[`\"'*_]*\.?")
_WORD = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")
_NEGATION = re.compile(
    r"\b(?:not|never|no|nor|neither|without|cannot|avoid(?:ed|ing)?|instead|rather|except|wrong|unsuitable|insufficient"
    r"|refuse|decline)\b|n['’]t\b",
    re.IGNORECASE,
)


def _skill_in(body: str, known: Mapping[str, str]) -> Answer:
    if not body:
        return Answer(blank=True)
    word = _ONE_WORD.fullmatch(body)
    if word is None:
        return _declined(body, known) or _skill_amid(body, known)
    name = known.get(word[1].casefold(), word[1])
    if name.casefold() in _NOTHING:
        return _DECLINED
    if name == body:
        return Answer((name,))
    return Answer((name,), Form.NORMALISED, marks=("case folded" if name != word[1] else "quotes removed",))


def _skill_amid(body: str, known: Mapping[str, str]) -> Answer:
    """Return the name that stands alone in the first line, or else the one name of the library in the text."""
    first, _, rest = body.partition("\n")
    alone = _name_alone(first, known)
    others = {_name_alone(line, known) for line in rest.split("\n")} - {"", alone}
    if alone and not others and not _RETRACTION.search(rest):
        return Answer((alone,), Form.FOUND, marks=("name found in the first line",))
    names = _names_amid(body, known)
    if len(names) != 1 or _taken_back(body) or any(map(_NEGATION.search, _clauses(body, names[0]))):
        return _UNPARSABLE
    return Answer(names, Form.FOUND, marks=("name found in other text",))


def _name_alone(line: str, known: Mapping[str, str]) -> str:
    """Return the name of the library that a line is, empty when it is anything else."""
    word = _ONE_WORD.fullmatch(line.strip())
    return known.get(word[1].casefold(), "") if word else ""


_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'’”)*_`]*\s+|\n")
_EXPLANATION = re.compile(r"\s[-–—]\s|[—:;(]|,?\s(?:because|since|as it|so that)\s", re.IGNORECASE)
_RETRACTION = re.compile(
    r"(?:^|[.!?:;,–—(]|\s-)[ \t]*(?:but |or )?"
    r"(?:no[,.:!]|wait\b|hmm+\b|actually\b|correction\b|scratch that\b|on second thought)",
    re.IGNORECASE | re.MULTILINE,
)
# Someone who would not, or an order not to: "I would not", "you should not", "don't use it".
_REFUSAL = re.compile(
    r"(?:^|[.!?:;,–—(]|\s-)[ \t]*(?:but |or |so )?(?:do not|don['’]t|let['’]s not|never|avoid)\b"
    r"|\b(?:i|we)(?:['’](?:d|ll)| (?:would|should|could|can|do|must|will|shall|wo|ca))?"
    r"(?: (?:rather )?not| never| cannot|n['’]t)\b(?! (?:need|have to|require)\b)"
    r"|\b(?:i|we)(?: am| are|['’]m|['’]re) not (?:going|able)\b"
    r"|\byou (?:should|must|ought|can|could)(?: ?not| never|n['’]t)\b",
    re.IGNORECASE | re.MULTILINE,
)


def _taken_back(text: str) -> bool:
    """Tell whether some sentence retracts or refuses what another may name."""
    if _RETRACTION.search(text) or _REFUSAL.search(text):
        return True
    return any(_DECLINE.match(part) or part.casefold().rstrip(".!") in _NOTHING for part in _sentences(text))


def _sentences(text: str) -> Sequence[str]:
    return [part.strip() for part in _SENTENCE_END.split(text)]


def _clauses(text: str, name: str) -> Iterator[str]:
    """Yield of each sentence with the name the part that says something of it: up to an explanation that follows."""
    for sentence in _sentences(text):
        held = [word.end() for word in _WORD.finditer(sentence) if word[0].casefold() == name.casefold()]
        if held:
            explained = _EXPLANATION.search(sentence, held[-1])
            yield sentence[: explained.start()] if explained else sentence


def _names_amid(body: str, known: Mapping[str, str]) -> tuple[str, ...]:
    words = (word.casefold() for word in _WORD.findall(body))
    return tuple(dict.fromkeys(known[word] for word in words if word in known))


_NOTHING = {"none", "null", "nothing", "no"}
_DECLINED = Answer(form=Form.NORMALISED, marks=("declined in words",))
_DECLINE = re.compile(
    r"(?:(?:i['’]?m|i am) (?:sorry|afraid)|sorry|unfortunately|apologies)?[,.;:!\s]*(?:but )?(?:that )?"
    r"(?:(?:i|we) (?:can(?:not|['’]t| not)|won['’]t|will not|must decline|decline|refuse"
    r"|(?:am|are) (?:unable|not able))\b"
    r"|i['’]m (?:unable|not able)\b"
    r"|(?:none of (?:the|these)(?! others?\b)|no (?:suitable |matching |such )?(?:skills?|tools?))\b)",
    re.IGNORECASE,
)


def _declined(body: str, known: Mapping[str, str]) -> Answer | None:
    """Return a refusal: it begins like one and names nothing, so that "Sorry to hear that" is none."""
    return _DECLINED if _DECLINE.match(body) and not _names_amid(body, known) else None


def _tools_in(body: str, known: Mapping[str, str]) -> Answer:
    if not body:
        return Answer(blank=True)
    try:
        value = parse(body.encode("utf-8", "replace")).value
    except JsonFault:
        return _tools_amid(body, known)
    return _DECLINED if value is None else _calls(value, known) or _UNPARSABLE


def _tools_amid(body: str, known: Mapping[str, str]) -> Answer:
    """Return the one list of calls that stands in the text, however often it is repeated."""
    found, cut = [], False
    for part in _lists(body):
        if part is None:
            cut = True
        elif (answer := _parsed_calls(part, known)) is not None:
            found.append(answer)
    if cut:
        return _TRUNCATED
    if not found:
        return _DECLINED if body.casefold().rstrip(".") in _NOTHING else _declined(body, known) or _UNPARSABLE
    if len({frozenset(answer.names) for answer in found}) > 1:
        return _UNPARSABLE
    return replace(found[0], form=Form.FOUND, marks=(*found[0].marks, "list found in other text"))


def _parsed_calls(text: str, known: Mapping[str, str]) -> Answer | None:
    try:
        return _calls(parse(text.encode("utf-8", "replace")).value, known)
    except JsonFault:
        return None


def _calls(value: object, known: Mapping[str, str]) -> Answer | None:
    """Return what a list of calls chooses; None when it is no such list."""
    if not isinstance(value, list):
        return None
    told = [one for call in value if (one := _tool_of(call)) is not None]
    if len(told) < len(value):
        return None
    names = [known.get(name.casefold(), name) for name, _ in told]
    marks = ("case folded",) if names != [name for name, _ in told] else ()
    form = Form.NORMALISED if marks else Form.ASKED
    if any(key == "name" for _, key in told):
        form, marks = Form.FOUND, (*marks, "`name` read for `tool`")
    return Answer(tuple(dict.fromkeys(names)), form, blank=not value, marks=marks)


def _tool_of(call: object) -> tuple[str, str] | None:
    """Return the tool that a call names, and by which key; only that key names a tool."""
    if isinstance(call, dict):
        for key in ("tool", "name"):
            if key in call:
                return (call[key], key) if isinstance(call[key], str) else None
    return None


_MOST_LEFT_OPEN = 8
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)


def _lists(text: str) -> Iterator[str | None]:
    """Yield every balanced outermost `[...]`, and None for one that begins like a list of calls and has no end.

    What stands in balanced braces is skipped, so that the lists inside of an object are not taken
    for the answer. Brackets in strings do not count. Gives up after `_MOST_LEFT_OPEN` brackets without
    an end, which keeps its time linear.
    """
    at = left_open = 0
    while left_open < _MOST_LEFT_OPEN:
        start = min((place for place in (text.find("[", at), text.find("{", at)) if place >= 0), default=None)
        if start is None:
            return
        end = _balanced_end(text, start)
        if end is None:
            if _begins_call(text, start):
                yield None
                return
            at, left_open = start + 1, left_open + 1
            continue
        if text[start] == "[":
            yield text[start:end]
        at = end


def _balanced_end(text: str, start: int) -> int | None:
    """Return where the bracket at `start` is closed; None when it never is."""
    depth = 0
    for token in _BRACKET.finditer(text, start):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return None


def _begins_call(text: str, start: int) -> bool:
    rest = text[start + 1 :].lstrip()
    return text[start] == "[" and (not rest or rest[0] in '{"')
