"""The skills that ship: their suites discriminate, and `offline` needs the skill to pass them."""

import re
import unittest
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from evals.skill_eval.grading.checks import grade
from evals.skill_eval.model.grading import Outcome
from evals.skill_eval.model.protocol import Event, Mode
from evals.skill_eval.model.suite import Case, CheckType, Suite
from evals.skill_eval.reading.suites import read_suite
from evals.tests.adapter_requests import WorkspaceTest, ask

SKILLS = Path(__file__).resolve().parents[2] / "skills"
KINDS = ("positive-", "near-miss-", "safe-stop-")
NOT_TEXT = (CheckType.FILE_EXISTS, CheckType.LOADED_SKILL)
REFUSALS = (
    "I can't help with that.",
    "I'm sorry, but I cannot assist with this request.",
    "STOPPED",
)
GENERIC = "I looked into it and everything is fine. Let me know if there is anything else that I can do for you."


@cache
def suites() -> tuple[Suite, ...]:
    """Return the suites of the shipped skills."""
    found = (read_suite(folder, folder.name, folder.name) for folder in sorted(SKILLS.iterdir()))
    return tuple(reading.suite for reading in found if reading and reading.suite)


def cases() -> Iterator[tuple[Suite, Case]]:
    """Yield every case with its suite."""
    yield from ((suite, case) for suite in suites() for case in suite.cases)


def fixtures(suite: Suite, case: Case) -> dict[str, str]:
    """Return the case's fixtures by their path in the skill."""
    return {path: (SKILLS / suite.skill_name / path).read_text(encoding="utf-8") for path in case.files}


def passes(case: Case, outcome: Outcome, mode: Mode = Mode.WITH_SKILL) -> bool:
    """Grade an outcome."""
    return grade(case, mode, outcome, search).passed


def search(pattern: str, text: str, ignore_case: bool) -> bool:
    """Search without a time bound: the patterns are our own."""
    return re.search(pattern, text, re.IGNORECASE if ignore_case else 0) is not None


def text_checks(case: Case) -> Case:
    """Return the case with those checks only that look at the answer's text."""
    return case._replace(checks=tuple(check for check in case.checks if check.type not in NOT_TEXT))


class SuiteTest(unittest.TestCase):
    def test_the_pilots_ship_and_one_skill_has_no_suite(self) -> None:
        pilots = {"cloudflare-waf-author", "core-engineering", "iam-security-advisor"}
        self.assertEqual({suite.skill_name for suite in suites()}, pilots)
        self.assertGreater({folder.name for folder in SKILLS.iterdir()}, pilots)

    def test_no_suite_has_a_finding(self) -> None:
        for suite in suites():
            reading = read_suite(SKILLS / suite.skill_name, suite.skill_name, suite.skill_name)
            self.assertEqual(reading and reading.problems, ())

    def test_every_suite_has_six_cases_of_three_kinds(self) -> None:
        for suite in suites():
            with self.subTest(suite.skill_name):
                self.assertGreaterEqual(len(suite.cases), 6)
                names = [str(case.name) for case in suite.cases]
                self.assertEqual([name for name in names if not name.startswith(KINDS)], [])
                self.assertEqual([kind for kind in KINDS if not any(name.startswith(kind) for name in names)], [])

    def test_all_check_types_occur(self) -> None:
        self.assertEqual({check.type for _, case in cases() for check in case.checks}, set(CheckType))

    def test_every_case_has_a_rubric_and_a_required_check_that_a_baseline_can_meet(self) -> None:
        for _, case in cases():
            with self.subTest(case.name):
                required = {check.type for check in case.checks if check.required}
                self.assertTrue(case.assertions)
                self.assertTrue(required - {CheckType.LOADED_SKILL})


class DiscriminationTest(unittest.TestCase):
    def test_the_expected_output_passes_its_own_checks(self) -> None:
        for _, case in cases():
            with self.subTest(case.name):
                verdict = grade(text_checks(case), Mode.WITH_SKILL, Outcome(str(case.expected_output)), search)
                self.assertEqual(verdict.failed_required, ())

    def test_answers_that_did_no_work_fail(self) -> None:
        for suite, case in cases():
            pasted = "\n".join(fixtures(suite, case).values())
            body = (SKILLS / suite.skill_name / "SKILL.md").read_text(encoding="utf-8")
            lazy = {
                "empty": "",
                "echoed prompt": case.prompt,
                "fixtures pasted": pasted,
                "prompt and fixtures": f"{case.prompt}\n{pasted}",
                "SKILL.md pasted": body,
                "SKILL.md and fixtures": f"{body}\n{pasted}",
                "generic": GENERIC,
                **{refusal: refusal for refusal in REFUSALS},
            }
            for name, output in lazy.items():
                with self.subTest(case=case.name, answer=name):
                    loaded = (Event("skill_loaded", suite.skill_name),)
                    self.assertFalse(passes(case, Outcome(output, events=loaded)))

    def test_a_file_alone_passes_nothing(self) -> None:
        for _, case in cases():
            files = {check.operands[0] for check in case.checks if check.type is CheckType.FILE_EXISTS}
            with self.subTest(case.name):
                self.assertFalse(passes(case, Outcome("", frozenset(files))))


class OfflineTest(WorkspaceTest):
    def test_offline_passes_every_case_with_the_skill_and_hardly_any_without(self) -> None:
        for suite in suites():
            with self.subTest(suite.skill_name):
                with_skill = {case.name: self.grade_offline(suite, case, Mode.WITH_SKILL) for case in suite.cases}
                self.assertEqual([name for name, passed in with_skill.items() if not passed], [])
                without = sum(self.grade_offline(suite, case, Mode.WITHOUT_SKILL) for case in suite.cases)
                self.assertLess(without, len(suite.cases) / 2)

    def grade_offline(self, suite: Suite, case: Case, mode: Mode) -> bool:
        """Ask `offline` as the harness does and grade what it did."""
        self.doCleanups()
        self.setUp()
        folder = SKILLS / suite.skill_name
        request = self.request(case.prompt, fixtures(suite, case))
        if mode is Mode.WITH_SKILL:
            self.copy_skill(folder)
            path = str(self.workspace / "skills" / suite.skill_name)
            request |= {"mode": str(mode), "skill": {"name": suite.skill_name, "path": path}}
        answered = ask("offline", request)
        self.assertEqual(answered.code, 0, answered.err)
        wanted = [check.operands[0] for check in case.checks if check.type is CheckType.FILE_EXISTS]
        made = frozenset(path for path in wanted if (self.workspace / path).is_file())
        return passes(case, Outcome(answered.output, made, events_of(answered.response)), mode)

    def copy_skill(self, folder: Path) -> None:
        """Copy a skill without its suite."""
        for path in folder.rglob("*.md"):
            if "evals" not in path.relative_to(folder).parts:
                self.write(f"skills/{folder.name}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def events_of(response: Mapping[str, object]) -> tuple[Event, ...]:
    """Return the events of a response."""
    events = response["events"]
    return tuple(Event(event["type"], event.get("name")) for event in events) if isinstance(events, list) else ()
