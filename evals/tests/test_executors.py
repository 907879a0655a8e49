"""`--executor MODULE:CALLABLE`: whatever the user's executor does, no traceback, nothing lost and nothing left."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.running import process_tree
from evals.skill_eval.running.abandoned import sweep
from evals.skill_eval.running.on_executor import make_executor
from evals.tests.adapter_processes import ROOT, children, is_living, living, require_proc, soon
from evals.tests.support import Ran, RepositoryTest, case

_REPLY = 'reply("PROBE-OK" if with_skill else "no")'
_EXECUTORS = '''
import multiprocessing, os, sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
class Direct(Executor):
    """Runs a task at once; `spoil` may do so otherwise."""
    count = 0
    def submit(self, task, *arguments):
        self.count += 1
        future = Future()
        try: future.set_result(self.spoil(self.count, task, *arguments))
        except BaseException as error: future.set_exception(error)
        return future
    def spoil(self, count, task, *arguments): return task(*arguments)
class Raises(Direct):
    def spoil(self, count, task, *arguments): return 1 / (count - 2) and task(*arguments)
class Exits(Direct):
    def spoil(self, count, task, *arguments): return sys.exit(0) if count == 2 else task(*arguments)
class Empty(Direct):
    def spoil(self, count, task, *arguments): return None if count == 2 else task(*arguments)
class Confused(Direct):
    def spoil(self, count, task, *arguments): return task(*arguments)[:1] if count == 2 else task(*arguments)
class Cancels(Direct):
    def submit(self, task, *arguments):
        future = super().submit(task, *arguments)
        if self.count == 2: future = Future(); future.cancel(); future.set_running_or_notify_cancel()
        return future
class Closed(Direct):
    def submit(self, task, *arguments):
        if self.count == 1: raise RuntimeError("closed for today\\nin detail")
        return super().submit(task, *arguments)
class NoFuture(Direct):
    def submit(self, task, *arguments): return super().submit(task, *arguments) if not self.count else None
class Unclosable(Direct):
    def shutdown(self, *, wait=True, cancel_futures=False): raise OSError("no way")
def die(*arguments): os._exit(3)
class Broken(ProcessPoolExecutor):
    count = 0
    def submit(self, task, *arguments):
        self.count += 1
        return super().submit(die if self.count == 2 else task, *arguments)
def context(): return multiprocessing.get_context(os.environ["START_METHOD"])
def processes(): return ProcessPoolExecutor(2, context())
def broken(): return Broken(1, context())
def threads(): return ThreadPoolExecutor(2)
def lost(): raise OSError("no route to the scheduler")
def number(): return 7
'''


def setUpModule() -> None:
    require_proc()


class ExecutorTest(RepositoryTest):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.enterContext(tempfile.TemporaryDirectory())
        self.adapter = self.add_adapter(_REPLY)
        self.add_skill(cases=[case(number) for number in (1, 2, 3)])
        self.write("../lib/synthetic_executors.py", _EXECUTORS)

    def start(self, executor: str, *options: str | Path, method: str = "spawn") -> "subprocess.Popen[str]":
        """Start a run as a process of its own, with workspaces in `self.place`."""
        argv: list[str | Path] = [
            sys.executable,
            "-B",
            "-m",
            "evals.skill_eval",
            "run",
            "--repo-root",
            self.root,
            "--run-id",
            "r",
        ]
        argv += ["--adapter", self.adapter, "--jobs", "1", "--executor", executor, *options]
        path = os.pathsep.join((ROOT, str(self.root.parent / "lib")))
        environment = os.environ | {"PYTHONPATH": path, "TMPDIR": self.place, "START_METHOD": method}
        pipe = subprocess.PIPE
        run = subprocess.Popen(argv, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
        self.addCleanup(run.communicate)
        self.addCleanup(process_tree.end_group, run.pid)  # with the processes of a pool
        return run

    def run_on(self, executor: str, *options: str | Path, method: str = "spawn") -> Ran:
        """Run the suite to its end; there is never a traceback, and no workspace is left."""
        run = self.start(executor, *options, method=method)
        out, err = run.communicate(timeout=30)
        self.assertNotIn("Traceback", out + err)
        self.assertEqual(os.listdir(self.place), [])
        return Ran(run.returncode, out, err)

    def assert_sweepable(self) -> None:
        """What a dead worker has left goes with the first run that begins some seconds later."""
        for name in os.listdir(self.place):
            os.utime(os.path.join(self.place, name), (time.time() - 60,) * 2)
        sweep(self.place)
        self.assertEqual(os.listdir(self.place), [])

    def kept(self) -> int:
        """Count the trials in the journal of the run that were graded."""
        lines = (self.root / "tmp/skills-eval/r/journal.jsonl").read_text("utf-8").splitlines()
        return sum(json.loads(line)["failure"] is None for line in lines)


class GoodExecutors(ExecutorTest):
    def test_pools_of_threads_and_processes_measure_all_and_leave_no_workspace(self) -> None:
        table = [("threads", ""), ("Direct", ""), *(("processes", way) for way in ("spawn", "fork", "forkserver"))]
        for place, (executor, method) in enumerate(table):
            with self.subTest(executor, method=method):
                ran = self.run_on(f"synthetic_executors:{executor}", "--run-id", f"r{place}", method=method)
                self.assertEqual(ran.code, 0, ran.err)
                self.assertIn("3/3 (100%)", ran.out)

    def test_what_a_killed_worker_leaves_is_swept_and_its_adapter_ends(self) -> None:
        self.adapter = self.add_adapter("time.sleep(30)")
        run = self.start("synthetic_executors:processes")
        mark = str(self.adapter)
        self.assertTrue(soon(lambda: len(living(mark)) == 3, 10), living(mark))  # two adapters and the run itself
        workers = [pid for pid in children(run.pid) if children(pid)]
        supervisors = [pid for worker in workers for pid in children(worker)]
        self.assertEqual(len(supervisors), 2)
        self.assertEqual(len(os.listdir(self.place)), 4)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        _, err = run.communicate(timeout=10)
        self.assertEqual(run.returncode, 2)
        self.assertIn("error: the executor is broken: BrokenProcessPool", err)
        self.assertTrue(soon(lambda: not living(mark) and not any(is_living(pid) for pid in supervisors)))
        self.assert_sweepable()


class Stopped(ExecutorTest):
    """What becomes of the processes of a pool when the run is stopped, or its process killed."""

    def setUp(self) -> None:
        super().setUp()
        self.calls = self.root / "calls"
        self.calls.touch()
        self.adapter = self.add_adapter(f'open({str(self.calls)!r}, "a").write(".")\ntime.sleep(30)')

    def begun(self, method: str) -> "tuple[subprocess.Popen[str], list[int]]":
        """Start a run, and wait for its two calls; return it with the processes that work for it."""
        self.calls.write_text("")
        run = self.start("synthetic_executors:processes", "--run-id", method, method=method)
        self.assertTrue(soon(lambda: len(self.calls.read_text()) == 2, 10))
        return run, [pid for pid in children(run.pid) if children(pid)]

    def assert_all_gone(self, workers: list[int]) -> None:
        mark = str(self.adapter)
        self.assertTrue(soon(lambda: not living(mark) and not any(map(is_living, workers)), 10), living(mark))
        self.assertTrue(soon(lambda: os.listdir(self.place) == []), os.listdir(self.place))
        self.assertEqual(self.calls.read_text(), "..")

    def test_a_signal_ends_the_calls_in_other_processes_and_lets_none_begin(self) -> None:
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number.name):
                run, workers = self.begun("spawn" if number == signal.SIGINT else "fork")
                run.send_signal(number)
                _, err = run.communicate(timeout=8)
                self.assertEqual(run.returncode, code, err)
                self.assertIn("go on with `run --resume", err)
                self.assert_all_gone(workers)

    def test_the_processes_of_a_pool_end_with_the_run_that_was_killed(self) -> None:
        for method in ("spawn", "fork"):
            with self.subTest(method):
                run, workers = self.begun(method)
                run.kill()
                self.assert_all_gone(workers)

    def test_a_run_that_was_stopped_is_resumed_on_an_executor(self) -> None:
        run, _ = self.begun("spawn")
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=8)
        self.assertTrue((self.root / "tmp/skills-eval/spawn/stopped").exists())
        self.adapter.write_text(self.adapter.read_text())
        resumed = self.start("synthetic_executors:processes", "--resume", "spawn")
        self.assertTrue(soon(lambda: len(self.calls.read_text()) == 4, 10))
        resumed.send_signal(signal.SIGTERM)
        resumed.communicate(timeout=8)


class BadExecutors(ExecutorTest):
    def test_a_unit_that_fails_becomes_errored_trials(self) -> None:
        table = {
            "Raises": "the unit failed: ZeroDivisionError: division by zero",
            "Exits": "the unit failed: SystemExit: 0",
            "Empty": "the executor returned a NoneType, expected trials",
            "Confused": "the executor returned trials of another unit",
            "Cancels": "the executor cancelled the unit",
        }
        for executor, message in table.items():
            with self.subTest(executor):
                self.remove_run()
                ran = self.run_on(f"synthetic_executors:{executor}")
                self.assertEqual(ran.code, 2)
                self.assertEqual(ran.err.count(f"errored: {message}\n"), 2, ran.err)
                self.assertEqual(self.kept(), 4)

    def test_an_executor_that_breaks_ends_the_run_and_what_is_done_is_kept(self) -> None:
        table = {
            "Closed": ("the executor takes no more units: RuntimeError: closed for today\n", 2),
            "NoFuture": ("the executor submits as a NoneType, expected a concurrent.futures.Future\n", 2),
            "Unclosable": ("the executor cannot be shut down: OSError: no way\n", 6),
        }
        for executor, (message, kept) in table.items():
            with self.subTest(executor):
                self.remove_run()
                ran = self.run_on(f"synthetic_executors:{executor}")
                self.assertEqual(ran.code, 2)
                self.assertIn(f"error: {message}", ran.err)
                self.assertIn("hint: what was finished is kept", ran.err)
                self.assertEqual(self.kept(), kept)

    def test_a_pool_that_breaks_ends_the_run_and_what_is_done_is_kept(self) -> None:
        run = self.start("synthetic_executors:broken")
        err = run.communicate(timeout=30)[1]
        self.assertEqual((run.returncode, self.kept()), (2, 2), err)
        self.assertIn("error: the executor is broken: BrokenProcessPool: ", err)
        self.assertNotIn("Traceback", err)
        self.assert_sweepable()

    def test_a_callable_that_makes_no_executor_is_a_configuration_error(self) -> None:
        table = {
            "sys:exit": "cannot be made: SystemExit",
            "synthetic_executors:lost": "cannot be made: OSError: no route to the scheduler",
            "synthetic_executors:number": "made a int, expected a concurrent.futures.Executor",
        }
        for executor, message in table.items():
            with self.subTest(executor):
                ran = self.run_on(executor, "--run-id", executor.rpartition(":")[2])
                self.assertEqual(ran.code, 2)
                self.assertIn(f"error: executor `{executor}` {message}", ran.err)

    def test_a_name_that_names_no_callable_is_a_configuration_error(self) -> None:
        for name in ("", ":", "no_such_module_here:x", "json", "json:", "json:no_such_name", "json:__name__", ".x:y"):
            with self.subTest(name), self.assertRaisesRegex(ConfigError, "cannot be made: [A-Z][A-Za-z]+Error"):
                make_executor(name)

    def remove_run(self) -> None:
        """Let the next run begin anew."""
        from shutil import rmtree

        rmtree(self.root / "tmp", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
