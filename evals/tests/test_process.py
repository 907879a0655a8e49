"""One bounded call: its streams, its bounds and its end, whoever owns the process."""

import os
import signal
import tempfile
import threading
import time
import unittest
from contextlib import closing
from pathlib import Path
from typing import ClassVar

from evals.skill_eval.running.portable_process import PortableProcess
from evals.skill_eval.running.process import Completed
from evals.skill_eval.running.supervisor_process import SupervisorProcess
from evals.tests.adapter_processes import call, living, new_mark, python, require_proc, shell

_REQUEST = b"x" * 1_000_000
_READ_ALL = "import sys; print(len(sys.stdin.buffer.read()))"
_TRICKLE = "import os, time\nn = 0\nwhile b := os.read(0, 9999): n += len(b); time.sleep(0.001)\nprint(n)"


def setUpModule() -> None:
    require_proc()


class SupervisedCall(unittest.TestCase):
    kind: ClassVar[type[SupervisorProcess | PortableProcess]] = SupervisorProcess

    def setUp(self) -> None:
        self.mark = new_mark()
        self.owner = self.enterContext(closing(self.kind()))
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def run_call(self, argv: tuple[str, ...], **options: object) -> Completed:
        """Run a call; it may not be cancelled and must leave nothing behind."""
        completed = self.owner.run(call(argv, **options))  # type: ignore[arg-type]
        self.assertEqual(living(self.mark), [])
        if completed is None:
            self.fail("the owner ended before the call did")
        return completed

    def test_an_adapter_answers_on_stdout_and_talks_on_stderr(self) -> None:
        ended = self.run_call(shell("cat; echo talk >&2; exit 3"), stdin=b"request")
        self.assertEqual(
            (ended.stopped, ended.exit_code, ended.stdout, ended.stderr, ended.survivors, ended.reason),
            ("exited", 3, b"request", b"talk\n", 0, None),
        )

    def test_one_call_knows_nothing_of_the_one_before(self) -> None:
        self.run_call(shell("printf 'a long answer'; printf talk >&2"), cwd=self.folder)
        ended = self.run_call(shell("printf short; pwd >&2"))
        self.assertEqual((ended.stdout, ended.stderr), (b"short", b"/\n"))

    def test_argv_directory_and_environment_arrive_as_they_are(self) -> None:
        code = "import os, sys; print(ascii((sys.argv[1:], os.getcwd(), os.environ.get('A'), 'HOME' in os.environ)))"
        argv = (*python(code), "$(id) `id` ; *", "", "\udcff", "ü")
        ended = self.run_call(argv, cwd=self.folder, environment={"A": "b=\udcfe", "LC_ALL": "C.UTF-8"})
        expected = (["mark", *argv[-4:]], os.path.realpath(self.folder), "b=\udcfe", False)
        self.assertEqual(ended.stdout.decode().strip(), ascii(expected))

    def test_the_environment_is_inherited_unless_one_is_given(self) -> None:
        self.assertEqual(self.run_call(shell('printf %s "$PATH"')).stdout, os.environ["PATH"].encode())
        self.assertEqual(self.run_call(shell('printf %s "$HOME"'), environment={}).stdout, b"")

    def test_exactly_the_limit_is_no_fault(self) -> None:
        ended = self.run_call(shell("head -c 5000 /dev/zero; head -c 5000 /dev/zero >&2"), limit_bytes=5000)
        self.assertEqual((ended.stopped, len(ended.stdout), len(ended.stderr)), ("exited", 5000, 5000))

    def test_too_much_output_ends_the_call_at_once(self) -> None:
        table = {
            "one byte over": ("head -c 5001 /dev/zero", "stdout_limit"),
            "one byte over on stderr": ("head -c 5001 /dev/zero >&2", "stderr_limit"),
            "a flood": ("cat /dev/zero", "stdout_limit"),
            "a flood on stderr": ("cat /dev/zero >&2", "stderr_limit"),
            "a flood by a child": ("cat /dev/zero & wait", "stdout_limit"),
            "one byte, then a hang": ("head -c 5001 /dev/zero; sleep 20", "stdout_limit"),
            "deaf to signals": ("trap '' TERM PIPE INT HUP; head -c 5001 /dev/zero; sleep 20", "stdout_limit"),
        }
        for title, (script, stopped) in table.items():
            with self.subTest(title):
                ended = self.run_call(shell(script, self.mark), limit_bytes=5000)
                self.assertEqual((ended.stopped, max(len(ended.stdout), len(ended.stderr))), (stopped, 5000))
                self.assertLess(ended.duration_seconds, 5)

    def test_a_limit_in_the_middle_of_a_character_is_a_matter_of_bytes(self) -> None:
        self.assertEqual(self.run_call(shell("printf '\\342\\202\\254'"), limit_bytes=2).stdout, b"\xe2\x82")

    def test_a_large_request_reaches_any_reader_and_disturbs_none(self) -> None:
        table = {
            "reads all": (_READ_ALL, b"1000000\n"),
            "reads in bites": (_TRICKLE, b"1000000\n"),
            "never reads": ("print('deaf')", b"deaf\n"),
            "closes at once": ("import os, time; os.close(0); time.sleep(0.1); print('closed')", b"closed\n"),
            "reads a little": ("import os; print(len(os.read(0, 10)))", b"10\n"),
        }
        for title, (code, answer) in table.items():
            with self.subTest(title):
                ended = self.run_call(python(code), stdin=_REQUEST)
                self.assertEqual((ended.stopped, ended.exit_code, ended.stdout), ("exited", 0, answer))

    def test_an_adapter_that_does_not_end_in_time_is_ended(self) -> None:
        table = {
            "hangs": "sleep 20",
            "hangs after its answer": "printf answer; exec sleep 20",
            "closes its streams and hangs": "printf answer; exec sleep 20 <&- >&- 2>&-",
            "ignores signals": "trap '' TERM INT HUP; sleep 20",
            "stops itself": "kill -STOP $$; sleep 20",
            "never reads its request": "exec sleep 20",
        }
        for title, script in table.items():
            with self.subTest(title):
                started = time.monotonic()
                ended = self.run_call(shell(script, self.mark), stdin=_REQUEST, timeout_seconds=0.2)
                self.assertEqual((ended.stopped, ended.exit_code), ("timeout", None))
                self.assertEqual(ended.stdout, b"answer" if "answer" in script else b"")
                self.assertGreaterEqual(ended.duration_seconds, 0.2)
                self.assertLess(time.monotonic() - started, 3)

    def test_death_by_a_signal_is_a_negative_exit_code(self) -> None:
        for name, code in {"KILL": -9, "TERM": -15}.items():
            with self.subTest(name):
                self.assertEqual(self.run_call(shell(f"printf answer; kill -{name} $$")).exit_code, code)

    def test_signals_to_its_own_group_reach_the_adapter_alone(self) -> None:
        ended = self.run_call(python("import os; os.kill(0, 15)"))
        self.assertEqual((ended.stopped, ended.exit_code), ("exited", -15))

    def test_an_adapter_leads_a_session_with_default_signals_and_three_descriptors(self) -> None:
        leads = self.run_call(python("import os; print(os.getsid(0) == os.getpid())"))
        self.assertEqual(leads.stdout, b"True\n")
        ignored = self.run_call(("/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"))
        masks = [int(mask, 16) & 0x7FFFFFFF for mask in ignored.stdout.split()[1::2]]  # two above are the C library's
        self.assertEqual(masks, [0, self.inherited_ignores()])
        self.assertEqual(self.run_call(("/bin/ls", "/proc/self/fd")).stdout.split(), [b"0", b"1", b"2", b"3"])

    def inherited_ignores(self) -> int:
        """Return the mask of ignored signals that an adapter may have."""
        return 0

    def test_cancel_ends_the_call_at_once(self) -> None:
        timer = threading.Timer(0.1, self.owner.cancel)
        timer.start()
        started = time.monotonic()
        self.assertIsNone(self.owner.run(call(shell("sleep 20", self.mark))))
        self.assertLess(time.monotonic() - started, 3)
        self.assertEqual(living(self.mark), [])
        timer.join()

    def test_what_cannot_be_started_is_reported_with_path_and_reason(self) -> None:
        table = {
            "missing": (None, 0o755, "no such file or directory"),
            "no execute permission": (b"#!/bin/sh\n", 0o644, "it has no execute permission"),
            "carriage return": (b"#!/bin/sh\r\nexit\r\n", 0o755, "ends in a carriage return"),
            "no interpreter": (b"#!/no/such/thing\n", 0o755, "the interpreter that it needs does not exist"),
            "no first line": (b"echo hello\n", 0o755, "begins with `#!`"),
            "empty": (b"", 0o755, "begins with `#!`"),
        }
        for title, (content, mode, reason) in table.items():
            with self.subTest(title):
                path = Path(self.folder, title)
                if content is not None:
                    path.write_bytes(content)
                    path.chmod(mode)
                self.assert_not_started((str(path),), str(path), reason)

    def test_a_folder_a_lost_directory_and_a_nul_are_no_accidents(self) -> None:
        self.assert_not_started((self.folder,), self.folder, "it is a directory")
        self.assert_not_started(shell("exit"), "/no/such/folder", "no such file", cwd="/no/such/folder")
        self.assert_not_started(("/bin/sh", "a\0b"), "/bin/sh", "invalid argument")
        self.assert_not_started(("/bin/sh",), "/bin/sh", "invalid argument", environment={"A=B": "c"})

    def assert_not_started(self, argv: tuple[str, ...], path: str, reason: str, **options: object) -> None:
        ended = self.run_call(argv, **options)
        self.assertEqual((ended.stopped, ended.exit_code, ended.stdout), ("not_started", None, b""))
        self.assertIn(f"`{path}`: ", ended.reason or "")
        self.assertIn(reason, ended.reason or "")


class PortableCall(SupervisedCall):
    kind = PortableProcess

    def inherited_ignores(self) -> int:
        """Ignored signals come through here, as they do under `nohup`."""
        numbers = [n for n in signal.valid_signals() if n < 32 and signal.getsignal(n) is signal.SIG_IGN]
        return sum(1 << (number - 1) for number in numbers if number not in (signal.SIGPIPE, signal.SIGXFSZ))


if __name__ == "__main__":
    unittest.main()
