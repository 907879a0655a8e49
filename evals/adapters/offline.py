"""Answer by extraction: a deterministic stand-in for an agent, without a model and without a network.

It is not a language model and understands nothing. It ranks the sentences, list items, table rows and
lines of what it was given (SKILL.md and the references that matter, the fixtures, else the prompt) by
the words they share with the request, quotes the best, and follows the two kinds of instruction that
need no understanding: to write the answer to a named file, and to reply with the words that follow.
So it is a lower bound and a smoke test: a skill that does not hold what its checks ask for fails here,
and one that passes may still not help.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from itertools import chain
from math import log, sqrt

from protocol import AdapterExit, Request, Response, is_safe_path, loaded, read_below, serve, write_below, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

USAGE = """usage: offline < request.json

Answers a request of adapter protocol 1 by quoting the passages of skill, fixtures and prompt that share
most words with the request. No model, no network, no arguments. exit: 0 answered, 2 bad request,
3 a file could not be written
"""

FILE_LIMIT_BYTES = 262_144
PASSAGE_LIMIT = 12
LINE_LIMIT = 20
LENGTH_LIMIT = 2_000
HINT_WEIGHT = 0.35
HEADING_WEIGHT = 0.4
SHARE_OF_BEST = 0.3

COMMON_WORDS = (
    "a about above after again all also am an and any are as at be because been before being below but by can could "
    "did do does doing down during each few for from further get give had has have having he help her here him his "
    "how i if in into is it its just let like ll make me more most my no nor not now of off on once only or other our "
    "ours out over own please re same she should so some such than that the their them then there these they this "
    "those through to too under until up us use used using ve very want was we were what when where which while who "
    "whom why will with would you your yours"
)
STOP_WORDS = frozenset(COMMON_WORDS.split())
SUFFIXES = ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ers", "er", "ed", "es", "s", "y", "e")

WORD = re.compile(r"[^\W_]+")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
BULLET = re.compile(r"\s*[-*+]\s+")
STEP = re.compile(r"\s*\d+[.)]\s+")
SENTENCE = re.compile(r"(?<=[.!?])\s+")
LINK = re.compile(r"[(`]([\w./-]+\.md)[)`#]")
WRITE = re.compile(
    r"(?:(?P<condition>(?:if|when|for|after|before|once)\b[^,]*),\s*)?(?:then |finally,? |always |also )?"
    r"(?:write|save|put|record|store)\b(?P<what>[^`]*)\b(?:to|as|in|into)\s+(?:a file |the file )?`(?P<path>[^`\s]+)`",
    re.IGNORECASE,
)
SECRET = re.compile(
    r"(?P<kept>(?:secret|token|password|passwd|api[_-]?key)\w*[\"']?\s*(?:=|:\s)\s*[\"']?)[^\s\"',;]{6,}"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}(?![A-Za-z0-9])",
    re.IGNORECASE,
)


DICTATED = re.compile(
    r"\b(?:reply|answer|respond|repeat)\b[^:\n]{0,60}\b(?:exactly|only|words?|phrase|text)\b[^:\n]{0,60}:\s*(?P<reply>\S.*)",
    re.IGNORECASE,
)


class Passage:
    """A quotable piece of text: where it stands, the words it is found by, and those of the headings above it.

    `opens` is true for the prose with which a section begins.
    """

    __slots__ = ("heading", "label", "opens", "section", "source", "text", "words")

    def __init__(self, source: str, text: str, label: str = "", section: str = "", opens: bool = False) -> None:
        self.source = source
        self.text = text
        self.label = label
        self.section = section
        self.opens = opens
        self.words = words_of(text)
        self.heading = words_of(section) - self.words


def answer(request: Request, arguments: list[str]) -> Response:
    """Answer from the request's workspace alone."""
    if arguments:
        raise AdapterExit(f"unexpected argument `{arguments[0]}`: offline takes none")
    fixtures = [read_fixture(request.workspace, path) for path in request.files]
    skill = read_markdown(request, "SKILL.md")
    guides = skill or []
    question = query_of(request.prompt, chain(*fixtures))
    guidance = best(guides + read_references(request, guides, question), question, PASSAGE_LIMIT)
    evidence = [line for lines in fixtures for line in evidence_of(lines, query_of(request.prompt, guidance))]
    dictated = DICTATED.search(request.prompt)
    quoted = report(guidance + evidence or best_of_prompt(request.prompt))
    text = masked(dictated["reply"].strip() if dictated else quoted)
    for path in files_to_write(guides + passages_of_prompt(request.prompt), request.prompt):
        write_below(request.workspace, path, f"{text}\n".encode())
    if skill is None and request.skill_path is not None:
        write_error(f"offline: no SKILL.md to read in `{request.skill_path}`")
    return Response(text, [] if skill is None else [loaded(str(request.skill_name))])


def read_references(request: Request, skill: list[Passage], question: Mapping[str, float]) -> list[Passage]:
    """Return the passages of those linked files whose link stands in a passage that matters."""
    paths = dict.fromkeys(
        path for passage in skill if passage.words & question.keys() for path in LINK.findall(passage.text)
    )
    return [passage for path in paths if path != "SKILL.md" for passage in read_markdown(request, path) or []]


def read_markdown(request: Request, path: str) -> list[Passage] | None:
    """Return the passages of a file of the skill, None when there is no such file in the workspace."""
    if request.skill_path is None:
        return None
    root = os.path.relpath(os.path.realpath(request.skill_path), os.path.realpath(request.workspace))
    content = read_below(request.workspace, f"{root.replace(os.sep, '/')}/{path}", FILE_LIMIT_BYTES)
    return None if content is None else list(markdown_passages(path, without_frontmatter(decoded(content))))


def read_fixture(workspace: str, path: str) -> list[Passage]:
    """Return a fixture's lines, numbered from 1; none for what is no text."""
    content = read_below(workspace, path, FILE_LIMIT_BYTES)
    if content is None or b"\0" in content:
        return []
    lines = decoded(content).splitlines()
    return [Passage(path, line.strip(), f"{number}: ") for number, line in enumerate(lines, 1) if line.strip()]


def evidence_of(lines: list[Passage], question: Mapping[str, float]) -> list[Passage]:
    """Return a short fixture whole, and of a long one the lines that matter most."""
    return lines if len(lines) <= LINE_LIMIT else best(lines, question, LINE_LIMIT)


def without_frontmatter(text: str) -> str:
    """Return what follows the header between two `---` lines."""
    if not text.startswith("---"):
        return text
    _, closing, body = text[3:].partition("\n---")
    return body if closing else text


def markdown_passages(source: str, text: str) -> Iterator[Passage]:
    """Yield a passage for each sentence, list item, procedure, table row and code block."""
    headings: dict[int, str] = {}
    opens = True
    for block in markdown_blocks(text):
        first, section = block[0], " > ".join(headings.values())
        if first.startswith("#"):
            level = len(first) - len(first.lstrip("#"))
            headings = {above: title for above, title in headings.items() if above < level} | {level: first.strip("# ")}
            opens = True
        elif first.startswith("|"):
            yield from table_rows(source, block, section)
            opens = False
        elif kind_of(first) or (len(block) > 1 and is_fence(block[-1])):
            opens = opens and not kind_of(first)
            whole = "\n".join(block)
            bullet = BULLET.match(whole)
            label = "" if kind_of(first) == "step" else "- "
            yield Passage(source, whole[bullet.end() :] if bullet else whole, label, section, opens)
        else:
            yield from (Passage(source, part, "- ", section, opens) for part in SENTENCE.split(" ".join(block)))


def markdown_blocks(text: str) -> Iterator[list[str]]:
    """Yield the lines of one heading, paragraph, list item, numbered procedure or table.

    A code block stays with the paragraph that announces it.
    """
    block: list[str] = []
    fenced = False
    for line in text.splitlines():
        bare = line.strip()
        if fenced or (is_fence(bare) and (not block or block[-1].endswith(":"))):
            block.append(line)
            fenced = fenced is not is_fence(bare)
        elif bare and continues(bare, block):
            block.append(bare)
        elif bare or not (block and block[-1].endswith(":")):
            if block:
                yield block
            block = [bare] if bare else []
            fenced = is_fence(bare)
    if block:
        yield block


def continues(line: str, block: list[str]) -> bool:
    """Tell whether a line belongs to the block before it."""
    if not block or line.startswith("#") or block[0].startswith("#") or is_fence(line) or is_fence(block[-1]):
        return False
    kind = kind_of(line)
    return not kind or kind == kind_of(block[0]) != "bullet"


def kind_of(line: str) -> str:
    """Return how a line begins: `bullet`, `step`, `row`, or nothing of the kind."""
    if line.startswith("|"):
        return "row"
    if BULLET.match(line):
        return "bullet"
    return "step" if STEP.match(line) else ""


def is_fence(line: str) -> bool:
    """Tell whether a line opens or closes a code block."""
    return line.strip().startswith(("```", "~~~"))


def table_rows(source: str, block: list[str], section: str) -> Iterator[Passage]:
    """Yield the rows below a table's header as `column: cell` pairs, found by their cells alone."""
    header, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in block)
    for row in rows:
        if any(cell.strip("-: ") for cell in row):
            pairs = (f"{name}: {cell}" if name else cell for name, cell in zip(header, row, strict=False))
            passage = Passage(source, "; ".join(pairs), "- ", section)
            passage.words = words_of(" ".join(row))
            yield passage


def best_of_prompt(prompt: str) -> list[Passage]:
    """Return the passages of the prompt that its last paragraph, where the request usually stands, asks for."""
    passages = passages_of_prompt(prompt)
    paragraphs = [part for part in prompt.split("\n\n") if part.strip()]
    return best(passages, query_of(paragraphs[-1], []), PASSAGE_LIMIT) if paragraphs else []


def passages_of_prompt(prompt: str) -> list[Passage]:
    """Return the prompt's sentences."""
    sentences = (part.strip() for line in prompt.splitlines() for part in SENTENCE.split(line))
    return [Passage("the request", sentence, "- ") for sentence in sentences if sentence]


def query_of(prompt: str, hints: Iterable[Passage]) -> dict[str, float]:
    """Return the words to look for: those of the prompt, and with less weight those of `hints`.

    Guidance is found with the fixtures as hints, and lines of fixtures with the guidance as hints.
    """
    weights = {word: HINT_WEIGHT for passage in hints for word in passage.words}
    return weights | dict.fromkeys(words_of(prompt), 1.0)


def best(passages: list[Passage], question: Mapping[str, float], limit: int) -> list[Passage]:
    """Return the passages that answer `question` best, at most `limit`, in the order of the material.

    The prose that opens the section of each source's best passage comes with them: it says how to use what follows.
    """
    rarity = rarities(passages)
    scores = [score(passage, question, rarity) for passage in passages]
    ranked = sorted((at for at, points in enumerate(scores) if points > 0), key=lambda at: (-scores[at], at))
    chosen = {at for at in ranked[:limit] if scores[at] >= scores[ranked[0]] * SHARE_OF_BEST}
    leading = {passages[at].source: passages[at].section for at in reversed(ranked) if at in chosen}
    chosen |= {at for at, one in enumerate(passages) if one.opens and leading.get(one.source) == one.section}
    return [passages[at] for at in sorted(chosen)]


def rarities(passages: Iterable[Passage]) -> dict[str, float]:
    """Return the inverse document frequency of each word."""
    count: dict[str, int] = {}
    total = 0
    for passage in passages:
        total += 1
        for word in passage.words:
            count[word] = count.get(word, 0) + 1
    return {word: log(1 + total / times) for word, times in count.items()}


def score(passage: Passage, question: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    """Weigh the words that a passage and its headings share with the question, rare words more, long texts less.

    Headings alone do not count. Rounded, and summed in sorted order, so that every machine ranks alike.
    """
    own = sum(question[word] * rarity[word] for word in sorted(passage.words & question.keys()))
    if not own:
        return 0.0
    above = sum(question[word] * rarity.get(word, 1.0) for word in sorted(passage.heading & question.keys()))
    return round((own + HEADING_WEIGHT * above) / sqrt(8 + len(passage.words)), 6)


def words_of(text: str) -> frozenset[str]:
    """Return the stems of a text's words without stop words; `PassRole` counts as itself, `pass` and `role`."""
    words = set(WORD.findall(f"{text} {HUMP.sub(' ', text)}".casefold())) - STOP_WORDS
    return frozenset(stem(word) for word in words if len(word) > 1)


@cache
def stem(word: str) -> str:
    """Cut the commonest English endings, so that `policies` meets `policy` and `deployed` meets `deploy`."""
    if word.endswith("ss"):
        return word
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            cut = word[: -len(suffix)]
            return cut[:-1] if len(cut) > 3 and cut[-1] in "eiy" else cut
    return word


def files_to_write(passages: Iterable[Passage], prompt: str) -> list[str]:
    """Return the files that an instruction names, if it concerns the request: they share a word."""
    wanted = words_of(prompt)
    found: dict[str, None] = {}
    for passage in passages:
        for sentence in SENTENCE.split(passage.text):
            match = WRITE.match(sentence.lstrip("*_ "))
            if match is None or not is_safe_path(match["path"]) or not match["path"].endswith((".md", ".txt")):
                continue
            if words_of(match["condition"] or match["what"]) & wanted:
                found[match["path"]] = None
    return list(found)


def report(passages: list[Passage]) -> str:
    """Return the quotations, grouped by where they stand."""
    lines: list[str] = []
    source = ""
    for passage in passages:
        if passage.source != source:
            source = passage.source
            lines += ["", f"From {source}:"]
        lines.append(passage.label + passage.text[:LENGTH_LIMIT])
    return "\n".join(lines).strip() or "Nothing in the material shares a word with the request."


def masked(text: str) -> str:
    """Hide what looks like a credential: an adapter returns none, whatever stands in a fixture."""
    return SECRET.sub(lambda match: f"{match['kept'] or ''}[masked]", text)


def decoded(content: bytes) -> str:
    """Return text, with a mark for bytes that are no UTF-8."""
    return content.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(serve(answer, USAGE))
