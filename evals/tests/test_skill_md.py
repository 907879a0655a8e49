"""SKILL.md: which files are read, what is said of their fields and their body, and what record they become."""

import contextlib
import json
import os
import socket
import unittest
from collections.abc import Callable
from pathlib import Path

from evals.skill_eval.model.problem import Severity
from evals.skill_eval.reading.skill_md import LARGEST_FILE_BYTES, SkillReading, read_skill
from evals.tests.support import RepositoryTest, as_ordinary_user

VERDICTS = Path(__file__).parent / "data" / "frontmatter" / "verdicts.json"
DESCRIPTION = "description: Formats a report. Use when one is asked for.\n"


class SkillTest(RepositoryTest):
    """A repository in which one SKILL.md after the other is written."""

    def read(self, text: str | bytes, folder: str = "sample", *, match_directory: bool = True) -> SkillReading:
        """Write a SKILL.md and read it."""
        path = self.write(f"skills/{folder}/SKILL.md", text)
        return read_skill(path.parent, f"skills/{folder}", match_directory=match_directory)

    def places(self, text: str | bytes, folder: str = "sample") -> list[str]:
        """Return code and place of each finding."""
        problems = self.read(text, folder).problems
        return [f"{problem.code} {problem.line}:{problem.column}" for problem in problems]

    def field_codes(self, lines: str, folder: str = "sample") -> list[str]:
        """Return the codes for a skill with these fields beside a good name and description."""
        name = "" if "name:" in lines.split() else f"name: {folder}\n"
        description = "" if "description:" in lines.split() else DESCRIPTION
        problems = self.read(f"---\n{name}{description}{lines}\n---\n", folder).problems
        return sorted({problem.code for problem in problems})

    def body_places(self, body: str) -> list[str]:
        """Return code and place of each finding for a good header, of five lines, with this body."""
        return self.places(f"---\nname: sample\n{DESCRIPTION}license: MIT\n---\n{body}")


class Verdicts(SkillTest):
    def test_verdicts_warnings_and_properties_are_those_of_the_cases(self) -> None:
        cases = json.loads(VERDICTS.read_text(encoding="utf-8"))
        self.assertGreater(len(cases), 100)
        for case in cases:
            with self.subTest(case["id"], why=case["why"]):
                self._check(case, f"{case['id']}/{case['directory']}")

    def _check(self, case: dict[str, object], folder: str) -> None:
        files = {**_texts(case.get("other_files")), **_texts({case["file"]: case["text"]} if case["text"] else {})}
        for name, text in files.items():
            self.write(f"skills/{folder}/{name}", text)
        reading = read_skill(self.root / "skills" / folder, f"skills/{folder}")
        severities = {problem.severity for problem in reading.problems}
        self.assertEqual("invalid" if Severity.ERROR in severities else "valid", case["verdict"])
        if case["warning"]:
            self.assertIn(Severity.WARNING, severities)
        if case["properties"]:
            self.assertEqual(reading.skill and reading.skill.properties, case["properties"])


class Files(SkillTest):
    GOOD = f"---\nname: sample\n{DESCRIPTION}---\n"

    def codes_of_folder(self) -> list[tuple[str, str]]:
        """Return path and code of each finding about `skills/sample`."""
        problems = read_skill(self.root / "skills/sample", "skills/sample").problems
        return [(problem.path, problem.code) for problem in problems]

    def test_a_folder_without_the_file(self) -> None:
        self.write("skills/sample/README.md", "x")
        self.assertEqual(self.codes_of_folder(), [("skills/sample/SKILL.md", "SE101")])

    def test_another_spelling_is_named_and_read_all_the_same(self) -> None:
        self.write("skills/sample/Skill.md", self.GOOD + "[x](missing.md)")
        self.assertEqual(
            self.codes_of_folder(), [("skills/sample/Skill.md", "SE102"), ("skills/sample/Skill.md", "SE186")]
        )

    def test_of_two_spellings_the_right_one_counts(self) -> None:
        if (self.write("skills/sample/skill.md", "nothing").parent / "SKILL.md").exists():
            self.skipTest("this file system ignores case")
        self.write("skills/sample/SKILL.md", self.GOOD)
        self.assertEqual(self.codes_of_folder(), [("skills/sample/SKILL.md", "SE112")])

    @unittest.skipUnless(hasattr(os, "mkfifo"), "a system without named pipes")
    def test_what_is_no_regular_file_is_never_opened(self) -> None:
        path = self.root / "skills/sample/SKILL.md"
        target = self.write("skills/good/SKILL.md", self.GOOD)
        server = self.enterContext(socket.socket(socket.AF_UNIX))
        makers: tuple[tuple[str, Callable[[], object]], ...] = (
            ("a folder", path.mkdir),
            ("a named pipe", lambda: os.mkfifo(path)),
            ("a socket", lambda: server.bind(path.name)),
            ("a link", lambda: path.symlink_to(target)),
            ("a link", lambda: path.symlink_to("nowhere")),
            ("a link", lambda: path.symlink_to("SKILL.md")),
        )
        path.parent.mkdir()
        self.enterContext(contextlib.chdir(path.parent))  # the address of a socket has 107 bytes at most
        for what, make in makers:
            with self.subTest(what):
                make()
                (problem,) = read_skill(path.parent, "skills/sample").problems
                self.assertEqual(problem.code, "SE103")
                self.assertIn(what, problem.message)
            (path.rmdir if path.is_dir() else path.unlink)()

    @unittest.skipIf(os.name != "posix", "modes are POSIX")
    def test_a_file_that_may_not_be_read(self) -> None:
        self.write("skills/sample/SKILL.md", self.GOOD).chmod(0)
        with as_ordinary_user(self.root.parent):
            self.assertEqual(self.codes_of_folder(), [("skills/sample/SKILL.md", "SE104")])

    def test_a_folder_that_is_not_there(self) -> None:
        self.assertEqual(self.codes_of_folder(), [("skills/sample/SKILL.md", "SE104")])

    def test_a_file_that_is_too_large(self) -> None:
        self.assertEqual(self.places(self.GOOD.ljust(LARGEST_FILE_BYTES)), [])
        self.assertEqual(self.places(self.GOOD.ljust(LARGEST_FILE_BYTES + 1)), ["SE105 None:None"])

    def test_a_skill_at_the_root_of_the_repository(self) -> None:
        self.write("SKILL.md", "---\nname: other\n---\n")
        reading = read_skill(self.root, ".", match_directory=False)
        self.assertEqual([(problem.path, problem.code) for problem in reading.problems], [("SKILL.md", "SE165")])


class Records(SkillTest):
    def test_a_good_file_becomes_a_record(self) -> None:
        reading = self.read(
            "---\nname: sample\ndescription: >\n  Formats\n  reports.\nmetadata:\n  version: 1.0\n  tags: [a, b]\n---\n"
            "\n# Sample\n"
        )
        skill = reading.skill
        self.assertIsNotNone(skill)
        if skill is None:
            return
        self.assertEqual((skill.name, skill.description), ("sample", "Formats reports."))
        self.assertEqual(skill.directory, self.root / "skills/sample")
        self.assertEqual((skill.body, skill.body_line), ("\n# Sample\n", 10))
        self.assertEqual(
            skill.properties,
            {
                "name": "sample",
                "description": "Formats reports.",
                "metadata": {"version": "1.0", "tags": ["a", "b"]},
            },
        )

    def test_errors_leave_a_record_as_long_as_name_and_description_can_be_used(self) -> None:
        for header, usable in (
            ("name: other\ndescription: d\n", True),
            ("name: Other\ndescription: d\nlicense: @\n", True),
            ("name: sample\ndescription: d\nname: twin\n", True),
            ("name: ../other\ndescription: d\n", False),
            ("name: -other\ndescription: d\n", False),
            ("name: [sample]\ndescription: d\n", False),
            ("name: sample\ndescription: ''\n", False),
            ("name: sample\ndescription: one: two\n", False),
            ("description: d\n", False),
        ):
            with self.subTest(header):
                reading = self.read(f"---\n{header}---\n")
                self.assertEqual(reading.skill is not None, usable)
                self.assertTrue(reading.problems)

    def test_without_a_folder_to_match_any_name_will_do(self) -> None:
        self.assertEqual(self.read(f"---\nname: other\n{DESCRIPTION}---\n", match_directory=False).problems, ())


class SevenFaults(SkillTest):
    def test_seven_faults_are_found_in_one_pass_with_their_lines(self) -> None:
        text = (
            "---\nname: My--Skill\ndescription: ''\nallowed-tools: [Read, Grep]\nflavour: sweet\n---\n"
            "\nSee [the guide](references/guide.md).\n"
        )
        self.assertEqual(
            self.places(text),
            [
                "SE157 2:7",  # upper case
                "SE160 2:7",  # two hyphens
                "SE161 2:7",  # not the folder's name
                "SE167 3:14",  # empty description
                "SE178 4:16",  # a list of tools
                "SE180 5:1",  # an unknown field
                "SE186 8:17",  # a dead link
            ],
        )


class Names(SkillTest):
    def test_names_in_a_folder_of_the_same_name(self) -> None:
        for name, expected in (
            ("pdf-tools", []),
            ("3d-print", []),
            ("a" * 64, []),
            ("a" * 65, ["SE156"]),
            ("PDF-Tools", ["SE157"]),
            ("two words", ["SE158"]),
            ("a_b.c", ["SE158"]),
            ("-a", ["SE159"]),
            ("a-", ["SE159"]),
            ("a--b", ["SE160"]),
            ("-A--b_-", ["SE157", "SE158", "SE159", "SE160"]),
            ("stra\u00dfe", ["SE163"]),
            ("\u6280\u80fd", ["SE163"]),
            ("caf\u00e9", ["SE163"]),
            ("\u041d\u0410", ["SE157"]),
            ("x\u00b2", ["SE162"]),
            ("\uff44emo", ["SE162"]),
            ("demo\u2010skill", ["SE158"]),
            ("demo\u200b", ["SE138", "SE158"]),
        ):
            with self.subTest(name):
                self.assertEqual(self.field_codes(f'name: "{name}"', name), expected)

    def test_names_that_yaml_takes_for_something_else(self) -> None:
        for text, expected in (
            ("123", ["SE152"]),
            ("1e3", ["SE152"]),
            ("true", ["SE152"]),
            ("null", ["SE152"]),
            ("2024-01-02", ["SE152"]),
            ("no", ["SE153"]),
            ("On", ["SE153", "SE157"]),
            ("nope", []),
        ):
            with self.subTest(text):
                self.assertEqual(self.field_codes(f"name: {text}", text), expected)
                self.assertEqual(self.field_codes(f"name: '{text}'", text), [] if text != "On" else ["SE157"])

    def test_names_that_are_none(self) -> None:
        for lines, expected in (
            ("name:", ["SE154"]),
            ("name: ''", ["SE154"]),
            ("name: '  '", ["SE154"]),
            ("name: [sample]", ["SE151"]),
            ("name:\n  a: sample", ["SE151"]),
            ("name: ' sample '", ["SE155"]),
            ("name: >\n  sample", []),
            ("name: '~'", ["SE158", "SE161"]),
            ("name: ~", ["SE152", "SE158", "SE161"]),
            ("name: other", ["SE161"]),
            ("name: ../sample", ["SE158", "SE161"]),
        ):
            with self.subTest(lines):
                self.assertEqual(self.field_codes(lines), expected)

    def test_composed_and_decomposed_letters_are_the_same_name(self) -> None:
        self.assertEqual(self.field_codes("name: caf\u00e9", "cafe\u0301"), ["SE163"])
        self.assertEqual(self.field_codes("name: cafe\u0301", "caf\u00e9"), ["SE163"])

    def test_a_name_that_is_missing_is_not_missing_when_its_line_is_broken(self) -> None:
        self.assertEqual(self.places(f"---\n{DESCRIPTION}---\n"), ["SE150 1:1"])
        self.assertEqual(self.places(f"---\nname: @x\n{DESCRIPTION}---\n"), ["SE122 2:7"])
        self.assertEqual(self.places("# No header\n"), ["SE113 1:1"])


class Fields(SkillTest):
    def test_values_of_every_field(self) -> None:
        for lines, expected in (
            ("description:", ["SE167"]),
            ("description: '  '", ["SE167"]),
            ("description: |\nlicense: MIT", ["SE167"]),
            ("description: null", ["SE152"]),
            ("description: 42", ["SE152"]),
            ("description: yes", ["SE152"]),
            ("description: '42'", []),
            ("description: [d]", ["SE166"]),
            (f"description: {'x' * 1024}", []),
            (f"description: {'x' * 1025}", ["SE168"]),
            ("description: " + "\u00e9" * 1024, []),
            ("description: " + "\U0001f680" * 512, []),
            ("description: " + "\U0001f680" * 513, ["SE169"]),
            (f"description: |\n  {'x' * 1024}", []),
            ("description: Makes <b>bold</b> text", ["SE170"]),
            ("description: for a < b and c > d", []),
            ('description: "bell \\a"', ["SE171"]),
            ('description: "line\\nbreak\\t"', []),
            ("license: Apache-2.0", []),
            ("license: 1.0", ["SE182"]),
            ("license:", ["SE182"]),
            ("license: [MIT]", ["SE172"]),
            ("compatibility: Needs git", []),
            (f"compatibility: {'x' * 500}", []),
            (f"compatibility: {'x' * 501}", ["SE174"]),
            ("compatibility:", ["SE174"]),
            ("compatibility: 3.14", ["SE182"]),
            ("compatibility: {python: '3'}", ["SE173"]),
            ("metadata: {a: b, c: '1'}", []),
            ("metadata: {}", []),
            ("metadata:", ["SE177"]),
            ("metadata: text", ["SE175"]),
            ("metadata: [a]", ["SE175"]),
            ("metadata:\n  a: 1.0", ["SE176"]),
            ("metadata:\n  a:", ["SE176"]),
            ("metadata:\n  1: a", ["SE176"]),
            ("metadata:\n  a:\n    b: c", ["SE176"]),
            ("metadata:\n  a: [b]", ["SE176"]),
            ("allowed-tools: Read Grep Bash(git add:*, git log:*)", []),
            ("allowed-tools: Read, Grep", ["SE178"]),
            ("allowed-tools:\n- Read", ["SE178"]),
            ("allowed-tools:", ["SE178"]),
            ("allowed-tools: {Read: x}", ["SE179"]),
        ):
            with self.subTest(lines[:60]):
                self.assertEqual(self.field_codes(lines), expected)

    def test_unknown_fields_are_warnings_and_misspelt_ones_errors(self) -> None:
        for lines, expected, words in (
            ("version: '1'", ["SE180"], "no field of the specification"),
            ("argument-hint: x", ["SE180"], "Claude Code"),
            ("licence: MIT", ["SE181"], "`license`"),
            ("allowed_tools: Read", ["SE181"], "`allowed-tools`"),
            ("License: MIT", ["SE181"], "`license`"),
            ("meta-data: {a: b}", ["SE181"], "`metadata`"),
            ("license: MIT\nlicence: MIT", ["SE180"], "`licence`"),
            ("game: chess", ["SE180"], "`game`"),
        ):
            with self.subTest(lines):
                self.assertEqual(self.field_codes(lines), expected)
                problem = self.read(f"---\nname: sample\n{DESCRIPTION}{lines}\n---\n").problems[-1]
                self.assertIn(words, f"{problem.message} {problem.hint}")

    def test_a_required_field_in_upper_case_is_missing_and_misspelt(self) -> None:
        self.assertEqual(self.places(f"---\nName: sample\n{DESCRIPTION}---\n"), ["SE150 1:1", "SE181 2:1"])


class Bodies(SkillTest):
    def test_a_body_of_more_than_500_lines_is_a_warning(self) -> None:
        self.assertEqual(self.body_places("line\n" * 500), [])
        self.assertEqual(self.body_places("line\n" * 501), ["SE185 506:1"])
        self.assertEqual(self.body_places("line\n" * 500 + "line"), ["SE185 506:1"])

    def test_links_that_lead_nowhere(self) -> None:
        for text, expected in (
            ("[x](missing.md)", ["SE186 6:5"]),
            ("[x]( <missing file.md> 'title')", ["SE186 6:7"]),
            ('![x](missing.png "title")', ["SE186 6:6"]),
            ("[![x](missing.png)](missing.md)", ["SE186 6:7", "SE186 6:21"]),
            ("a [x](missing.md#part) b [y](other.md?q=1)", ["SE186 6:7", "SE186 6:30"]),
            ("[two\nlines](missing.md)", ["SE186 7:8"]),
            ('[x][y]\n\n[y]: missing.md "title"', ["SE186 8:6"]),
            ("[x](missing(1).md)", ["SE186 6:5"]),
            ("[x](../other/SKILL.md)", ["SE187 6:5"]),
            ("[x](references/../../other.md)", ["SE187 6:5"]),
            ("[x](%2e%2e/other.md)", ["SE187 6:5"]),
            ("[x](/docs/guide)", ["SE188 6:5"]),
            ('[x](missing.md "a \\" b")', ["SE186 6:5"]),
            ("[x]:\n  missing.md\n  'title'", ["SE186 7:3"]),
            ("[a [b] c](missing.md)", ["SE186 6:11"]),
            ("\\\\[x](missing.md)", ["SE186 6:7"]),
            ("\\`[x](missing.md)`", ["SE186 6:7"]),
            ("text\n    [x](missing.md)", ["SE186 7:9"]),
            ("- item\n\n    [x](missing.md)", ["SE186 8:9"]),
            ("1. item\n   - item\n\n       [x](missing.md)", ["SE186 9:12"]),
            ("<pre>\n</PRE>\n[x](missing.md)\n<pre>", ["SE186 8:5"]),
        ):
            with self.subTest(text):
                self.assertEqual(self.body_places(text), expected)

    def test_links_that_are_good_or_none(self) -> None:
        self.write("skills/sample/references/a guide.md", "x")
        self.write("skills/sample/references/b(1).md", "x")
        for text in (
            "[x](references/a%20guide.md)",
            "[x](references/a&#32;guide.md)",
            "[x](<references/a guide.md#part>)",
            "[x](./references/../references)",
            "[x](references/)",
            "[x](references/b(1).md)",
            "[x](references/b\\(1\\).md)",
            "[x](https://example.com/missing.md)",
            "[x](//example.com/missing.md)",
            "[x](mailto:someone@example.com)",
            "[x](#part)",
            "[x]()",
            "[x]({baseDir}/missing.md)",
            "`[x](missing.md)`",
            "``a ` [x](missing.md)``",
            "`a\n[x](missing.md)`",
            "```\n[x](missing.md)\n```",
            "~~~ md\n```\n[x](missing.md)\n~~~",
            "- item\n\n  ```md\n  [x](missing.md)\n  ```",
            "1. - ```md\n     [x](missing.md)\n     ```",
            "```\n- ```\n[x](missing.md)\n```",
            "```\nnever closed [x](missing.md)",
            "<!-- [x](missing.md)\n-->",
            "[^1]: missing.md",
            "[note]: this is no link",
            "f[x] (missing.md)",
            "[x](references/<topic>.md)",
            "\\[x](missing.md)",
            "[x\\](missing.md)",
            "[x\n\ny](missing.md)",
            "    [x](missing.md)",
            "text\n\n\tcode\n\n\t[x](missing.md)",
            "- item\n\n      [x](missing.md)",
            "- item\n\ntext\n\n    [x](missing.md)",
            "<pre>\n[x](missing.md)\n</PRE >",
        ):
            with self.subTest(text):
                self.assertEqual(self.body_places(text), [])

    def test_code_ends_where_markdown_says(self) -> None:
        for text in (
            "`a` [x](missing.md) `b`",
            "a ` b\n\n[x](missing.md) ` c",
            "`a`` [x](missing.md)",
            "```\ncode\n```\n[x](missing.md)",
            "- ```\n  code\n  ```\n[x](missing.md)",
            "```inline``` [x](missing.md)",
            "<!-- a --> [x](missing.md) <!-- b",
        ):
            with self.subTest(text):
                self.assertEqual([place.split()[0] for place in self.body_places(text)], ["SE186"])

    def test_a_link_to_a_link_is_good_and_never_followed(self) -> None:
        self.write("skills/sample/x", "x")
        (self.root / "skills/sample/linked.md").symlink_to("/nowhere/at/all")
        self.assertEqual(self.body_places("[x](linked.md)"), [])

    def test_the_number_of_dead_links_is_bounded(self) -> None:
        self.assertEqual(len(self.body_places("[x](missing.md)\n" * 300)), 100)


def _texts(value: object) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}


if __name__ == "__main__":
    unittest.main()
