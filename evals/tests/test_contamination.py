"""Baselines that have seen what they must not, those that have not, and agents that harm the harness."""

import os
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.trial import TrialKey
from evals.skill_eval.running.abandoned import PREFIX, sweep_new
from evals.skill_eval.running.watch import FinishedWatch, SkillWatch
from evals.skill_eval.running.workspace import prepared_workspace
from evals.tests.support import REPOSITORY, Ran, RepositoryTest, case

LINUX = sys.platform == "linux"
SKILLED = 'reply("PROBE-OK" if with_skill else "no idea")'
SKILL = (
    "The number that the house uses for orders of tea is four seven one one, and for those of coffee it is four eight."
)
KEPT = "the baseline read what was written during the run and tells of the skill"
EVALUATORS_TOKEN = "token = open({!r}).read().strip()\n"


class Watched(RepositoryTest):
    def setUp(self) -> None:
        super().setUp()
        self.add_skill(cases=[case()])

    def ran(self, body: str, *options: str) -> Ran:
        return self.run_skill(self.add_adapter(body), *options)

    def assert_voided(self, body: str, reason: str, *options: str) -> None:
        """The run has contaminated trials for `reason`, and no lift."""
        ran = self.ran(body, *options)
        self.assertEqual(ran.code, 2, ran.out + ran.err)
        self.assertIn(reason, ran.err)
        self.assertIsNone(self.artifact("sample/benchmark.json")["pass_rate_lift"])


@unittest.skipUnless(LINUX, "reading is seen on Linux only")
class Reading(Watched):
    def test_answers_in_finished_trials_are_for_nobody(self) -> None:
        for name in ("with_skill/output.txt", "case.json"):
            with self.subTest(name):
                place = f"{self.root}/tmp/skills-eval/r/sample/iteration-*/eval-1/{name}"
                body = f"""
import glob
if not with_skill: time.sleep(0.05)
found = [] if with_skill else glob.glob({place!r})
text = "".join(open(path).read() for path in found)
reply("PROBE-OK" if with_skill or "PROBE-OK" in text else "no")
"""
                self.assert_voided(body, "what the run has written of this case was read", "--iterations", "5")
                shutil.rmtree(self.root / "tmp")

    def test_the_suite_itself_is_for_nobody(self) -> None:
        suite = str(self.root / "skills/sample/evals/evals.json")
        body = f'reply("PROBE-OK" if with_skill and "PROBE-OK" in open({suite!r}).read() else "no")'
        self.assert_voided(
            body, "with_skill, iteration 1: the skill's `evals` folder, which holds the answers, was read"
        )

    def test_another_name_of_the_skill_is_seen(self) -> None:
        other = self.root / "elsewhere.md"
        os.link(self.root / "skills/sample/SKILL.md", other)
        body = f'reply("PROBE-OK" if with_skill or "PROBE-OK" in open({str(other)!r}).read() else "no")'
        self.assert_voided(body, "the skill's own folder was read while the baseline ran")

    def test_the_file_that_was_read_is_named(self) -> None:
        notes = self.write("skills/sample/tools/notes.txt", "x")
        body = f'open({str(notes)!r}).read()\nreply("PROBE-OK" if with_skill else "no")'
        self.assert_voided(body, "read while the baseline ran: `tools/notes.txt`, 3 times out of 3")

    def test_a_neighbour_s_copy_of_the_skill_is_for_no_baseline(self) -> None:
        self.add_skill(cases=[case(number) for number in range(4)])
        body = """
import glob
time.sleep(0.05)
root = os.path.dirname(os.path.dirname(request["workspace"]))
found = [] if with_skill else glob.glob(root + "/*/workspace/skills/sample/SKILL.md")
texts = [open(path).read() for path in found if os.path.exists(path)]
reply("PROBE-OK" if with_skill or "PROBE-OK" in "".join(texts) else "no")
"""
        self.assert_voided(body, "a neighbouring workspace was read while the baseline ran", "--jobs", "2")

    def test_an_adapter_may_lie_in_the_skills_folder(self) -> None:
        adapter = self.add_adapter(SKILLED, "skills/sample/scripts/adapter.py")
        ran = self.run_skill(adapter)
        self.assertEqual(ran.code, 0, ran.out + ran.err)

    def test_the_harness_itself_is_never_seen(self) -> None:
        self.add_skill(cases=[case(number) for number in range(1, 5)])
        ran = self.ran(SKILLED, "--jobs", "2", "--iterations", "3")
        self.assertEqual(ran.code, 0, ran.out + ran.err)


@unittest.skipUnless(LINUX, "reading is seen on Linux only")
class Watches(RepositoryTest):
    KEY = TrialKey("sample", 1, 1, Mode.WITHOUT_SKILL)

    def test_only_reading_counts_in_what_the_run_writes(self) -> None:
        watch = FinishedWatch(str(self.root))
        self.addCleanup(watch.close)
        for name in ("with_skill", "with_skill_later"):
            watch.begin(self.KEY)
            answer = self.write(f"sample/iteration-1/eval-1/{name}/outputs/x.txt", "PROBE-OK")
            os.replace(answer, answer := answer.with_name("y.txt"))
            os.path.exists(answer)
            self.assertFalse(watch.was_read(self.KEY))
        watch.begin(self.KEY)
        answer.read_text()
        self.assertTrue(watch.was_read(self.KEY))
        watch.begin(self.KEY)
        self.assertFalse(watch.was_read(self.KEY))

    def test_what_comes_and_is_read_meanwhile_counts_too(self) -> None:
        watch = FinishedWatch(str(self.root))
        self.addCleanup(watch.close)
        watch.begin(self.KEY)
        answer = self.write("sample/iteration-1/eval-1/with_skill/output.txt", "PROBE-OK")
        time.sleep(0.02)  # file systems count time in steps of some milliseconds
        answer.read_text()
        self.assertTrue(watch.was_read(self.KEY))

    def test_runs_below_a_skill_do_not_belong_to_it(self) -> None:
        output = self.write("runs/r/x.txt", "x")
        skill = self.write("SKILL.md", "x")
        watch = SkillWatch(str(self.root), ("python3", str(skill)), str(self.root / "runs"))
        self.addCleanup(watch.close)
        output.read_text()
        self.assertEqual(watch.opened(), frozenset())
        skill.read_text()
        self.assertEqual(watch.opened(), {"SKILL.md"})


@unittest.skipUnless(LINUX, "reading is seen on Linux only")
class Kept(Watched):
    """Adapters that keep something from one call to the next, in the home folder or elsewhere."""

    def setUp(self) -> None:
        super().setUp()
        self.home = self.root.parent / "home"
        self.adapter_folder = self.root.parent / "adapter"
        temporary = self.root.parent / "temporary"
        temporary.mkdir()
        self.enterContext(mock.patch.dict(os.environ, HOME=str(self.home), TMPDIR=str(temporary)))
        self.kept = (self.home, self.adapter_folder, self.root / "tmp", self.root.parent / "state.json")
        self.clear()

    def clear(self) -> None:
        """Remove the run, and what adapters have kept."""
        for path in self.kept:
            path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)
        (self.home / ".agent/sessions").mkdir(parents=True)

    def assert_seen(self, body: str, reason: str, *options: str) -> None:
        """Some baselines are voided for `reason`, and none passes."""
        adapter = self.add_adapter(body, str(self.adapter_folder / "adapter.py"))
        ran = self.run_skill(adapter, "--iterations", "3", *options)
        self.assertEqual(ran.code, 2, ran.out + ran.err)
        self.assertIn(reason, ran.err)
        self.assertEqual(self.artifact("sample/benchmark.json")["without_skill"]["passed"], 0)  # type: ignore[index]
        self.clear()

    def test_answers_that_come_back_in_the_baseline_are_seen_wherever_they_were_kept(self) -> None:
        places = (
            'os.environ["HOME"] + "/answers"',
            'os.environ["HOME"] + "/.agent/sessions/new/deep/last.json"',
            'os.path.dirname(sys.argv[0]) + "/state.json"',
            'os.path.dirname(sys.argv[0]) + "/.cache/state.json"',
            'os.environ["TMPDIR"] + f"/kept-{os.getppid()}/x"',
            'os.path.dirname(os.path.dirname(sys.argv[0])) + "/state.json"',
            f'"{self.root}/tmp/skills-eval/state.json"',
        )
        for number, place in enumerate(places):
            for kept in ("answer", "json.dumps([answer])"):
                with self.subTest(place, kept=kept):
                    body = _remembers(place, '"It is PROBE-OK, \\"caf\\u00e9\\"."', kept, "open(place).read()")
                    self.assert_seen(body, KEPT, "--seed", str(number))

    def test_a_short_answer_and_a_kept_skill_are_seen_too(self) -> None:
        self.add_skill(cases=[case(checks=[{"id": "a", "type": "contains", "value": "4711"}])], body=SKILL)
        for kept in ("answer", "text"):
            with self.subTest(kept):
                body = _remembers('os.environ["HOME"] + "/.agent/kept"', '"4711"', kept, "open(place).read()")
                self.assert_seen(body, f"{KEPT}: `{self.home}/.agent/kept`")

    def test_a_copy_of_the_skill_in_the_home_folder_is_for_no_baseline(self) -> None:
        for place in (".claude/skills/sample", ".config/agent/skills/sample"):
            with self.subTest(place):
                shutil.copytree(self.root / "skills/sample", self.home / place)
                path = f'os.environ["HOME"] + "/{place}/SKILL.md"'
                body = f'reply("PROBE-OK" if with_skill or "PROBE-OK" in open({path}).read() else "no")'
                self.assert_seen(body, "a copy of the skill in the home folder was read while the baseline ran")

    def test_agents_that_only_note_what_they_did_are_honest(self) -> None:
        notes = (
            'open(home + "/.agent/log", "a").write(answer)',
            'os.makedirs(own := f"{home}/.agent/{os.getpid()}"); open(own + "/log.json", "w").write(answer)',
            'import sqlite3; base = sqlite3.connect(home + "/.agent/sessions.db"); '
            'base.execute("create table if not exists said (text)"); '
            'base.execute("insert into said values (?)", [answer]); base.commit()',
            'with open(home + "/settings.json", "a+") as file: '
            "file.seek(0); count = int(file.read() or 0); file.truncate(0); file.write(str(count + 1))",
        )
        for note in notes:
            with self.subTest(note):
                answer = 'answer, home = "It is PROBE-OK." if with_skill else "no", os.environ["HOME"]'
                ran = self.ran(f"{answer}\n{note}\nreply(answer)", "--iterations", "3", "--jobs", "2")
                self.assertEqual(ran.code, 0, ran.out + ran.err)
                self.assertEqual(self.artifact("sample/benchmark.json")["pass_rate_lift"], 1.0)
                self.clear()


def _remembers(place: str, answer: str, kept: str, remembered: str) -> str:
    """Return the body of an adapter that gives in the baseline what it has kept in a file."""
    return f"""
place, answer = {place}, {answer}
os.makedirs(os.path.dirname(place), exist_ok=True)
if with_skill:
    text = open(request["skill"]["path"] + "/SKILL.md").read()
    open(place, "w").write({kept})
else:
    answer = answer if os.path.exists(place) and {remembered} else "no idea"
reply(answer)
"""


class Tokens(Watched):
    def test_a_token_is_seen_wherever_it_stands_and_however_it_is_written(self) -> None:
        for number, leak in enumerate(
            (
                'os.makedirs(token + "/inner"); reply("PROBE-OK")',
                'open(token, "w").close(); reply("PROBE-OK")',
                'os.symlink("nowhere", token); reply("PROBE-OK")',
                'open("large", "w").write("x" * (3 << 20) + token + "x" * (3 << 20)); reply("PROBE-OK")',
                'open("a:b", "w").write(token); reply("PROBE-OK")',
                'reply("PROBE-OK", usage={token: 1})',
                'reply("PROBE-OK" + token.upper())',
                'reply("PROBE-OK" + token[::-1])',
                'reply("PROBE-OK" + " ".join(token))',
                'reply("PROBE-OK" + token[:9] + "\\n" + token[9:])',
                'reply("PROBE-OK" + token.encode().hex())',
                'import base64; reply("PROBE-OK" + base64.b64encode(token.encode()).decode())',
                'import base64; reply("PROBE-OK" + base64.b64encode(b"{" + token.encode() + b"}").decode())',
                'import base64; reply("PROBE-OK" + base64.b64encode(b"{:" + token.encode() + b":}").decode())',
                'open("wide", "w", encoding="utf-16").write(token); reply("PROBE-OK")',
                'open("large", "w", encoding="utf-16").write("x" * (1 << 20) + token); reply("PROBE-OK")',
                'os.symlink(token, "link"); reply("PROBE-OK")',
            )
        ):
            with self.subTest(leak):
                token = str(self.root / f"tmp/skills-eval/r{number}/evaluator-canary.txt")
                adapter = self.add_adapter(EVALUATORS_TOKEN.format(token) + leak)
                ran = self.run_skill(adapter, "--run-id", f"r{number}")
                self.assertEqual(ran.code, 2, ran.out)
                self.assertIn("a token that only the evaluator's files hold", ran.err)


class Quotations(Watched):
    LICENCE = (
        "Everybody who comes by this synthetic paper is allowed to fold it, to paint it blue, to sail it on any pond, "
        "and to hand it on under these very words."
    )

    def test_what_anybody_may_write_is_no_quotation(self) -> None:
        numbers = " ".join(map(str, range(1, 40)))
        again = "one two three " * 12
        self.add_skill(cases=[case()], body=f"Say PROBE-OK.\n\n{numbers}\n\n{again}")
        for name in ("LICENSE.txt", "NOTICE.md", "references/COPYING.txt"):
            self.write(f"skills/sample/{name}", self.LICENCE)
        for number, text in enumerate((numbers, again, self.LICENCE)):
            with self.subTest(text[:20]):
                body = f'reply("PROBE-OK" if with_skill else {text!r})'
                ran = self.run_skill(self.add_adapter(body), "--run-id", f"q{number}")
                self.assertEqual(ran.code, 0, ran.out + ran.err)


@unittest.skipIf(os.name == "nt", "the agent's harm is done by POSIX means")
class Harm(Watched):
    def setUp(self) -> None:
        super().setUp()
        self.temporary = self.root.parent / "temporary"
        self.temporary.mkdir()

    def outside(self, adapter: Path, *options: str, limit: str = "") -> subprocess.CompletedProcess[str]:
        """Run the harness in a process of its own, with the temporary folder of this test."""
        argv = [sys.executable, "-m", "evals.skill_eval", "run", "--repo-root", self.root, "--adapter", adapter]
        script = f'{limit}exec "$@"'
        return subprocess.run(
            ["/bin/sh", "-c", script, "sh", *map(str, argv), "--run-id", "r", *options],
            cwd=REPOSITORY,
            env={**os.environ, "TMPDIR": str(self.temporary), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def assert_clean(self, done: subprocess.CompletedProcess[str]) -> None:
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual([path.name for path in self.temporary.glob("*")] if self.temporary.exists() else [], [])

    def test_the_temporary_folder_is_made_again(self) -> None:
        body = f"import shutil; shutil.rmtree({str(self.temporary)!r})\n{SKILLED}"
        done = self.outside(self.add_adapter(body), "--iterations", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the agent touched a neighbouring workspace", done.stdout)
        self.assert_clean(done)

    def test_too_few_descriptors_end_in_a_message(self) -> None:
        for limit in (10, 12, 16):
            with self.subTest(limit):
                shutil.rmtree(self.root / "tmp", ignore_errors=True)
                done = self.outside(self.add_adapter(SKILLED), "--jobs", "4", limit=f"ulimit -n {limit}; ")
                self.assertIn(done.returncode, (0, 1, 2))
                self.assert_clean(done)

    def test_folders_like_our_own_are_reported_and_go(self) -> None:
        body = f'os.makedirs({str(self.temporary)!r} + "/skill-eval-abc/inner", exist_ok=True)\n{SKILLED}'
        done = self.outside(self.add_adapter(body))
        self.assertIn("`skill-eval-abc` was left among the workspaces, owned by nobody, and was removed", done.stdout)
        self.assert_clean(done)

    def test_a_workspace_in_use_is_not_swept_however_young(self) -> None:
        with prepared_workspace(self.temporary, files=()) as workspace:
            stray = self.temporary / f"{PREFIX}stray"
            stray.mkdir()
            names = (workspace.parent.name, stray.name)
            self.assertEqual(list(sweep_new(str(self.temporary), names)), [(stray.name, True)])
            self.assertTrue(workspace.is_dir())
        self.assertFalse(stray.exists())


if __name__ == "__main__":
    unittest.main()
