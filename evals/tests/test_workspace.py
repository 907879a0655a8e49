"""A workspace is fresh, private, far from what agents read, and gone afterwards whatever was done to it."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.running.workspace import AGENT_TRACES, best_root, choose_temporary_root, prepared_workspace
from evals.tests.support import REPOSITORY

if os.name == "posix":
    from evals.tests.hostile_trees import DEEDS, NOBODY, check

FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
FILES = (
    FileCopy("inputs/evals/fixtures/input.txt", b"line\r\nbytes \xff\x00\n"),
    FileCopy("inputs/evals/fixtures/empty", b""),
    FileCopy("skills/sample/scripts/go.sh", b"#!/bin/sh\n", executable=True),
)


class TemporaryFolderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Path(os.path.realpath(self.enterContext(tempfile.TemporaryDirectory(dir=FAST))))


class Preparing(TemporaryFolderTest):
    def test_files_are_laid_with_identical_bytes_and_their_executable_bit(self) -> None:
        with prepared_workspace(self.place, files=FILES) as workspace:
            for file in FILES:
                with self.subTest(file.path):
                    path = workspace / file.path
                    self.assertEqual(path.read_bytes(), file.content)
                    self.assertEqual(bool(path.stat().st_mode & stat.S_IXUSR), file.executable)
            self.assertEqual(sorted(os.listdir(workspace)), [".git", "inputs", "skills"])

    def test_it_is_a_repository_of_its_own(self) -> None:
        with prepared_workspace(self.place, files=()) as workspace:
            self.assertEqual((workspace / ".git/HEAD").read_bytes(), b"ref: refs/heads/main\n")
            self.assertEqual(sorted(os.listdir(workspace / ".git")), ["HEAD", "objects", "refs"])

    def test_the_folder_around_it_is_private_and_holds_nothing_else(self) -> None:
        with prepared_workspace(self.place, files=FILES) as one, prepared_workspace(self.place, files=FILES) as two:
            self.assertNotEqual(one.parent, two.parent)
            for workspace in (one, two):
                self.assertEqual(os.listdir(workspace.parent), ["workspace"])
                if os.name == "posix":
                    self.assertEqual(stat.S_IMODE(workspace.parent.stat().st_mode), 0o700)
        self.assertEqual(os.listdir(self.place), [])

    def test_it_goes_when_the_trial_is_interrupted(self) -> None:
        with self.assertRaises(KeyboardInterrupt), prepared_workspace(self.place, files=FILES):
            raise KeyboardInterrupt
        self.assertEqual(os.listdir(self.place), [])

    def test_it_goes_when_a_file_cannot_be_laid(self) -> None:
        twice = (*FILES, FILES[0])
        with self.assertRaises(FileExistsError), prepared_workspace(self.place, files=twice):
            self.fail("a file was laid over another")
        self.assertEqual(os.listdir(self.place), [])

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "open descriptors cannot be listed here")
    def test_no_descriptor_stays_open(self) -> None:
        before = os.listdir("/proc/self/fd")
        with prepared_workspace(self.place, files=FILES):
            pass
        self.assertEqual(os.listdir("/proc/self/fd"), before)


@unittest.skipUnless(os.name == "posix", "links, pipes and modes are POSIX")
class HostileAgents(TemporaryFolderTest):
    def test_whatever_is_done_to_a_workspace_it_goes_and_nothing_else_is_touched(self) -> None:
        for name in DEEDS:
            with self.subTest(name):
                check(name, self.place)

    def test_the_same_holds_for_an_ordinary_user_with_few_open_files(self) -> None:
        if os.geteuid() == 0:
            os.chown(self.place, NOBODY, NOBODY)
        command = [sys.executable, "-m", "evals.tests.hostile_trees", str(self.place)]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.place)), sorted(DEEDS))


class ChoosingARoot(TemporaryFolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(
            patch.dict(os.environ, {"HOME": str(self.place / "home"), "USERPROFILE": str(self.place / "home")})
        )
        self.clean, self.flawed = self.make("clean"), self.make("flawed/inner")

    def make(self, name: str) -> str:
        path = self.place / name
        path.mkdir(parents=True)
        return str(path)

    def best(self, *candidates: str, avoid: tuple[str, ...] = ()) -> str:
        return str(best_root(candidates, map(Path, avoid)).path)

    def test_the_first_of_equals_is_taken(self) -> None:
        other = self.make("other")
        self.assertEqual(self.best(self.clean, other), self.clean)
        self.assertEqual(self.best(other, self.clean), other)

    def test_what_agents_read_in_it_or_above_it_counts_against_a_place(self) -> None:
        for trace in (*AGENT_TRACES, "skills/sample/SKILL.md"):
            for holder in ("flawed", "flawed/inner"):
                with self.subTest(trace=trace, holder=holder):
                    path = self.place / holder / trace
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.touch()
                    self.assertEqual(self.best(self.flawed, self.clean), self.clean)
                    flaws = best_root([self.flawed], []).flaws
                    self.assertIn(f"`{self.place / holder}` holds `{trace}`, which agents read", flaws)
                    path.unlink()

    def test_a_folder_named_skills_without_a_skill_does_not_count(self) -> None:
        self.make("flawed/skills/notes")
        self.assertEqual(self.best(self.flawed, self.clean), self.flawed)

    def test_a_place_below_home_counts_as_flawed_unless_home_is_the_root(self) -> None:
        below = self.make("home/tmp")
        self.assertEqual(self.best(below, self.clean), self.clean)
        self.assertIn("it lies below the home folder", best_root([below], []).flaws)
        with patch.dict(os.environ, {"HOME": os.path.abspath(os.sep), "USERPROFILE": os.path.abspath(os.sep)}):
            self.assertNotIn("it lies below the home folder", best_root([below], []).flaws)

    def test_a_place_below_the_repository_is_never_taken(self) -> None:
        inside = self.make("repository/tmp")
        beside = self.make("repository-of-others")
        repository = str(self.place / "repository")
        self.assertEqual(self.best(inside, self.clean, avoid=(repository,)), self.clean)
        self.assertEqual(self.best(beside, self.clean, avoid=(repository,)), beside)
        with self.assertRaisesRegex(ConfigError, "no folder for workspaces"):
            self.best(inside, repository, avoid=(repository,))

    def test_what_is_no_writable_folder_is_passed_over(self) -> None:
        (self.place / "file").touch()
        self.assertEqual(self.best(str(self.place / "file"), str(self.place / "missing"), self.clean), self.clean)
        with self.assertRaises(ConfigError):
            self.best(str(self.place / "file"))

    @unittest.skipUnless(os.name == "posix", "symbolic links need rights elsewhere")
    def test_links_are_resolved_on_both_sides(self) -> None:
        inside = self.make("repository/tmp")
        link = self.place / "link"
        link.symlink_to(inside)
        self.assertEqual(self.best(str(link)), inside)
        with self.assertRaises(ConfigError):
            self.best(str(link), avoid=(str(self.place / "repository"),))
        alias = self.place / "alias"
        alias.symlink_to(self.place / "repository")
        with self.assertRaises(ConfigError):
            self.best(inside, avoid=(str(alias),))

    def test_the_temporary_folder_of_the_environment_comes_first(self) -> None:
        flaws = len(best_root([self.clean], []).flaws)
        with patch.dict(os.environ, {"TMPDIR": self.clean}):
            root = choose_temporary_root([])
        self.assertTrue(str(root.path) == self.clean or len(root.flaws) < flaws)


if __name__ == "__main__":
    unittest.main()
