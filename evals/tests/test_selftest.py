"""The self-test finds each kind of weak check, and leaves good suites alone."""

import json
import unittest

from evals.tests.support import PHRASE, REPOSITORY, Json, RepositoryTest, case, run_cli

GOOD = {"id": "good", "type": "contains", "value": "only a real answer says this"}
EXPECTED = {"expected_output": "Yes: only a real answer says this."}
NEGATIVE = {"id": "n", "type": "not_contains", "value": "forbidden"}
HARMLESS = "I have looked at the request and done what was asked"


class SelfTest(RepositoryTest):
    def codes(self, *cases: Json, body: str = "The body.") -> list[str]:
        """Return the codes that the self-test adds for a suite."""
        self.add_skill(cases=cases, body=body)
        found = json.loads(run_cli("validate", "--self-test", "--repo-root", self.root, "--format", "json").out)
        return sorted(finding["code"] for finding in found["findings"] if finding["code"].startswith("SE4"))

    def test_a_good_suite_has_no_finding(self) -> None:
        self.assertEqual(self.codes(case(1, [GOOD], **EXPECTED), case(2, [GOOD, NEGATIVE], **EXPECTED)), [])

    def test_each_weakness_has_its_code(self) -> None:
        fixture = self.write("skills/sample/evals/fixtures/in.txt", "the pasted fixture line\n")
        self.assertTrue(fixture.is_file())
        other = case(9, [GOOD], **EXPECTED, prompt="Another.")
        in_prompt = {"id": "p", "type": "contains", "value": "please say it"}
        in_skill = {"id": "s", "type": "contains", "value": "vocabulary of the skill"}
        in_fixture = {"id": "f", "type": "contains", "value": "pasted fixture line"}
        sorry = {"id": "r", "type": "regex", "pattern": "can.t help"}
        everywhere = {"id": "e", "type": "regex", "pattern": "^(?!zzzz)"}
        table = {
            "SE402": case(1, [in_prompt], expected_output="please say it"),
            "SE403": case(1, [GOOD], expected_output="something else"),
            "SE404": case(1, [in_skill], expected_output="vocabulary of the skill"),
            "SE405": case(1, [sorry], expected_output="I can't help"),
            "SE406": case(1, [in_fixture], expected_output="pasted fixture line", files=["evals/fixtures/in.txt"]),
            "SE407": case(1, [{"id": "g", "type": "contains", "value": HARMLESS}], expected_output=HARMLESS),
            "SE408": case(1, [GOOD, everywhere], **EXPECTED),
            "SE410": case(1, [GOOD, GOOD | {"id": "again"}], **EXPECTED),
        }
        for code, weak in table.items():
            with self.subTest(code):
                found = self.codes(weak, other, body="The vocabulary of the skill.")
                self.assertIn(code, found)
                self.assertLessEqual(set(found), {code, "SE409"})

    def test_an_answer_of_nothing_that_passes_is_an_error(self) -> None:
        found = self.codes(case(1, [NEGATIVE]), case(2, [GOOD], **EXPECTED))
        self.assertIn("SE401", found)
        self.assertEqual(run_cli("selftest", "--repo-root", self.root).code, 1)

    def test_a_check_that_nothing_passes_is_named(self) -> None:
        impossible = {"id": "i", "type": "regex", "pattern": "b(?<=a)"}
        self.assertIn("SE409", self.codes(case(1, [GOOD, impossible], **EXPECTED)))

    def test_equal_cases_are_named(self) -> None:
        self.assertEqual(self.codes(case(1, [GOOD], **EXPECTED), case(2, [GOOD], **EXPECTED)), ["SE411"])

    def test_a_suite_that_no_baseline_can_fail_is_an_error(self) -> None:
        self.assertIn("SE412", self.codes(case(1, [NEGATIVE], **EXPECTED)))

    def test_a_suite_with_errors_gets_them_said_and_is_not_called_one_without_checks(self) -> None:
        self.add_skill(cases=[case(checks=[{"id": "a", "type": "contains", "value": ""}])])
        broken = run_cli("selftest", "--repo-root", self.root)
        self.assertEqual(broken.code, 1, broken.out + broken.err)
        self.assertIn("evals[0].checks[0].value", broken.out)
        self.add_skill(cases=[case(checks=[])])
        bare = run_cli("selftest", "--repo-root", self.root)
        self.assertEqual(bare.code, 2)
        self.assertIn("no case here has checks", bare.err)

    def test_findings_stand_at_their_case_or_check(self) -> None:
        self.add_skill(cases=[case(1, [GOOD], **EXPECTED), case(2, [GOOD, PHRASE], expected_output="no")])
        ran = run_cli("selftest", "--repo-root", self.root)
        text = (self.root / "skills/sample/evals/evals.json").read_text("utf-8").splitlines()
        places = [int(line.split(":")[1]) for line in ran.out.splitlines() if "SE403" in line]
        self.assertEqual([text[place].strip() for place in places], ['"id": "good",', '"id": "phrase",'])

    def test_paths_of_a_skill_at_the_root_begin_like_every_other(self) -> None:
        skill = self.add_skill(cases=[case(1, [NEGATIVE])])
        out = run_cli("selftest", "--repo-root", skill, "--recursive").out
        self.assertRegex(out, r"(?m)^evals/evals\.json:[0-9]+:[0-9]+: error SE401")

    def test_the_table_shows_which_check_tells_which_answer_apart(self) -> None:
        self.add_skill(cases=[case(1, [GOOD, NEGATIVE], **EXPECTED)])
        out = run_cli("selftest", "--repo-root", self.root).out
        self.assertRegex(out, r"sample +1 +good +5/5 +x +x +x +- +x +x")
        self.assertRegex(out, r"sample +1 +n +0/5")

    def test_before_a_paid_run_the_findings_are_said(self) -> None:
        self.add_skill(cases=[case(1, [NEGATIVE])])
        adapter = self.add_adapter('reply("x")')
        self.assertIn("SE401", self.run_skill(adapter).err)


class Pilots(unittest.TestCase):
    def test_the_shipped_suites_pass_without_an_error(self) -> None:
        ran = run_cli("selftest", "--repo-root", REPOSITORY)
        self.assertEqual(ran.code, 0, ran.out)


if __name__ == "__main__":
    unittest.main()
