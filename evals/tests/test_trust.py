"""Baselines that are baselines: canaries, watches, controls, sentinels, older skills, isolation."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from shutil import which
from unittest.mock import patch

from evals.tests.support import RepositoryTest, case

SKILLED = 'reply("PROBE-OK" if with_skill else "no idea")'
LONG = (
    "When somebody asks for the phrase, first look at the moon, then count the seven lamps in the hall, "
    "and only afterwards say PROBE-OK in a clear voice to everybody."
)


class Trust(RepositoryTest):
    """A repository with one case."""

    def setUp(self) -> None:
        super().setUp()
        self.add_skill(cases=[case()], body=LONG)

    def assert_contaminated(self, body: str, reason: str, *options: str) -> None:
        """The baseline is voided for `reason`, and there is no lift."""
        ran = self.run_skill(self.add_adapter(body), *options)
        self.assertEqual(ran.code, 2, ran.out + ran.err)
        self.assertIn(reason, ran.err)
        self.assertIsNone(self.artifact("sample/benchmark.json")["pass_rate_lift"])


class Contamination(Trust):
    def test_a_baseline_that_reads_the_repository_is_voided(self) -> None:
        place = self.root / "skills/sample/SKILL.md"
        body = f'text = open({str(place)!r}).read()\nreply("PROBE-OK" if "PROBE-OK" in text else "no")'
        if sys.platform == "linux":
            self.assert_contaminated(body, "the skill's own folder was read while the baseline ran")

    def test_a_baseline_that_quotes_the_skill_is_voided(self) -> None:
        self.assert_contaminated(f"reply({LONG!r})", "quotes 16 words of the skill in a row")

    def test_what_the_prompt_itself_says_may_be_quoted(self) -> None:
        self.add_skill("other", cases=[case(prompt=LONG)], body=LONG)
        ran = self.run_skill(self.add_adapter('reply(request["prompt"])'), "--skill", "other")
        self.assertEqual(ran.code, 0, ran.err)

    def test_a_baseline_that_remembers_the_skill_is_voided(self) -> None:
        memory = self.root / "memory"
        body = f"""
if with_skill:
    folder = request["skill"]["path"]
    texts = [open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder))]
    open({str(memory)!r}, "w").write("\\n".join(texts))
seen = open({str(memory)!r}).read() if os.path.exists({str(memory)!r}) else ""
reply("PROBE-OK " + (seen.split()[0] if seen else ""))
"""
        # The mode that goes first is drawn; only where the skilled one does, can it be remembered.
        self.assert_contaminated(body, "a token that only the copy of the skill holds", "--iterations", "6")

    def test_the_evaluators_own_files_are_for_nobody(self) -> None:
        token = self.root / "tmp/skills-eval/r/evaluator-canary.txt"
        body = f'reply("PROBE-OK" + (open({str(token)!r}).read() if with_skill else ""))'
        self.assert_contaminated(
            body, "with_skill, iteration 1: the agent shows a token that only the evaluator's files hold"
        )

    def test_tokens_are_seen_in_files_events_and_standard_error_too(self) -> None:
        token = self.root / "tmp/skills-eval/r/evaluator-canary.txt"
        for number, leak in enumerate(
            (
                'open("notes.txt", "w").write(token); reply("PROBE-OK")',
                'reply("PROBE-OK", events=[{"type": "note", "name": token}])',
                'sys.stderr.write(token); reply("PROBE-OK")',
            )
        ):
            with self.subTest(leak):
                path = str(token).replace("/r/", f"/r{number}/")
                adapter = self.add_adapter(f"token = open({path!r}).read().strip()\n{leak}")
                ran = self.run_skill(adapter, "--run-id", f"r{number}")
                self.assertEqual(ran.code, 2)
                self.assertIn("a token that only the evaluator's files hold", ran.err)

    def test_a_touched_neighbour_and_a_changed_input_are_reported(self) -> None:
        self.add_skill(cases=[case(files=["evals/fixtures/in.txt"])], body=LONG)
        self.write("skills/sample/evals/fixtures/in.txt", "fixture\n")
        temporary = self.root.parent / "temporary"
        temporary.mkdir()
        self.enterContext(patch.dict(os.environ, {"TMPDIR": str(temporary)}))  # others have neighbours, too
        body = """
import glob
for path in glob.glob(os.path.join(os.path.dirname(os.path.dirname(os.getcwd())), "skill-eval-*", "workspace")):
    if os.path.realpath(path) != os.getcwd():
        open(os.path.join(path, "note.txt"), "a").write("mine now")
open(request["files"][0]["path"], "w").write("changed")
"""
        ran = self.run_skill(self.add_adapter(body + SKILLED))
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("the agent touched a neighbouring workspace", ran.out)
        self.assertIn("the agent changed `inputs/evals/fixtures/in.txt`", ran.out)


class Isolation(Trust):
    def test_a_clean_environment_holds_what_is_named_and_nothing_else(self) -> None:
        os.environ["SKILL_EVAL_SECRET"], os.environ["SKILL_EVAL_WANTED"] = "planted-value", "wanted-value"
        self.addCleanup(os.environ.pop, "SKILL_EVAL_SECRET")
        self.addCleanup(os.environ.pop, "SKILL_EVAL_WANTED")
        body = """
home = os.environ["HOME"]
state = [sorted(os.listdir(home)), home != os.getcwd(), os.environ["XDG_CONFIG_HOME"].startswith(home)]
open(os.path.join(home, "left-behind"), "w").close()
reply("PROBE-OK" if with_skill else "no", events=[{"type": json.dumps([state, dict(os.environ)])}])
"""
        ran = self.run_skill(self.add_adapter(body), "--clean-env", "--pass-env", "SKILL_EVAL_WANTED")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("isolation: clean environment, no sandbox", ran.out)
        response = self.artifact("sample/iteration-1/eval-1/without_skill/response.json")
        state, variables = json.loads(response["events"][0]["type"])  # type: ignore[index]
        self.assertEqual(state[1:], [True, True])
        self.assertNotIn("left-behind", state[0])
        self.assertNotIn("SKILL_EVAL_SECRET", variables)
        self.assertEqual(variables["SKILL_EVAL_WANTED"], "wanted-value")
        self.assertFalse(os.path.exists(variables["HOME"]))

    def test_an_agent_does_not_learn_that_it_runs_inside_another(self) -> None:
        os.environ["CLAUDECODE"] = "1"
        self.addCleanup(os.environ.pop, "CLAUDECODE")
        body = 'reply("PROBE-OK" if with_skill and "CLAUDECODE" not in os.environ else "no")'
        self.assertEqual(self.run_skill(self.add_adapter(body)).code, 0)

    @unittest.skipUnless(which("bwrap"), "bubblewrap is not installed")
    def test_in_the_sandbox_the_repository_is_not_there_and_nothing_else_can_be_written(self) -> None:
        outside = self.root.parent / "outside"
        outside.mkdir()
        body = f"""
def tries(path):
    try:
        open(path, "w").close()
        return True
    except OSError:
        return False
seen = [os.path.exists({str(self.root / "skills")!r}), tries({str(outside / "x")!r}), tries("own.txt")]
reply("PROBE-OK" if with_skill else "no", events=[{{"type": json.dumps(seen)}}])
"""
        self.add_adapter(body)
        adapter = self.root.parent / "adapter.py"
        adapter.write_bytes((self.root / "adapter.py").read_bytes())
        adapter.chmod(0o755)
        ran = self.run_skill(adapter, "--sandbox", "bwrap")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("sandbox bwrap", ran.out)
        response = self.artifact("sample/iteration-1/eval-1/without_skill/response.json")
        self.assertEqual(json.loads(response["events"][0]["type"]), [False, False, True])  # type: ignore[index]

    @unittest.skipUnless(which("bwrap"), "bubblewrap is not installed")
    def test_in_the_sandbox_no_other_workspace_is_there(self) -> None:
        self.add_skill(cases=[case(number) for number in range(6)], body=LONG)
        body = """
around, own = os.path.split(os.path.dirname(request["workspace"]))
time.sleep(0.1)
others = {name for name in os.listdir(around) if name.startswith("skill-eval-")}
others -= {own, os.path.basename(os.path.dirname(os.environ["HOME"]))}
reply("PROBE-OK" if with_skill or others else "no")
"""
        adapter = self.add_adapter(body, str(self.root.parent / "adapter.py"))
        ran = self.run_skill(adapter, "--sandbox", "bwrap", "--clean-env", "--jobs", "4")
        self.assertEqual(ran.code, 0, ran.out + ran.err)
        self.assertEqual(self.artifact("sample/benchmark.json")["pass_rate_lift"], 1.0)


class Controls(Trust):
    def test_lift_inside_the_spread_of_identical_inputs_is_withheld(self) -> None:
        count = self.root / "count"
        body = f"""
count = int(open({str(count)!r}).read()) if os.path.exists({str(count)!r}) else 0
open({str(count)!r}, "w").write(str(count + 1))
reply("PROBE-OK" if with_skill or count % 2 else "no")
"""
        self.add_skill(cases=[case(n) for n in range(1, 9)], body=LONG)
        ran = self.run_skill(self.add_adapter(body), "--control", "aa", "--minimum-lift", "0.01")
        document = self.artifact("sample/benchmark.json")
        lift, spread = document["pass_rate_lift"], document["spread"]
        assert isinstance(lift, float) and isinstance(spread, float)
        self.assertIs(document["verdict_withheld"], lift <= spread)
        self.assertIn("control: sample: without_skill_again against the baseline", ran.out)
        self.assertEqual(ran.code, 2 if lift <= spread else 0)

    def test_a_steady_adapter_has_no_spread_and_its_lift_stands(self) -> None:
        body = 'reply("PROBE-OK" if with_skill and request["skill"]["name"] == "sample" else "no")'
        ran = self.run_skill(self.add_adapter(body), "--control", "aa", "--control", "placebo", "--minimum-lift", "1")
        self.assertEqual(ran.code, 0, ran.out + ran.err)
        document = self.artifact("sample/benchmark.json")
        self.assertEqual(document["controls"], {"without_skill_again": 0.0, "placebo_skill": 0.0})

    def test_a_lift_that_any_skill_brings_is_withheld(self) -> None:
        body = 'reply("PROBE-OK" if request["mode"] == "with_skill" else "no")'
        ran = self.run_skill(self.add_adapter(body), "--control", "placebo", "--minimum-lift", "0.5")
        self.assertEqual(ran.code, 2)
        self.assertIn("verdict withheld", ran.out)
        self.assertIsNone(self.artifact("sample/benchmark.json")["effectiveness_passed"])

    def test_the_placebo_is_another_skill_of_the_same_size(self) -> None:
        body = """
if not with_skill: reply("no")
else:
    path = os.path.join(request["skill"]["path"], "SKILL.md")
    reply("PROBE-OK", events=[{"type": request["skill"]["name"], "name": str(os.path.getsize(path))}])
"""
        self.run_skill(self.add_adapter(body), "--control", "placebo")
        events = []
        for mode in ("with_skill", "placebo_skill"):
            response = self.artifact(f"sample/iteration-1/eval-1/{mode}/response.json")
            events.append(response["events"][0])  # type: ignore[index]
        self.assertNotEqual(events[0]["type"], events[1]["type"])
        self.assertEqual(events[0]["name"], events[1]["name"])


class Sentinels(Trust):
    def test_known_answers_stand_beside_the_suite_and_outside_of_its_rates(self) -> None:
        body = """
asked = ":" in request["prompt"]
reply(request["prompt"].split(": ")[-1] if asked or not with_skill else "PROBE-OK")
"""
        ran = self.run_skill(self.add_adapter(body), "--sentinels")
        self.assertEqual(ran.code, 0, ran.out + ran.err)
        document = self.artifact("sample/benchmark.json")
        self.assertEqual(document["with_skill"]["total"], 1)  # type: ignore[index]
        self.assertEqual(len(document["sentinels"]), 4)  # type: ignore[arg-type]

    def test_a_wrong_sentinel_means_that_nothing_was_measured(self) -> None:
        for body in ('reply("PROBE-OK")', 'reply("PROBE-OK perpendicular-lantern subterranean-kite")'):
            with self.subTest(body):
                ran = self.run_skill(self.add_adapter(body), "--sentinels")
                self.assertEqual(ran.code, 2)
                self.assertEqual(ran.err.count("warning: "), 1, ran.err)
                self.assertIn("sample: nothing was measured: wrong answer of the sentinel `sentinel-must-", ran.err)
                document = self.artifact("sample/benchmark.json")
                self.assertIsNone(document["pass_rate_lift"])
                self.assertNotIn("delta", document["run_summary"])  # type: ignore[arg-type]
                shutil.rmtree(self.root / "tmp")


class OlderSkill(Trust):
    BODY = 'text = open(request["skill"]["path"] + "/SKILL.md").read()\nreply("PROBE-OK" if "newer" in text else "no")'

    def test_a_skill_is_compared_with_its_older_copy(self) -> None:
        self.write("old/SKILL.md", (self.root / "skills/sample/SKILL.md").read_text())
        self.add_skill(cases=[case()], body=LONG + " It is newer.")
        ran = self.run_skill(self.add_adapter(self.BODY), "--baseline-skill", self.root / "old")
        self.assertEqual(ran.code, 0, ran.err)
        document = self.artifact("sample/benchmark.json")
        self.assertEqual(document["baseline"], "old_skill")
        self.assertEqual(document["pass_rate_lift"], 1.0)

    def test_an_older_skill_that_is_not_there_is_said_to_be_missing(self) -> None:
        ran = self.run_skill("offline", "--baseline-skill", self.root / "nowhere")
        self.assertEqual(ran.code, 2)
        self.assertIn(f"error: `{self.root}/nowhere`, the older skill, is no folder", ran.err)

    def test_the_older_copy_run_again_is_the_control_and_a_placebo_says_nothing(self) -> None:
        self.write("old/SKILL.md", (self.root / "skills/sample/SKILL.md").read_text())
        self.add_skill(cases=[case()], body=LONG + " It is newer.")
        loaded = 'events = [{"type": "skill_loaded", "name": request["skill"]["name"]}]'
        body = self.BODY.replace("reply(", f"{loaded}\nreply(").replace('"no")', '"no", events=events)')
        adapter = self.add_adapter(body)
        options = ("--baseline-skill", self.root / "old", "--minimum-lift", "1")
        ran = self.run_skill(adapter, *options, "--control", "aa")
        self.assertEqual(ran.code, 0, ran.out + ran.err)
        self.assertEqual(self.artifact("sample/benchmark.json")["controls"], {"old_skill_again": 0.0})
        self.assertIn("older skill", ran.out)
        ran = self.run_skill(adapter, *options, "--control", "placebo", "--run-id", "x")
        self.assertEqual((ran.code, "an older skill does not go with it" in ran.err), (2, True), ran.err)

    @unittest.skipUnless(which("git"), "git is not installed")
    def test_the_older_copy_may_come_from_git_and_the_work_tree_is_left_alone(self) -> None:
        def git(*words: str) -> str:
            identity = ("-c", "user.name=t", "-c", "user.email=t@invalid", "-c", "commit.gpgsign=false")
            done = subprocess.run(["git", *identity, *words], cwd=self.root, check=True, capture_output=True, text=True)
            return done.stdout

        git("init", "-q")
        git("add", "-A")
        git("commit", "-q", "-m", "old")
        self.add_skill(cases=[case()], body=LONG + " It is newer.")
        adapter = self.add_adapter(self.BODY)
        before = git("status", "--porcelain", "--", "skills")
        ran = self.run_skill(adapter, "--baseline-ref", "HEAD")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.artifact("sample/benchmark.json")["pass_rate_lift"], 1.0)
        self.assertEqual(git("status", "--porcelain", "--", "skills"), before)
        for ref in ("nope", "--output=x"):
            with self.subTest(ref):
                self.assertEqual(self.run_skill(adapter, f"--baseline-ref={ref}", "--run-id", "x").code, 2)


if __name__ == "__main__":
    unittest.main()
