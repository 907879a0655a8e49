"""The findings in every format, read back by real parsers."""

import json
import re
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

from evals.skill_eval.model.problem import Problem, Severity
from evals.skill_eval.model.suite import Case, Check, CheckType, Suite
from evals.skill_eval.reading.rules import RULES
from evals.skill_eval.reading.skill_folders import SkillFolder
from evals.skill_eval.reading.validation import ValidatedSkill, Validation
from evals.skill_eval.reporting.findings import summary, text
from evals.skill_eval.reporting.findings_json import json_text
from evals.skill_eval.reporting.fingerprints import fingerprints
from evals.skill_eval.reporting.github import annotations
from evals.skill_eval.reporting.gitlab import code_quality
from evals.skill_eval.reporting.junit import JUnitCase, JUnitSuite, Verdict, junit
from evals.skill_eval.reporting.junit_findings import junit_findings
from evals.skill_eval.reporting.sarif import sarif

SUITE_FILE = "skills/sample/evals/evals.json"
ERROR = Problem(SUITE_FILE, 12, 17, Severity.ERROR, "SE301", "unknown type `a, b: 100%`", "known: `contains`")
WARNING = Problem("skills/sample/SKILL.md", 3, 1, Severity.WARNING, "SE306", "odd key")
WHOLE_FILE = Problem("skills/other", None, None, Severity.ERROR, "SE302", "empty")
INFO = Problem("tmp", None, None, Severity.INFO, "SE311", "skipped")
HOSTILE = Problem(
    "skills/a\n::error::b, c:%\udcff#é/SKILL.md",
    1,
    1,
    Severity.WARNING,
    "SE306",
    "\x1b[31m\n::error::x\r##[group]\x00\ud800\ufffe</failure>",
    "::notice::y\u2028",
)
ALL = (HOSTILE, WHOLE_FILE, WARNING, ERROR, INFO)


def checked(name: str, *problems: Problem, suite: Suite | None = None) -> ValidatedSkill:
    """Return a skill folder as if it had been read."""
    folder = SkillFolder(Path("/repository/skills") / name, f"skills/{name}", True)
    return ValidatedSkill(folder, None, suite, suite is not None, len(suite.cases) if suite else 0, problems)


def validation() -> Validation:
    """Return a validation with a clean skill, one with findings, and findings elsewhere."""
    check = Check("c", CheckType.CONTAINS, ("x",))
    suite = Suite("clean", Path("evals.json"), (Case(1, "p", checks=(check,)), Case(2, "p")))
    skills = (checked("clean", suite=suite), checked("sample", WARNING, ERROR))
    return Validation(Path("/repository"), skills, (HOSTILE, WHOLE_FILE, INFO))


def dangerous_lines(printed: str) -> list[str]:
    """Return the lines with a control character, and those that a CI runner would obey."""
    lines = printed.split("\n")
    return [line for line in lines if re.search(r"[\x00-\x1f\x7f-\x9f]|\A\s*::|##\[", line)]


class Lines(unittest.TestCase):
    def test_a_finding_is_a_line_with_its_place_and_the_hint_below(self) -> None:
        lines = text(validation()).split("\n")
        self.assertIn(f"{SUITE_FILE}:12:17: error SE301 unknown type `a, b: 100%`", lines)
        after = lines.index("skills/other: error SE302 empty") + 1
        self.assertEqual(lines[after], f"{WARNING.path}:3:1: warning SE306 odd key")
        self.assertIn("  hint: known: `contains`", lines)

    def test_the_last_line_alone_counts(self) -> None:
        *findings, last = text(validation()).split("\n")
        self.assertEqual(last, "2 skills, 1 suite, 1 of 2 cases runnable, 2 errors, 2 warnings")
        self.assertEqual(last, summary(validation()))
        self.assertFalse([line for line in findings if "runnable" in line])

    def test_nothing_that_a_file_holds_reaches_terminal_or_runner(self) -> None:
        self.assertEqual(dangerous_lines(text(validation())), [])
        leading = HOSTILE._replace(path="::error::a")
        self.assertEqual(dangerous_lines(text(Validation(Path("/r"), (), (leading,)))), [])


class Json(unittest.TestCase):
    def test_it_holds_the_counts_and_every_finding_in_order(self) -> None:
        document = json.loads(json_text(validation()))
        self.assertEqual(document["tool"]["name"], "skill-eval")
        self.assertEqual(
            document["summary"],
            {"skills": 2, "suites": 1, "cases": 2, "runnable_cases": 1, "errors": 2, "warnings": 2, "infos": 1},
        )
        self.assertEqual([row["code"] for row in document["findings"]], [p.code for p in validation().problems])
        row = next(row for row in document["findings"] if row["code"] == "SE301")
        self.assertEqual(
            row,
            {
                "code": "SE301",
                "severity": "error",
                "message": ERROR.message,
                "path": SUITE_FILE,
                "line": 12,
                "column": 17,
                "hint": ERROR.hint,
            },
        )

    def test_it_is_ascii_text_that_strict_readers_take(self) -> None:
        printed = json_text(validation())
        self.assertTrue(printed.isascii())
        self.assertEqual(dangerous_lines(printed), [])
        json.dumps(json.loads(printed), ensure_ascii=False).encode()  # raises on a lone surrogate


def decoded(value: str) -> str:
    """Undo the escapes of a workflow command, as a runner does."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        value = value.replace(code, character)
    return value


class GitHub(unittest.TestCase):
    def test_errors_come_first_because_only_ten_are_shown(self) -> None:
        kinds = [line.split(" ")[0] for line in annotations(ALL)]
        self.assertEqual(kinds, ["::error", "::error", "::warning", "::warning", "::notice"])

    def test_properties_and_message_are_what_was_meant_after_decoding(self) -> None:
        (line,) = annotations([ERROR])
        match = re.fullmatch(r"::error ([^:]*)::(.*)", line)
        assert match is not None
        properties = dict(pair.split("=", 1) for pair in match[1].split(","))
        self.assertEqual(
            {key: decoded(value) for key, value in properties.items()},
            {"file": SUITE_FILE, "line": "12", "col": "17", "title": f"SE301 {RULES['SE301'].title}"},
        )
        self.assertEqual(decoded(match[2]), f"{ERROR.message}\nhint: {ERROR.hint}")

    def test_a_finding_about_a_whole_folder_names_no_line(self) -> None:
        (line,) = annotations([WHOLE_FILE])
        self.assertTrue(line.startswith("::error file=skills/other,title=SE302 "), line)

    def test_a_hostile_name_stays_one_command_with_one_file(self) -> None:
        (line,) = annotations([HOSTILE])
        self.assertNotRegex(line, r"[\x00-\x1f\x7f-\x9f]|##\[")
        match = re.fullmatch(r"::warning file=([^,:]*),line=1,col=1,title=[^:]*::.*", line)
        assert match is not None
        self.assertEqual(decoded(match[1]), r"skills/a\n::error::b, c:%\udcff#é/SKILL.md")


class Sarif(unittest.TestCase):
    def run_of(self, problems: Sequence[Problem]) -> Any:
        """Return the only run of the document."""
        document = json.loads(sarif(problems))
        self.assertEqual(document["version"], "2.1.0")
        self.assertEqual(document["$schema"], "https://json.schemastore.org/sarif-2.1.0.json")
        (run,) = document["runs"]
        return run

    def test_without_findings_there_is_an_empty_list_of_results(self) -> None:
        self.assertEqual(self.run_of(())["results"], [])

    def test_every_rule_is_described_and_every_result_points_to_its_own(self) -> None:
        run = self.run_of(ALL)
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual([rule["id"] for rule in rules], sorted(RULES))
        for rule in rules:
            texts = [rule[key]["text"] for key in ("shortDescription", "fullDescription", "help")]
            self.assertTrue(all(texts), rule["id"])
        for result, problem in zip(run["results"], ALL, strict=True):
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual(result["ruleId"], problem.code)

    def test_levels_and_places_are_those_of_the_findings(self) -> None:
        results = self.run_of((ERROR, WARNING, INFO))["results"]
        self.assertEqual([result["level"] for result in results], ["error", "warning", "note"])
        places = [result["locations"][0]["physicalLocation"] for result in results]
        self.assertEqual(places[0]["region"], {"startLine": 12, "startColumn": 17})
        self.assertEqual(places[2]["region"], {"startLine": 1})
        self.assertEqual(places[0]["artifactLocation"], {"uri": SUITE_FILE})

    def test_paths_are_relative_references_that_decode_to_the_bytes_of_the_name(self) -> None:
        for path in (HOSTILE.path, "skills/mit leer/ü.md", "skills/a:b?c#d%20/SKILL.md"):
            (result,) = self.run_of((ERROR._replace(path=path),))["results"]
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertRegex(uri, r"\A[A-Za-z0-9._~%/-]+\Z")
            self.assertEqual(unquote_to_bytes(uri), path.encode("utf-8", "surrogateescape"))

    def test_a_path_outside_of_the_repository_is_a_file_uri(self) -> None:
        (result,) = self.run_of((ERROR._replace(path="/elsewhere/a b"),))["results"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertEqual(uri, "file:///elsewhere/a%20b")


class Fingerprints(unittest.TestCase):
    def test_they_stay_when_lines_and_numbers_move(self) -> None:
        moved = ERROR._replace(line=99, column=1, message="unknown type `a, b: 7%`")
        self.assertEqual(fingerprints([ERROR]), fingerprints([moved]))

    def test_they_differ_for_other_findings_and_for_the_same_one_twice(self) -> None:
        others = [ERROR._replace(path="x"), ERROR._replace(code="SE302"), ERROR._replace(message="m"), ERROR, ERROR]
        digests = fingerprints([ERROR, *others])
        self.assertEqual(len(set(digests)), len(digests))

    def test_sarif_and_gitlab_carry_them(self) -> None:
        digests = fingerprints(ALL)
        results = json.loads(sarif(ALL))["runs"][0]["results"]
        hashes = [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]
        self.assertEqual(hashes, [f"{digest}:1" for digest in digests])
        self.assertEqual([row["fingerprint"] for row in json.loads(code_quality(ALL))], digests)


class GitLab(unittest.TestCase):
    def test_each_finding_is_a_row_with_all_that_gitlab_needs(self) -> None:
        rows = json.loads(code_quality((ERROR, WARNING, INFO)))
        self.assertEqual([row["severity"] for row in rows], ["major", "minor", "info"])
        self.assertEqual([row["check_name"] for row in rows], ["SE301", "SE306", "SE311"])
        self.assertEqual(rows[0]["location"], {"path": SUITE_FILE, "lines": {"begin": 12}})
        self.assertEqual(rows[2]["location"], {"path": "tmp", "lines": {"begin": 1}})
        self.assertEqual(rows[0]["description"], f"{ERROR.message}\nhint: {ERROR.hint}")

    def test_no_finding_is_an_empty_list(self) -> None:
        self.assertEqual(json.loads(code_quality(())), [])


def parsed(document: str) -> ElementTree.Element:
    """Parse JUnit XML the way a CI server does: from bytes."""
    return ElementTree.fromstring(document.encode("ascii"))


class JUnit(unittest.TestCase):
    def test_a_clean_skill_shows_as_passed_and_an_error_as_failed(self) -> None:
        root = parsed(junit_findings(validation()))
        suites = {suite.get("name"): suite for suite in root}
        self.assertEqual([case.get("name") for case in suites["skills/clean"]], ["no errors"])
        self.assertEqual(len(suites["skills/clean"][0]), 0)
        self.assertEqual([case.get("name") for case in suites["tmp"]], ["SE311 skipped"])
        warning, error = suites["skills/sample"]
        self.assertEqual([child.tag for child in (*warning, *error)], ["skipped", "failure"])
        self.assertEqual(error.get("file"), SUITE_FILE)
        self.assertEqual(error.get("line"), "12")
        self.assertEqual(error[0].get("message"), ERROR.message)
        self.assertIn(f"{ERROR.message}\n{SUITE_FILE}:12:17: error SE301", error[0].text or "")

    def test_the_totals_are_those_of_the_cases(self) -> None:
        for element in (parsed(junit_findings(validation())), *parsed(junit_findings(validation()))):
            cases = list(element.iter("testcase"))
            self.assertEqual(int(element.get("tests", "")), len(cases))
            self.assertEqual(int(element.get("failures", "")), len(list(element.iter("failure"))))
            self.assertEqual(int(element.get("skipped", "")), len(list(element.iter("skipped"))))
            self.assertEqual(int(element.get("errors", "")), len(list(element.iter("error"))))

    def test_no_two_cases_share_classname_and_name(self) -> None:
        skill = checked("sample", ERROR, ERROR._replace(line=13), ERROR._replace(line=14))
        twice = Validation(Path("/r"), (skill,), ())
        names = [(case.get("classname"), case.get("name")) for case in parsed(junit_findings(twice)).iter("testcase")]
        self.assertEqual(len(set(names)), 3)
        self.assertTrue(str(names[2][1]).endswith(" (3)"))

    def test_text_of_others_survives_as_legal_xml_that_no_runner_obeys(self) -> None:
        worst = "".join(map(chr, range(0x20))) + "\x7f\x9f\ud800\ufffe\uffff]]>&<é🚀"
        hostile = f"{worst}\n::error::x\n##[group]"
        case = JUnitCase(hostile, hostile, Verdict.ERROR, hostile, hostile, hostile, hostile, 1, 0.5, hostile)
        document = junit(hostile, [JUnitSuite(hostile, (case,))])
        self.assertEqual(dangerous_lines(document.replace("\t", "")), [])
        element = next(parsed(document).iter("testcase"))
        self.assertEqual([child.tag for child in element], ["error", "system-out"])
        self.assertIn("]]>&<é🚀", element[1].text or "")
        self.assertIn(r"\x1b", element.get("name", ""))

    def test_times_are_added_up(self) -> None:
        cases = (JUnitCase("c", "a", seconds=1.25), JUnitCase("c", "b", seconds=2.5), JUnitCase("c", "untimed"))
        root = parsed(junit("run", [JUnitSuite("s", cases)]))
        self.assertEqual((root.get("time"), root[0].get("time"), root[0][0].get("time")), ("3.750", "3.750", "1.250"))
