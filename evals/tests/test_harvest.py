"""What an agent made or changed is found and kept within bounds; nothing outside is read, nothing waited for."""

import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.running import harvest
from evals.skill_eval.running.harvest import DEEPEST, Created, created, made_files, tampered
from evals.skill_eval.running.workspace import prepared_workspace
from evals.tests.support import REPOSITORY

FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
GIVEN = FileCopy("inputs/evals/fixtures/input.txt", b"fixture line\n")
SKILL = FileCopy("skills/sample/SKILL.md", b"---\nname: sample\n---\n")
LAID = {file.path: file for file in (GIVEN, SKILL)}
UNREADABLE = """
import sys
from pathlib import Path
from evals.skill_eval.running.harvest import created
from evals.skill_eval.running.workspace import prepared_workspace
from evals.tests.hostile_trees import become_ordinary
become_ordinary()
with prepared_workspace(Path(sys.argv[1]), files=()) as workspace:
    (workspace / "shut.txt").touch(mode=0)
    (workspace / "locked").mkdir(mode=0)
    print(*created(workspace, {}).omitted, sep="\\n")
"""
Deed = Callable[[Path], object]

posix_only = unittest.skipUnless(os.name == "posix", "links and pipes are POSIX")


class HarvestTest(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Path(os.path.realpath(self.enterContext(tempfile.TemporaryDirectory(dir=FAST))))
        self.outside = self.place / "outside"
        self.outside.mkdir()
        (self.outside / "report.md").write_bytes(b"the user's own\n")
        self.fresh()

    def fresh(self) -> None:
        self.workspace = self.enterContext(prepared_workspace(self.place, files=LAID.values()))

    def write(self, path: str, content: bytes = b"x") -> None:
        target = self.workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def created(self, **limits: int) -> Created:
        return created(self.workspace, LAID, **limits)

    def paths(self) -> list[str]:
        return [file.path for file in self.created().files]


class MadeFiles(HarvestTest):
    def is_made(self, path: str) -> bool:
        return made_files(self.workspace, LAID, [path]) == {path}

    def test_a_regular_file_of_the_agent_is_made(self) -> None:
        self.assertFalse(self.is_made("out/report.md"))
        self.write("out/report.md", b"")
        self.assertTrue(self.is_made("out/report.md"))

    def test_what_was_laid_counts_only_when_its_bytes_differ(self) -> None:
        for content, expected in (
            (GIVEN.content, False),
            (b"fixture lime\n", True),
            (b"fixture line\n+", True),
            (b"", True),
        ):
            with self.subTest(content):
                self.write(GIVEN.path, content)
                self.assertIs(self.is_made(GIVEN.path), expected)
        self.assertFalse(self.is_made(SKILL.path))
        self.assertFalse(self.is_made(".git/HEAD"))

    def test_a_folder_is_no_file(self) -> None:
        (self.workspace / "out/report.md").mkdir(parents=True)
        self.assertFalse(self.is_made("out/report.md"))

    def test_letter_case_is_exact(self) -> None:
        self.write("Out/REPORT.md")
        self.assertFalse(self.is_made("out/report.md"))
        self.assertTrue(self.is_made("Out/REPORT.md"))

    def test_only_wanted_paths_are_returned(self) -> None:
        self.write("a")
        self.write("b")
        self.assertEqual(made_files(self.workspace, LAID, ["a", "c", "../outside/report.md", "a\0b", ""]), {"a"})

    @posix_only
    def test_a_link_counts_when_it_ends_at_a_file_that_the_agent_made_inside(self) -> None:
        self.write("made.md")
        for target, expected in (
            ("made.md", True),
            (self.workspace / "made.md", True),
            (GIVEN.path, False),
            ("missing", False),
            ("link", False),
            (self.outside / "report.md", False),
            ("../../outside/report.md", False),
            ("/dev/zero", False),
        ):
            with self.subTest(target=str(target)):
                link = self.workspace / "link"
                link.symlink_to(target)
                self.assertIs(self.is_made("link"), expected)
                link.unlink()

    @posix_only
    def test_nothing_is_made_beyond_a_folder_that_is_a_link_out(self) -> None:
        (self.workspace / "out").symlink_to(self.outside)
        self.assertFalse(self.is_made("out/report.md"))

    @posix_only
    def test_a_pipe_is_neither_opened_nor_made(self) -> None:
        for path in ("pipe", GIVEN.path):
            with self.subTest(path):
                (self.workspace / path).unlink(missing_ok=True)
                os.mkfifo(self.workspace / path)
                self.assertFalse(self.is_made(path))

    @posix_only
    def test_nothing_is_made_when_the_workspace_is_replaced(self) -> None:
        for replace in (self.by_link, self.by_file, self.by_nothing, self.around_by_link):
            with self.subTest(replace.__name__):
                self.fresh()
                self.workspace.rename(self.place / f"away-{replace.__name__}")
                replace()
                self.assertFalse(self.is_made("report.md"))
                self.assertEqual(self.created(), Created((), ("the workspace is gone or has been replaced",)))
                self.assertEqual(tampered(self.workspace, LAID), tuple(LAID))

    def by_link(self) -> None:
        self.workspace.symlink_to(self.outside)

    def by_file(self) -> None:
        self.workspace.touch()

    def by_nothing(self) -> None:
        pass

    def around_by_link(self) -> None:
        self.workspace.parent.rename(self.place / "around-away")
        self.workspace.parent.symlink_to(self.place / "decoy")
        (self.place / "decoy/workspace").mkdir(parents=True)
        (self.place / "decoy/workspace/report.md").touch()


class CreatedFiles(HarvestTest):
    def test_nothing_is_kept_of_an_untouched_workspace(self) -> None:
        self.assertEqual(self.created(), Created((), ()))

    def test_made_and_changed_files_are_kept_in_order_with_bytes_and_executable_bit(self) -> None:
        self.write("z/deep/er.txt", b"\x00\xff")
        self.write("a.txt", b"a")
        self.write(GIVEN.path, b"changed\n")
        self.write("run.sh", b"#!/bin/sh\n")
        (self.workspace / "run.sh").chmod(0o755)
        expected = (
            FileCopy("a.txt", b"a"),
            FileCopy(GIVEN.path, b"changed\n"),
            FileCopy("run.sh", b"#!/bin/sh\n", executable=os.name == "posix"),
            FileCopy("z/deep/er.txt", b"\x00\xff"),
        )
        self.assertEqual(self.created(), Created(expected, ()))

    def test_a_large_fixture_that_was_not_touched_is_not_kept(self) -> None:
        large = FileCopy("inputs/large.bin", bytes(harvest.LIMIT_FILE_BYTES + 1))
        with prepared_workspace(self.place, files=[large]) as workspace:
            self.assertEqual(created(workspace, {large.path: large}), Created((), ()))
            self.assertEqual(tampered(workspace, {large.path: large}), ())

    def test_folders_of_tools_are_not_kept(self) -> None:
        for path in (
            ".git/config",
            "sub/.git/HEAD",
            "node_modules/a/b.js",
            "sub/__pycache__/x.pyc",
            ".venv/bin/python",
        ):
            self.write(path)
        self.assertEqual(self.created(), Created((), ("3 not kept: a folder that tools fill, such as `.venv`",)))

    def test_the_bounds_hold_and_files_near_the_top_come_first(self) -> None:
        self.write("a/one", b"12")
        self.write("b/two", b"34")
        self.write("zzz", b"5")
        for limits, kept, omitted in (
            ({"limit_files": 1}, ["zzz"], "2 not kept: beyond 1 files, such as `a/one`"),
            ({"limit_files": 2}, ["a/one", "zzz"], "1 not kept: beyond 2 files, such as `b/two`"),
            ({"limit_file_bytes": 1}, ["zzz"], "2 not kept: a file of more than 1 bytes, such as `a/one`"),
            (
                {"limit_bytes": 4},
                ["a/one", "zzz"],
                "1 not kept: beyond the bound on all files together, such as `b/two`",
            ),
            ({"limit_bytes": 5}, ["a/one", "b/two", "zzz"], None),
        ):
            with self.subTest(limits=limits):
                found = self.created(**limits)
                self.assertEqual([file.path for file in found.files], kept)
                self.assertEqual(found.omitted, (omitted,) if omitted else ())

    def test_a_huge_sparse_file_is_not_read(self) -> None:
        with open(self.workspace / "sparse", "wb") as file:
            file.truncate(1 << 40)
        line = f"1 not kept: a file of more than {harvest.LIMIT_FILE_BYTES} bytes, such as `sparse`"
        self.assertEqual(self.created(), Created((), (line,)))

    def test_depth_and_number_of_entries_are_bounded(self) -> None:
        path = "/".join("d" * (DEEPEST + 1))
        self.write(f"{path}/deep.txt")
        self.write(f"{path[:-2]}/kept.txt")
        found = self.created()
        self.assertEqual([file.path for file in found.files], [f"{path[:-2]}/kept.txt"])
        self.assertEqual(found.omitted, (f"1 not kept: deeper than {DEEPEST} folders, such as `{path}`",))

    def test_more_entries_than_are_looked_at_end_the_search(self) -> None:
        for number in range(300):
            (self.workspace / f"f{number:03}").mkdir()
        self.addCleanup(setattr, harvest, "MOST_ENTRIES", harvest.MOST_ENTRIES)
        harvest.MOST_ENTRIES = 250
        self.assertEqual(self.created(), Created((), ("1 not kept: beyond 250 entries, such as `.`",)))

    @posix_only
    def test_odd_names_are_left_out_and_shown_escaped(self) -> None:
        for name, reason in (
            (b"\xff", "a name that cannot be shown, such as `\\udcff`"),
            (b"a\nb", "a name that cannot be shown, such as `a\\nb`"),
            ("\u202egpj".encode(), "a name that cannot be shown, such as `\\u202egpj`"),
            (b"a:b", "a name that not every file system takes, such as `a:b`"),
            (b"con.txt", "a name that not every file system takes, such as `con.txt`"),
            (b"end.", "a name that not every file system takes, such as `end.`"),
            (b"n" * 250, f"a name that not every file system takes, such as `{'n' * 100}`"),
        ):
            for make in (self.make_file, self.make_folder):
                with self.subTest(name=name, make=make.__name__):
                    self.fresh()
                    make(os.path.join(os.fsencode(self.workspace), name))
                    self.assertEqual(self.created(), Created((), (f"1 not kept: {reason}",)))

    def make_file(self, path: bytes) -> None:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))

    def make_folder(self, path: bytes) -> None:
        os.mkdir(path)
        self.make_file(path + b"/inner")

    @posix_only
    def test_names_that_differ_in_letter_case_only_are_kept_once(self) -> None:
        self.write("README.md")
        self.write("readme.md")
        if len(os.listdir(self.workspace)) == 5:
            self.assertEqual(self.paths(), ["README.md"])

    @posix_only
    def test_links_pipes_and_hard_links_are_left_out(self) -> None:
        for deed, reason in (
            (lambda path: path.symlink_to(self.outside / "report.md"), "a link"),
            (lambda path: path.symlink_to(self.outside), "a link"),
            (lambda path: path.symlink_to(GIVEN.path), "a link"),
            (lambda path: os.link(self.outside / "report.md", path), "a hard link"),
            (os.mkfifo, "no regular file"),
        ):
            with self.subTest(reason):
                self._check_left_out(deed, reason)

    def _check_left_out(self, deed: Deed, reason: str) -> None:
        path = self.workspace / "odd"
        deed(path)
        self.assertEqual(self.created(), Created((), (f"1 not kept: {reason}, such as `odd`",)))
        path.unlink()

    @posix_only
    def test_what_an_ordinary_user_cannot_read_is_said(self) -> None:
        self.place.chmod(0o777)
        command = [sys.executable, "-c", UNREADABLE, str(self.place)]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=30)
        lines = (
            "1 not kept: a file that cannot be read, such as `shut.txt`",
            "1 not kept: a folder that cannot be read, such as `locked/`",
        )
        self.assertEqual((done.stderr, done.stdout.splitlines()), ("", [*lines]))


class Tampering(HarvestTest):
    def test_inputs_that_were_changed_or_removed_are_named(self) -> None:
        self.assertEqual(tampered(self.workspace, LAID), ())
        self.write(GIVEN.path, b"fixture lime\n")
        self.assertEqual(tampered(self.workspace, LAID), (GIVEN.path,))
        (self.workspace / SKILL.path).unlink()
        self.assertEqual(tampered(self.workspace, LAID), (GIVEN.path, SKILL.path))

    @posix_only
    def test_an_input_behind_a_link_is_changed_whatever_it_holds(self) -> None:
        for path in (GIVEN.path, "inputs"):
            with self.subTest(path):
                self.fresh()
                (self.workspace / path).rename(self.workspace / "moved")
                (self.workspace / path).symlink_to(self.workspace / "moved")
                self.assertEqual(tampered(self.workspace, LAID), (GIVEN.path,))


if __name__ == "__main__":
    unittest.main()
