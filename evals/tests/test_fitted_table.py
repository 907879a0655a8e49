"""Tables and reports in a terminal: no line is wider than asked, and nothing is lost."""

import re
import unittest

from evals.skill_eval.reporting.document import Entries, Entry, Paragraph, Quoted, Report, Section, Table
from evals.skill_eval.reporting.plain import plain_lines
from evals.skill_eval.reporting.table import fitted_table, table

RATE = "33.3 % (1/3; 6.1 to 79.2)"
WIDE = [
    ["model", *(f"T{at} rate" for at in range(8))],
    *([name, *[f"{name}{at} {RATE}" for at in range(8)]] for name in "abc"),
]


class Fitted(unittest.TestCase):
    def test_a_table_that_fits_is_left_alone(self) -> None:
        rows = [["model", "task"], ["a", "1"], ["b", "1"]]
        self.assertEqual([line.rstrip() for line in table(rows)], fitted_table(rows, 40))

    def test_no_line_is_too_wide_and_every_cell_is_there(self) -> None:
        for width in (40, 60, 100, 150):
            lines = fitted_table(WIDE, width)
            text = "\n".join(lines)
            with self.subTest(width):
                self.assertLessEqual(max(map(len, lines)), width)
                for cell in (cell for row in WIDE for cell in row):
                    self.assertIn(cell, text)

    def test_every_part_begins_with_what_tells_the_rows_apart(self) -> None:
        rows = [["model", "task", *"defgh"], *(["a", task, *[RATE + task] * 5] for task in "1234")]
        parts = "\n".join(fitted_table(rows, 70)).split("\n\n")
        self.assertGreater(len(parts), 1)
        for part in parts:
            self.assertRegex(part, r"^model  task  .*\na      1 .*\na      2 .*\na      3 ")

    def test_columns_that_say_the_same_in_every_row_become_a_sentence(self) -> None:
        rows = [["model", "one", "two", "three"], *([name, RATE, name * 30, RATE] for name in "ab")]
        lines = fitted_table(rows, 60)
        self.assertEqual(lines[-1], f"In every row: one; three: {RATE}.")
        self.assertEqual(lines[0].split(), ["model", "two"])

    def test_one_wide_row_is_turned_on_its_side(self) -> None:
        lines = fitted_table([WIDE[0], WIDE[1]], 60)
        self.assertEqual(lines[:2], ["model    a", f"T0 rate  a0 {RATE}"])
        self.assertEqual(len(lines), 9)

    def test_headings_break_at_spaces_and_underscores(self) -> None:
        rows = [["model", *["sufficient_extra in total"] * 6], *([name, *["1", "2"] * 3] for name in "abc")]
        rows[1][1:] = ["3", "4", "5", "6", "7", "8"]
        self.assertEqual(fitted_table(rows, 90)[1].split()[:2], ["extra", "in"])


class Terminal(unittest.TestCase):
    def setUp(self) -> None:
        """Build a report of long texts."""
        words = "words " * 60
        blocks = (
            Paragraph(words),
            Table(words, tuple(WIDE[0]), tuple(map(tuple, WIDE[1:]))),
            Entries((Entry(words, (("request", Quoted(words)), ("answer", Quoted("x" * 300)))),)),
        )
        self.report = Report(words, (words,), (Section("s", blocks),))

    def test_no_line_is_wider_than_the_terminal_or_100(self) -> None:
        self.assertLessEqual(max(map(len, plain_lines(self.report))), 100)
        for width in (40, 72, 200):
            self.assertLessEqual(max(map(len, plain_lines(self.report, width))), width)
        self.assertLessEqual(max(map(len, plain_lines(self.report, 1))), 40)

    def test_where_a_line_is_broken_no_command_of_a_runner_begins(self) -> None:
        for blanks in range(60, 110):
            text = f"{'a' * blanks} ::error::x ##[group]y {'b' * blanks}::warning::z"
            report = Report("t", (text,), (Section("s", (Paragraph(text), Entries((Entry(text, (("v", text),)),)))),))
            for line in plain_lines(report):
                self.assertIsNone(re.search(r"^\s*::|##\[", line), line)


if __name__ == "__main__":
    unittest.main()
