"""The routes to scale: a Slurm array by its own script, and a Dask cluster where one can be had."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from shutil import which

from evals.tests.support import REPOSITORY, RepositoryTest, case, run_cli

ANSWER = 'reply("PROBE-OK" if with_skill else "no")'


@unittest.skipUnless(which("bash"), "bash is not installed")
class Slurm(RepositoryTest):
    def submit(self, task: int, **more: str) -> subprocess.CompletedProcess[str]:
        """Run one task of an array of two, as Slurm would."""
        environment = os.environ | {
            "PYTHONPATH": str(REPOSITORY),
            "SKILL_EVAL_PYTHON": sys.executable,
            "SKILL_EVAL_ADAPTER": str(self.root / "adapter.py"),
            "SLURM_ARRAY_TASK_ID": str(task),
            "SLURM_ARRAY_TASK_COUNT": "2",
            "SLURM_SUBMIT_DIR": str(self.root),
        }
        script = ["bash", str(REPOSITORY / "evals/scale/slurm-array.sh")]
        return subprocess.run(script, env=environment | more, capture_output=True, text=True, check=False)

    def test_the_tasks_of_an_array_are_merged_into_one_run(self) -> None:
        self.add_skill(cases=[case(n) for n in range(1, 6)])
        self.add_adapter(ANSWER)
        cut = self.submit(1, SKILL_EVAL_OPTIONS="--max-calls 2")
        self.assertEqual(cut.returncode, 2, cut.stderr)
        requeued = self.submit(1)
        self.assertEqual(requeued.returncode, 0, requeued.stderr)
        self.assertEqual(self.submit(2).returncode, 0)
        ran = run_cli("merge", "--repo-root", self.root, "nightly-1-of-2", "nightly-2-of-2", "--run-id", "nightly")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("5/5", ran.out)

    def test_outside_of_an_array_it_says_how_it_is_meant(self) -> None:
        ran = self.submit(1, SLURM_ARRAY_TASK_ID="")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("sbatch --array", ran.stderr)


def dask_executor() -> object:
    """Return the executor of a local cluster of worker processes, one of which a thread kills half-way."""
    import threading
    import time

    import dask  # type: ignore[import-not-found]
    from dask.distributed import Client, LocalCluster  # type: ignore[import-not-found]

    scratch = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, scratch)
    dask.config.set({"temporary-directory": scratch})
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    client = Client(cluster)

    def kill_one() -> None:
        time.sleep(1.5)
        next(iter(cluster.workers.values())).process.process.kill()

    threading.Thread(target=kill_one, daemon=True).start()
    unittest.addModuleCleanup(cluster.close)
    unittest.addModuleCleanup(client.close)
    return client.get_executor(retries=5, pure=False)


@unittest.skipUnless(find_spec("distributed"), "dask.distributed is not installed")
class Dask(RepositoryTest):
    def test_a_sweep_survives_the_death_of_a_worker(self) -> None:
        self.add_skill(cases=[case(n) for n in range(1, 31)])
        adapter = self.add_adapter("time.sleep(0.1)\n" + ANSWER)
        os.environ["PYTHONPATH"] = str(REPOSITORY)
        self.addCleanup(os.environ.pop, "PYTHONPATH")
        ran = self.run_skill(adapter, "--executor", "evals.tests.test_scale:dask_executor", "--jobs", "2")
        self.assertEqual(ran.code, 0, ran.err)
        benchmark = self.artifact("sample/benchmark.json")
        self.assertEqual(benchmark["with_skill"]["total"], 30)  # type: ignore[index]
        self.assertEqual(benchmark["pass_rate_lift"], 1.0)
        journal = (self.root / "tmp/skills-eval/r/journal.jsonl").read_text("utf-8").splitlines()
        self.assertEqual(len(journal), 60)


if __name__ == "__main__":
    unittest.main()
