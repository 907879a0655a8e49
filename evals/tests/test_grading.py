"""The eight check types: for every verdict a case that passes, one that fails and a near miss."""

import re
import unittest

from evals.skill_eval.grading.checks import grade
from evals.skill_eval.model.grading import Grading, Outcome
from evals.skill_eval.model.protocol import Event, Mode
from evals.skill_eval.model.suite import Case, Check, CheckType

LOADED = Event("skill_loaded", "sample")


def search(pattern: str, text: str, ignore_case: bool) -> bool | None:
    """Search without a bound; the pattern `stopped` stands for one that was stopped."""
    return None if pattern == "stopped" else bool(re.search(pattern, text, re.IGNORECASE if ignore_case else 0))


def graded(*checks: Check, output: str = "", mode: Mode = Mode.WITH_SKILL, **outcome: object) -> Grading:
    """Grade one outcome."""
    return grade(Case(1, "prompt", checks=checks), mode, Outcome(output, **outcome), search)  # type: ignore[arg-type]


class Verdicts(unittest.TestCase):
    def test_each_text_check_passes_fails_and_is_not_fooled_by_a_near_miss(self) -> None:
        table = [
            (CheckType.CONTAINS, ("Deny by default",), "we DENY BY DEFAULT here", True),
            (CheckType.CONTAINS, ("Deny by default",), "we deny, by default", False),
            (CheckType.CONTAINS, ("straße",), "STRASSE", True),
            (CheckType.CONTAINS_ALL, ("a1", "b2"), "b2 then A1", True),
            (CheckType.CONTAINS_ALL, ("a1", "b2"), "a1 then b3", False),
            (CheckType.CONTAINS_ANY, ("a1", "b2"), "only b2", True),
            (CheckType.CONTAINS_ANY, ("a1", "b2"), "a b 1 2", False),
            (CheckType.NOT_CONTAINS, ("secret",), "nothing here", True),
            (CheckType.NOT_CONTAINS, ("secret",), "the SECRET", False),
            (CheckType.REGEX, (r"step \d",), "Step 4", True),
            (CheckType.REGEX, (r"a.b",), "a\nb", False),
            (CheckType.REGEX, (r"^two",), "one\ntwo", False),
            (CheckType.NOT_REGEX, (r"\btodo\b",), "todos", True),
            (CheckType.NOT_REGEX, (r"\btodo\b",), "a TODO left", False),
        ]
        for kind, operands, output, expected in table:
            with self.subTest(kind=kind, output=output):
                self.assertIs(graded(Check("c", kind, operands), output=output).results[0].passed, expected)

    def test_case_matters_where_the_check_says_so(self) -> None:
        for kind, operand in ((CheckType.CONTAINS, "WAF"), (CheckType.REGEX, "WA[F]")):
            check = Check("c", kind, (operand,), case_sensitive=True)
            self.assertTrue(graded(check, output="a WAF rule").passed)
            self.assertFalse(graded(check, output="a waf rule").passed)

    def test_a_stopped_pattern_fails_its_check_and_says_why(self) -> None:
        for kind in (CheckType.REGEX, CheckType.NOT_REGEX):
            result = graded(Check("c", kind, ("stopped",)), output="x").results[0]
            self.assertIs(result.passed, False)
            self.assertIn("took too long", result.message)

    def test_a_file_counts_only_at_exactly_its_path(self) -> None:
        check = Check("c", CheckType.FILE_EXISTS, ("out/report.md",))
        self.assertTrue(graded(check, files=frozenset({"out/report.md"})).passed)
        self.assertFalse(graded(check, files=frozenset({"out/Report.md"})).passed)

    def test_only_the_exact_event_proves_a_load(self) -> None:
        check = Check("c", CheckType.LOADED_SKILL, ("sample",))
        other = [Event("skill_loaded", "sample-2"), Event("skill_read", "sample"), Event("skill_loaded")]
        self.assertTrue(graded(check, events=(*other, LOADED)).passed)
        for event in other:
            with self.subTest(event=event):
                self.assertFalse(graded(check, output="I loaded sample", events=(event,)).passed)


class Gates(unittest.TestCase):
    def test_a_diagnostic_check_fails_nothing(self) -> None:
        missing = Check("c", CheckType.CONTAINS, ("x",), required=False)
        self.assertTrue(graded(missing, output="y").passed)
        self.assertIsNone(graded(missing, output="y").comparable)

    def test_loaded_skill_gates_the_skill_and_is_left_out_of_lift_on_both_sides(self) -> None:
        checks = (Check("text", CheckType.CONTAINS, ("x",)), Check("load", CheckType.LOADED_SKILL, ("sample",)))
        baseline = graded(*checks, output="x", mode=Mode.WITHOUT_SKILL)
        self.assertIsNone(baseline.results[1].passed)
        self.assertTrue(baseline.passed)
        skilled = graded(*checks, output="x")
        self.assertFalse(skilled.passed)
        self.assertIs(skilled.comparable, True)

    def test_a_case_that_only_asks_for_a_load_compares_nothing(self) -> None:
        self.assertIsNone(graded(Check("load", CheckType.LOADED_SKILL, ("sample",)), events=(LOADED,)).comparable)


if __name__ == "__main__":
    unittest.main()
