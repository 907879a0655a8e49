"""The frontmatter parser: what YAML it reads, how it says what is wrong, and that nothing upsets it."""

import json
import random
import time
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.frontmatter import LONGEST_HEADER, Frontmatter, read_frontmatter
from evals.skill_eval.reading.text_findings import MOST_ALIKE, TextFindings
from evals.skill_eval.reading.yaml_nodes import Node, Scalar, YamlList, YamlMap, plain_value
from evals.skill_eval.reading.yaml_subset import DEEPEST, MOST_FAILURES, parse

DATA = Path(__file__).parent / "data" / "frontmatter"
VALUES = json.loads((DATA / "values.json").read_text(encoding="utf-8"))


def read(content: bytes | str) -> tuple[Frontmatter, tuple[Problem, ...]]:
    """Read the content of a SKILL.md; return what it holds and what is wrong with it."""
    findings = TextFindings("SKILL.md")
    frontmatter = read_frontmatter(content.encode() if isinstance(content, str) else content, findings)
    return frontmatter, findings.problems()


def places(content: bytes | str) -> list[str]:
    """Return the code and place of each finding."""
    return [f"{problem.code} {problem.line}:{problem.column}" for problem in read(content)[1]]


def with_header(header: str, body: str = "") -> str:
    """Return a SKILL.md."""
    return f"---\n{header}---\n{body}"


def root_of(header: str) -> YamlMap:
    """Return the fields of a header that has some."""
    root = parse(header).root
    if root is None:
        raise ValueError(f"no fields in {header!r}")
    return root


def value_of(text: str) -> Node:
    """Return the node of one value."""
    return root_of(f"a: {text}\n").entries[0].value


def outline(node: Node) -> Iterator[str]:
    """Yield the place of each node, and its text or kind."""
    match node:
        case Scalar():
            yield f"{node.line}:{node.column} {node.text}"
        case YamlList():
            yield f"{node.line}:{node.column} list"
            for item in node.items:
                yield from outline(item)
        case YamlMap():
            yield f"{node.line}:{node.column} map"
            for entry in node.entries:
                yield from outline(entry.key)
                yield from outline(entry.value)


class Values(unittest.TestCase):
    """`values.json` holds headers with what YAML makes of them, checked against PyYAML."""

    def test_values_are_those_of_yaml(self) -> None:
        self.assertGreater(len(VALUES), 60)
        for case in VALUES:
            with self.subTest(case["title"]):
                self.assertEqual([fault.message for fault in parse(case["header"]).faults], [])
                self.assertEqual(plain_value(root_of(case["header"])), case["value"])

    def test_crlf_is_a_warning_and_changes_no_value(self) -> None:
        for case in VALUES:
            with self.subTest(case["title"]):
                frontmatter, problems = read(with_header(case["header"]).replace("\n", "\r\n"))
                self.assertEqual(frontmatter.fields and plain_value(frontmatter.fields), case["value"])
                self.assertEqual({problem.severity for problem in problems}, {"warning"})
                self.assertIn("SE110", {problem.code for problem in problems})

    def test_a_pair_of_surrogate_escapes_is_one_character_as_in_json(self) -> None:
        self.assertEqual(plain_value(value_of('"\\ud83d\\ude80!"')), "\U0001f680!")

    def test_of_duplicate_keys_the_last_one_counts(self) -> None:
        self.assertEqual(plain_value(root_of("a: x\na: y\n")), {"a": "y"})

    def test_tabs_between_words_are_read_and_warned_of_once(self) -> None:
        header = "a:\tx\nb: y\t# why\nc: one\ttwo\t\nd: [e,\tf]\n\t\n"
        self.assertEqual(plain_value(root_of(header)), {"a": "x", "b": "y", "c": "one\ttwo", "d": ["e", "f"]})
        self.assertEqual([fault.code for fault in parse(header).faults], ["SE128"])
        self.assertEqual(parse("a: 'x\ty' # tab\there\nb: |\n  x\ty\n").faults, ())


class Kinds(unittest.TestCase):
    TABLE = (
        ("null", ("~", "null", "Null", "NULL", "# nothing")),
        ("bool", ("true", "True", "FALSE", "false")),
        ("int", ("0", "12", "-7", "+3", "0o17", "0x1F", "012")),
        ("float", ("1.0", "-.5", "1e3", "1.", "6.02E+23", ".inf", "-.INF", ".nan")),
        ("date", ("2024-01-02", "2024-1-2 03:04:05", "2024-01-02T03:04:05.5Z", "2001-12-14 21:59:43 -5")),
        ("str", ("yes", "no", "nUll", "1_000", "12:30", "0b1", "1.0.0", "v1", "+", ".", "e3", "2024-1-2", "0o9", "1e")),
    )

    def test_scalars_know_what_yaml_takes_them_for(self) -> None:
        for kind, texts in self.TABLE:
            for text in texts:
                with self.subTest(kind, text=text):
                    node = value_of(text)
                    self.assertIsInstance(node, Scalar)
                    self.assertEqual(getattr(node, "kind", ""), kind)

    def test_quotes_make_text_of_everything(self) -> None:
        for text in ("~", "true", "12", "1.0", "2024-01-02", ""):
            for written, style in ((f'"{text}"', "double"), (f"'{text}'", "single")):
                with self.subTest(written):
                    self.assertEqual(value_of(written), Scalar(text, "str", style, 1, 4))


class Places(unittest.TestCase):
    def test_every_node_knows_its_line_and_column_in_characters(self) -> None:
        header = '"\U0001f680": x\nb:\n  - "one\n    two"\n  - {c: d, e: [f]}\n'
        root = parse(header, first_line=2).root
        expected = """
            2:1 map, 2:1 \U0001f680, 2:6 x, 3:1 b, 4:3 list, 4:5 one two,
            6:5 map, 6:6 c, 6:9 d, 6:12 e, 6:15 list, 6:16 f
        """
        self.assertEqual(list(outline(root)) if root else [], [part.strip() for part in expected.split(",")])

    def test_the_body_begins_on_the_line_after_the_dashes(self) -> None:
        for text, body, line in (
            ("---\na: b\n---\n\n# Title\n", "\n# Title\n", 4),
            ("---\na: b\n---", "", 4),
            ("---\na: |\n  x\n\n---\nbody\n---\nb: c\n", "body\n---\nb: c\n", 6),
            ("---\r\na: b\r\n---\r\nbody\r\n", "body\n", 4),
        ):
            with self.subTest(text):
                frontmatter, _ = read(text)
                self.assertEqual((frontmatter.body, frontmatter.body_line), (body, line))


class Faults(unittest.TestCase):
    """Each file in `faults/` has its findings in the `.txt` beside it."""

    def test_every_fault_is_reported_as_it_stands_beside_it(self) -> None:
        files = sorted((DATA / "faults").glob("*.md"))
        self.assertGreater(len(files), 70)
        for path in files:
            with self.subTest(path.stem):
                expected = path.with_suffix(".txt").read_text(encoding="utf-8")
                self.assertEqual(_listed(read(path.read_bytes())[1]), expected)

    def test_reading_goes_on_with_the_next_field(self) -> None:
        text = with_header("name: @x\nmetadata:\n  a: 'b' c\n  d: e\nlicense: MIT\ndescription: one: two\n")
        frontmatter, _ = read(text)
        self.assertEqual(places(text), ["SE122 2:7", "SE123 4:10", "SE121 7:17"])
        self.assertEqual(frontmatter.unread, {"name", "metadata", "description"})
        self.assertEqual(frontmatter.fields and plain_value(frontmatter.fields), {"license": "MIT"})

    def test_after_many_faults_reading_ends_and_says_so(self) -> None:
        document = parse("".join(f"k{number}: @\n" for number in range(100)))
        self.assertEqual(len(document.faults), MOST_FAILURES)
        self.assertIn("what follows was not read", document.faults[-1].message)
        self.assertIsNone(document.root)

    def test_findings_of_one_kind_are_bounded(self) -> None:
        problems = read(with_header("a: b\n" * 1000))[1]
        self.assertEqual(len(problems), MOST_ALIKE)
        self.assertIn("further ones are not listed", problems[-1].message)

    def test_messages_show_nothing_invisible(self) -> None:
        for header in ("a\x1b[31m\u202e\n", 'a: "x" \x1b[31m\u202e\n', "\x1b: @\n"):
            for problem in read(with_header(header))[1]:
                with self.subTest(problem.message):
                    self.assertTrue(problem.message.isprintable())


class Bytes(unittest.TestCase):
    GOOD = "---\nname: sample\ndescription: d\n---\nbody\n"

    def test_a_byte_order_mark_is_named_and_the_rest_read(self) -> None:
        frontmatter, problems = read(b"\xef\xbb\xbf" + self.GOOD.encode())
        self.assertEqual([problem.code for problem in problems], ["SE108"])
        self.assertIn("BOM", problems[0].message)
        self.assertIsNotNone(frontmatter.fields)

    def test_utf_16_and_utf_32_are_named(self) -> None:
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
            with self.subTest(encoding):
                (problem,) = read(self.GOOD.encode(encoding))[1]
                self.assertEqual(problem.code, "SE107")
                self.assertIn(encoding.upper()[:6], problem.message)

    def test_what_is_no_utf_8_is_named_with_its_place_and_the_rest_read(self) -> None:
        content = b"---\nname: sample\ndescription: \xc3\xa9 caf\xe9\nlicense: @\n---\n"
        problems = read(content)[1]
        self.assertEqual(places(content), ["SE106 3:19", "SE122 4:10"])
        self.assertEqual(problems[0].message, "byte 0xe9 at offset 36 is no UTF-8")

    def test_line_ends(self) -> None:
        self.assertEqual(places(self.GOOD.replace("\n", "\r\n")), ["SE110 1:1"])
        self.assertEqual(places(self.GOOD.replace("\n", "\r")), ["SE111 1:1"])
        self.assertEqual(places(self.GOOD.replace(": d", ": d\re")), ["SE136 3:15"])
        self.assertEqual(places(self.GOOD.removesuffix("\n")), [])

    def test_a_nul_is_an_error_anywhere(self) -> None:
        self.assertEqual(places(self.GOOD.replace("body", "bo\0\0dy")), ["SE109 5:3"])
        self.assertEqual(places(self.GOOD.replace(": d", ": d\0")), ["SE109 3:15"])


class OddCharacters(unittest.TestCase):
    def test_what_is_wrong_depends_on_where_it_stands(self) -> None:
        for character, in_header, in_body in (
            ("\x1b", ["SE136"], ["SE138"]),
            ("\x7f", ["SE136"], ["SE138"]),
            ("\x9f", ["SE136"], []),
            ("\uffff", ["SE136"], []),
            ("\x85", ["SE137"], []),
            ("\u2028", ["SE137"], []),
            ("\u2029", ["SE137"], []),
            ("\u200b", ["SE138"], ["SE138"]),
            ("\u202e", ["SE138"], ["SE138"]),
            ("\u2066", ["SE138"], ["SE138"]),
            ("\ufeff", ["SE138"], ["SE138"]),
            ("\u00ad", ["SE138"], ["SE138"]),
            ("\U000e0041", ["SE138"], ["SE138"]),
            ("\u00a0", [], []),
            ("\u3000", [], []),
            ("\ufe0f", [], []),
            ("\t", [], []),
        ):
            with self.subTest(f"U+{ord(character):04X}"):
                header = with_header(f"a: 'x{character}y'\n")
                self.assertEqual([place.split()[0] for place in places(header)], in_header)
                body = with_header("a: x\n", f"x{character}y\n")
                self.assertEqual([place.split()[0] for place in places(body)], in_body)

    def test_joiners_are_no_finding_where_they_belong(self) -> None:
        for text, expected in (
            ("\U0001f468\u200d\U0001f4bb", 0),
            ("\u2764\ufe0f\u200d\U0001f525", 0),
            ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", 0),
            ("sam\u200dple", 1),
            ("sam\u200cple", 1),
        ):
            with self.subTest(ascii(text)):
                self.assertEqual(len(places(with_header("a: x\n", text))), expected)

    def test_a_run_is_one_finding_with_its_length_and_first_code_point(self) -> None:
        hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "send it")
        (problem,) = read(with_header("a: x\n", f"one\ntwo{hidden}\n"))[1]
        self.assertEqual((problem.line, problem.column), (5, 4))
        self.assertEqual(problem.message, "7 invisible characters from U+E0073 on")

    def test_their_number_is_bounded(self) -> None:
        problems = read(with_header("a: x\n", "a\u200b" * 1000))[1]
        self.assertEqual(len(problems), 10)
        self.assertIn("further ones are not listed", problems[-1].message)


class Hostile(unittest.TestCase):
    """Each of these once made some parser slow, deep or wrong; together they take well under a second."""

    NESTED: ClassVar = {
        "flow": "a: " + "[" * 200 + "]" * 200,
        "flow maps": "a: " + "{b: " * 200 + "}" * 200,
        "unclosed": "a: " + "[" * 100_000,
        "block maps": "\n".join(" " * level + "a:" for level in range(200)) + " b",
        "compact lists": "a:\n  " + "- " * 100_000 + "b",
        "lists": "a:\n" + "\n".join(" " * level + "-" for level in range(1, 200)),
    }
    SIZE = LONGEST_HEADER // 2
    LARGE: ClassVar = {
        "a long word": "a: " + "x" * SIZE,
        "blanks in plain text": "a: b" + " " * SIZE + "c",
        "blanks in double quotes": 'a: "b' + " " * SIZE + '\\n"',
        "blank lines in double quotes": 'a: "b' + " \n" * (SIZE // 2) + '"',
        "escaped blanks": 'a: "' + "\\ " * (SIZE // 2) + '"',
        "an unclosed double quote": 'a: "' + "\\\\" * (SIZE // 2),
        "an unclosed single quote": "a: '" + "''" * (SIZE // 2),
        "colons": "a: " + ":" * SIZE,
        "hashes": "a: b" + " #" * (SIZE // 2),
        "keys": "\n".join(f"k{number}: v" for number in range(10_000)),
        "equal keys": "k: v\n" * (SIZE // 5),
        "items": "a:\n" + "- b\n" * (SIZE // 4),
        "flow items": "a: [" + "b," * (SIZE // 2) + "]",
        "blank lines": "a: b" + "\n" * SIZE,
        "a block of blank lines": "a: |\n" + "  \n" * (SIZE // 3),
        "blocks ever deeper": "".join(f"k{number}: |\n{' ' * number}x\n" for number in range(1, 600)),
        "comments": "#\n" * (SIZE // 2),
        "unclosed quotes": 'k: "\n' * (SIZE // 5),
        "unclosed brackets": "k: [\n" * (SIZE // 5),
    }

    def test_nesting_is_bounded_by_a_limit_of_our_own(self) -> None:
        for title, header in self.NESTED.items():
            with self.subTest(title):
                self.assertEqual([fault.code for fault in parse(header).faults], ["SE133"])
        deepest = "a: " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
        self.assertEqual(parse(deepest).faults, ())

    def test_time_is_linear_in_the_header(self) -> None:
        for title, header in self.LARGE.items():
            with self.subTest(title):
                started = time.process_time()
                read(with_header(f"{header}\n"))
                self.assertLess(time.process_time() - started, 1)

    def test_a_header_that_is_too_long_is_not_parsed(self) -> None:
        self.assertEqual(places(with_header("a: " + "x" * LONGEST_HEADER + "\n")), ["SE118 1:1"])

    def test_no_damage_raises_anything_but_findings(self) -> None:
        random_ = random.Random(7)
        signs = [*" \n\n:#\"'[]{},-?|>&*!%@`\\\t\r\0\x85\u2028\U0001f680", ": ", " #", "- ", "\n  ", "---\n", "\\u12"]
        for case in VALUES:
            for _ in range(20):
                text = with_header(case["header"])
                for _ in range(random_.randint(1, 4)):
                    place = random_.randrange(len(text))
                    text = text[:place] + random_.choice(signs) + text[place + random_.randint(0, 2) :]
                with self.subTest(text):
                    _, problems = read(text)
                    self.assertTrue(all(problem.line and problem.column for problem in problems))


def _listed(problems: tuple[Problem, ...]) -> str:
    lines: list[str] = []
    for problem in problems:
        lines.append(f"{problem.line}:{problem.column}: {problem.severity} {problem.code} {problem.message}")
        lines += [f"hint: {problem.hint}"] if problem.hint else []
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    unittest.main()
