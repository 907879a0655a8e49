"""Regular expressions that never end are stopped, and the next search works."""

import time
import unittest

from evals.skill_eval.running.matcher import Matcher


class Searching(unittest.TestCase):
    def test_it_says_what_re_says(self) -> None:
        table = [
            ("plain", "a Plain text", True),
            ("pl.*n", "plain", True),
            ("pl.+n", "pl\nn", False),
            ("é+", "É", True),
        ]
        with Matcher() as search:
            for pattern, text, found in table:
                with self.subTest(pattern=pattern):
                    self.assertIs(search(pattern, text, True), found)
            self.assertIs(search("A+", "a", False), False)

    def test_a_catastrophic_pattern_is_stopped_and_the_next_one_answered(self) -> None:
        bombs = {r"(a+)+$": "a" * 40 + "!", "(a|aa|aaa)" * 18 + "b": "a" * 1000, r"(?=(a|b|ab)*c)d": "ab" * 40}
        with Matcher(bound_seconds=0.2) as search:
            for bomb, text in bombs.items():
                with self.subTest(bomb):
                    start = time.monotonic()
                    self.assertIsNone(search(bomb, text, True))
                    self.assertLess(time.monotonic() - start, 2)
                    self.assertIs(search(r"a+b", "aab", True), True)

    def test_a_lone_surrogate_and_a_megabyte_pass_through(self) -> None:
        with Matcher() as search:
            self.assertIs(search("z{2}\ud83d", "x" * (1 << 20) + "zz\ud83d", True), True)


if __name__ == "__main__":
    unittest.main()
