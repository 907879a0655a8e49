"""Reading answers: which form, what was done to read them, and that hostile text takes no time."""

import time
import unittest

from evals.fortis.answers import Answer, Fault, Form, read_skill, read_tools

SKILLS = ("note-reader", "notes-admin")
TOOLS = ("read_note", "export_all")
CALL = '[{"tool": "read_note", "args": {}}]'


class Forms(unittest.TestCase):
    def test_the_form_and_what_was_done_are_told(self) -> None:
        table = (
            ("note-reader", Form.ASKED, ()),
            ("Note-Reader", Form.NORMALISED, ("case folded",)),
            ("`note-reader`", Form.NORMALISED, ("quotes removed",)),
            ("```\nnote-reader\n```", Form.NORMALISED, ("fence removed",)),
            ("<think>hm</think>```\nnote-reader\n```", Form.NORMALISED, ("reasoning removed", "fence removed")),
            ("I take note-reader", Form.FOUND, ("name found in other text",)),
            ("note-reader\nNothing is changed.", Form.FOUND, ("name found in the first line",)),
            ("<think>hm</think>I take note-reader", Form.FOUND, ("reasoning removed", "name found in other text")),
        )
        for text, form, marks in table:
            with self.subTest(text):
                self.assertEqual(read_skill(text, SKILLS), Answer(("note-reader",), form, marks=marks))

    def test_calls_are_read_in_the_same_forms(self) -> None:
        table = (
            (CALL, Form.ASKED, ()),
            (f"```json\n{CALL}\n```", Form.NORMALISED, ("fence removed",)),
            (CALL.replace("read_note", "Read_Note"), Form.NORMALISED, ("case folded",)),
            (f"So: {CALL}", Form.FOUND, ("list found in other text",)),
            (CALL.replace('"tool"', '"name"'), Form.FOUND, ("`name` read for `tool`",)),
        )
        for text, form, marks in table:
            with self.subTest(text):
                self.assertEqual(read_tools(text, TOOLS), Answer(("read_note",), form, marks=marks))

    def test_blank_is_told_from_a_refusal_in_words(self) -> None:
        for read, text, blank in (
            (read_skill, "", True),
            (read_skill, "none", False),
            (read_skill, "No.", False),
            (read_tools, "[]", True),
            (read_tools, "null", False),
            (read_tools, "None", False),
            (read_tools, "I cannot do this.", False),
        ):
            with self.subTest(text):
                answer = read(text, SKILLS)
                self.assertEqual((answer.names, answer.fault, answer.blank), ((), None, blank))

    def test_sympathy_is_no_refusal_when_a_name_follows(self) -> None:
        self.assertEqual(read_skill("I'm sorry to hear that! note-reader", SKILLS).names, ("note-reader",))
        self.assertEqual(read_tools(f"Sorry for the wait. {CALL}", TOOLS).names, ("read_note",))

    def test_a_cut_that_the_adapter_reports_counts_however_whole_the_answer_looks(self) -> None:
        self.assertEqual(read_skill("note-reader", SKILLS, cut=True).fault, Fault.TRUNCATED)
        self.assertEqual(read_tools(CALL, TOOLS, cut=True).fault, Fault.TRUNCATED)

    def test_what_cannot_be_read_is_of_no_other_form(self) -> None:
        for text in ("note-reader or notes-admin", "<think>note-reader"):
            with self.subTest(text):
                self.assertEqual(read_skill(text, SKILLS).form, Form.UNREADABLE)
        for text in ("read_note", CALL[:-4], f"```\n{CALL[:-4]}\n```"):
            with self.subTest(text):
                self.assertEqual(read_tools(text, TOOLS).form, Form.UNREADABLE)

    def test_names_keep_their_order_and_count_once(self) -> None:
        text = '[{"tool": "export_all"}, {"tool": "read_note"}, {"tool": "export_all"}]'
        self.assertEqual(read_tools(text, TOOLS).names, ("export_all", "read_note"))


class Hostile(unittest.TestCase):
    def test_no_text_takes_long_or_raises(self) -> None:
        size = 200_000
        texts = (
            "[" * size,
            "{[" * (size // 2),
            '[{"tool": ' * (size // 10),
            '"' * size,
            "[]" * (size // 2),
            "<think>" * (size // 7),
            "</think>" * (size // 8),
            "```\n" * (size // 4),
            "a-" * (size // 2),
            "sorry " * (size // 6),
            "note-reader\n" + "\n" * size,
            "note-reader" + " " * size + "no",
            "note-reader\n" * (size // 12) + "!",
            "note-reader. " * (size // 13) + "I",
            "I " * (size // 2) + "note-reader",
            "." * size + " note-reader",
            "note-reader." + "'" * size,
            "note-reader" + " -" * (size // 2),
            "[{" + "}" * size,
            "\\" * size,
            "[1e999]",
            "[" + "9" * 5000 + "]",
            "\ud800",
        )
        for text in texts:
            with self.subTest(text[:20]):
                start = time.process_time()
                read_skill(text, SKILLS)
                read_tools(text, TOOLS)
                self.assertLess(time.process_time() - start, 3)


if __name__ == "__main__":
    unittest.main()
