"""Fixtures and the copy of a skill: what is taken, what is refused, and that nothing else is opened."""

import io
import os
import tarfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest import skipIf, skipUnless

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.suite import Case
from evals.skill_eval.reading.file_copies import SKILL_LIMIT_ENTRIES, load, load_archive, load_skill
from evals.skill_eval.reading.fixtures import FIXTURE_LIMIT_BYTES, folded
from evals.tests.suite_folders import SuiteFolderTest
from evals.tests.support import as_ordinary_user

CHECKED = '"checks": [{"id": "unit", "type": "contains", "value": "failing unit"}]'
ON_LINUX = os.uname().sysname == "Linux" if hasattr(os, "uname") else False


class FoundFixtureTest(SuiteFolderTest):
    """What cannot lie in a data file: links, special and huge files."""

    def codes(self, *files: str, checks: str = CHECKED) -> list[tuple[str, str]]:
        """Return severity and code of every finding about fixtures."""
        listed = ", ".join(f'"{name}"' for name in files)
        case = f'{{"id": 1, "prompt": "Sum up.", "expected_output": "x", "files": [{listed}], {checks}}}'
        problems = self.read(f'{{"skill_name": "sample", "evals": [{case}]}}').problems
        return [(str(problem.severity), problem.code) for problem in problems]

    def test_only_regular_files_reached_without_a_link_are_fixtures(self) -> None:
        outside = self.folder.parent / "outside"
        outside.mkdir()
        (outside / "input.txt").write_bytes(b"x")
        fixtures = self.folder / "evals" / "fixtures"
        cases: tuple[tuple[str, Callable[[Path], object], str], ...] = (
            ("evals/fixtures/link", lambda path: path.symlink_to("input.txt"), "SE274"),
            ("evals/fixtures/out", lambda path: path.symlink_to(outside / "input.txt"), "SE274"),
            ("evals/fixtures/gone", lambda path: path.symlink_to("nowhere"), "SE274"),
            ("evals/fixtures/loop", lambda path: path.symlink_to("loop"), "SE274"),
            ("evals/fixtures/pipe", os.mkfifo, "SE274"),
            ("evals/fixtures/sparse", lambda path: os.truncate(_touched(path), 1 << 40), "SE277"),
            ("evals/fixtures/large", lambda path: os.truncate(_touched(path), FIXTURE_LIMIT_BYTES + 1), "SE277"),
        )
        (self.folder / "linked").symlink_to(outside)
        self.assertEqual(self.codes("linked/input.txt"), [("error", "SE274")])
        for name, make, code in cases:
            with self.subTest(name):
                make(fixtures / Path(name).name)
                start = time.process_time()
                self.assertEqual(self.codes(name), [("error", code)])
                self.assertLess(time.process_time() - start, 1)

    def test_the_largest_fixture_and_an_empty_one_are_taken(self) -> None:
        os.truncate(_touched(self.folder / "assets/large"), FIXTURE_LIMIT_BYTES)
        _touched(self.folder / "assets/empty")
        self.assertEqual(self.codes("assets/large", "assets/empty"), [])

    def test_a_fixture_that_only_a_judge_would_need_may_be_missing(self) -> None:
        self.assertEqual(self.codes("assets/none"), [("error", "SE272")])
        self.assertEqual(self.codes("assets/none", checks='"checks": []'), [("warning", "SE272")])
        twice = self.codes("assets/none", "assets/none", checks='"checks": []')
        self.assertEqual(twice, [("warning", "SE272"), ("error", "SE275")])

    @skipIf(os.name != "posix", "modes are POSIX")
    def test_a_file_that_may_not_be_read_is_a_finding(self) -> None:
        _touched(self.folder / "assets/locked").chmod(0)
        with as_ordinary_user(self.folder.parent):
            self.assertEqual(self.codes("assets/locked"), [("error", "SE272")])

    def test_names_that_one_file_system_takes_for_the_same_are_the_same(self) -> None:
        for left, right in (("A.txt", "a.TXT"), ("caf\u00e9", "cafe\u0301"), ("\ufb01", "FI"), ("\u00df", "SS")):
            with self.subTest(left):
                self.assertEqual(folded(left), folded(right))
        self.assertNotEqual(folded("a b"), folded("a_b"))


class LoadedFixtureTest(SuiteFolderTest):
    def test_fixtures_are_bytes_below_inputs_in_the_order_of_the_suite(self) -> None:
        case = Case(1, "Sum up.", files=("evals/fixtures/input.txt", "assets/data 1.csv"))
        expected = (
            FileCopy("inputs/evals/fixtures/input.txt", b"unit x failed\n"),
            FileCopy("inputs/assets/data 1.csv", b"a,b\r\n1,2\r\n"),
        )
        self.assertEqual(load(self.folder, case), expected)

    def test_a_fixture_that_vanished_or_changed_its_kind_stops_the_run(self) -> None:
        case = Case("a", "Sum up.", files=("evals/fixtures/input.txt",))
        path = self.folder / "evals/fixtures/input.txt"
        changes: tuple[tuple[Callable[[], object], str, Callable[[], object]], ...] = (
            (lambda: None, "cannot be read: no such file or directory", lambda: None),
            (path.mkdir, "is a folder, not a regular file", path.rmdir),
            (lambda: path.symlink_to("key.pem"), "is a link, and links are not followed", path.unlink),
            (lambda: os.mkfifo(path), "is a named pipe, not a regular file", path.unlink),
        )
        path.unlink()
        for change, reason, undo in changes:
            with self.subTest(reason):
                change()
                with self.assertRaises(ConfigError) as caught:
                    load(self.folder, case)
                self.assertEqual(str(caught.exception), f"fixture `evals/fixtures/input.txt` of case `a` {reason}")
                undo()

    def test_a_folder_on_the_way_that_became_a_link_stops_the_run(self) -> None:
        case = Case(1, "Sum up.", files=("evals/fixtures/input.txt",))
        (self.folder / "evals/fixtures").rename(self.folder / "elsewhere")
        (self.folder / "evals/fixtures").symlink_to(self.folder / "elsewhere")
        with self.assertRaisesRegex(ConfigError, "leads through the link `fixtures`"):
            load(self.folder, case)


class SkillCopyTest(SuiteFolderTest):
    def test_the_agent_gets_all_but_the_suite_caches_and_links(self) -> None:
        self.write("scripts/run.sh", b"#!/bin/sh\n").chmod(0o755)
        self.write("scripts/__pycache__/run.pyc", b"x")
        self.write("scripts/evals/kept.txt", b"x")
        self.write("evals/evals.json", b"{}")
        self.write("Evals.json", b"{}")
        self.write(".git/HEAD", b"x")
        (self.folder / "assets/link").symlink_to("/etc/passwd")
        (self.folder / "assets/folder").symlink_to(self.folder / "evals")
        os.mkfifo(self.folder / "assets/pipe")
        copies = load_skill(self.folder)
        names = ["SKILL.md", "assets/caf\u00e9.txt", "assets/data 1.csv", "scripts/evals/kept.txt", "scripts/run.sh"]
        self.assertEqual([copy.path for copy in copies], sorted(names))
        executable = {copy.path for copy in copies if copy.executable}
        self.assertEqual(executable, {"scripts/run.sh"} if os.name == "posix" else set())
        self.assertEqual(copies[0].content, (self.folder / "SKILL.md").read_bytes())
        self.assertEqual(load_archive(self.archive(), "old"), copies)

    def test_the_answers_of_earlier_runs_and_of_inner_skills_are_not_copied(self) -> None:
        names = [copy.path for copy in load_skill(self.folder)]
        for path in ("run.json", "journal.jsonl", "sample/iteration-1/eval-1/case.json"):
            self.write(f"runs/first/{path}", b"{}")
        self.write("tmp/skills-eval/.gitignore", b"*\n")
        self.write("tmp/skills-eval/certificates/x.json", b"{}")
        self.write("inner/SKILL.md", b"x")
        self.write("inner/evals/evals.json", b"{}")
        self.write("scripts/run.json", b"{}")
        self.write("scripts/.gitignore", b"*.log\n")
        kept = ["inner/SKILL.md", "scripts/.gitignore", "scripts/run.json"]
        self.assertEqual([copy.path for copy in load_skill(self.folder)], sorted([*names, *kept]))
        (self.folder / "tmp/skills-eval/certificates/x.json").unlink()  # git would not have what it ignores
        (self.folder / "tmp/skills-eval/.gitignore").unlink()
        self.assertEqual(load_archive(self.archive(), "old"), load_skill(self.folder))

    def test_an_archived_skill_has_the_same_limits(self) -> None:
        for name, content, reason in (
            (b"a\xff.txt", b"x", "`old` has a file name that is not UTF-8"),
            (b"big", bytes((64 << 20) + 1), "`old` has 671\\d+ bytes; at most 67108864"),
        ):
            path = self.folder / os.fsdecode(name)
            path.write_bytes(content)
            with self.subTest(reason), self.assertRaisesRegex(ConfigError, reason):
                load_archive(self.archive(), "old")
            path.unlink()

    def archive(self) -> bytes:
        """Return a tar of the skill, as git makes it."""
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w") as archive:
            archive.add(self.folder, "")
        return file.getvalue()

    def test_a_skill_that_is_too_large_is_refused_before_it_is_read(self) -> None:
        os.truncate(_touched(self.folder / "assets/sparse"), 1 << 40)
        start = time.process_time()
        with self.assertRaisesRegex(ConfigError, "has 10995116\\d+ bytes; at most 67108864"):
            load_skill(self.folder)
        self.assertLess(time.process_time() - start, 1)

    def test_a_skill_of_too_many_files_is_refused(self) -> None:
        many = self.folder / "many"
        many.mkdir()
        for number in range(SKILL_LIMIT_ENTRIES):
            os.link(self.folder / "SKILL.md", many / str(number))
        with self.assertRaisesRegex(ConfigError, "more than 5000 files and folders"):
            load_skill(self.folder)

    def test_a_skill_with_longer_paths_than_the_system_takes_is_refused(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        for _ in range(80):
            step = "d" * 60
            os.mkdir(step, dir_fd=folder)
            folder = os.open(step, os.O_RDONLY, dir_fd=folder)
            self.addCleanup(os.close, folder)
        with self.assertRaisesRegex(ConfigError, "cannot be listed"):
            load_skill(self.folder)

    @skipUnless(ON_LINUX, "file names are text here")
    def test_a_name_that_is_not_utf_8_is_refused(self) -> None:
        (self.folder / os.fsdecode(b"a\xff.txt")).write_bytes(b"x")
        with self.assertRaisesRegex(ConfigError, r"a file name that is not UTF-8: `a\\udcff.txt`"):
            load_skill(self.folder)


def _touched(path: Path) -> Path:
    path.touch()
    return path


if __name__ == "__main__":
    unittest.main()
