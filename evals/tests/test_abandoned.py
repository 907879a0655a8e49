"""Workspaces that a killed harness left are swept by the next one; those in use are not."""

import os
import tempfile
import time
import unittest
from pathlib import Path

from evals.skill_eval.running.abandoned import PREFIX, fresh_name, sweep, sweep_new
from evals.skill_eval.running.workspace import prepared_workspace


@unittest.skipIf(os.name == "nt", "folders cannot be locked on Windows")
class Sweeping(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def left(self, name: str, age_seconds: float) -> Path:
        """Leave a workspace behind, as a killed harness does."""
        folder = self.root / name
        (folder / "workspace").mkdir(parents=True)
        (folder / "workspace/answer.txt").write_text("x")
        then = time.time() - age_seconds
        os.utime(folder, (then, then))
        return folder

    def test_only_old_and_unowned_workspaces_go(self) -> None:
        abandoned = self.left(f"{PREFIX}aaaa", 60)
        young = self.left(f"{PREFIX}bbbb", 0)
        foreign = self.left("somebody-elses", 60)
        (self.root / f"{PREFIX}link").symlink_to(foreign)
        with prepared_workspace(self.root, files=()) as in_use:
            then = time.time() - 60
            os.utime(in_use.parent, (then, then))
            self.assertEqual(sweep(str(self.root)), 1)
            self.assertTrue(in_use.is_dir())
        self.assertFalse(abandoned.exists())
        self.assertTrue(young.is_dir() and foreign.is_dir())

    def test_a_folder_that_is_not_there_is_no_trouble(self) -> None:
        self.assertEqual(sweep(str(self.root / "nope")), 0)

    def test_a_workspace_that_another_thread_is_about_to_own_is_no_stray(self) -> None:
        with fresh_name() as name:
            self.left(name, 0)
            self.assertEqual(list(sweep_new(str(self.root), [name])), [])
        self.assertEqual(list(sweep_new(str(self.root), [name])), [(name, True)])


if __name__ == "__main__":
    unittest.main()
