"""Foreign dialects: every file of `data/dialects` with what is read of it and what is said about it."""

from evals.skill_eval.model.problem import Severity
from evals.skill_eval.model.suite import Dialect
from evals.skill_eval.reading.suites import SuiteReading, read_suite
from evals.skill_eval.reading.triggers import TRIGGER_NAMES
from evals.tests.suite_folders import SuiteFolderTest, documents, finding_text

QUERIES = b'[{"query": "Summarise.", "should_trigger": true}, {"query": "Sing.", "should_trigger": false}]'


class DialectTest(SuiteFolderTest):
    def test_a_foreign_suite_is_read_as_the_text_beside_it_says(self) -> None:
        for path in documents("dialects"):
            with self.subTest(path.name):
                expected = path.with_suffix(".txt").read_text(encoding="utf-8")
                self.assertEqual(reading_text(self.read(path.read_bytes())), expected)

    def test_one_finding_names_the_dialect(self) -> None:
        foreign = 0
        for path in documents("dialects"):
            with self.subTest(path.name):
                reading = self.read(path.read_bytes())
                named = [problem for problem in reading.problems if problem.code == "SE221"]
                is_foreign = reading.suite is not None and reading.suite.dialect is Dialect.FOREIGN
                self.assertLessEqual(len(named), 1)
                self.assertTrue(named or not is_foreign)
                foreign += is_foreign
        self.assertGreater(foreign, 5)

    def test_a_command_is_refused_and_made_into_nothing(self) -> None:
        case = '{"id": 1, "prompt": "Sum up.", "assertions": [{"text": "Runs.", "cmd": "rm -r x"}]}'
        reading = self.read(f'{{"skill_name": "sample", "evals": [{case}]}}')
        self.assertEqual([problem.code for problem in reading.problems if problem.severity != Severity.INFO], ["SE235"])
        assert reading.suite is not None
        self.assertEqual((reading.suite.cases[0].assertions, reading.suite.cases[0].checks), ((), ()))


class TriggerFileTest(SuiteFolderTest):
    def test_a_set_of_its_own_is_a_suite_without_cases_that_is_not_run(self) -> None:
        self.assertEqual(len(TRIGGER_NAMES), 10)
        for name in sorted(TRIGGER_NAMES):
            with self.subTest(name):
                path = self.write(f"evals/{name}", QUERIES)
                reading = read_suite(self.folder, "skills/sample", "sample")
                path.unlink()
                assert reading is not None and reading.suite is not None
                self.assertEqual((reading.suite.dialect, reading.suite.cases), (Dialect.TRIGGERS, ()))
                self.assertEqual(reading.suite.path, path)
                found = [(problem.path, str(problem.severity), problem.message) for problem in reading.problems]
                self.assertEqual(found, [(f"skills/sample/evals/{name}", "info", "trigger set of 2 queries, not run")])

    def test_beside_a_suite_it_is_mentioned(self) -> None:
        self.write("evals/triggers.json", QUERIES)
        case = '{"id": 1, "prompt": "Sum up.", "expected_output": "x"}'
        reading = self.read(f'{{"skill_name": "sample", "evals": [{case}]}}')
        assert reading.suite is not None
        self.assertEqual(len(reading.suite.cases), 1)
        self.assertEqual([problem.code for problem in reading.problems], ["SE222"])

    def test_one_that_cannot_be_read_is_a_warning_since_it_is_not_run(self) -> None:
        for content, code in ((b"[1,]", "SE207"), (b'{"evals": []}', "SE222"), (b"[]", "SE222")):
            with self.subTest(content):
                self.write("evals/triggers.json", content)
                reading = read_suite(self.folder, "skills/sample", "sample")
                assert reading is not None
                found = [(str(problem.severity), problem.code) for problem in reading.problems]
                self.assertEqual(found, [("warning", code)])


def reading_text(reading: SuiteReading) -> str:
    """Return what was read as the data files hold it."""
    lines = [f"dialect: {reading.suite.dialect}"] if reading.suite else ["refused"]
    for case in reading.suite.cases if reading.suite else ():
        lines.append(f"case {case.id!r}: {case.prompt!r} -> {case.expected_output!r}")
        lines += [f"  assertion {text!r}" for text in case.assertions]
        for check in case.checks:
            flags = f"{'' if check.required else ' optional'}{' exact' if check.case_sensitive else ''}"
            lines.append(f"  check {check.id}: {check.type}{flags} {list(check.operands)!r}")
    return "".join(f"{line}\n" for line in lines) + finding_text(reading.problems)
