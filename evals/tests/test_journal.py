"""The journal keeps what is whole, and forgets what a kill cut."""

import tempfile
import unittest
from pathlib import Path

from evals.skill_eval.artifacts.journal import NAME, Journal
from evals.skill_eval.errors import SkillEvalError
from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.model.trial import Failure, TrialKey

GRADED = TrialRecord(
    TrialKey("sample", "a-1", 2, Mode.WITH_SKILL),
    0.25,
    Grading((CheckResult("c", CheckType.REGEX, True, None, "line\nbreak é"),)),
    usage={"input_tokens": 3, "cost_usd": 0.5},
    loaded=True,
    telemetry=False,
)
ERRORED = TrialRecord(TrialKey("sample", 1, 1, Mode.WITHOUT_SKILL), 1.5, failure=Failure("timeout", "slow"))


class Journals(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.journal = Journal(Path(folder) / NAME)

    def test_records_come_back_as_they_were(self) -> None:
        self.assertEqual(self.journal.records(), ())
        for record in (GRADED, ERRORED):
            self.journal.append(record)
        self.assertEqual(self.journal.records(), (GRADED, ERRORED))

    def test_a_later_line_of_a_trial_replaces_the_earlier(self) -> None:
        retried = TrialRecord(ERRORED.key, 0.1, GRADED.grading)
        for record in (ERRORED, GRADED, retried):
            self.journal.append(record)
        self.assertEqual(self.journal.records(), (retried, GRADED))

    def test_a_cut_line_does_not_count_and_repair_lets_the_next_one_stand(self) -> None:
        self.journal.append(GRADED)
        whole = self.journal.path.read_bytes()
        for cut in (1, len(whole) // 2, len(whole) - 1):
            with self.subTest(cut=cut):
                self.journal.path.write_bytes(whole + whole[:cut])
                self.assertEqual(self.journal.records(), (GRADED,))
                self.journal.repair()
                self.journal.append(ERRORED)
                self.assertEqual(self.journal.records(), (GRADED, ERRORED))

    def test_a_foreign_line_is_named(self) -> None:
        self.journal.append(GRADED)
        for line in (b"nonsense\n", b"[]\n", b'{"skill": "x"}\n'):
            with self.subTest(line=line):
                self.journal.path.write_bytes(line)
                with self.assertRaisesRegex(SkillEvalError, "journal.jsonl:1"):
                    self.journal.records()


if __name__ == "__main__":
    unittest.main()
