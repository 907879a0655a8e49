"""`run` from the outside: real adapters, real folders, exit codes and what is kept."""

import json
import os
import shutil
import unittest
from pathlib import Path

from evals.tests.support import PHRASE, RepositoryTest, case, run_cli

SKILLED = 'reply("PROBE-OK" if with_skill else "no idea")'
FLAWED = 'if with_skill: sys.exit("boom: token=abcdefghijklmnop1234")\nreply("PROBE-OK")'


class Verdicts(RepositoryTest):
    def test_a_skill_that_helps_exits_0_with_its_lift(self) -> None:
        self.add_skill(cases=[case(1), case(2)])
        ran = self.run_skill(self.add_adapter(SKILLED))
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("2/2 (100%)", ran.out)
        self.assertIn("+1.00", ran.out)
        self.assertEqual(self.artifact("sample/benchmark.json")["pass_rate_lift"], 1.0)

    def test_a_failed_required_check_exits_1_and_says_why(self) -> None:
        self.add_skill(cases=[case()])
        ran = self.run_skill(self.add_adapter('reply("something else")'))
        self.assertEqual(ran.code, 1)
        self.assertIn(
            "failed: sample, case 1, with_skill, iteration 1: check `phrase`: output lacks `PROBE-OK`", ran.out
        )

    def test_many_failed_checks_do_not_hide_the_table(self) -> None:
        self.add_skill(cases=[case(number) for number in range(45)])
        ran = self.run_skill(self.add_adapter('reply("something else")'), "--jobs", "2")
        self.assertEqual(ran.out.count("\nfailed: "), 40)
        self.assertIn("\nand 5 more: see the `grading.json` of each trial\n", ran.out)

    def test_zero_lift_warns_and_a_missed_minimum_exits_1(self) -> None:
        self.add_skill(cases=[case()])
        adapter = self.add_adapter('reply("PROBE-OK")')
        ran = self.run_skill(adapter)
        self.assertEqual(ran.code, 0)
        self.assertIn("warning: sample: lift is +0.00", ran.err)
        ran = self.run_skill(adapter, "--minimum-lift", "0.1", "--run-id", "s")
        self.assertEqual(ran.code, 1)
        self.assertIn("below the minimum +0.10", ran.err)

    def test_an_adapter_error_is_named_redacted_and_never_scored(self) -> None:
        self.add_skill(cases=[case()])
        ran = self.run_skill(self.add_adapter(FLAWED))
        self.assertEqual(ran.code, 2)
        self.assertRegex(ran.err, r"error: adapter `.*`: sample, case 1, with_skill, iteration 1: exit status 1: boom")
        self.assertNotIn("abcdefghijklmnop1234", ran.out + ran.err)
        benchmark = self.artifact("sample/benchmark.json")
        self.assertIsNone(benchmark["pass_rate_lift"])
        self.assertEqual(benchmark["with_skill"]["total"], 0)  # type: ignore[index]
        self.assertFalse((self.root / "tmp/skills-eval/r/sample/iteration-1/eval-1/with_skill/grading.json").exists())

    def test_a_failed_check_beside_an_errored_trial_exits_2(self) -> None:
        self.add_skill(cases=[case(1), case(2, prompt="Fail.")])
        body = 'if not with_skill and "Fail" in request["prompt"]: sys.exit(3)\nreply("no")'
        self.assertEqual(self.run_skill(self.add_adapter(body)).code, 2)

    def test_three_errors_in_a_row_stop_the_run_and_what_was_done_is_kept(self) -> None:
        self.add_skill(cases=[case(n) for n in range(1, 11)])
        ran = self.run_skill(self.add_adapter("sys.exit(4)"))
        self.assertEqual(ran.code, 2)
        self.assertIn("warning: 17 trials were not run", ran.err)
        self.assertEqual(len(self.artifact("sample/benchmark.json")["errors"]), 3)  # type: ignore[arg-type]
        ran = self.run_skill(self.add_adapter("sys.exit(4)"), "--fail-fast", "--run-id", "s")
        self.assertIn("warning: 19 trials were not run", ran.err)

    def test_a_baseline_that_loaded_the_skill_is_contaminated(self) -> None:
        self.add_skill(cases=[case()])
        body = 'reply("PROBE-OK", events=[{"type": "skill_loaded", "name": "sample"}])'
        ran = self.run_skill(self.add_adapter(body))
        self.assertEqual(ran.code, 2)
        self.assertIn("without_skill, iteration 1: the baseline reports that it loaded the skill under test", ran.err)
        self.assertIsNone(self.artifact("sample/benchmark.json")["pass_rate_lift"])

    def test_a_slow_adapter_is_a_time_out_even_if_it_has_answered(self) -> None:
        self.add_skill(cases=[case()])
        ran = self.run_skill(
            self.add_adapter('reply("PROBE-OK"); sys.stdout.flush(); time.sleep(60)'), "--timeout-seconds", "0.5"
        )
        self.assertEqual(ran.code, 2)
        self.assertIn("no answer within 0.5 s", ran.err)

    def test_results_do_not_depend_on_the_number_of_jobs(self) -> None:
        self.add_skill(cases=[case(n) for n in range(1, 9)])
        adapter = self.add_adapter('reply("PROBE-OK" if with_skill else "no")')
        documents = []
        for jobs in ("1", "4"):
            ran = self.run_skill(adapter, "--jobs", jobs, "--run-id", f"jobs-{jobs}", "--iterations", "2")
            self.assertEqual(ran.code, 0, ran.err)
            path = self.root / f"tmp/skills-eval/jobs-{jobs}/sample/benchmark.json"
            documents.append(_without_times(json.loads(path.read_text("utf-8"))))
        self.assertEqual(documents[0], documents[1])


class Blindness(RepositoryTest):
    def test_rubric_and_checks_reach_the_adapter_in_no_way(self) -> None:
        checks = [PHRASE, {"id": "hidden-check", "type": "not_contains", "value": "HIDDEN-VALUE"}]
        self.add_skill(cases=[case(checks=checks, files=["evals/fixtures/in.txt"])])
        self.write("skills/sample/evals/fixtures/in.txt", "fixture\n")
        body = f"""
seen = [json.dumps(request), *os.environ.values(), *sys.argv]
place = os.getcwd()
while True:
    for base, folders, names in os.walk(place):
        folders[:] = [f for f in folders if not os.path.islink(os.path.join(base, f))]
        seen += [name for name in names]
        paths = [os.path.join(base, name) for name in names]
        seen += [open(path, errors="replace").read() for path in paths if os.path.isfile(path)]
    if os.path.dirname(place) in ({str(self.root.parent.parent)!r}, "/", place) or len(seen) > 500: break
    place = os.path.dirname(place)
text = "\\n".join(seen)
leaks = [w for w in ("RUBRIC-EXPECTED", "RUBRIC-ASSERTION", "hidden-check", "HIDDEN-VALUE", "evals.json") if w in text]
skill = "Say PROBE-OK." in text
reply(f"PROBE-OK leaks={{leaks}} skill={{skill}}")
"""
        ran = self.run_skill(self.add_adapter(body, "elsewhere/adapter.py"))
        self.assertEqual(ran.code, 0, ran.err)
        for mode, skill in (("with_skill", True), ("without_skill", False)):
            text = (self.root / f"tmp/skills-eval/r/sample/iteration-1/eval-1/{mode}/output.txt").read_text("utf-8")
            self.assertIn("leaks=[]", text)
            self.assertIn(f"skill={skill}", text)

    def test_both_modes_get_the_same_bytes_in_fresh_workspaces(self) -> None:
        self.add_skill(cases=[case(files=["evals/fixtures/in.bin"])])
        self.write("skills/sample/evals/fixtures/in.bin", bytes(range(256)))
        body = """
import hashlib
path = request["files"][0]["path"]
data = open(os.path.join(request["workspace"], path), "rb").read()
assert hashlib.sha256(data).hexdigest() == request["files"][0]["sha256"]
assert os.getcwd() == os.path.realpath(request["workspace"]), os.getcwd()
assert not os.path.exists("planted")
open("planted", "w").close()
open(path, "wb").write(b"changed")
reply("PROBE-OK " + path + " " + str(data == bytes(range(256))))
"""
        ran = self.run_skill(self.add_adapter(body), "--iterations", "2")
        self.assertEqual(ran.code, 0, ran.err)
        text = (self.root / "tmp/skills-eval/r/sample/iteration-2/eval-1/without_skill/output.txt").read_text("utf-8")
        self.assertEqual(text, "PROBE-OK inputs/evals/fixtures/in.bin True")


class Artifacts(RepositoryTest):
    def test_the_tree_is_the_documented_one(self) -> None:
        self.add_skill(cases=[case()])
        body = 'os.mkdir("out"); open("out/report.md", "w").write("made"); reply("PROBE-OK")'
        self.assertEqual(self.run_skill(self.add_adapter(body)).code, 0)
        run = self.root / "tmp/skills-eval/r"
        found = {str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()}
        trial = {
            "grading.json",
            "output.txt",
            "outputs/out/report.md",
            "outputs/output.txt",
            "response.json",
            "timing.json",
        }
        place = "sample/iteration-1/eval-1"
        expected = {f"{place}/{mode}/{name}" for mode in ("with_skill", "without_skill") for name in trial}
        expected |= {f"{place}/case.json", f"{place}/eval_metadata.json", "sample/benchmark.json"}
        expected |= {"run.json", "journal.jsonl", "run.lock", "evaluator-canary.txt"}
        self.assertEqual(found, expected)
        grading = self.artifact(f"{place}/with_skill/grading.json")
        self.assertEqual(grading["assertion_results"], grading["expectations"])
        self.assertEqual(grading["summary"], {"passed": 1, "failed": 0, "total": 1, "pass_rate": 1.0})
        timing = self.artifact(f"{place}/with_skill/timing.json")
        self.assertNotIn("total_tokens", timing)
        self.assertLessEqual({"duration_ms", "total_duration_seconds", "duration_seconds"}, set(timing))

    def test_run_json_says_who_measured_what(self) -> None:
        self.add_skill(cases=[case()])
        adapter = self.add_adapter(SKILLED)
        self.assertEqual(self.run_skill(adapter, "--adapter-arg", "password=hunter2hunter2hunter2").code, 0)
        facts = self.artifact("run.json")
        self.assertEqual(facts["protocol_version"], 1)
        self.assertIs(facts["complete"], True)
        self.assertNotIn("hunter2hunter2", json.dumps(facts))
        self.assertRegex(facts["skills"]["sample"]["suite"], r"^[0-9a-f]{64}$")  # type: ignore[index]

    def test_a_run_folder_is_never_written_twice(self) -> None:
        self.add_skill(cases=[case()])
        adapter = self.add_adapter(SKILLED)
        self.assertEqual(self.run_skill(adapter).code, 0)
        ran = self.run_skill(adapter)
        self.assertEqual(ran.code, 2)
        self.assertIn("exists", ran.err)

    def test_default_artifacts_are_not_written_through_a_link(self) -> None:
        self.add_skill(cases=[case()])
        (self.root.parent / "elsewhere").mkdir()
        (self.root / "tmp").symlink_to(self.root.parent / "elsewhere")
        ran = self.run_skill(self.add_adapter(SKILLED))
        self.assertEqual(ran.code, 2)
        self.assertEqual(os.listdir(self.root.parent / "elsewhere"), [])


class Usage(RepositoryTest):
    def setUp(self) -> None:
        super().setUp()
        self.add_skill(cases=[case("one"), case("two")])
        self.adapter = self.add_adapter('open("../../../called", "w"); ' + SKILLED)

    def refused(self, *options: str | Path, skill: str = "sample") -> str:
        """Run with bad options and return what is said; nothing is kept."""
        ran = run_cli("run", "--repo-root", self.root, "--adapter", self.adapter, "--skill", skill, *options)
        self.assertEqual(ran.code, 2, ran.out + ran.err)
        self.assertFalse((self.root / "tmp").exists())
        return ran.err

    def test_numbers_that_make_no_sense_are_usage_errors(self) -> None:
        for option in ("--timeout-seconds", "--minimum-lift", "--iterations", "--max-output-bytes", "--jobs"):
            for value in ("nan", "inf", "-inf", "1e999", "", "x", "9" * 400):
                with self.subTest(option=option, value=value):
                    self.assertIn(option, self.refused(f"{option}={value}"))
        for option in (
            "--timeout-seconds=0",
            "--timeout-seconds=-5",
            "--iterations=0",
            "--minimum-lift=1.01",
            "--jobs=0",
        ):
            with self.subTest(option):
                self.refused(option)

    def test_what_is_not_there_is_named_with_its_neighbours(self) -> None:
        self.assertIn("`sample`", self.refused(skill="sampel"))
        self.assertIn("did you mean one", self.refused("--case", "onee"))
        self.refused("--skill", "nope")
        self.refused(skill="")

    def test_run_ids_never_leave_the_root(self) -> None:
        for run_id in ("../x", "a/b", "", ".", "..", ".hidden", "a\nb", "x" * 101, "con/..", "a."):
            with self.subTest(run_id):
                self.assertIn("run id", self.refused(f"--run-id={run_id}"))

    def test_a_file_in_the_way_of_runs_is_no_run_to_go_on_with(self) -> None:
        err = self.refused("--output-root", self.write("file", "x"), "--run-id", "r")
        self.assertIn(f"error: run folder `{self.root}/file/r` cannot be made: a file is in its way", err)
        self.assertNotIn("--resume", err)

    def test_adapters_that_cannot_start_are_found_before_any_call(self) -> None:
        self.write("plain.txt", "no program")
        for name, reason in (
            ("missing", "neither on PATH nor at"),
            ("plain.txt", "not executable"),
            (".", "not a file"),
            ("", "empty"),
        ):
            with self.subTest(name):
                path = self.root / name if name else ""
                ran = run_cli("run", "--repo-root", self.root, "--adapter", path)
                self.assertEqual(ran.code, 2)
                self.assertIn(reason, ran.err)

    def test_without_an_adapter_the_shipped_ones_are_offered(self) -> None:
        ran = run_cli("run", "--repo-root", self.root)
        self.assertEqual(ran.code, 2)
        self.assertIn("--adapter offline", ran.err)

    def test_pyproject_may_name_the_adapter(self) -> None:
        self.write("pyproject.toml", '[tool.skill-eval]\nadapter = "./adapter.py"\n')
        ran = run_cli("run", "--repo-root", self.root, "--dry-run")
        self.assertEqual(ran.code, 0, ran.err)
        for odd in ("tool = 1", "[[tool]]\na = 1", "x = " + "[" * 20_000):
            self.write("pyproject.toml", odd)
            ran = run_cli("run", "--repo-root", self.root)
            self.assertEqual((ran.code, "Traceback" in ran.err), (2, False), ran.err)
        self.write("pyproject.toml", "[tool.skill-eval]\nadaptor = 1\n")
        self.assertEqual(run_cli("run", "--repo-root", self.root, "--dry-run").code, 2)

    def test_a_dry_run_counts_calls_and_makes_none(self) -> None:
        ran = run_cli(
            "run",
            "--repo-root",
            self.root,
            "--adapter",
            self.adapter,
            "--dry-run",
            "--iterations",
            "3",
            "--case",
            "two",
        )
        self.assertEqual(ran.code, 0)
        self.assertIn("6 adapter calls", ran.out)
        self.assertFalse((self.root / "tmp").exists())

    def test_adapter_arguments_may_begin_with_a_dash(self) -> None:
        adapter = self.add_adapter('reply("PROBE-OK " + " ".join(sys.argv[1:]))', "args.py")
        options = ("--adapter-arg", "--model", "--adapter-arg=-x", "--case", "one", "--", "--skill", "-y")
        self.assertEqual(self.run_skill(adapter, *options).code, 0)
        text = (self.root / "tmp/skills-eval/r/sample/iteration-1/eval-one/with_skill/output.txt").read_text("utf-8")
        self.assertEqual(text, "PROBE-OK --model -x --skill -y")


class ShippedAdapters(RepositoryTest):
    def test_a_script_and_a_run_may_be_named_from_where_the_user_is(self) -> None:
        self.add_skill(cases=[case()])
        rules = [{"match": {"mode": "with_skill"}, "response": {"output": "PROBE-OK", "events": "loaded"}}]
        self.write("script.json", json.dumps({"rules": [*rules, {"response": {"output": "no"}}]}))
        here = os.getcwd()
        os.chdir(self.root)
        self.addCleanup(os.chdir, here)
        ran = self.run_skill("scripted", "--adapter-arg", "script.json")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("`scripted` is a program without a language model", ran.out)
        ran = self.run_skill("replay", "--adapter-arg", "tmp/skills-eval/r", "--run-id", "again")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("+1.00", ran.out)


class Selection(RepositoryTest):
    def test_a_broken_skill_stops_only_a_run_that_needs_it(self) -> None:
        self.add_skill(cases=[case()])
        self.write("skills/broken/SKILL.md", "# nothing\n")
        adapter = self.add_adapter(SKILLED)
        self.assertEqual(self.run_skill(adapter, "--skill", "sample").code, 0)
        ran = self.run_skill(adapter, "--skill", "sample", "--skill", "broken", "--run-id", "s")
        self.assertEqual(ran.code, 2)
        self.assertIn("skills/broken/SKILL.md:1", ran.err)

    def test_suites_without_checks_are_refused_with_the_reason(self) -> None:
        self.add_skill("rubric", cases=[case(checks=[])])
        self.add_skill("remarks", cases=[case(checks=[PHRASE | {"required": False}])])
        self.add_skill("plain")
        adapter = self.add_adapter(SKILLED)
        unchecked = "no case with a required check"
        for name, reason in (("rubric", unchecked), ("remarks", unchecked), ("plain", "no suite")):
            with self.subTest(name):
                ran = self.run_skill(adapter, "--skill", name)
                self.assertEqual(ran.code, 2)
                self.assertIn(reason, ran.err)
        ran = self.run_skill(adapter)
        self.assertEqual(ran.code, 2, "nothing to run is never green")

    def test_where_no_check_applies_to_the_baseline_it_has_no_rate(self) -> None:
        self.add_skill(cases=[case(checks=[{"id": "load", "type": "loaded_skill"}])])
        events = 'events=[{"type": "skill_loaded", "name": "sample"}] if with_skill else []'
        ran = self.run_skill(self.add_adapter(f'reply("x", {events})'))
        self.assertEqual(ran.code, 0, ran.err)
        self.assertRegex(ran.out, r"sample +1/1 \(100%\) +not applicable +none +0 +0")
        self.assertIn("no check that both modes can meet, so there is no lift", ran.err)
        baseline = self.artifact("sample/benchmark.json")["without_skill"]
        assert isinstance(baseline, dict)
        self.assertEqual((baseline["total"], baseline["pass_rate"], baseline["pass_rate_interval"]), (0, None, None))

    def test_cases_without_checks_are_left_out_and_said(self) -> None:
        self.add_skill(cases=[case(1), case(2, checks=[])])
        ran = self.run_skill(self.add_adapter(SKILLED))
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("cases without a required check are not run: 2", ran.err)

    def test_copies_of_a_skill_are_run_once_and_only_if_all_their_files_are_the_same(self) -> None:
        skill, mirror = self.add_skill(cases=[case(files=["evals/a.txt"])]), self.root / ".claude/skills/sample"
        self.write("skills/sample/evals/a.txt", "x")
        shutil.copytree(skill, mirror)
        options = ("offline", "--recursive", "--dry-run")
        self.assertIn("2 adapter calls", self.run_skill(*options).out)
        suite = (skill / "evals/evals.json").read_text(encoding="utf-8")
        for name, text in (
            ("references/a.md", "x"),
            ("evals/a.txt", "y"),
            ("evals/evals.json", suite.replace("Please", "Kindly")),
        ):
            with self.subTest(name):
                self.write(f"skills/sample/{name}", text)
                ran = self.run_skill(*options)
                self.assertEqual(ran.code, 2)
                self.assertIn("are both called `sample`, and differ", ran.err)
                shutil.rmtree(skill)
                shutil.copytree(mirror, skill)

    def test_a_repository_without_skills_is_no_green_run(self) -> None:
        self.assertEqual(self.run_skill(self.add_adapter(SKILLED)).code, 2)


class Console(RepositoryTest):
    def test_nothing_from_a_model_reaches_the_terminal_raw(self) -> None:
        self.add_skill(cases=[case()])
        body = r'sys.stderr.write("::error::x\n\x1b[2J\x1b]0;t\x07::set-output name=a::b\n"); sys.exit(5)'
        ran = self.run_skill(self.add_adapter(body))
        self.assertEqual(ran.code, 2)
        for text in (ran.out, ran.err):
            self.assertNotIn("\x1b", text)
            self.assertNotRegex(text, r"(?m)^\s*::")


def _without_times(value: object) -> object:
    """Drop the identity and timing fields, which are all that may differ between equal runs."""
    if isinstance(value, dict):
        return {
            k: _without_times(v) for k, v in value.items() if k != "run_id" and "seconds" not in k and k != "duration"
        }
    return [_without_times(item) for item in value] if isinstance(value, list) else value


if __name__ == "__main__":
    unittest.main()
