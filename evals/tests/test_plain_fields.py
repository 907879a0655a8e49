"""Plain frontmatter: what the short reader takes it reads as the YAML parser does, and it takes what is plain."""

import unittest
from itertools import product

from evals.skill_eval.reading.plain_fields import parse_plain
from evals.skill_eval.reading.yaml_subset import parse

KEYS = ("name", "allowed-tools", "A_1", "null", "1st", "a b", "a#b", '"q"', "- a", "")
GAPS = (": ", ":", ":  ", ":\t", " : ")
STARTS = ("", "text", '"text', "'text", "- ", "|", "> ", "[", "{", "&a ", "*a", "!t ", "@", "% ", "`", "#", "1", "é")
MIDDLES = ("", " more", "a: b", "a:b", ": ", ":", " #c", "#c", "\\n", '"', "'", "''", "\t", "\xa0", "\x85", "\r", " ")
NEXT = ("", "license: MIT", "name: again", "  more", "# note", "---", "- item", " ")


class Agreement(unittest.TestCase):
    def test_what_is_taken_is_read_as_the_parser_reads_it(self) -> None:
        taken = 0
        for key, gap, start, middle, end, following in product(KEYS, GAPS, STARTS, MIDDLES, ("", '"', "'"), NEXT):
            text = f"{key}{gap}{start}{middle}{end}\n{following}".rstrip("\n") + "\n"
            document = parse_plain(text, 2)
            if document is not None:
                taken += 1
                if document != parse(text, 2):
                    self.fail(f"{text!r} is read as {document}, not as {parse(text, 2)}")
        self.assertGreater(taken, 200)

    def test_plain_headers_are_taken_and_others_left(self) -> None:
        table = {
            "name: a\ndescription: Says what, and when: at http://example.org#x.\n": False,
            "name: a\ndescription: Says what at http://example.org#x, and when.\n": True,
            "name: a\ndescription: \"Says: what\"\nlicense: 'MIT: it'\n": True,
            "name: a\ndescription: yes\n": True,
            'name: a\ndescription: "a \\" b"\n': False,
            "name: a\ndescription: >\n  Folded.\n": False,
            "name: a\nmetadata:\n  key: value\n": False,
            "name: a\nname: b\n": False,
            "": False,
        }
        for text, taken in table.items():
            with self.subTest(text=text):
                self.assertIs(parse_plain(text, 2) is not None, taken)


if __name__ == "__main__":
    unittest.main()
