"""The parser of the YAML subset in which real frontmatter is written.

It knows block maps and lists, flow lists and maps, plain, quoted and block scalars over any number of
lines, comments and empty values. Anchors, aliases, tags, merge keys, `?` keys, directives and further
documents never occur in real frontmatter and are refused by name. Scalars are cut and folded as all
YAML readers do it; where the readers differ, what one of the common ones refuses is refused here too,
but for tabs between words, which are only warned of.
"""

import re
from typing import NoReturn

from evals.skill_eval.reading.quoting import quoted, visible
from evals.skill_eval.reading.yaml_nodes import Document, Entry, Node, Scalar, YamlError, YamlList, YamlMap
from evals.skill_eval.reading.yaml_scan import QUOTE_HINT, Scanner

DEEPEST = 64
LONGEST_KEY = 1024
MOST_FAILURES = 20

_QUOTES = "'\""
_FIELD_HINT = "write each field as `key: value` on a line of its own"
_DOCUMENT_MARK = re.compile(r"^(?:---|\.\.\.)(?=[ \t\n])", re.MULTILINE)


def parse(text: str, first_line: int = 1) -> Document:
    """Return the map that `text` holds, together with all its faults; never raises.

    Lines end in `\\n`; `first_line` is the number of the first one. After a fault reading goes on
    with the next top-level key, up to `MOST_FAILURES` times.
    """
    return _Parser(text, first_line).document()


class _Parser(Scanner):
    """Recursive descent, at most `DEEPEST` collections deep. Columns count from 0."""

    def __init__(self, text: str, first_line: int) -> None:
        super().__init__(text, first_line)
        self._depth = 0
        self._entries: list[Entry] = []
        self._unread: set[str] = set()
        self._failures = 0

    def document(self) -> Document:
        try:
            self._refuse_further_documents()
            self._read_fields()
        except YamlError as fault:
            self.faults.append(fault)
        readable = (self._entries or self._unread) and self._failures < MOST_FAILURES
        root = YamlMap(tuple(self._entries), *self.place(0)) if readable else None
        return Document(root, frozenset(self._unread), tuple(self.faults))

    # The top level: the only place from which reading goes on after a fault.

    def _refuse_further_documents(self) -> None:
        if found := _DOCUMENT_MARK.search(self.text):
            message = f"`{found[0]}` at the start of a line begins or ends a YAML document, there can be only one"
            self.fail("SE132", found.start(), message, "indent the line, or take it out")

    def _read_fields(self) -> None:
        seen: dict[str, int] = {}
        column = self.next_line()
        self._expect_fields(column)
        while self.pos < len(self.text):
            start = self.pos
            try:
                self._entries.append(self._entry(column, seen))
                if self.next_line() not in (column, -1):
                    self._fail_indentation()
            except YamlError as fault:
                self._failures += 1
                self._note_failed_entry(fault, start)
                self._go_on_after(start, column)

    def _expect_fields(self, column: int) -> None:
        if column < 0:
            self.fail("SE119", 0, "the frontmatter is empty, expected fields", _FIELD_HINT)
        what = {"[": "a list", "{": "a map in braces"}.get(self.text[self.pos], "a list" if self.at_dash() else "")
        if what:
            self.fail("SE119", self.pos, f"the frontmatter is {what}, expected fields", _FIELD_HINT)

    def _note_failed_entry(self, fault: YamlError, start: int) -> None:
        self.pos, self._depth = start, 0
        message = fault.message
        try:
            key = self._key().text
            self._unread.add(key)
            message = f"{visible(key[:40])}: {message}"
        except YamlError:
            pass  # the key itself is at fault
        if self._failures == MOST_FAILURES:
            message += "; what follows was not read"
        self.faults.append(YamlError(fault.code, fault.line, fault.column, message, fault.hint))

    def _go_on_after(self, start: int, column: int) -> None:
        key = re.compile(rf"\n {{{column}}}(?=[^\s#-][^\n]*?:[ \t\n])")
        found = key.search(self.text, start) if self._failures < MOST_FAILURES else None
        self.pos = found.end() if found else len(self.text)

    # Block collections.

    def _block_map(self) -> YamlMap:
        start, column = self.pos, self.column()
        entries: list[Entry] = []
        seen: dict[str, int] = {}
        found = column
        self._descend()
        while found == column:
            entries.append(self._entry(column, seen))
            found = self.next_line()
        self._ascend(column, found)
        return YamlMap(tuple(entries), *self.place(start))

    def _block_list(self) -> YamlList:
        start, column = self.pos, self.column()
        items: list[Node] = []
        found = column
        self._descend()
        while found == column and self.at_dash():
            items.append(self._item(column))
            found = self.next_line()
        self._ascend(column, found)
        return YamlList(tuple(items), *self.place(start))

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            self.fail("SE133", self.pos, f"nested more than {DEEPEST} levels deep")

    def _ascend(self, column: int, next_column: int) -> None:
        self._depth -= 1
        if next_column > column:
            self._fail_indentation()

    def _fail_indentation(self) -> NoReturn:
        message = "the indentation of this line fits no line above it"
        self.fail("SE129", self.pos, message, "align it with the lines it belongs to")

    def _entry(self, column: int, seen: dict[str, int]) -> Entry:
        key = self._key()
        self._note_duplicate(key, seen)
        return Entry(key, self._value(column))

    def _note_duplicate(self, key: Scalar, seen: dict[str, int]) -> None:
        if key.text in seen:
            message = f"{quoted(key.text)} is given twice, first on line {seen[key.text]}"
            hint = "delete one: readers differ in which one they take"
            self.faults.append(YamlError("SE131", key.line, key.column, message, hint))
        seen.setdefault(key.text, key.line)

    def _key(self) -> Scalar:
        start = self.pos
        if self.at_dash():
            self.fail("SE130", start, "a list item where a key is expected", "indent it below the key it belongs to")
        key = self.quoted() if self.text[start] in _QUOTES else self.plain_line()
        end = self.colon_end()
        if not end:
            self._fail_without_colon(key, start)
        self.pos = end
        return self._as_key(key, start, end)

    def _fail_without_colon(self, key: Scalar, start: int) -> NoReturn:
        if key.style != "plain" and self.skip_blanks():
            self.fail("SE123", self.pos, "text after the closing quote", QUOTE_HINT)
        hint = "write `key: value`, or indent the line if it goes on with the value above"
        self.fail("SE130", start, f"expected a key and a colon, found {self.excerpt(start)}", hint)

    def _as_key(self, node: Node, start: int, end: int) -> Scalar:
        """Return the node if it can be a key; with its colon it stands from `start` to `end`."""
        if not isinstance(node, Scalar):
            self.fail("SE139", start, "a list or map cannot be a key", QUOTE_HINT)
        if node.text == "<<" and node.style == "plain":
            self.fail("SE132", start, "a merge key (`<<`) is not supported", "write its entries out")
        if "\n" in self.text[start:end]:
            self.fail("SE139", start, "a key has to stand on one line together with its colon")
        if end - start > LONGEST_KEY:
            self.fail("SE139", start, f"a key of more than {LONGEST_KEY} characters")
        return node

    def _value(self, column: int) -> Node:
        """Read what belongs to the key before; `column` is the key's."""
        after_colon = self.pos
        if self.skip_blanks():
            return self._block_node(column, beside_key=True)
        self.end_line()
        found = self.next_line()
        if found > column:
            return self._block_node(column)
        if found == column and self.at_dash():
            return self._block_list()
        return self.null(after_colon)

    def _item(self, column: int) -> Node:
        """Read what belongs to the dash here; `column` is its place."""
        self.pos += 1
        after_dash = self.pos
        if self.skip_blanks():
            return self._block_node(column)
        self.end_line()
        return self._block_node(column) if self.next_line() > column else self.null(after_dash)

    def _block_node(self, parent: int, *, beside_key: bool = False) -> Node:
        """Read a node to the end of its last line.

        `parent` is the column of the collection it belongs to. With `beside_key` it stands on the
        line of its key, where neither a list nor a map can begin.
        """
        start = self.pos
        if self.at_dash():
            if beside_key:
                self.fail("SE129", start, "a list begins on the line of its key", "begin it on the next line")
            return self._block_list()
        if self.text[start] in "|>":
            return self.block_scalar(parent)
        node, what = self._inline_node(parent)
        end = self.colon_end()
        if not end:
            self.end_line(what)
            return node
        if beside_key or "\n" in self.text[start:end]:
            self._fail_at_colon(node, end - 1)
        self._as_key(node, start, end)
        self.pos = start
        return self._block_map()

    def _inline_node(self, parent: int) -> tuple[Node, str]:
        character = self.text[self.pos]
        if character in "[{":
            return self._flow(), "the closing bracket"
        if character in _QUOTES:
            return self.quoted(), "the closing quote"
        return self.plain(parent + 1), "the value"

    def _fail_at_colon(self, node: Node, colon: int) -> NoReturn:
        if isinstance(node, Scalar) and node.style == "plain":
            self.fail("SE121", colon, "`: ` inside a value without quotes", QUOTE_HINT)
        self.fail("SE123", colon, "a colon after the end of the value", QUOTE_HINT)

    # Flow collections: indentation means nothing between brackets.

    def _flow(self) -> YamlList | YamlMap:
        start, opening = self.pos, self.text[self.pos]
        closing = "]" if opening == "[" else "}"
        parts: list[Node | Entry] = []
        self._descend()
        self.pos += 1
        while self._flow_character(start) != closing:
            parts.append(self._flow_part(start))
            if self._flow_character(start) == ",":
                self.pos += 1
            elif self.text[self.pos] != closing:
                self._fail_in_flow(start, closing)
        self.pos += 1
        self._depth -= 1
        return self._flow_list(parts, start) if opening == "[" else self._flow_map(parts, start)

    def _flow_character(self, start: int) -> str:
        character = self.skip_flow_blanks()
        if not character:
            self.fail("SE125", start, f"`{self.text[start]}` is never closed", f"close it, or {QUOTE_HINT}")
        return character

    def _fail_in_flow(self, start: int, closing: str) -> NoReturn:
        message = f"expected `,` or `{closing}`, found {self.excerpt(self.pos)}"
        self.fail("SE125", self.pos, message, self._bracket_hint(start))

    def _bracket_hint(self, opening: int) -> str:
        return f"close the `{self.text[opening]}` of line {self.place(opening)[0]}, or put items in quotes"

    def _flow_list(self, parts: list[Node | Entry], start: int) -> YamlList:
        def item(part: Node | Entry) -> Node:
            return YamlMap((part,), part.key.line, part.key.column) if isinstance(part, Entry) else part

        return YamlList(tuple(map(item, parts)), *self.place(start))

    def _flow_map(self, parts: list[Node | Entry], start: int) -> YamlMap:
        seen: dict[str, int] = {}
        entries: list[Entry] = []
        for part in parts:
            if not isinstance(part, Entry):
                if not isinstance(part, Scalar):
                    self.fail("SE139", start, "a list or map cannot be a key", QUOTE_HINT)
                part = Entry(part, Scalar("", "null", "plain", part.line, part.column))
            self._note_duplicate(part.key, seen)
            entries.append(part)
        return YamlMap(tuple(entries), *self.place(start))

    def _flow_part(self, opening: int) -> Node | Entry:
        """Read an item, or a key with its value; `opening` is where their bracket stands."""
        start = self.pos
        node = self._flow_node()
        if self.skip_flow_blanks() != ":":
            return node
        colon = self.pos
        if "\n" in self.text[start:colon]:
            self.fail("SE125", colon, "a colon that has no key on its line", self._bracket_hint(opening))
        key = self._as_key(node, start, colon + 1)
        self.pos = colon + 1
        if self.skip_flow_blanks() in ",]}":
            return Entry(key, self.null(colon))
        return Entry(key, self._flow_node())

    def _flow_node(self) -> Node:
        character = self.text[self.pos]
        if character in "[{":
            return self._flow()
        return self.quoted() if character in _QUOTES else self.flow_plain()
