"""The supervisor: whatever an adapter starts, kills or stops, and however the harness ends, no process is left."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from evals.skill_eval.errors import AdapterError
from evals.skill_eval.running import process_tree
from evals.skill_eval.running.process import Completed
from evals.skill_eval.running.supervisor import CallCancelled, Supervisor, cancel_all
from evals.tests.adapter_processes import (
    ROOT,
    call,
    children,
    is_living,
    living,
    new_mark,
    python,
    require_proc,
    shell,
    soon,
)

_START = """
import os, signal, subprocess, sys, time
MARK = sys.argv[1]
def start(code, **options):
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", code, MARK], **options)
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            argv = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(20)", MARK]
            os.execve(sys.executable, argv, {})
        os._exit(0)
    os.wait()
"""
_BOTH = """
worker = os.getppid()
with open(f"/proc/{worker}/stat") as file: guard = int(file.read().rpartition(")")[2].split()[1])
def send(*pairs):
    for pid, number in pairs: os.kill(pid, number)
daemon()
"""
_TREE = """
def grow(depth):
    for _ in range(2 if depth > 1 else 1):
        if depth and os.fork() == 0:
            grow(depth - 1)
            time.sleep(20)
"""
_HARNESS = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from evals.skill_eval.running.interruption import Interrupted, signals_end_calls
from evals.skill_eval.running.process import Call
from evals.skill_eval.running.supervisor import Supervisor
ADAPTER, MARK = sys.argv[2:4]
signal.signal(signal.SIGHUP, signal.SIG_DFL)
def run(supervisor, seconds=20):
    argv = (sys.executable, "-I", "-S", "-c", ADAPTER, MARK)
    return supervisor.call(Call(argv, b"", "/", None, seconds, 1 << 20))
"""
_RUN_FOREVER = """
with signals_end_calls(), Supervisor() as supervisor:
    while True:
        run(supervisor)
"""
_HANG = "daemon(); start('import time; time.sleep(20)', start_new_session=True); time.sleep(20)"


def setUpModule() -> None:
    require_proc()


class ProcessTree(unittest.TestCase):
    def setUp(self) -> None:
        self.mark = new_mark()
        self.pids = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "pids")
        self.supervisor = self.enterContext(Supervisor())

    def run_code(self, code: str, timeout_seconds: float = 10.0) -> Completed:
        """Run Python code as the adapter; all that carries the mark must be gone when the call ends."""
        try:
            return self.supervisor.call(call(python(_START + code, self.mark), timeout_seconds=timeout_seconds))
        finally:
            self.assertEqual(living(self.mark), [])

    def test_whatever_outlives_the_adapter_is_ended(self) -> None:
        table = {
            "nothing": ("", 0),
            "a child that has ended": ("start('').wait()", 0),
            "a child": ("start('import time; time.sleep(20)')", 1),
            "a child in a session of its own": ("start('import time; time.sleep(20)', start_new_session=True)", 1),
            "a child with an empty environment": ("start('import time; time.sleep(20)', env={})", 1),
            "a daemon, forked twice, without an environment": ("daemon()", 1),
            "a stopped child": ("start('import os, time; os.kill(os.getpid(), 19); time.sleep(20)')", 1),
            "a child that ignores signals": ("[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; daemon()", 1),
            "a tree, five deep": (_TREE + "if os.fork() == 0: grow(5); time.sleep(20)\ntime.sleep(0.2)", 47),
        }
        for title, (code, survivors) in table.items():
            with self.subTest(title):
                ended = self.run_code(code + "\nprint('answer')")
                self.assertEqual((ended.stopped, ended.exit_code, ended.stdout), ("exited", 0, b"answer\n"))
                self.assertEqual(ended.survivors, survivors)

    def test_the_tree_of_an_adapter_that_hangs_is_ended_with_it(self) -> None:
        for title, code in {"tree": _TREE + "grow(5); time.sleep(20)", "daemons": _HANG}.items():
            with self.subTest(title):
                ended = self.run_code(code, timeout_seconds=0.5)
                self.assertEqual((ended.stopped, ended.exit_code), ("timeout", None))
                self.assertGreater(ended.survivors, 1)

    def test_processes_that_never_stop_forking_are_caught(self) -> None:
        flee = "if os.fork() == 0:\n  end = time.monotonic() + 9\n  while time.monotonic() < end:\n"
        table = {
            "in one group": "    if os.fork(): os._exit(0)",
            "in ever new sessions": "    if os.fork(): os._exit(0)\n    os.setsid()",
        }
        for title, hop in table.items():
            with self.subTest(title):
                self.assertEqual(self.run_code(flee + hop).stopped, "exited")

    def test_a_child_that_keeps_stdout_open_costs_no_time_and_adds_nothing(self) -> None:
        late = "import time; time.sleep(0.2); print('late', flush=True); time.sleep(20)"
        ended = self.run_code(f"start({late!r}); print('answer')")
        self.assertEqual((ended.stopped, ended.stdout), ("exited", b"answer\n"))
        self.assertLess(ended.duration_seconds, 2)

    def test_an_adapter_cannot_end_its_supervisor_by_a_signal_that_can_be_ignored(self) -> None:
        for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGALRM", "SIGPIPE", "SIGTSTP"):
            with self.subTest(name):
                self.assertEqual(self.run_code(f"os.kill(os.getppid(), signal.{name}); print(1)").stdout, b"1\n")

    def test_a_stopped_supervisor_is_woken(self) -> None:
        ended = self.run_code("os.kill(os.getppid(), signal.SIGSTOP); print('answer')")
        self.assertEqual((ended.stopped, ended.stdout), ("exited", b"answer\n"))

    def test_an_adapter_that_kills_its_supervisor_is_an_adapter_error_and_is_ended(self) -> None:
        kill = "os.kill(os.getppid(), signal.SIGKILL); "
        kill_group = "os.killpg(os.getpgid(os.getppid()), signal.SIGKILL); "
        table = {"hangs": kill + _HANG, "exits": kill, "kills the group": kill_group + _HANG}
        for title, code in table.items():
            with self.subTest(title):
                with self.assertRaisesRegex(AdapterError, "the process that supervises it"):
                    self.run_code("daemon(); " + code)
                self.assertEqual(self.run_code("print('answer')").stdout, b"answer\n")

    def test_a_guard_that_is_stopped_with_its_worker_is_woken(self) -> None:
        table = {"exits": ("print('answer')", "exited"), "hangs": ("time.sleep(20)", "timeout")}
        for title, (code, stopped) in table.items():
            with self.subTest(title):
                started = time.monotonic()
                ended = self.run_code(_BOTH + "send((guard, 19), (worker, 19)); " + code, timeout_seconds=1.0)
                self.assertEqual(ended.stopped, stopped)
                self.assertLess(time.monotonic() - started, 2.5)

    def test_an_adapter_that_ends_or_holds_up_both_supervisors_is_an_adapter_error_and_is_ended(self) -> None:
        table = {
            "kills both": "send((guard, 9), (worker, 9)); " + _HANG,
            "kills both and exits": "send((guard, 9), (worker, 9))",
            "kills the guard, stops the worker": "send((guard, 9), (worker, 19)); " + _HANG,
            "stops the guard, kills the worker": "send((guard, 19), (worker, 9)); " + _HANG,
        }
        for title, code in table.items():
            with self.subTest(title):
                started = time.monotonic()
                with self.assertRaisesRegex(AdapterError, "ended or stopped the process that supervises it"):
                    self.run_code(_BOTH + f"print(guard, worker, file=open({self.pids!r}, 'w')); " + code, 0.8)
                self.assertLess(time.monotonic() - started, 2.5)
                self.assertFalse(any(is_living(int(pid)) for pid in Path(self.pids).read_text("ascii").split()))
                self.assertEqual(self.run_code("print('answer')").stdout, b"answer\n")

    def test_an_adapter_that_stops_both_supervisors_again_and_again_gains_no_time(self) -> None:
        started = time.monotonic()
        try:
            ended = self.run_code(_BOTH + "while True: send((guard, 19), (worker, 19))", 0.8)
            self.assertEqual(ended.stopped, "timeout")  # when the worker got a word in between
        except AdapterError as error:
            self.assertIn("ended or stopped the process that supervises it", str(error))
        self.assertLess(time.monotonic() - started, 2.5)
        self.assertEqual(self.run_code("print('answer')").stdout, b"answer\n")

    def test_the_end_of_a_supervisor_concerns_nobody_else(self) -> None:
        with Supervisor() as neighbour, ThreadPoolExecutor(1) as thread:
            neighbours = thread.submit(neighbour.call, call(shell("sleep 0.6; printf alive")))
            self.run_code("print(1)")
            others = [subprocess.Popen(("sleep", "20"), start_new_session=apart) for apart in (True, False)]
            for other in others:
                self.addCleanup(other.wait)
                self.addCleanup(other.kill)
            for victims in ("(worker, 9)", "(guard, 9), (worker, 9)"):
                with self.assertRaises(AdapterError):
                    self.run_code(f"{_BOTH}send({victims})")
            self.assertEqual([other.poll() for other in others], [None, None])
            self.assertEqual(neighbours.result().stdout, b"alive")

    def test_four_supervisors_at_once_leave_each_other_s_processes_alone(self) -> None:
        keep = "d = start('import time; time.sleep(20)', start_new_session=True); time.sleep(0.3); print(d.poll())"

        def work(place: int) -> set[bytes]:
            with Supervisor() as supervisor:
                code = _START + (keep if place % 2 else "daemon(); print(None)")
                return {supervisor.call(call(python(code, self.mark))).stdout for _ in range(2 if place % 2 else 10)}

        with ThreadPoolExecutor(4) as threads:
            self.assertEqual(list(threads.map(work, range(4))), [{b"None\n"}] * 4)
        self.assertEqual(living(self.mark), [])


class EndOfTheHarness(unittest.TestCase):
    def setUp(self) -> None:
        self.mark = new_mark()

    def start(self, code: str = _RUN_FOREVER, adapter: str = _HANG) -> "subprocess.Popen[bytes]":
        """Start a harness of its own that runs the adapter."""
        argv = (sys.executable, "-c", _HARNESS + code, ROOT, _START + adapter, self.mark)
        environment = os.environ | {"TMPDIR": self.enterContext(tempfile.TemporaryDirectory())}
        harness = subprocess.Popen(
            argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self.addCleanup(harness.communicate)
        self.addCleanup(harness.kill)
        return harness

    def start_and_await(self, processes: int, code: str = _RUN_FOREVER) -> "subprocess.Popen[bytes]":
        """Start a harness and wait until so many processes, itself included, carry the mark."""
        harness = self.start(code)
        self.assertTrue(soon(lambda: len(living(self.mark)) == processes), living(self.mark))
        return harness

    def assert_nothing_left(self, supervisors: list[int]) -> None:
        self.assertTrue(soon(lambda: not living(self.mark)), living(self.mark))
        self.assertTrue(soon(lambda: not any(is_living(pid) for pid in supervisors)))

    def test_every_end_of_the_harness_ends_its_calls(self) -> None:
        endings = {signal.SIGKILL: -9, signal.SIGINT: 1, signal.SIGTERM: 1, signal.SIGHUP: 1}
        for number, exit_code in endings.items():
            with self.subTest(number.name):
                harness = self.start_and_await(4)
                supervisors = children(harness.pid)
                self.assertEqual(len(supervisors), 1)
                harness.send_signal(number)
                self.assertEqual(harness.wait(3), exit_code)
                self.assert_nothing_left(supervisors)
                if exit_code == 1:
                    self.assertIn(f"Interrupted: {number.name}".encode(), harness.stderr.read())  # type: ignore[union-attr]

    def test_a_signal_at_any_moment_leaves_nothing(self) -> None:
        chance = random.Random(20240229)
        for _ in range(6):
            harness = self.start(adapter="daemon()")
            time.sleep(chance.uniform(0.0, 0.2))
            supervisors = children(harness.pid)
            harness.send_signal(chance.choice((signal.SIGTERM, signal.SIGINT, signal.SIGKILL)))
            harness.wait(3)
            self.assert_nothing_left(supervisors)

    def test_an_interruption_carries_its_exit_code_and_can_be_cleaned_up_after(self) -> None:
        code = """
with signals_end_calls():
    try:
        with Supervisor() as supervisor:
            run(supervisor)
    except Interrupted as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(0.1)
        sys.exit(stop.exit_code)
"""
        for number, exit_code in {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}.items():
            with self.subTest(number.name):
                harness = self.start_and_await(4, code)
                harness.send_signal(number)
                self.assertEqual(harness.wait(3), exit_code)
                self.assert_nothing_left([])

    def test_a_second_sigint_leaves_at_once(self) -> None:
        code = """
with signals_end_calls(), Supervisor() as supervisor:
    try:
        run(supervisor)
    except Interrupted:
        print("cleaning", flush=True)
        for _ in range(200): time.sleep(0.1)
"""
        harness = self.start_and_await(4, code)
        harness.send_signal(signal.SIGINT)
        self.assertEqual(harness.stdout.readline(), b"cleaning\n")  # type: ignore[union-attr]
        harness.send_signal(signal.SIGINT)
        self.assertEqual(harness.wait(3), 130)
        self.assert_nothing_left([])

    def test_calls_in_other_threads_end_too(self) -> None:
        code = """
import threading
from evals.skill_eval.running.supervisor import CallCancelled
def work():
    with Supervisor() as supervisor:
        try:
            run(supervisor)
        except CallCancelled:
            os.write(1, b"cancelled ")
with signals_end_calls():
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads: thread.start()
    try:
        time.sleep(20)
    finally:
        for thread in threads: thread.join(3)
        os.write(1, b"%d" % sum(thread.is_alive() for thread in threads))
"""
        harness = self.start_and_await(10, code)
        harness.send_signal(signal.SIGTERM)
        self.assertEqual(harness.communicate(timeout=3)[0], b"cancelled " * 3 + b"0")
        self.assert_nothing_left([])

    def test_later_signals_are_ignored_to_the_end_of_the_process_but_sigint(self) -> None:
        code = """
try:
    with signals_end_calls(), Supervisor() as supervisor:
        run(supervisor)
except Interrupted as stop:
    class Late:
        def __del__(self, kill=os.kill, pid=os.getpid()): kill(pid, 15); kill(pid, 1)
    sys.late = Late()
    print("left", flush=True)
    time.sleep(0.3)
    sys.exit(stop.exit_code)
"""
        table = {
            (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): 130,
            (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM): 143,
            (signal.SIGTERM, signal.SIGINT): 130,
        }
        for (first, *others), exit_code in table.items():
            with self.subTest(f"{first.name}, then {others}"):
                harness = self.start_and_await(4, code)
                harness.send_signal(first)
                self.assertEqual(harness.stdout.readline(), b"left\n")  # type: ignore[union-attr]
                for number in others:
                    harness.send_signal(number)
                self.assertEqual(harness.wait(3), exit_code)
                self.assert_nothing_left([])

    def test_an_ignored_sighup_stays_ignored_and_handlers_come_back(self) -> None:
        code = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
before = [signal.getsignal(number) for number in (1, 2, 15)]
with signals_end_calls(), Supervisor() as supervisor:
    os.kill(os.getpid(), signal.SIGHUP)
    print(run(supervisor).stdout)
print(before == [signal.getsignal(number) for number in (1, 2, 15)])
try:
    with signals_end_calls(): os.kill(os.getpid(), signal.SIGINT); time.sleep(5)
except Interrupted as stop:
    print(stop)
"""
        answer = self.start(code, "print('answer')").communicate(timeout=5)[0]
        self.assertEqual(answer, b"b'answer\\n'\nTrue\nSIGINT\n")

    def test_a_harness_in_odd_circumstances_works(self) -> None:
        table = {
            "no standard streams": "for descriptor in (0, 1, 2): os.close(descriptor)",
            "dead children are ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
            "signals are blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
        }
        code = """
with Supervisor() as supervisor: ended = run(supervisor)
os._exit(0 if (ended.stdout, ended.stderr) == (b"answer\\n", b"talk\\n") else 7)
"""
        for title, circumstance in table.items():
            with self.subTest(title):
                harness = self.start(circumstance + code, "print('answer'); print('talk', file=sys.stderr)")
                self.assertEqual((harness.communicate(timeout=5)[1], harness.returncode), (b"", 0))

    def test_output_that_finds_no_room_is_an_adapter_error(self) -> None:
        code = """
import resource
from evals.skill_eval.errors import AdapterError
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
with Supervisor() as supervisor:
    try: run(supervisor)
    except AdapterError as error: print(error)
"""
        answer = self.start(code, "daemon(); os.write(1, b'x' * 5000); time.sleep(20)").communicate(timeout=5)[0]
        self.assertEqual(answer, f"the output of `{sys.executable}` could not be stored: file too large\n".encode())
        self.assert_nothing_left([])

    def test_a_fault_of_the_supervisor_is_our_bug_and_not_the_adapter_s(self) -> None:
        code = """
from evals.skill_eval.running import supervisor_process
supervisor_process._ROOT = "/no/such/folder"
with Supervisor() as supervisor:
    run(supervisor)
"""
        talk = self.start(code, "").communicate(timeout=5)[1]
        self.assertIn(b"No module named 'evals'", talk)
        self.assertIn(b"RuntimeError: a supervisor process failed with exit code 1", talk)

    def test_the_harness_can_be_a_zip_file_given_by_a_relative_path(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with zipfile.ZipFile(Path(folder, "harness.pyz"), "w", zipfile.ZIP_DEFLATED) as archive:
            for path in Path(ROOT, "evals").glob("skill_eval/**/*.py"):
                archive.write(path, path.relative_to(ROOT))
            archive.writestr("evals/__init__.py", "")
        code = f"import os, sys; os.chdir({folder!r}); sys.argv[1] = 'harness.pyz'" + _HARNESS
        code += "with Supervisor() as supervisor: print(run(supervisor).stdout)"
        argv = (sys.executable, "-I", "-c", code, "", "print('answer')", self.mark)
        ran = subprocess.run(argv, capture_output=True, timeout=5, check=False)
        self.assertEqual((ran.stdout, ran.stderr), (b"b'answer\\n'\n", b""))

    def test_memory_stays_flat_while_adapters_print_a_mebibyte_each(self) -> None:
        code = """
import resource
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with Supervisor() as supervisor:
    sizes = [(len(run(supervisor).stdout), peak()) for _ in range(12)]
print({size for size, _ in sizes}, sizes[-1][1] - sizes[4][1] < 2048)
"""
        answer = self.start(code, "os.write(1, b'x' * 2**20)").communicate(timeout=10)[0]
        self.assertEqual(answer, b"{1048576} True\n")


class Cancelling(unittest.TestCase):
    def test_cancel_ends_the_call_and_refuses_others(self) -> None:
        mark = new_mark()
        for cancel_from in ("itself", "all"):
            with self.subTest(cancel_from), Supervisor() as supervisor:
                timer = threading.Timer(0.2, supervisor.cancel if cancel_from == "itself" else cancel_all)
                timer.start()
                started = time.monotonic()
                with self.assertRaises(CallCancelled):
                    supervisor.call(call(shell("sleep 20 & sleep 20", mark)))
                self.assertLess(time.monotonic() - started, 2)
                self.assertEqual(living(mark), [])
                with self.assertRaises(CallCancelled):
                    supervisor.call(call(shell("exit")))
                timer.join()

    def test_cancel_before_the_first_call_refuses_it(self) -> None:
        with Supervisor() as supervisor:
            supervisor.cancel()
            with self.assertRaises(CallCancelled):
                supervisor.call(call(shell("exit")))

    def test_close_can_be_told_twice_and_leaves_no_descriptor(self) -> None:
        before = sorted(os.listdir("/dev/fd"))
        for _ in range(3):
            with Supervisor() as supervisor:
                supervisor.call(call(shell("exit")))
                supervisor.close()
                supervisor.cancel()
                with self.assertRaises(CallCancelled):
                    supervisor.call(call(shell("exit")))
        self.assertEqual(sorted(os.listdir("/dev/fd")), before)


class ProcessTable(unittest.TestCase):
    def test_ps_and_proc_tell_the_same(self) -> None:
        mine = {(entry.pid, entry.parent, entry.group) for entry in process_tree._from_ps()}
        self.assertIn((os.getpid(), os.getppid(), os.getpgrp()), mine)


if __name__ == "__main__":
    unittest.main()
