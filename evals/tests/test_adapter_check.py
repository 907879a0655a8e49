"""`adapter check`: every probe can fail, on the one adapter that is made for it, and good adapters pass."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evals.skill_eval.artifacts.certificates import find_certificate, store_certificate
from evals.skill_eval.model.certificate import Certificate, ProbeResult, Verdict
from evals.skill_eval.model.trial import AdapterCommand
from evals.skill_eval.reporting.certificate import text
from evals.skill_eval.running.conformance.answers import both_modes, protocol
from evals.skill_eval.running.conformance.check import CALLS, PROBES, check_adapter
from evals.skill_eval.running.conformance.ground import SECRET_VARIABLE, prepared_ground
from evals.skill_eval.running.conformance.leavings import changes, files_with, snapshot
from evals.skill_eval.running.conformance.probe import Probe
from evals.tests.adapter_processes import soon
from evals.tests.schema_checker import load_schema, violations
from evals.tests.support import REPOSITORY, RepositoryTest, case, run_cli

BAD_ADAPTERS = Path(__file__).parent / "data/bad_adapters"
HONEST = BAD_ADAPTERS / "honest.py"
PYTHON = (sys.executable, "-S", "-E", "-B")
SECONDS = 20.0


def promised(program: Path) -> tuple[Verdict, str]:
    """Return what the first line of a bad adapter says: `# verdict: probe`."""
    verdict, _, name = program.read_text("utf-8").splitlines()[0].removeprefix("# ").partition(": ")
    return Verdict(verdict), name


def programs() -> list[Path]:
    """Return the bad adapters."""
    return [path for path in sorted(BAD_ADAPTERS.glob("*.py")) if path != HONEST and path.stem != "__init__"]


def by_name(certificate: Certificate) -> dict[str, ProbeResult]:
    """Return the results by the names of their probes."""
    return {result.name: result for result in certificate.probes}


def failed(certificate: Certificate) -> list[str]:
    """Return the names of the probes that failed."""
    return [result.name for result in certificate.probes if result.verdict is Verdict.FAIL]


def hidden(said: str) -> str:
    """Redact the one secret of these tests."""
    return said.replace("SESAME-OPEN", "[REDACTED]")


class CheckTest(unittest.TestCase):
    """A test with a temporary root of its own, in which a check must leave nothing."""

    def setUp(self) -> None:
        """Make the root, and a folder for what bad adapters keep, too deep in it to be looked at."""
        self.root = Path(os.path.realpath(self.enterContext(tempfile.TemporaryDirectory())))

    def check(self, *argv: str, probes: tuple[Probe, ...] = PROBES) -> Certificate:
        """Check the adapter that `argv` starts."""
        command = AdapterCommand("adapter", argv)
        return check_adapter(command, self.root, SECONDS, lambda said: said, lambda result: None, probes)

    def check_program(self, program: Path, probes: tuple[Probe, ...] = PROBES) -> Certificate:
        """Check one of the small programs."""
        kept = self.root / program.stem / "deep" / "kept"
        kept.mkdir(parents=True)
        return self.check(*PYTHON, str(program), str(kept), probes=probes)

    def leftovers(self) -> list[Path]:
        """Return the grounds that were not removed."""
        return list(self.root.glob("skill-eval-*"))


class BadAdapters(CheckTest):
    def test_every_bad_adapter_fails_the_probe_that_is_made_for_it_and_no_other(self) -> None:
        chosen: dict[Path, tuple[Probe, ...]] = {}
        for program in programs():
            is_first = not any(promised(program) == promised(other) for other in chosen)
            chosen[program] = PROBES if is_first else self.few(promised(program)[1])
        with ThreadPoolExecutor(3) as pool:
            certificates = list(pool.map(self.check_program, chosen, chosen.values()))
        for program, certificate in zip(chosen, certificates, strict=True):
            verdict, name = promised(program)
            with self.subTest(program.stem):
                self.assertEqual(by_name(certificate)[name].verdict, verdict)
                self.assertEqual(failed(certificate), [name] if verdict is Verdict.FAIL else [])
                self.assertTrue(by_name(certificate)[name].mend)
        self.assertEqual(self.leftovers(), [])

    def few(self, name: str) -> tuple[Probe, ...]:
        """Return a probe, the plain questions before it, and all that look back."""
        return tuple(probe for probe in PROBES if probe.name == name or probe is both_modes or not probe.calls)

    def test_there_is_a_bad_adapter_for_every_probe(self) -> None:
        told = {name for verdict, name in map(promised, programs()) if verdict is Verdict.FAIL}
        self.assertEqual(told, {probe.name for probe in PROBES})


class Calls(CheckTest):
    def counted(self, *argv: str) -> tuple[Certificate, int]:
        """Check an adapter and count how often it was started."""
        count = self.root / "a" / "b" / "count"
        count.parent.mkdir(parents=True)
        script = 'echo . >> "$0"; exec "$@"'
        certificate = self.check("/bin/sh", "-c", script, str(count), *argv)
        return certificate, len(count.read_text().splitlines())

    def test_an_honest_adapter_passes_every_probe_in_no_more_calls_than_are_announced(self) -> None:
        certificate, calls = self.counted(*PYTHON, str(HONEST))
        self.assertEqual(Counter(result.verdict for result in certificate.probes), {Verdict.PASS: len(PROBES)})
        self.assertEqual(self.leftovers(), [])
        self.assertIn(calls, (CALLS - 1, CALLS))
        self.assertLessEqual(CALLS, 20)

    def test_who_answers_nothing_is_asked_twice_and_no_more(self) -> None:
        certificate, calls = self.counted("/bin/sh", "-c", "echo the reason >&2; exit 3")
        self.assertEqual(calls, 2)
        self.assertEqual(failed(certificate), ["both-modes"])
        self.assertIn("exit status 3: the reason", by_name(certificate)["both-modes"].reason)
        self.assertEqual(by_name(certificate)["concurrency"].verdict, Verdict.NOT_OBSERVABLE)

    def test_a_program_can_be_too_fast_to_be_cut_off(self) -> None:
        certificate = self.check("/bin/sh", "-c", """printf '{"output": "constant"}'""")
        self.assertEqual(failed(certificate), ["invalid-requests"])
        self.assertEqual(by_name(certificate)["cancellation"].verdict, Verdict.NOT_OBSERVABLE)

    def test_what_is_quoted_of_an_adapter_is_redacted(self) -> None:
        for script in ("echo SESAME-OPEN >&2; exit 1", "echo SESAME-OPEN", """printf '{"SESAME-OPEN": 1}'"""):
            with self.subTest(script):
                command, probes = AdapterCommand("adapter", ("/bin/sh", "-c", script)), (both_modes, protocol)
                certificate = check_adapter(command, self.root, SECONDS, hidden, lambda result: None, probes)
                self.assertFalse(certificate.passed)
                self.assertNotIn("SESAME", text(certificate))
                self.assertIn("[REDACTED]", text(certificate))


class Ground(CheckTest):
    def test_no_home_of_the_user_is_offered_and_every_other_variable_is(self) -> None:
        own = {"HOME": "/u", "XDG_DATA_HOME": "/u/data", "CODEX_HOME": "/u/codex", "CLAUDECODE": "1", "OTHER": "kept"}
        with prepared_ground(self.root, own) as ground:
            home = str(ground.folder / "home")
            self.assertFalse([name for name, value in ground.environment.items() if value.startswith("/u")])
            self.assertEqual((ground.environment["HOME"], ground.environment["CODEX_HOME"]), (home, f"{home}/.codex"))
            self.assertEqual(ground.environment[SECRET_VARIABLE], ground.planted.secret)
            self.assertEqual(ground.environment["OTHER"], "kept")
            self.assertFalse({"CLAUDECODE", "CLAUDE_CONFIG_DIR"} & ground.environment.keys())
            self.assertFalse({SECRET_VARIABLE, "OTHER", "CODEX_HOME"} & ground.clean_environment.keys())
        self.assertEqual(self.leftovers(), [])

    def test_everything_planted_is_somewhere_and_nothing_above_an_ordinary_workspace(self) -> None:
        with prepared_ground(self.root, {}) as ground:
            above = [path for folder in (ground.calls, *ground.calls.parents) for path in folder.glob("AGENTS.md")]
            self.assertEqual(above, [])
            planted = "".join(path.read_text("utf-8") for path in ground.folder.rglob("*.md"))
            for name in ("home_skill", "home_instructions", "above_skill", "above_instructions"):
                self.assertIn(getattr(ground.planted, name), planted)
            self.assertNotIn(ground.planted.secret, planted)

    def test_what_changes_is_seen_once_and_what_does_not_is_not(self) -> None:
        for name in ("kept", "changed", "removed"):
            (self.root / name).write_text("before")
        before = snapshot(str(self.root))
        (self.root / "changed").write_text("after it all")
        (self.root / "removed").unlink()
        (self.root / "added/deep").mkdir(parents=True)
        (self.root / "added/deep/file").write_text("new")
        (self.root / "link").symlink_to("/nowhere")
        self.assertEqual(changes(before, snapshot(str(self.root))), ["added", "changed", "link", "removed"])
        self.assertEqual(changes(before, before), [])

    def test_files_of_other_programs_are_not_laid_at_the_adapters_door(self) -> None:
        (self.root / "folder/deeper").mkdir(parents=True)
        for name, said in {
            "log": "our word",
            "other": "theirs",
            "folder/log": "word",
            "folder/deeper/log": "word",
        }.items():
            (self.root / name).write_text(said)
        os.mkfifo(self.root / "pipe")
        found = [os.path.relpath(path, self.root) for path in files_with(["word"], str(self.root), time.time() - 60)]
        self.assertEqual(found, ["folder/log", "log"])
        self.assertEqual(files_with(["word"], str(self.root), time.time() + 60), [])


class Command(RepositoryTest):
    def setUp(self) -> None:
        """Give the process a home and a temporary folder of its own."""
        super().setUp()
        self.home, self.temporary = self.root.parent / "home", self.root.parent / "temporary"
        self.temporary.mkdir()
        (self.home / ".claude/skills/mine").mkdir(parents=True)
        (self.home / ".claude/skills/mine/SKILL.md").write_text("mine")
        own = {"HOME": str(self.home), "TMPDIR": str(self.temporary), "XDG_CONFIG_HOME": str(self.home / ".config")}
        self.enterContext(patch.dict(os.environ, own))

    def check(self, *options: str | Path) -> tuple[int, str, str]:
        """Run `adapter check` and hold it to what is true of every check."""
        before = snapshot(str(self.home))
        ran = run_cli("adapter", "check", "--repo-root", self.root, *options)
        self.assertEqual(changes(before, snapshot(str(self.home))), [])
        self.assertEqual(os.listdir(self.temporary), [])
        return ran.code, ran.out, ran.err

    def documents(self) -> list[dict[str, Any]]:
        """Return the certificates that were kept."""
        return [json.loads(path.read_bytes()) for path in self.root.glob("tmp/skills-eval/certificates/*.json")]

    @unittest.skipUnless(os.name == "posix", "Windows deletes no current folder")
    def test_from_a_folder_that_was_deleted_an_adapter_is_looked_for_as_from_any_other(self) -> None:
        gone = self.root.parent / "gone"
        gone.mkdir()
        with contextlib.chdir(gone):
            gone.rmdir()
            code, _, err = self.check("nosuch")
        self.assertEqual(code, 2)
        self.assertIn("adapter `nosuch` was found neither on PATH nor at `/nosuch`", err)

    def test_offline_passes_and_its_certificate_is_kept_and_found(self) -> None:
        started = time.monotonic()
        code, out, err = self.check("offline", "--format", "json")
        self.assertLess(time.monotonic() - started, 15)
        document = json.loads(out)
        self.assertEqual((code, document["passed"]), (0, True))
        self.assertEqual(violations(load_schema("certificate"), document), [])
        self.assertEqual(self.documents(), [document])
        found = find_certificate(self.root / "tmp/skills-eval", document["digest"])
        self.assertEqual(found and found.to_json(), document)
        self.assertIn(f"up to {CALLS} adapter calls", err.splitlines()[0])
        self.assertIn("without a language model", document["notice"])

    def test_scripted_passes(self) -> None:
        rules = [
            {"match": {"mode": "with_skill"}, "response": {"output": "{prompt}", "events": "loaded"}},
            {"response": {"output": "{prompt}", "files": {"out.txt": "made"}}},
        ]
        script = self.write("script.json", json.dumps({"rules": rules}))
        code, out, _ = self.check("scripted", "--adapter-arg", script)
        self.assertEqual(code, 0, out)
        self.assertRegex(out.splitlines()[-1], rf"{len(PROBES)} probes: \d+ passed, 0 failed")

    def test_replay_of_any_run_passes(self) -> None:
        self.write("skills/sample/evals/fixtures/a.txt", "a fixture")
        self.add_skill(cases=[case(1, files=["evals/fixtures/a.txt"]), case("two", prompt="Say it twice, please.")])
        self.assertEqual(self.run_skill("offline", "--iterations", "2").code, 0)
        run = self.root / "tmp/skills-eval/r"
        for arguments in ((run / "sample",), (run, "--adapter-arg", "--iteration=2")):
            with self.subTest(arguments):
                code, out, _ = self.check("replay", "--adapter-arg", *arguments)
                self.assertEqual(code, 0, out)
                self.assertRegex(out, r"pass +both-modes")
                self.assertRegex(out, r"not observable +unicode-prompt")

    def test_a_failed_probe_is_told_with_reason_and_cure_and_ends_with_1(self) -> None:
        adapter = self.add_adapter("print('thinking')\nreply('hello')")
        code, out, _ = self.check(adapter)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"FAIL +protocol: the response is no JSON.*\n +to mend: write the response object")
        self.assertEqual([document["passed"] for document in self.documents()], [False])

    def test_arguments_may_begin_with_a_dash_and_the_certificate_may_go_to_a_file(self) -> None:
        target = self.root / "certificate.txt"
        options = ("--adapter-arg", "-S", "--adapter-arg", "-B", "--output", target, "--", str(HONEST))
        code, out, err = self.check(sys.executable, "--timeout-seconds", "20", *options)
        self.assertEqual((code, out), (0, ""))
        self.assertIn(f"{len(PROBES)} passed, 0 failed", target.read_text("utf-8"))
        self.assertIn(f"written to `{target}`", err)

    def test_what_cannot_be_started_ends_with_2_and_without_a_certificate(self) -> None:
        lost = self.write("lost", "#!/no/such/interpreter\n")
        lost.chmod(0o755)
        for adapter, reason in (
            (lost, "interpreter"),
            (self.root / "none", "repository/none`"),
            (self.root, "not a file"),
        ):
            with self.subTest(adapter):
                code, out, err = self.check(adapter)
                self.assertEqual((code, out), (2, ""))
                self.assertRegex(err, f"error: .*{reason}")
        self.assertEqual(run_cli("adapter", "check").code, 2)
        self.assertEqual(run_cli("adapter").code, 2)
        self.assertEqual(self.documents(), [])

    def test_an_interrupted_check_leaves_nothing_behind(self) -> None:
        adapter = self.add_adapter("time.sleep(30)")
        command = [
            sys.executable,
            "-m",
            "evals.skill_eval",
            "adapter",
            "check",
            str(adapter),
            "--repo-root",
            str(self.root),
        ]
        process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(soon(lambda: any(self.temporary.glob("*/calls/*")), 20))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertEqual(self.documents(), [])


class Certificates(CheckTest):
    def setUp(self) -> None:
        """Make a certificate with every verdict."""
        super().setUp()
        probes = (
            ProbeResult("both-modes", Verdict.PASS, "it answers"),
            ProbeResult("usage", Verdict.FAIL, "only one\x1b[2J side", "report both"),
            ProbeResult("cancellation", Verdict.NOT_OBSERVABLE, "too fast", "nothing"),
        )
        self.certificate = Certificate("adapter", "0a" * 32, "2026-01-02T03:04:05Z", probes, "no model")

    def test_a_certificate_is_read_back_without_loss(self) -> None:
        store_certificate(self.root, self.certificate)
        self.assertEqual(find_certificate(self.root, self.certificate.digest), self.certificate)
        newer = replace(self.certificate, probes=self.certificate.probes[:1])
        store_certificate(self.root, newer)
        self.assertEqual(find_certificate(self.root, self.certificate.digest), newer)
        self.assertEqual((newer.passed, self.certificate.passed), (True, False))

    def test_none_is_found_where_none_can_be_read(self) -> None:
        digest = self.certificate.digest
        self.assertIsNone(find_certificate(self.root, digest))
        path = store_certificate(self.root, self.certificate)
        good = json.loads(path.read_bytes())
        bad: tuple[object, ...] = (
            [],
            {},
            {**good, "digest": "0b" * 32},
            {**good, "probes": {}},
            {**good, "probes": [{**good["probes"][0], "verdict": "maybe"}]},
            {**good, "date": 1},
        )
        for document in bad:
            with self.subTest(document):
                path.write_text(json.dumps(document))
                self.assertIsNone(find_certificate(self.root, digest))
        path.write_bytes(b"{")
        self.assertIsNone(find_certificate(self.root, digest))

    def test_the_schema_takes_it_and_refuses_one_that_contradicts_itself(self) -> None:
        schema, good = load_schema("certificate"), self.certificate.to_json()
        self.assertEqual(violations(schema, good), [])
        self.assertNotEqual(violations(schema, {**good, "passed": True}), [])
        self.assertNotEqual(violations(schema, {**good, "probes": []}), [])
        self.assertNotEqual(violations(schema, {**good, "more": 1}), [])

    def test_its_text_counts_verdicts_and_holds_no_control_character(self) -> None:
        shown = text(self.certificate)
        self.assertIn("3 probes: 1 passed, 1 failed, 1 not observable", shown)
        self.assertIn("note: no model", shown)
        self.assertNotIn("\x1b", shown)


if __name__ == "__main__":
    unittest.main()
