"""Strict JSON: what is read, what is refused and where, and how long a hostile text may take."""

import json
import time
import tracemalloc
import unittest

from evals.skill_eval.reading.strict_json import JsonFault, parse
from evals.tests.suite_folders import documents

SYNTHETIC_SUITE = {
    "skill_name": "sample",
    "evals": [
        {
            "id": number,
            "prompt": "Write a status report for the synthetic project Alder.",
            "expected_output": "A report of three lines that names the owner.",
            "assertions": ["The report has three lines."],
            "files": [],
            "checks": [{"id": "heading", "type": "contains", "value": "Status"}],
        }
        for number in range(60)
    ],
}


def fault_of(data: bytes) -> JsonFault:
    """Return why `data` is refused."""
    try:
        parse(data)
    except JsonFault as fault:
        return fault
    raise AssertionError(f"was read: {data[:40]!r}")


class ReadingTest(unittest.TestCase):
    def test_a_valid_document_means_what_the_standard_library_reads(self) -> None:
        for path in documents("json/valid"):
            with self.subTest(path.name):
                text = path.read_bytes()
                self.assertEqual(repr(parse(text).value), repr(json.loads(text.decode())))

    def test_an_invalid_document_is_refused_at_its_place_with_its_message(self) -> None:
        for path in documents("json/invalid"):
            with self.subTest(path.name):
                expected = path.with_suffix(".txt").read_text(encoding="utf-8")
                self.assertEqual(_text(fault_of(path.read_bytes())), expected)

    def test_bytes_that_are_no_utf_8_are_refused_at_their_place(self) -> None:
        text = '{"a": "\u00e9"}\n'
        cases = (
            (b"", 1, 1, "SE205"),
            (b"\xef\xbb\xbf{}", 1, 1, "SE204"),
            (text.encode("utf-16"), 1, 1, "SE203"),
            (text.encode("utf-16-le"), 1, 1, "SE203"),
            (text.encode("utf-16-be"), 1, 1, "SE203"),
            (text.encode("utf-32"), 1, 1, "SE203"),
            (text.encode("utf-32-be"), 1, 1, "SE203"),
            (text.encode("latin-1"), 1, 8, "SE203"),
            ("[1,\r\n \u00e9 ".encode() + b"\xff]", 2, 4, "SE203"),
            (b'"\xc0\xaf"', 1, 2, "SE203"),
            (b'"\xed\xa0\x80"', 1, 2, "SE203"),
            (b"\0" * 64, 1, 1, "SE203"),
            (b"{}" + b"\0" * 64, 1, 3, "SE210"),
            (b'{"a": "\0"}', 1, 8, "SE209"),
        )
        for data, line, column, code in cases:
            with self.subTest(data[:20]):
                fault = fault_of(data)
                self.assertEqual((fault.line, fault.column, fault.code), (line, column, code))

    def test_no_message_holds_a_control_character_or_a_long_text(self) -> None:
        for data in (b'{"\x1b[2J": 1}', b"\x1b[2J", b"{} \x1b]0;x\x07\xe2\x80\xae", b"{" + b"k" * 100_000):
            with self.subTest(data[:20]):
                message = str(fault_of(data))
                self.assertTrue(message.isprintable(), message)
                self.assertLess(len(message), 200)


class PlaceTest(unittest.TestCase):
    TEXT = b'{\n  "a": [1, {"b\\u0063": null}],\r\n  "d": {}\r}\n'

    def test_every_value_and_key_has_its_line_and_column(self) -> None:
        document = parse(self.TEXT)
        cases = (
            ((), False, (1, 1)),
            (("a",), False, (2, 8)),
            (("a",), True, (2, 3)),
            (("a", 0), False, (2, 9)),
            (("a", 0), True, (2, 9)),
            (("a", 1, "bc"), False, (2, 24)),
            (("a", 1, "bc"), True, (2, 13)),
            (("d",), False, (3, 8)),
        )
        for path, key, place in cases:
            with self.subTest(path, key=key):
                self.assertEqual(document.place(path, key=key), place)

    def test_what_does_not_exist_has_the_place_of_what_should_hold_it(self) -> None:
        document = parse(self.TEXT)
        for path, place in (
            (("x",), (1, 1)),
            (("a", 7), (2, 8)),
            (("a", "x"), (2, 8)),
            (("a", 0, "x"), (2, 9)),
            (("d", 0), (3, 8)),
        ):
            with self.subTest(path):
                self.assertEqual(document.place(path), place)

    def test_places_in_a_large_document_cost_one_pass(self) -> None:
        document = parse(json.dumps([{"a": n} for n in range(20_000)], indent=1).encode())
        start = time.process_time()
        self.assertEqual(document.place((19_999, "a")), (60_000, 8))
        for number in range(20_000):
            document.place((number, "a"), key=True)
        self.assertLess(time.process_time() - start, 5)


class HostileTextTest(unittest.TestCase):
    def test_no_text_takes_long_or_breaks_the_reader(self) -> None:
        many_keys = json.dumps({f"key{number}": number for number in range(100_000)}).encode()
        cases = (
            ("100,000 brackets", b"[" * 100_000, "SE214"),
            ("100,000 braces", b'{"a":' * 100_000, "SE214"),
            ("5,000 digits", b"9" * 5_000, "SE213"),
            ("a million digits after the point", b"0." + b"1" * 1_000_000, "SE213"),
            ("10 MB of one string", b'"' + b"a" * 10_000_000 + b'"', None),
            ("10 MB of a string that is not closed", b'"' + b"a" * 10_000_000, "SE211"),
            ("2 MB of escapes", b'"' + b"\\n" * 1_000_000 + b'"', None),
            ("10 MB of escapes that are not closed", b'"' + b"\\n" * 5_000_000, "SE211"),
            ("100,000 keys", many_keys, None),
            ("100,000 spaces", b" " * 100_000 + b"x", "SE206"),
        )
        for name, data, code in cases:
            with self.subTest(name):
                start = time.process_time()
                self.assertEqual(_code(data), code)
                self.assertLess(time.process_time() - start, 2)

    def test_a_text_full_of_escapes_takes_no_more_memory_than_its_own_few_times_over(self) -> None:
        data = b'"' + b"\\n" * (1 << 19) + b'"'
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        parse(data).place(())
        self.assertLess(tracemalloc.get_traced_memory()[1], 16 << 20)

    def test_a_suite_of_20_kilobytes_is_read_in_a_few_milliseconds(self) -> None:
        data = json.dumps(SYNTHETIC_SUITE, indent=2).encode()
        self.assertGreater(len(data), 20_000)
        self.assertLess(min(_seconds(data) for _ in range(5)), 0.02)


def _seconds(data: bytes) -> float:
    start = time.process_time()
    parse(data)
    return time.process_time() - start


def _code(data: bytes) -> str | None:
    try:
        parse(data)
    except JsonFault as fault:
        return fault.code
    return None


def _text(fault: JsonFault) -> str:
    hint = f"    hint: {fault.hint}\n" if fault.hint else ""
    return f"{fault.line}:{fault.column}: {fault.code} {fault}\n{hint}"


if __name__ == "__main__":
    unittest.main()
