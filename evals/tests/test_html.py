"""Reports as pages and texts: nothing of a model acts in HTML, Markdown, SVG or a terminal."""

import re
import unittest
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from xml.etree import ElementTree

from evals.skill_eval.reporting.document import (
    Entries,
    Entry,
    Figure,
    Paragraph,
    Quoted,
    Report,
    Section,
    Table,
    shortened,
)
from evals.skill_eval.reporting.html import html_page, html_text
from evals.skill_eval.reporting.markdown import code_span, markdown_page, markdown_text
from evals.skill_eval.reporting.plain import plain_lines
from evals.skill_eval.reporting.svg import Series, bar_chart, radar_chart

HOSTILE = (
    "<script>alert(1)</script>",
    "</script></style></title></svg><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "]]>&lt;b&gt;<!-- -->",
    "[click](javascript:alert(1)) ![pixel](https://evil.example/x.png) @everyone #1",
    "`` ` ``` </code> | cell | https://evil.example",
    "\x1b[31mred\x1b[0m \u202egnp.exe \u200b\x00",
    "line one\n::error::line two\n# heading\n- item\n<b>",
)


def report(text: str) -> Report:
    """Return a report that shows `text` in every place that can hold some."""
    chart = bar_chart(text, [text, "other"], [Series(text, (0.5, None))])
    radar = radar_chart(text, [text, "b", "c"], [Series(text, (0.1, 0.2, 0.3)), Series("some", (None, 0.2, 0.3))])
    blocks = (
        Paragraph(text),
        Table(text, (text, "rate"), ((text, Quoted(text)), (Quoted(text), text))),
        Figure(text, chart),
        Figure(text, radar),
        Entries((Entry(text, ((text, Quoted(text)), ("plain", text))),)),
    )
    return Report(text, (text,), (Section(text, blocks),))


class Pages(unittest.TestCase):
    def test_the_page_has_only_our_own_elements_and_attributes_whatever_it_shows(self) -> None:
        plain = _Elements(html_page(report("harmless")))
        for text in HOSTILE:
            with self.subTest(text):
                page = html_page(report(text))
                self.assertEqual(_Elements(page).found, plain.found)
                self.assertNotRegex(page, r"[\x00-\x08\x1b\u200b\u202e]")

    def test_the_policy_allows_our_style_sheet_and_nothing_else(self) -> None:
        page = html_page(report("x"))
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
        if policy is None or style is None:
            raise AssertionError("no policy or style")
        digest = b64encode(sha256(style[1].encode()).digest()).decode()
        self.assertEqual(
            policy[1],
            f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        )
        self.assertLess(page.index("Content-Security-Policy"), page.index("<style>"))

    def test_the_page_needs_nothing_from_elsewhere(self) -> None:
        page = html_page(report("x"))
        self.assertNotRegex(page, r"<(script|link|img|iframe|object|embed|form|base)\b")
        self.assertNotRegex(page, r"\s(src|style|on\w+)=")
        self.assertEqual(re.findall(r'\shref="([^"]*)"', page), ["#s1"])
        self.assertEqual(set(re.findall(r"https?://[^\"]*", page)), {"http://www.w3.org/2000/svg"})

    def test_links_lead_to_every_section(self) -> None:
        page = html_page(Report("t", (), (Section("One", ()), Section("Two & more", ()))))
        self.assertIn('<li><a href="#s1">One</a></li><li><a href="#s2">Two &amp; more</a></li>', page)
        self.assertEqual(re.findall(r'<h2 id="(s\d)">', page), ["s1", "s2"])
        self.assertLess(page.index("<nav"), page.index("<section"))

    def test_ten_entries_stand_open_and_many_wait_behind_one_line(self) -> None:
        lists = [
            Entries(tuple(Entry(f"e{name}{n}", (("v", "x"),)) for n in range(many)))
            for name, many in (("a", 7), ("b", 30))
        ]
        page = html_page(Report("t", (), (Section("s", tuple(lists)),)))
        opened = re.findall(r"<details open><summary>(\w+)<", page)
        self.assertEqual(opened, [*(f"ea{n}" for n in range(7)), *(f"eb{n}" for n in range(3))])
        self.assertEqual(page.count("<summary>20 more</summary>"), 1)
        self.assertEqual(len(re.findall("<summary>e", page)), 37, "none is lost")
        self.assertLess(page.index("eb9<"), page.index("20 more"))
        self.assertEqual(page.count("<details"), page.count("</details>"))

    def test_text_comes_back_as_it_was(self) -> None:
        for text in ("a < b & c", 'say "no"', "it's", "ünï ✓"):
            with self.subTest(text):
                self.assertEqual(_Elements(f"<p>{html_text(text)}</p>").text, text)


class Charts(unittest.TestCase):
    def test_charts_are_well_formed_whatever_they_are_called(self) -> None:
        for text in HOSTILE:
            with self.subTest(text):
                for block in report(text).sections[0].blocks:
                    if isinstance(block, Figure):
                        ElementTree.fromstring(block.svg)

    def test_a_value_that_was_not_measured_is_said_and_not_drawn_as_0(self) -> None:
        drawn = bar_chart("t", ["a", "b"], [Series("s", (0.0, None))])
        self.assertEqual(drawn.count("not measured"), 1)
        self.assertIn("0.0 %", drawn)
        rings = radar_chart("t", ["a", "b", "c"], [Series("s", (0.5, None, 0.5))])
        self.assertEqual(rings.count("<circle"), 2)
        self.assertEqual(rings.count("<polygon"), 4)

    def test_a_bar_is_as_long_as_its_value(self) -> None:
        drawn = bar_chart("t", ["a"], [Series("s", (1.0,)), Series("half", (0.5,))])
        widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="12"', drawn)]
        full, half = (width for width in widths if width > 12)  # the legend's squares are 12 wide
        self.assertAlmostEqual(full, 2 * half)


class Markdown(unittest.TestCase):
    def test_the_shape_is_the_same_whatever_it_shows(self) -> None:
        plain = markdown_page(report("harmless")).count("\n")
        for text in HOSTILE:
            with self.subTest(text):
                self.assertEqual(markdown_page(report(text)).count("\n"), plain)

    def test_foreign_text_stands_in_a_code_span_that_it_cannot_close(self) -> None:
        for text, expected in (
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            ("", "` `"),
            ("x``", "``` x`` ```"),
            ("two\nlines", "`two\\nlines`"),
        ):
            with self.subTest(text):
                self.assertEqual(code_span(text), expected)

    def test_our_own_text_means_itself(self) -> None:
        self.assertEqual(markdown_text("a_b *c* [d](e) <f> #1 @g"), r"a\_b \*c\* \[d\]\(e\) \<f\> \#1 \@g")

    def test_a_pipe_does_not_end_a_cell(self) -> None:
        rows = [line for line in markdown_page(report("a | b")).splitlines() if line.startswith("| ")]
        for row in rows[2:]:
            with self.subTest(row):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", row)), 3)


class Terminal(unittest.TestCase):
    def test_no_line_is_an_escape_or_a_command_of_a_runner(self) -> None:
        for text in HOSTILE:
            for line in plain_lines(report(text)):
                with self.subTest(line):
                    self.assertNotRegex(line, r"[\x00-\x1f\x7f\u202e\u200b]|^\s*::|##\[")


class Shortening(unittest.TestCase):
    def test_what_is_left_out_is_said(self) -> None:
        whole = Report("t", (), (Section("s", (Entries(tuple(Entry(str(n), ()) for n in range(5))),)),))
        entries, said = shortened(whole, 2).sections[0].blocks
        self.assertEqual(entries, Entries((Entry("0", ()), Entry("1", ()))))
        self.assertEqual(said, Paragraph("3 more are in the HTML and JSON reports."))
        self.assertEqual(shortened(whole, 5), whole)


class _Elements(HTMLParser):
    """The elements of a page with the names of their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


if __name__ == "__main__":
    unittest.main()
