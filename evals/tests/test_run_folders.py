"""Run folders that somebody edited: whatever they hold, nothing is followed, nothing crashes, nothing is believed."""

import json
import os
import shutil
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from evals.skill_eval.artifacts.files import json_bytes, write_whole
from evals.skill_eval.artifacts.journal import NAME, Journal
from evals.skill_eval.artifacts.lock import locked
from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.artifacts.run_facts import _OPTIONS, options_digest
from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.artifacts.wide_text import redacted_bytes
from evals.skill_eval.commands.run_options import DEFINING
from evals.skill_eval.errors import ConfigError, SkillEvalError
from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.record import TrialRecord
from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.model.trial import TrialKey
from evals.skill_eval.reading.strict_json import parse
from evals.tests.support import Json, Ran, RepositoryTest, case, run_cli

# Synthetic, and in two pieces, so that no scanner of secrets stops at this file.
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
MISSING = object()

KEYS: tuple[tuple[str, object], ...] = (
    ("skill", "../../../victim"),
    ("skill", "/victim"),
    ("skill", "other"),
    ("skill", ""),
    ("skill", 1),
    ("case", "../../x"),
    ("case", [1]),
    ("case", True),
    ("case", "1"),
    ("case", 1.0),
    ("case", 7),
    ("case", None),
    ("iteration", -1),
    ("iteration", 0),
    ("iteration", 2),
    ("iteration", 10**30),
    ("iteration", True),
    ("mode", "old_skill"),
    ("mode", "placebo"),
    ("mode", ["with_skill"]),
)
FIELDS: tuple[tuple[str, object], ...] = (
    ("duration_seconds", True),
    ("duration_seconds", -1),
    ("duration_seconds", "1"),
    ("duration_seconds", 1e300),
    ("usage", {"input_tokens": 10**400}),
    ("usage", {"input_tokens": 10**200}),
    ("usage", {"input_tokens": True}),
    ("usage", []),
    ("checks", None),
    ("checks", {}),
    ("checks", [1]),
    ("checks", [{"id": "c"}]),
    ("failure", {"kind": "exit", "message": "both"}),
    ("loaded", 1),
    ("telemetry", "yes"),
    ("retries", -1),
    ("retries", True),
    ("notes", "text"),
    ("notes", [1]),
    *((name, MISSING) for name in ("skill", "case", "mode", "checks", "failure", "usage", "notes")),
)
LINES = (
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"[]",
    b"null",
    b"",
    b"\xff",
    b'{"skill": 1, "skill": 2}',
    b'{"duration_seconds": NaN}',
    b'{"duration_seconds": 1e999}',
    b'{"notes": ["\\ud800"]}',
)
FACTS: tuple[tuple[str, object], ...] = (
    *((name, MISSING) for name in ("adapter", "options", "options_digest", "skills", "cases", "modes", "start")),
    ("adapter", "offline"),
    ("adapter", {"name": "x"}),
    ("planned_trials", "4"),
    ("planned_trials", True),
    ("planned_trials", MISSING),
    ("planned_total", -1),
    ("skills", {"../../victim": {"skill": "a", "suite": "b"}}),
    ("skills", ["sample"]),
    ("cases", [{"skill": "../../victim", "ids": [1]}]),
    ("cases", [{"skill": "sample", "ids": ["../x"]}]),
    ("cases", [{"skill": "sample", "ids": [[1]]}]),
    ("modes", ["sideways"]),
    ("end", 5),
    ("complete", "yes"),
    ("adapter_certificate", {"probes": [1]}),
    ("options", []),
)
OPTIONS: tuple[tuple[str, object], ...] = (
    ("minimum_lift", 0.5),
    ("minimum_lift", "lots"),
    ("minimum_lift", "1/0"),
    ("minimum_lift", "2"),
    ("minimum_lift", "1e999999999"),
    ("iterations", 0),
    ("iterations", 100_001),
    ("iterations", True),
    ("iterations", "1"),
    ("case", "1"),
    ("case", [1]),
    ("skills_dir", [None]),
    ("skills_dir", ["a\0b"]),
    ("sandbox", "tight"),
    ("sandbox", None),
    ("shard", "3/2"),
    ("shard", 1),
    ("adapter_arg", "x"),
    ("adapter_arg", [1]),
    ("pass_env", {"A": "B"}),
    ("timeout_seconds", 0),
    ("timeout_seconds", "120"),
    ("timeout_seconds", True),
    ("retries", -1),
    ("seed", 1.5),
    ("control", ["aaa"]),
    ("clean_env", 1),
    ("clean_env", MISSING),
    ("baseline_ref", 3),
)


class RunFolderTest(RepositoryTest):
    """A finished run `r` with two trials, of which each test spoils a copy."""

    def setUp(self) -> None:
        """Make the run."""
        super().setUp()
        self.add_skill(cases=[case()])
        self.adapter = self.add_adapter('reply("PROBE-OK" if with_skill else "no", usage={"input_tokens": 3})')
        self.runs = self.root / "tmp/skills-eval"
        self.run_folder = self.runs / "r"
        made = self.run_skill(self.adapter)
        self.assertEqual(made.code, 0, made.err)
        self.kept = self.root.parent / "kept"
        shutil.copytree(self.run_folder, self.kept)

    def restore(self) -> None:
        """Bring the run back to what it was."""
        shutil.rmtree(self.run_folder)
        shutil.copytree(self.kept, self.run_folder)

    def edit_line(self, name: str, value: object) -> None:
        """Change a field of the journal's first line."""
        first, *others = (self.kept / NAME).read_text("utf-8").splitlines()
        line = changed(json.loads(first), name, value)
        (self.run_folder / NAME).write_text("\n".join([json.dumps(line), *others, ""]), encoding="utf-8")

    def edit_facts(self, change: Callable[[Json], Json]) -> None:
        """Change `run.json`."""
        facts = change(json.loads((self.kept / "run.json").read_text("utf-8")))
        (self.run_folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")

    def everything(self) -> list[Ran]:
        """Run every command that reads a run; merge must leave nothing behind."""
        place = ("--repo-root", self.root)
        ran = [
            run_cli("rebuild", "r", *place),
            run_cli("merge", "r", "--run-id", "m", *place),
            run_cli("run", "--resume", "r", *place),
        ]
        self.assertFalse((self.runs / "m").exists())
        return ran

    def assert_all_refused(self, *messages: str) -> None:
        """Expect one message and exit code 2 of every command."""
        for ran in self.everything():
            self.assert_refused(ran, *messages)

    def assert_refused(self, ran: Ran, *messages: str) -> None:
        """Expect one message and exit code 2."""
        self.assertEqual(ran.code, 2, ran.out + ran.err)
        self.assertNotIn("Traceback", ran.err)
        self.assertEqual(ran.err.count("error: "), 1, ran.err)
        for message in messages:
            self.assertIn(message, ran.err)


def changed(value: Json, name: str, new: object) -> Json:
    """Return `value` with another field, or without it."""
    rest = {key: old for key, old in value.items() if key != name}
    return rest if new is MISSING else rest | {name: new}


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text of a file wherever it stands."""
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")


class JournalLines(RunFolderTest):
    def test_a_trial_that_was_not_planned_is_refused_with_its_line(self) -> None:
        victim = self.root / "victim"
        victim.mkdir()
        for name, value in KEYS:
            with self.subTest(name=name, value=value):
                self.edit_line(name, value)
                self.assert_all_refused(f"{NAME}:1: ")
        self.assertEqual(list(victim.iterdir()), [])

    def test_a_field_of_the_wrong_type_is_refused_with_its_line(self) -> None:
        for name, value in FIELDS:
            with self.subTest(name=name, value=str(value)[:40]):
                self.edit_line(name, value)
                self.assert_all_refused(f"{NAME}:1:")

    def test_a_line_that_is_no_strict_json_is_refused_with_its_number(self) -> None:
        before = (self.kept / NAME).read_bytes()
        for line in LINES:
            with self.subTest(line=line[:30]):
                (self.run_folder / NAME).write_bytes(before + line + b"\n")
                self.assert_all_refused(f"{NAME}:3:")

    def test_a_line_that_would_be_a_record_but_for_something_that_is_never_meant_is_refused(self) -> None:
        first, second = (self.kept / NAME).read_bytes().splitlines()
        nested = b"[" * 70 + b"]" * 70
        for added in (b'"retries": 0', b'"more": NaN', b'"more": 1e999', b'"more": "\\ud800"', b'"more": ' + nested):
            with self.subTest(added=added[:20]):
                (self.run_folder / NAME).write_bytes(first + b"\n" + second[:-1] + b", " + added + b"}\n")
                self.assert_all_refused(f"{NAME}:2:")

    def test_half_a_surrogate_pair_in_a_note_is_written_as_its_escape(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            journal = Journal(Path(folder) / NAME)
            grading = Grading((CheckResult("c", CheckType.REGEX, True, True, "m"),))
            key = TrialKey("sample", 1, 1, Mode.WITH_SKILL)
            journal.append(TrialRecord(key, 1.0, grading, notes=("changed a\udcff",)))
            self.assertEqual(journal.records()[0].notes, ("changed a\\udcff",))
        self.assertEqual(parse(json_bytes({"a": "\udcff"})).value, {"a": "\\udcff"})

    def test_five_thousand_lines_are_read_in_well_under_a_second(self) -> None:
        line = json.loads((self.kept / NAME).read_text("utf-8").splitlines()[0])
        lines = (json.dumps(line | {"case": n}) + "\n" for n in range(5000))
        path = self.root / NAME
        path.write_text("".join(lines), encoding="utf-8")
        start = time.process_time()
        self.assertEqual(len(Journal(path).records()), 5000)
        self.assertLess(time.process_time() - start, 2.0)


class Facts(RunFolderTest):
    def test_a_fact_of_the_wrong_type_is_refused_by_its_name(self) -> None:
        for name, value in FACTS:
            with self.subTest(name=name, value=value):
                self.edit_facts(lambda facts, name=name, value=value: changed(facts, name, value))  # type: ignore[misc]
                self.assert_all_refused("run.json", f"`{name}`")

    def test_an_option_of_the_wrong_type_is_refused_by_its_name_even_with_a_digest_that_fits(self) -> None:
        for name, value in OPTIONS:
            with self.subTest(name=name, value=value):
                self.edit_facts(lambda facts, name=name, value=value: with_option(facts, name, value))  # type: ignore[misc]
                self.assert_all_refused(f"`options.{name}`")

    def test_an_edited_option_is_noticed(self) -> None:
        for name, value in (("minimum_lift", "-1"), ("iterations", 2), ("seed", 5), ("case", ["1"])):
            with self.subTest(name):

                def edit(facts: Json, name: str = name, value: object = value) -> Json:
                    return facts | {"options": facts["options"] | {name: value}}  # type: ignore[operator]

                self.edit_facts(edit)
                self.assert_all_refused("`options` are not those that the run began with")

    def test_what_is_no_strict_json_is_refused(self) -> None:
        for text in (b"[" * 100_000, b"", b"[]", b"null", b"{}", b'{"a": NaN}', b"\xff\xfe{\0}\0", b'{"a":1,"a":1}'):
            with self.subTest(text=text[:20]):
                (self.run_folder / "run.json").write_bytes(text)
                self.assert_all_refused("run.json")

    def test_every_option_that_a_run_stores_has_a_type(self) -> None:
        self.assertEqual(set(DEFINING) - set(_OPTIONS), set())

    def test_a_run_is_found_where_it_was_made_in_a_repository_without_a_skills_folder(self) -> None:
        skill = self.add_skill(cases=[case()])
        adapter = self.add_adapter('reply("PROBE-OK")')
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(skill.rename(self.root.parent / "sample"))
        ran = run_cli("run", "--skills-dir", ".", "--adapter", adapter, "--run-id", "r")
        self.assertEqual(ran.code, 0, ran.err)
        for words in (("rebuild", "r"), ("run", "--resume", "r"), ("run", "--resume", "tmp/skills-eval/r")):
            with self.subTest(words):
                self.assertEqual(run_cli(*words).code, 0)

    def test_an_untouched_run_is_read_and_resumed(self) -> None:
        before = (self.run_folder / "sample/benchmark.json").read_bytes()
        self.assertEqual(run_cli("rebuild", "r", "--repo-root", self.root).code, 0)
        self.assertEqual(run_cli("run", "--resume", "r", "--repo-root", self.root).code, 0)
        self.assertEqual((self.run_folder / "sample/benchmark.json").read_bytes(), before)
        self.assertEqual(run_cli("merge", "r", "--run-id", "m", "--repo-root", self.root).code, 0)
        self.assertEqual(run_cli("rebuild", "m", "--repo-root", self.root).code, 0)


def with_option(facts: Json, name: str, value: object) -> Json:
    """Return the facts with another option, and with a digest that fits it."""
    options = changed(facts["options"], name, value)  # type: ignore[arg-type]
    return facts | {"options": options, "options_digest": options_digest(options)}


@unittest.skipIf(sys.platform == "win32", "links and pipes as POSIX has them")
class LinksAndPipes(RunFolderTest):
    def test_a_journal_lock_or_run_json_that_is_no_regular_file_is_refused(self) -> None:
        for name in (NAME, "run.lock", "run.json"):
            for kind, put in (("link", self.put_link), ("pipe", os.mkfifo), ("folder", os.mkdir)):
                with self.subTest(name=name, kind=kind):
                    self.restore()
                    path = self.run_folder / name
                    path.unlink()
                    put(path)
                    place = ("--repo-root", self.root)
                    for ran in (run_cli("rebuild", "r", *place), run_cli("run", "--resume", "r", *place)):
                        self.assert_refused(ran, name)

    def put_link(self, path: Path) -> None:
        """Put a link to the file that was meant."""
        path.symlink_to(self.kept / path.name)

    def test_nothing_is_written_through_a_link(self) -> None:
        for name in (
            "sample",
            "sample/iteration-1",
            "sample/iteration-1/eval-1",
            "sample/iteration-1/eval-1/with_skill",
        ):
            with self.subTest(name):
                self.restore()
                victim = self.root / "victim"
                shutil.copytree(self.run_folder / name, victim)
                before = contents(victim)
                shutil.rmtree(self.run_folder / name)
                (self.run_folder / name).symlink_to(victim)
                self.assert_all_refused("is a link")
                self.assertEqual(contents(victim), before)
                shutil.rmtree(victim)

    def test_a_link_in_place_of_a_half_written_file_is_not_written_through(self) -> None:
        victim = self.write("victim", "mine")
        path = self.root / "whole"
        Path(f"{path}.{os.getpid()}.partial").symlink_to(victim)
        write_whole(path, b"content")
        self.assertEqual((victim.read_text("utf-8"), path.read_bytes()), ("mine", b"content"))

    def test_merge_copies_regular_files_and_refuses_the_rest(self) -> None:
        victim = self.write("victim", "not theirs")
        puts: tuple[Callable[[Path], None], ...] = (lambda path: path.symlink_to(victim), os.mkfifo)
        for at, put in enumerate(puts):
            for name in ("with_skill/outputs/x", "with_skill/output.txt", "case.json", "eval_metadata.json"):
                with self.subTest(at=at, name=name):
                    self.restore()
                    path = self.run_folder / "sample/iteration-1/eval-1" / name
                    path.unlink(missing_ok=True)
                    put(path)
                    ran = run_cli("merge", "r", "--run-id", "m", "--repo-root", self.root)
                    self.assert_refused(ran, f"`{path}` is a ", "not a regular file")
                    self.assertFalse((self.runs / "m").exists())


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class MissingTrials(RunFolderTest):
    def test_rebuild_and_merge_refuse_a_counted_trial_that_is_gone_and_resume_runs_it_again(self) -> None:
        for name in ("with_skill", "case.json"):
            with self.subTest(name):
                self.restore()
                path = self.run_folder / "sample/iteration-1/eval-1" / name
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                place = ("--repo-root", self.root)
                for ran in (run_cli("rebuild", "r", *place), run_cli("merge", "r", "--run-id", "m", *place)):
                    self.assert_refused(ran, "is gone, but the journal counts it")
                self.assertFalse((self.runs / "m").exists())
                ran = run_cli("run", "--resume", "r", *place)
                self.assertEqual(ran.code, 0, ran.err)
                self.assertTrue(path.exists())
                self.assertEqual(run_cli("rebuild", "r", *place).code, 0)

    def test_rebuild_and_merge_refuse_a_verdict_that_files_and_journal_give_differently(self) -> None:
        place = ("--repo-root", self.root)
        spoils: dict[str, Callable[[Path], object]] = {
            "grading.json` is gone": lambda folder: (folder / "grading.json").unlink(),
            "another verdict": lambda folder: edit(folder / "grading.json", '"passed": true', '"passed": false'),
            "give another verdict": lambda folder: (folder / "grading.json").write_text("[", encoding="utf-8"),
            "give another verdict than": lambda _: edit(self.run_folder / NAME, '"passed": true', '"passed": false'),
            "the files in": lambda folder: (folder / "error.json").write_text("{}", encoding="utf-8"),
        }
        for told, spoil in spoils.items():
            with self.subTest(told):
                self.restore()
                spoil(self.run_folder / "sample/iteration-1/eval-1/with_skill")
                for ran in (run_cli("rebuild", "r", *place), run_cli("merge", "r", "--run-id", "m", *place)):
                    self.assert_refused(ran, told, "`run --resume r` runs it again")
                self.assertFalse((self.runs / "m").exists())
                ran = run_cli("run", "--resume", "r", *place)
                self.assertEqual(ran.code, 0, ran.err)
                self.assertIn("[2/2] sample, case 1, with_skill", ran.err)
                self.assertEqual(run_cli("rebuild", "r", *place).code, 0)

    def test_a_resumed_run_removes_what_is_half_written_and_nothing_of_the_agent(self) -> None:
        place = self.run_folder / "sample/iteration-1/eval-1"
        for name in ("with_skill/outputs/mine.partial", "case.json.7.partial"):
            (place / name).write_text("x", encoding="utf-8")
        (place / "with_skill.7.partial").mkdir()
        self.assertEqual(run_cli("run", "--resume", "r", "--repo-root", self.root).code, 0)
        left = {path.name for path in self.run_folder.rglob("*.partial")}
        self.assertEqual(left, {"mine.partial"})


class SecretNames(RepositoryTest):
    def test_an_id_or_a_name_that_looks_like_a_secret_is_refused_and_not_told(self) -> None:
        self.add_skill(cases=[case(SECRET)], body="Say something.")
        adapter = self.add_adapter('reply("PROBE-OK")')
        for options in ((), ("--dry-run",)):
            ran = run_cli("run", "--repo-root", self.root, "--adapter", adapter, *options)
            self.assertEqual(ran.code, 2)
            self.assertIn("case id looks like a secret", ran.err)
            self.assertNotIn(SECRET, ran.out + ran.err)
        self.add_skill(cases=[case(1)])
        for run_id in (SECRET, f"-{SECRET}"):
            ran = run_cli("run", "--repo-root", self.root, "--adapter", adapter, f"--run-id={run_id}")
            self.assertEqual(ran.code, 2)
            self.assertIn("run id looks like a secret", ran.err)
            self.assertNotIn(SECRET, ran.out + ran.err)
        self.assertFalse((self.root / "tmp").exists())
        ran = run_cli("run", "--repo-root", self.root, "--adapter", adapter, "--run-id", "sensible")
        self.assertNotIn("looks like", ran.err)


class WideText(unittest.TestCase):
    def test_a_secret_is_found_in_utf_16_and_utf_32_with_and_without_a_mark(self) -> None:
        text = f"Zeile “eins” €\nkey {SECRET}\nZeile zwei\n"
        for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
            for mark in ("", "\ufeff"):
                for end in (b"", b"\n"):
                    with self.subTest(encoding=encoding, mark=mark, end=end):
                        raw = (mark + text).encode(encoding) + end
                        expected = (mark + text.replace(SECRET, "[REDACTED]")).encode(encoding) + end
                        self.assertEqual(redacted_bytes(raw, Redactor().text), expected)

    def test_what_holds_no_secret_stays_as_it_is(self) -> None:
        for raw in (bytes(range(256)) * 9, b"\x89PNG\0\0\0\rIHDR" + bytes(99), "\ufeffa\U0001f600".encode("utf-16-le")):
            with self.subTest(raw=raw[:8]):
                self.assertEqual(redacted_bytes(raw, Redactor((SECRET,)).text), raw)

    def test_a_secret_of_the_environment_is_found_too(self) -> None:
        raw = bytes([0, 255, 1]) + "correct-horse-9-battery".encode("utf-16-le") + bytes([7])
        redacted = redacted_bytes(raw, Redactor(("correct-horse-9-battery",)).text)
        self.assertNotIn("horse".encode("utf-16-le"), redacted)


class Documents(unittest.TestCase):
    VALUES: tuple[object, ...] = (
        {"b": [1, -2.5, 1e300, 10**30], "a": None, "": True, "é": {"z": [], "y": {}, "x": ()}},
        [{"1": [[{"deep": "x"}]]}, 'a"\\\n\u2028\x00\x7f/\U0001f600', (False, "tuple")],
        "text",
        0,
        [],
        {},
    )

    def test_json_is_written_as_the_standard_library_writes_it_sorted_and_indented(self) -> None:
        for value in self.VALUES:
            with self.subTest(value=value):
                expected = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
                self.assertEqual(json_bytes(value).decode(), expected)

    def test_what_json_does_not_know_is_refused(self) -> None:
        for value in (float("nan"), float("inf")):
            with self.subTest(value=value), self.assertRaises(ValueError):
                json_bytes({"a": [value]})


class Accidents(unittest.TestCase):
    def test_a_folder_that_takes_no_file_is_a_message(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            gone = Path(place) / "gone"
            with self.assertRaisesRegex(ConfigError, "run.lock` cannot be opened: No such file"), locked(gone):
                self.fail("locked what is not there")
            with self.assertRaisesRegex(SkillEvalError, "cannot be written"):
                write_whole(gone / "x", b"")
            with self.assertRaisesRegex(ConfigError, "cannot be made"):
                RunStore(gone, Redactor()).write_benchmark("sample", {})


if __name__ == "__main__":
    unittest.main()
