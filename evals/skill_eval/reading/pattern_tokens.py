"""Patterns of checks looked at token by token, for what compiling them does not tell."""

import re
from collections.abc import Iterator
from itertools import pairwise

from evals.skill_eval.reading.patterns import DEPTH_LIMIT, PatternFault

_TOKEN = re.compile(
    r"\\."
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\(\?#[^)]*\)|\(\?P=\w+\)|\(\?[aiLmsux]+\)"
    r"|\((?:\?(?:P<\w*>|<?[=!]|>|\(\w*\)|[aiLmsux-]*:)?)?"
    r"|[*+?][+?]?|\{[0-9]*,?[0-9]*\}[+?]?"
    r"|.",
    re.DOTALL,
)
_LOOPING = re.compile(r"(?:[*+]|\{[0-9]*,\})\??")  # without an upper bound, and willing to give back
_SKIPPABLE = re.compile(r"(?:[*?]|\{0?,[0-9]*\}|\{0\})[+?]?")
_QUANTIFIER = re.compile(r"[*+?][+?]?|\{[0-9]*,?[0-9]*\}[+?]?")
_LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
_WITHOUT_WIDTH = frozenset(("^", "$", "\\A", "\\Z", "\\z", "\\b", "\\B"))
# Beside `^` and `\A`, which hold at the start of every text.
_DEPENDS_ON_TEXT = frozenset(("$", "\\Z", "\\z", "\\b", "\\B", *_LOOKS_AROUND))
_KEEPS = re.compile(r"\(\?>|(?:[*+?]|\})\+|\(\?\(\w*\)")  # atomic, possessive, conditional
_SAMPLES = ("", "x", "0 \n", "\n")


def form_fault(pattern: str) -> PatternFault | None:
    """Return why some supported Python refuses `pattern`, as far as another may take it."""
    if _depth(pattern) > DEPTH_LIMIT:
        return PatternFault(f"groups nested deeper than {DEPTH_LIMIT} levels")
    if "\\z" in _TOKEN.findall(pattern):
        return PatternFault("`\\z` is unknown to Python before 3.14", "write `\\Z`")
    return None


def matches_all(pattern: str, compiled: re.Pattern[str]) -> bool:
    """Tell whether `pattern`, which matches the empty text, matches every other one too."""
    tokens = _TOKEN.findall(pattern)
    if not _DEPENDS_ON_TEXT.isdisjoint(tokens):
        return False
    anchored = "^" in tokens or "\\A" in tokens
    if anchored and _KEEPS.search(pattern):
        return False
    return all(compiled.search(sample) for sample in _SAMPLES)


def has_loose_loop(pattern: str) -> bool:
    """Tell whether a repeated group holds nothing but what repeats itself."""
    stack = [_Group()]
    tokens = [token for token in _TOKEN.findall(pattern) if token not in _WITHOUT_WIDTH]
    for token, following in pairwise([*tokens, ""]):
        quantifier = following if _QUANTIFIER.fullmatch(following) else ""
        if _opens(token):
            stack.append(_Group(token))
        elif token == "|":
            stack[-1].next_branch()
        elif token == ")" and len(stack) > 1:
            group = stack.pop()
            if group.loose and _LOOPING.fullmatch(quantifier):
                return True
            stack[-1].take(quantifier, group)
        elif not _QUANTIFIER.fullmatch(token):
            stack[-1].take(quantifier)
    return False


class _Group:
    """What the branches of an open group hold: something that loops, and something that must be there."""

    def __init__(self, opening: str = "") -> None:
        self._may_give_back = opening not in ("(?>", *_LOOKS_AROUND)
        self._any_loose = self._loops = self._fixed = False

    @property
    def loose(self) -> bool:
        """Tell whether a branch loops and has nothing that must stand between two rounds."""
        return self._may_give_back and (self._any_loose or (self._loops and not self._fixed))

    def next_branch(self) -> None:
        self._any_loose = self.loose
        self._loops = self._fixed = False

    def take(self, quantifier: str, group: "_Group | None" = None) -> None:
        """Note an item, a `group` or a single character, with the quantifier behind it."""
        loops = _LOOPING.fullmatch(quantifier) is not None or (group is not None and group.loose)
        self._loops = self._loops or loops
        self._fixed = self._fixed or not (loops or _SKIPPABLE.fullmatch(quantifier))


def _opens(token: str) -> bool:
    return token.startswith("(?(") or (token.startswith("(") and not token.endswith(")"))


def _depth(pattern: str) -> int:
    return max(_depths(pattern), default=0)


def _depths(pattern: str) -> Iterator[int]:
    depth = 0
    for token in _TOKEN.findall(pattern):
        depth += 1 if _opens(token) else -1 if token == ")" else 0
        yield depth
