"""Text of others is harmless on a terminal and in the log of a CI runner."""

import json
import re
import unittest

from evals.skill_eval.reporting.escape import encodable, escape_block, escape_line, escaped_json

DANGEROUS = [
    ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
    ("\x1b]52;c;aGk=\x07", r"\x1b]52;c;aGk=\x07"),
    ("one\ntwo\r\n", r"one\ntwo\r\n"),
    ("a\x00b\x9bc", r"a\x00b\x9bc"),
    ("line\u2028end\x85", r"line\u2028end\x85"),
    ("abc\u202etxt.exe", r"abc\u202etxt.exe"),
    ("zero\u200bwidth\U000e0041", r"zero\u200bwidth\U000e0041"),
    ("\udcff", r"\udcff"),
    ("::error::boo", r"\x3a:error::boo"),
    (" \u2003::stop-commands::x", " \u2003\\x3a:stop-commands::x"),
    ("say ##[error]boo", r"say #\x23[error]boo"),
    ("##vso[task.setvariable]x", r"#\x23vso[task.setvariable]x"),
]
HARMLESS = ["", "plain", "Ünï — 漢字 🚀", "std::vector", "path:3:4: error", "# Title [x]", "## [link](x)", r"C:\new"]


class Lines(unittest.TestCase):
    def test_what_is_dangerous_is_shown_as_an_escape(self) -> None:
        for text, expected in DANGEROUS:
            with self.subTest(text=text):
                self.assertEqual(escape_line(text), expected)

    def test_what_is_harmless_stays_as_it_is(self) -> None:
        for text in HARMLESS:
            with self.subTest(text=text):
                self.assertEqual(escape_line(text), text)

    def test_escaping_twice_is_the_same_as_once(self) -> None:
        for text, expected in DANGEROUS:
            with self.subTest(text=text):
                self.assertEqual(escape_line(expected), expected)

    def test_a_megabyte_of_the_worst_text_takes_no_time(self) -> None:
        for worst in ("#" * 1_000_000, "##a" * 300_000, " " * 1_000_000, ":" * 1_000_000):
            self.assertGreaterEqual(len(escape_line(worst)), len(worst))


class Blocks(unittest.TestCase):
    def test_every_line_of_a_block_is_safe_and_line_breaks_stay(self) -> None:
        block = escape_block("first\r\n::error::x\n\t::warning::y\n##[group]z\n")
        self.assertEqual(block, "first\n\\x3a:error::x\n\\t::warning::y\n#\\x23[group]z\n")
        self.assertFalse([line for line in block.split("\n") if re.match(r"\s*(::|##\[)", line)])

    def test_a_carriage_return_alone_cannot_overwrite_a_line(self) -> None:
        self.assertEqual(escape_block("failed\rpassed"), r"failed\rpassed")


class Json(unittest.TestCase):
    def test_what_is_read_back_is_the_value_but_no_line_is_a_command(self) -> None:
        value = {"##[group]": ["###[error]", "::error::\n\x1b", "# #", 1, None]}
        printed = escaped_json(value)
        self.assertEqual(json.loads(printed), value)
        self.assertTrue(printed.isascii())
        self.assertNotRegex(printed, r"(?m)##|^\s*::|\x1b")


class Encodable(unittest.TestCase):
    def test_only_lone_surrogates_are_replaced(self) -> None:
        self.assertEqual(encodable("a\x1b\n\udcff漢"), "a\x1b\n\\udcff漢")
