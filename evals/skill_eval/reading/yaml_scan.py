"""The scanner under the YAML parser: places, faults, blanks and scalars."""

import re
from bisect import bisect_right
from itertools import islice
from typing import NoReturn

from evals.skill_eval.reading import yaml_text
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.yaml_nodes import Scalar, YamlError, kind_of_plain

QUOTE_HINT = "put the whole value in quotes"

# What ends a plain scalar: a line end, a colon before a blank, a comment; in brackets also their punctuation.
_BLOCK_STOP = re.compile(r"\n|:(?=[ \t\n])|(?<=[ \t])#")
_FLOW_STOP = re.compile(r"[\n,?\[\]{}]|:(?=[ \t\n,\[\]{}])|(?<=[ \t])#")

_DASH = re.compile(r"-(?=[ \t\n])")
_COLON = re.compile(r"[ \t]*:(?=[ \t\n])")
_BLANKS = re.compile(r"[ \t]*")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)* *")
_LINE_END = re.compile(r"[ \t]*(?:(?<=[ \t])#[^\n]*)?\n")
_LINE_GAP = re.compile(r"(?:\n[ \t]*)+")
_FLOW_BLANKS = re.compile(r"[ \t\n]*(?:(?<=[ \t\n])#[^\n]*[ \t\n]*)*")
_TAB_OR_COMMENT = re.compile(r"#[^\n]*|\t")
_SINGLE = re.compile(r"'([^']*(?:''[^']*)*)'")
_DOUBLE = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
_BLOCK_HEADER = re.compile(r"([|>])(?:([1-9])([-+]?)|([-+]?)([1-9]?))(?:[ \t]+#[^\n]*|[ \t]*)\n")
_BLOCK_START = re.compile(r"((?: *\n)*)( *)")

_PLAIN_STARTS = re.compile(r"""[^ \t\n\-?:,\[\]{}#&*!|>'"%@`]|[-?:](?=[^ \t\n])""")
_REFUSED = {
    "&": "an anchor (`&`)",
    "*": "an alias (`*`)",
    "!": "a tag (`!`)",
    "?": "a key that begins with `?`",
}


class Scanner:
    """A text and the place up to which it is read: the start of a line, or the next thing on it."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.pos = 0
        self.faults: list[YamlError] = []
        self._first_line = first_line
        self._line_starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        self._tab_met = False

    def place(self, pos: int) -> tuple[int, int]:
        """Return line and column of `pos`, from 1."""
        line = bisect_right(self._line_starts, pos) - 1
        return self._first_line + line, pos - self._line_starts[line] + 1

    def column(self) -> int:
        """Return the column of the current place, from 0."""
        return self.place(self.pos)[1] - 1

    def fail(self, code: str, pos: int, message: str, hint: str | None = None) -> NoReturn:
        """Raise a fault."""
        raise YamlError(code, *self.place(pos), message, hint)

    def note(self, code: str, pos: int, message: str, hint: str | None = None) -> None:
        """Record a fault that does not keep the rest from being read."""
        self.faults.append(YamlError(code, *self.place(pos), message, hint))

    def excerpt(self, pos: int) -> str:
        """Return the rest of the line in backticks, shortened."""
        return quoted(self.text[pos : pos + 100].partition("\n")[0], 40)

    # Blanks and line ends.

    def next_line(self) -> int:
        """Go to the next text beyond blank and comment lines; return its column, -1 at the end."""
        self._skip(_BLANK_LINES)
        if self.pos == len(self.text):
            return -1
        if self.text[self.pos] == "\t":
            self.fail("SE127", self.pos, "a tab in the indentation", "indent with spaces")
        return self.column()

    def skip_blanks(self) -> bool:
        """Skip blanks; tell whether something other than a comment follows on the line."""
        self._skip(_BLANKS)
        return self.text[self.pos] not in "#\n"

    def skip_flow_blanks(self) -> str:
        """Skip blanks, line ends and comments; return the next character, nothing at the end."""
        self._skip(_FLOW_BLANKS)
        return self.text[self.pos : self.pos + 1]

    def end_line(self, after: str = "") -> None:
        """Go to the next line; `after` names what stands before a text that should not be there."""
        if not _LINE_END.match(self.text, self.pos):
            self.skip_blanks()
            hint = "put a blank before `#`" if self.text[self.pos] == "#" else QUOTE_HINT
            self.fail("SE123", self.pos, f"text after {after}: {self.excerpt(self.pos)}", hint)
        self._skip(_LINE_END)

    def at_dash(self) -> bool:
        """Tell whether a list item begins here."""
        return _DASH.match(self.text, self.pos) is not None

    def colon_end(self) -> int:
        """Return where the colon ends that makes a key of what was just read, 0 without one."""
        found = _COLON.match(self.text, self.pos)
        return found.end() if found else 0

    def _skip(self, pattern: re.Pattern[str]) -> None:
        end = _found(pattern.match(self.text, self.pos)).end()
        self._note_tab(self.pos, end)
        self.pos = end

    def _note_tab(self, start: int, end: int) -> None:
        if self._tab_met or self.text.find("\t", start, end) < 0:
            return
        tabs = (found.start() for found in _TAB_OR_COMMENT.finditer(self.text, start, end) if found[0] == "\t")
        for tab in islice(tabs, 1):
            self._tab_met = True
            self.note("SE128", tab, "a tab between words", "use spaces: many readers refuse tabs here")

    # Scalars.

    def null(self, pos: int) -> Scalar:
        """Return the value of a key or an item that has none."""
        return Scalar("", "null", "plain", *self.place(pos))

    def quoted(self) -> Scalar:
        """Read a scalar in quotes, over as many lines as it takes."""
        start, double = self.pos, self.text[self.pos] == '"'
        found = (_DOUBLE if double else _SINGLE).match(self.text, start)
        if not found:
            self.fail("SE124", start, "this quote is never closed", "close it, and double or escape quotes inside")
        self.pos = found.end()
        if not double:
            return Scalar(yaml_text.single_quoted(found[1]), "str", "single", *self.place(start))
        try:
            return Scalar(yaml_text.double_quoted(found[1]), "str", "double", *self.place(start))
        except yaml_text.EscapeError as error:
            hint = "write the backslash twice, or use single quotes"
            self.fail("SE126", start + 1 + error.offset, str(error), hint)

    def plain_line(self) -> Scalar:
        """Read an unquoted scalar on one line."""
        return self._plain(None, _BLOCK_STOP)

    def plain(self, least_column: int) -> Scalar:
        """Read an unquoted scalar, with the following lines that are indented to `least_column` or more."""
        return self._plain(least_column, _BLOCK_STOP)

    def flow_plain(self) -> Scalar:
        """Read an unquoted scalar between brackets, where indentation means nothing."""
        return self._plain(0, _FLOW_STOP)

    def _plain(self, least_column: int | None, stops: re.Pattern[str]) -> Scalar:
        start = self.pos
        self._check_plain_start(stops is _FLOW_STOP)
        pieces: list[str] = []
        while True:
            stop = _found(stops.search(self.text, self.pos))
            pieces.append(self.text[self.pos : stop.start()].rstrip(" \t"))
            self.pos += len(pieces[-1])
            gap = _LINE_GAP.match(self.text, stop.start())
            if not gap or least_column is None or not self._goes_on(gap, least_column, stops):
                break
            self.pos = gap.end()
            pieces.append(yaml_text.glue(gap[0].count("\n")))
        self._note_cut(stop)
        self._note_tab(start, self.pos)
        text = "".join(pieces)
        return Scalar(text, kind_of_plain(text), "plain", *self.place(start))

    def _goes_on(self, gap: re.Match[str], least_column: int, stops: re.Pattern[str]) -> bool:
        after = gap.end()
        if after == len(self.text) or self.text[after] == "#" or stops.match(self.text, after):
            return False
        indentation = gap[0].rpartition("\n")[2]
        return stops is _FLOW_STOP or (len(indentation) >= least_column and "\t" not in indentation)

    def _note_cut(self, stop: re.Match[str]) -> None:
        # `# like this` is a comment on purpose, `#1` more likely a part of the text.
        if stop[0] == "#" and self.text[stop.end()] not in " \t\n#":
            message = f"` #` begins a comment: {self.excerpt(stop.start())} is no part of the value"
            self.note("SE135", stop.start(), message, f"if it should be, {QUOTE_HINT}")

    def _check_plain_start(self, in_flow: bool) -> None:
        character = self.text[self.pos]
        if _PLAIN_STARTS.match(self.text, self.pos) and not (in_flow and character in "?:"):
            return
        if character in _REFUSED:
            hint = "write `key: value`" if character == "?" else f"if it is meant as text, {QUOTE_HINT}"
            self.fail("SE132", self.pos, f"{_REFUSED[character]} is not supported", hint)
        if character == ":":
            self.fail("SE130", self.pos, "nothing before the colon, expected a key")
        if character == "%" and self.column() == 0:
            self.fail("SE132", self.pos, "a directive (`%`) is not supported")
        if in_flow and character in ",]}":
            self.fail("SE125", self.pos, f"nothing before `{character}`, expected an item")
        what = {"-": "`- `", "`": "a backtick"}.get(character, f"`{character}`")
        self.fail("SE122", self.pos, f"{what} cannot begin a text without quotes", QUOTE_HINT)

    def block_scalar(self, parent: int) -> Scalar:
        """Read a literal (`|`) or folded (`>`) scalar; `parent` is the column of the collection it belongs to."""
        start = self.pos
        header = _BLOCK_HEADER.match(self.text, start)
        if not header:
            message = f"text on the line of `{self.text[start]}`: {self.excerpt(start + 1)}"
            self.fail("SE134", start, message, f"begin the text on the next line, or {QUOTE_HINT}")
        self._note_tab(start, header.end())
        self.pos = header.end()
        digit, chomping = header[2] or header[5], header[3] or header[4] or ""
        indent = parent + int(digit) if digit else self._block_indentation(parent)
        folded = header[1] == ">"
        text = yaml_text.block_text(self._block_lines(indent), folded=folded, chomping=chomping)
        return Scalar(text, "str", "folded" if folded else "literal", *self.place(start))

    def _block_indentation(self, parent: int) -> int:
        found = _found(_BLOCK_START.match(self.text, self.pos))
        deepest_blank, indent = max(map(len, found[1].split("\n"))), len(found[2])
        if indent <= parent:
            return max(parent + 1, deepest_blank)
        if indent < deepest_blank:
            self.fail("SE129", found.start(2), "a blank line above this one is indented deeper than it")
        return indent

    def _block_lines(self, indent: int) -> list[str]:
        lines: list[str] = []
        while self.pos < len(self.text):
            end = self.text.index("\n", self.pos)
            if self.text[self.pos : min(end, self.pos + indent)].strip(" "):
                break
            lines.append(self.text[self.pos + indent : end])
            self.pos = end + 1
        return lines


def _found(match: re.Match[str] | None) -> re.Match[str]:
    # For patterns that match everywhere in a text that ends in a line break.
    if match is None:
        raise RuntimeError("a pattern that always matches did not")
    return match
