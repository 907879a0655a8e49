"""A tree is removed whole; links are not followed; what stays is reported with its reason."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from evals.skill_eval.running import removal
from evals.skill_eval.running.removal import MOST_NAMED, empty_folder, remove_moved, remove_tree
from evals.tests.support import REPOSITORY

FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

# As an ordinary user: a folder in a read-only one cannot be unlinked, and files of root neither.
REPORTING = """
import os, sys
from evals.skill_eval.running.removal import remove_tree
from evals.tests.hostile_trees import become_ordinary
become_ordinary()
print(*remove_tree(sys.argv[1]), sep="\\n")
"""


def _may_mount() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None


class RemovalTest(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Path(os.path.realpath(self.enterContext(tempfile.TemporaryDirectory(dir=FAST))))
        self.outside = self.place / "outside"
        self.outside.mkdir()
        (self.outside / "keep.txt").write_bytes(b"keep me\n")
        (self.outside / "keep.txt").chmod(0o440)

    def tree(self, name: str = "tree") -> Path:
        """Make a small tree with a file, folders and, where there are such, links out."""
        top = self.place / name
        (top / "a/b").mkdir(parents=True)
        (top / "c").mkdir()
        (top / "a/b/file").write_bytes(b"x")
        if os.name == "posix":
            (top / "a/link").symlink_to(self.outside)
            (top / "a/b/link").symlink_to(self.outside / "keep.txt")
            os.link(self.outside / "keep.txt", top / "c/hard")
        return top

    def assert_outside_untouched(self) -> None:
        kept = self.outside / "keep.txt"
        self.assertEqual(os.listdir(self.outside), ["keep.txt"])
        self.assertEqual((kept.read_bytes(), stat.S_IMODE(kept.stat().st_mode)), (b"keep me\n", 0o440))


class Trees(RemovalTest):
    def test_a_tree_goes_whole_and_nothing_outside_of_it_changes(self) -> None:
        self.assertEqual(remove_tree(str(self.tree())), ())
        self.assertEqual(os.listdir(self.place), ["outside"])
        self.assert_outside_untouched()

    def test_what_stands_in_place_of_a_tree_goes_alone(self) -> None:
        (self.place / "file").touch()
        (self.place / "link").symlink_to(self.outside)
        (self.place / "dangling").symlink_to("nowhere")
        for name in ("file", "link", "dangling", "missing", "missing/below"):
            with self.subTest(name):
                self.assertEqual(remove_tree(str(self.place / name)), ())
        self.assertEqual(os.listdir(self.place), ["outside"])
        self.assert_outside_untouched()

    def test_two_at_once_on_one_tree_do_not_raise(self) -> None:
        top = self.tree()
        for number in range(300):
            (top / f"d{number % 20}" / f"e{number}").mkdir(parents=True)
        raised: list[BaseException] = []

        def remove() -> None:
            try:
                remove_tree(str(top))
            except BaseException as error:  # noqa: BLE001 - the test is that nothing is raised
                raised.append(error)

        threads = [threading.Thread(target=remove) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((raised, remove_tree(str(top)), top.exists()), ([], (), False))
        self.assert_outside_untouched()

    def test_where_folders_cannot_be_held_open_the_platform_does_it(self) -> None:
        top = self.tree()
        (top / "a/b/file").chmod(0o444)
        (self.place / "link").symlink_to(self.outside)
        for path in (top, self.place / "link", self.place / "missing"):
            with self.subTest(path.name):
                self.assertEqual(removal._remove_plainly(str(path)), ())
        self.assertEqual(os.listdir(self.place), ["outside"])
        self.assertEqual(os.listdir(self.outside), ["keep.txt"])


@unittest.skipUnless(os.name == "posix", "folders cannot be held open elsewhere")
@unittest.skipUnless(_may_mount(), "only root may mount, and only on Linux")
class Mounts(RemovalTest):
    def mounted(self, place: Path) -> None:
        """Mount what is outside on a folder or file of the tree, of the same file system."""
        source = self.outside if place.is_dir() else self.outside / "keep.txt"
        subprocess.run(["mount", "--bind", source, place], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-q", place], check=False, capture_output=True))

    def test_what_is_mounted_in_a_tree_is_taken_off_and_not_emptied(self) -> None:
        for place in ("c", "a/b", "a/b/file", "."):
            with self.subTest(place):
                tree = self.tree()
                self.mounted(tree / place)
                self.mounted(tree / place)
                self.assertEqual(remove_tree(str(tree)), ())
                self.assertFalse(tree.exists())
                self.assert_outside_untouched()

    def test_what_cannot_be_taken_off_is_left(self) -> None:
        tree = self.tree()
        for place in ("c", "."):
            self.mounted(tree / place)
            with self.subTest(place), mock.patch.object(removal, "_unmounted", return_value=False):
                left = remove_tree(str(tree))
                self.assertIn("something is mounted on it", left[0])
                self.assert_outside_untouched()


class OpenFolders(RemovalTest):
    def opened(self, path: Path) -> int:
        folder = os.open(path, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        return folder

    def test_an_open_folder_is_emptied_and_stays(self) -> None:
        top = self.tree()
        self.assertEqual(empty_folder(self.opened(top)), ())
        self.assertEqual(os.listdir(top), [])
        self.assert_outside_untouched()

    def test_a_moved_folder_is_removed_from_its_new_place_and_its_neighbours_stay(self) -> None:
        top = self.tree()
        folder = self.opened(top)
        neighbours = [f"neighbour{number}" for number in range(5)]
        for name in neighbours[:3]:
            (self.place / "new" / name).mkdir(parents=True)
        top.rename(self.place / "new/moved")
        for name in neighbours[3:]:
            (self.place / "new" / name).mkdir()
        top.mkdir()
        self.assertEqual(remove_moved(folder), ())
        self.assertEqual(sorted(os.listdir(self.place / "new")), neighbours)
        self.assertTrue(top.is_dir(), "the decoy is not what was held open")

    def test_a_folder_that_has_gone_is_no_trouble(self) -> None:
        top = self.tree()
        folder = self.opened(top)
        remove_tree(str(top))
        self.assertEqual(remove_moved(folder), ())


@unittest.skipUnless(os.name == "posix", "modes are POSIX")
class WhatStays(RemovalTest):
    def removed_by_ordinary_user(self, path: Path) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", REPORTING, str(path)], cwd=REPOSITORY, capture_output=True, text=True, timeout=30
        )
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_what_cannot_be_removed_is_named_with_the_reason(self) -> None:
        (self.place / "shut/tree/inner").mkdir(parents=True)
        for folder in (self.place, self.place / "shut"):
            folder.chmod(0o555)
        self.addCleanup(self.place.chmod, 0o755)
        self.addCleanup((self.place / "shut").chmod, 0o755)
        if os.geteuid() == 0:
            os.chown(self.place / "shut/tree", 65534, 65534)
            os.chown(self.place / "shut/tree/inner", 65534, 65534)
        left = self.removed_by_ordinary_user(self.place / "shut/tree")
        self.assertEqual(left, [f"{self.place / 'shut/tree'}: Permission denied"])

    @unittest.skipUnless(os.name == "posix" and os.geteuid() == 0, "only root can make files of others")
    def test_the_files_of_others_stay_and_few_of_them_are_named(self) -> None:
        top = self.place / "tree"
        (top / "theirs").mkdir(parents=True)
        for number in range(2 * MOST_NAMED):
            (top / "theirs" / f"f{number}").touch()
        self.place.chmod(0o755)
        os.chown(top, 65534, 65534)
        left = self.removed_by_ordinary_user(top)
        self.assertEqual(len(left), MOST_NAMED)
        self.assertTrue(all(line.startswith("theirs/f") and "denied" in line for line in left), left)


if __name__ == "__main__":
    unittest.main()
