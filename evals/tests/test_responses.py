"""Adapter responses: protocol 1 by the letter, and messages that say nothing they should not."""

import json
import unittest

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.model.protocol import Event, Response
from evals.skill_eval.reading.responses import USAGE_LIMIT, read_response
from evals.tests.suite_folders import documents


def message_of(data: bytes) -> str:
    """Return why `data` is no response."""
    try:
        read_response(data)
    except AdapterError as error:
        return str(error)
    raise AssertionError(f"was read: {data[:60]!r}")


class ResponseTest(unittest.TestCase):
    def test_a_valid_response_is_read_as_it_stands(self) -> None:
        for path in documents("responses/valid"):
            with self.subTest(path.name):
                value = json.loads(path.read_bytes())
                full = {"output": value["output"], "events": value.get("events", []), "usage": value.get("usage", {})}
                self.assertEqual(read_response(path.read_bytes()).to_json(), full)

    def test_an_invalid_response_is_refused_with_the_message_beside_it(self) -> None:
        for folder in ("responses/invalid", "responses/no_json"):
            for path in documents(folder):
                with self.subTest(path.name):
                    expected = path.with_suffix(".txt").read_text(encoding="utf-8")
                    self.assertEqual(message_of(path.read_bytes()) + "\n", expected)

    def test_no_message_shows_an_undocumented_value_or_a_control_character(self) -> None:
        for folder in ("responses/invalid", "responses/no_json"):
            for path in documents(folder):
                with self.subTest(path.name):
                    message = message_of(path.read_bytes())
                    self.assertNotIn("hidden", message)
                    self.assertTrue(message.isprintable(), message)
                    self.assertLess(len(message), 300)

    def test_white_space_around_the_object_is_fine(self) -> None:
        for data in (b'{"output":"x"}', b'\r\n\r\n {"output": "x"}\r\n\r\n', b'{\n  "output":\t"x"\n}\n'):
            with self.subTest(data):
                self.assertEqual(read_response(data), Response("x"))

    def test_bytes_that_are_no_utf_8_json_are_refused(self) -> None:
        good = '{"output": "x"}'
        for data in (
            good.encode("utf-8-sig"),
            good.encode("utf-16"),
            good.encode("utf-32-le"),
            b'{"output": "\xe9"}',
            b'{"output": "\xc0\xaf"}',
            good.encode() + b"\0" * 64,
            b"\xff" * 10_000,
        ):
            with self.subTest(data[:20]):
                message = message_of(data)
                self.assertTrue(message.startswith("the response is no JSON: line 1, column "), message)
                self.assertTrue(message.isprintable(), message)

    def test_deep_and_huge_responses_are_refused_or_read_at_once(self) -> None:
        deep = b'{"output": "x", "usage": {"a": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}"
        self.assertIn("nested deeper than 64 levels", message_of(deep))
        long = b'{"output": "x", "usage": {"a": ' + b"9" * 5_000 + b"}}"
        self.assertIn("a number of 5000 characters", message_of(long))
        events = b",".join([b'{"type": "tick"}'] * 20_000)
        many = read_response(b'{"output": "x", "events": [' + events + b"]}")
        self.assertEqual(many.events, (Event("tick"),) * 20_000)
        self.assertEqual(len(read_response(json.dumps({"output": "\n" * 500_000}).encode()).output), 500_000)

    def test_usage_goes_up_to_a_bound_that_keeps_totals_finite(self) -> None:
        for amount, taken in ((USAGE_LIMIT, True), (USAGE_LIMIT + 1, False), (1e15, True), (1e308, False), (0, True)):
            with self.subTest(amount):
                data = json.dumps({"output": "", "usage": {"cost_usd": amount}}).encode()
                if taken:
                    self.assertEqual(read_response(data).usage, {"cost_usd": amount})
                else:
                    self.assertIn(
                        "usage[`cost_usd`]: expected a number from 0 to 1e+15, found a larger", message_of(data)
                    )

    def test_half_a_secret_is_never_shown(self) -> None:
        self.assertNotIn("b" * 9, message_of(b"warning: the key is sk-" + b"b" * 200))


if __name__ == "__main__":
    unittest.main()
