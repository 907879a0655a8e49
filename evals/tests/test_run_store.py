"""Runs that survive: resumed, sharded, merged and rebuilt, they come to the same bytes."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import unittest

from evals.tests.support import REPOSITORY, RepositoryTest, case, run_cli

USAGE = '{"input_tokens": 3, "output_tokens": 1}'
BODY = f'reply("PROBE-OK" if with_skill or "7" in request["prompt"] else "no", usage={USAGE})'


class Runs(RepositoryTest):
    """A repository whose adapter answers the same each time."""

    def setUp(self) -> None:
        super().setUp()
        self.add_skill(cases=[case(n, prompt=f"Say it, {n}.") for n in range(1, 11)])
        self.adapter = self.add_adapter(BODY)
        self.runs = self.root / "tmp/skills-eval"

    def document(self, run_id: str) -> object:
        """Return the benchmark without the documented timing and identity fields."""
        text = (self.runs / run_id / "sample/benchmark.json").read_text("utf-8")
        return without_times(json.loads(text))

    def trial_texts(self, run_id: str) -> dict[str, str]:
        """Return the answers and gradings of a run by their place in it."""
        run = self.runs / run_id
        names = ("output.txt", "grading.json", "case.json", "response.json")
        return {str(p.relative_to(run)): p.read_text("utf-8") for p in run.rglob("*") if p.name in names}


class Resume(Runs):
    def test_a_resumed_run_finishes_what_is_missing_and_comes_to_the_same(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--run-id", "whole").code, 0)
        ran = self.run_skill(self.adapter, "--max-calls", "7")
        self.assertEqual(ran.code, 2)
        self.assertIn("the budget of 7 calls is spent", ran.err)
        self.assertIn("warning: 13 trials were not run", ran.err)
        ran = run_cli("run", "--repo-root", self.root, "--resume", "r")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(ran.err.count("passed (") + ran.err.count("failed ("), 13)
        self.assertEqual(self.document("r"), self.document("whole"))
        self.assertEqual(self.trial_texts("r"), self.trial_texts("whole"))
        self.assertIs(self.artifact("run.json")["complete"], True)

    def test_a_run_is_resumed_from_any_folder(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.root)
        self.assertEqual(self.run_skill("./adapter.py", "--max-calls", "7").code, 2)
        os.chdir(self.root.parent)
        ran = run_cli("run", "--repo-root", self.root, "--resume", "r")
        self.assertEqual(ran.code, 0, ran.err)

    def test_arguments_that_are_no_utf_8_are_kept_as_well_as_they_can_be_shown(self) -> None:
        odd = os.fsdecode(b"\xff\xc3\xa9")
        adapter = self.add_adapter(f"assert os.fsencode(sys.argv[1]) == {os.fsencode(odd)!r}\n{BODY}")
        options = ("--adapter-arg", odd, "--adapter-arg", "caf\u00e9")
        self.assertEqual(self.run_skill(adapter, *options, "--max-calls", "3").code, 2)
        ran = run_cli("run", "--repo-root", self.root, "--resume", "r")
        self.assertIn("the adapter changed", ran.err)
        ran = run_cli("run", "--repo-root", self.root, "--resume", "r", "--adapter", adapter, *options)
        self.assertEqual(ran.code, 0, ran.err)

    def test_a_minimum_lift_of_zero_is_one(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--minimum-lift", "0").code, 0)
        self.assertEqual(self.artifact("sample/benchmark.json")["minimum_lift"], 0.0)

    def test_a_resume_is_refused_when_something_changed_and_says_what(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--max-calls", "3").code, 2)
        refusals = []
        for name, more in (("skills/sample/SKILL.md", "More.\n"), ("adapter.py", "\n# another")):
            before = (self.root / name).read_text("utf-8")
            (self.root / name).write_text(before + more, encoding="utf-8")
            ran = run_cli("run", "--repo-root", self.root, "--resume", "r")
            self.assertEqual(ran.code, 2)
            refusals.append(ran.err)
            (self.root / name).write_text(before, encoding="utf-8")
        self.assertIn("`sample` or its suite changed", refusals[0])
        self.assertIn("the adapter changed", refusals[1])
        ran = run_cli("run", "--repo-root", self.root, "--resume", "r", "--iterations", "2")
        self.assertEqual(ran.code, 2)
        self.assertIn("`--iterations` was 1", ran.err)
        self.assertEqual(run_cli("run", "--repo-root", self.root, "--resume", "r").code, 0)

    def test_errored_trials_run_again_only_when_asked(self) -> None:
        flaw = self.root / "flaw"
        flaw.write_text("")
        adapter = self.add_adapter(
            f"if os.path.exists({str(flaw)!r}) and 'it, 2' in request['prompt']: sys.exit(1)\n{BODY}"
        )
        self.assertEqual(self.run_skill(adapter).code, 2)
        flaw.unlink()
        ran = run_cli("run", "--repo-root", self.root, "--resume", "r")
        self.assertEqual(ran.code, 2)
        self.assertIn("errored trials are kept; see `--retry-errors`", ran.err)
        ran = run_cli("run", "--repo-root", self.root, "--resume", "r", "--retry-errors")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.artifact("sample/benchmark.json")["errors"], [])

    def test_two_processes_do_not_write_one_run(self) -> None:
        from evals.skill_eval.artifacts.lock import locked

        self.assertEqual(self.run_skill(self.adapter, "--max-calls", "3").code, 2)
        with locked(self.runs / "r"):
            ran = run_cli("run", "--repo-root", self.root, "--resume", "r")
        self.assertEqual(ran.code, 2)
        self.assertIn("being written by another process", ran.err)

    def test_an_unknown_run_is_named(self) -> None:
        ran = run_cli("run", "--repo-root", self.root, "--resume", "nope")
        self.assertEqual(ran.code, 2)
        self.assertIn("nope", ran.err)


class Killed(Runs):
    def test_kills_at_random_moments_lose_nothing_that_counted(self) -> None:
        adapter = self.add_adapter("time.sleep(0.02)\n" + BODY)
        self.temporary = self.root.parent / "temporary"
        self.temporary.mkdir()
        options = ["--repo-root", str(self.root), "--iterations", "3", "--jobs", "4"]
        self.assertEqual(run_cli("run", "--adapter", adapter, *options, "--run-id", "whole").code, 0)
        start = [*options, "--adapter", str(adapter), "--run-id", "r"]
        moments, kills = random.Random(7), 0
        for _ in range(20):
            ended = self.kill_after(moments.uniform(0.05, 0.6), ["run", *start])
            kills += not ended
            begun = (self.runs / "r/run.json").exists()
            if begun:
                start = ["--repo-root", str(self.root), "--jobs", "4", "--resume", "r"]
            elif (self.runs / "r").exists():
                shutil.rmtree(self.runs / "r")
        self.assertGreater(kills, 3)
        ran = run_cli("run", *start)
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.document("r"), self.document("whole"))
        self.assertEqual(self.trial_texts("r"), self.trial_texts("whole"))

    def kill_after(self, seconds: float, argv: list[str]) -> bool:
        """Start the harness, kill it outright, and tell whether it had ended before."""
        environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "TMPDIR": str(self.temporary)}
        command = [sys.executable, "-m", "evals.skill_eval", *argv]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                process.wait(seconds)
                return True
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                return False


class Shards(Runs):
    def test_merged_shards_come_to_the_same_as_one_run(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--run-id", "whole", "--iterations", "2").code, 0)
        for index in (1, 2, 3):
            ran = self.run_skill(
                self.adapter, "--run-id", f"part-{index}", "--iterations", "2", "--shard", f"{index}/3"
            )
            self.assertEqual(ran.code, 0, ran.err)
        ran = run_cli("merge", "--repo-root", self.root, "part-3", "part-1", "part-2", "--run-id", "merged")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.document("merged"), self.document("whole"))
        self.assertEqual(self.trial_texts("merged"), self.trial_texts("whole"))

    def test_a_missing_shard_leaves_the_merged_run_incomplete(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--run-id", "a", "--shard", "1/2").code, 0)
        ran = run_cli("merge", "--repo-root", self.root, "a", "--run-id", "m")
        self.assertEqual(ran.code, 2)
        self.assertIn("10 trials were not run", ran.err)

    def test_a_shard_to_which_no_case_falls_is_merged_like_any_other(self) -> None:
        for index in (1, 2, 3):
            options = ("--case", "1", "--shard", f"{index}/3", "--run-id", f"part-{index}")
            self.assertEqual(self.run_skill(self.adapter, *options).code, 0)
        ran = run_cli("merge", "--repo-root", self.root, "part-1", "part-2", "part-3", "--run-id", "m")
        self.assertEqual(ran.code, 0, ran.err)

    def test_shards_that_do_not_belong_together_are_refused(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--run-id", "a", "--shard", "1/2").code, 0)
        self.assertEqual(self.run_skill(self.adapter, "--run-id", "b", "--shard", "2/2", "--seed", "9").code, 0)
        for runs, reason in (
            (("a", "b"), "`--seed` differs"),
            (("a", "a"), "hold sample, case 1"),
            (("a", "x"), "no run `x`"),
        ):
            with self.subTest(runs=runs):
                ran = run_cli("merge", "--repo-root", self.root, *runs, "--run-id", "m")
                self.assertEqual(ran.code, 2)
                self.assertIn(reason, ran.err)
        self.assertFalse((self.runs / "m").exists())

    def test_a_shard_number_that_makes_no_sense_is_a_usage_error(self) -> None:
        for shard in ("0/3", "4/3", "1", "1/0", "a/b", "1/2/3", "-1/2"):
            with self.subTest(shard):
                self.assertEqual(self.run_skill(self.adapter, f"--shard={shard}").code, 2)


class Rebuild(Runs):
    def test_a_rebuilt_benchmark_is_the_same_byte_for_byte(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--jobs", "3").code, 0)
        path = self.runs / "r/sample/benchmark.json"
        before = path.read_bytes()
        path.unlink()
        ran = run_cli("rebuild", "r", "--repo-root", self.root)
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(run_cli("rebuild", path.parents[1], "--repo-root", self.root).code, 0)

    def test_a_full_disk_is_said_and_the_run_can_be_resumed(self) -> None:
        if sys.platform != "linux" or os.geteuid() != 0:
            self.skipTest("needs root on Linux to mount a small file system")
        small = self.root / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120k", "tmpfs", small], check=True)
        try:
            ran = self.run_skill(self.adapter, "--output-root", small)
            self.assertEqual(ran.code, 2, ran.err)
            self.assertIn("No space left on device", ran.err)
            self.assertNotIn("Traceback", ran.err)
            subprocess.run(["mount", "-o", "remount,size=8m", small], check=True)
            ran = run_cli("run", "--repo-root", self.root, "--output-root", small, "--resume", "r")
            self.assertEqual(ran.code, 0, ran.err)
            shutil.copytree(small / "r", self.runs / "r")
        finally:
            subprocess.run(["umount", small], check=True)
        self.assertEqual(self.run_skill(self.adapter, "--run-id", "whole").code, 0)
        self.assertEqual(self.document("r"), self.document("whole"))


class Budgets(Runs):
    def test_each_budget_stops_the_start_of_trials_and_keeps_what_there_is(self) -> None:
        for option, calls in (("--max-calls=4", 4), ("--max-tokens=20", 5)):
            with self.subTest(option):
                ran = self.run_skill(self.adapter, option, "--run-id", option.strip("-").replace("=", "-"))
                self.assertEqual(ran.code, 2)
                self.assertIn("is spent; no further trial was started", ran.err)
                self.assertIn(f"warning: {20 - calls} trials were not run", ran.err)

    def test_calls_whose_answers_are_not_kept_count_too(self) -> None:
        calls = self.root / "calls"
        count = f'open({str(calls)!r}, "a").write(".")\n'
        paid = 'usage={"cost_usd": 1}'
        loaded = f'reply("x", events=[{{"type": "skill_loaded", "name": "sample"}}], {paid})'
        skill = str(self.root / "skills/sample/SKILL.md")
        cases = (
            (loaded, ("--max-cost-usd", "3"), 3),
            (f'with_skill or open({skill!r}).read()\nreply("PROBE-OK", {paid})', ("--max-cost-usd", "3"), 3),
            (f'with_skill or open({skill!r}).read()\nreply("PROBE-OK", {paid})', ("--max-calls", "4"), 4),
            ("sys.exit(75)", ("--retries", "4", "--max-calls", "3"), 3),
        )
        for number, (body, options, most) in enumerate(cases):
            with self.subTest(body, options=options):
                calls.write_text("")
                ran = self.run_skill(self.add_adapter(count + body), *options, "--run-id", f"c{number}")
                self.assertEqual(ran.code, 2)
                self.assertLessEqual(len(calls.read_text()), most)

    def test_a_budget_that_cannot_be_counted_stops_the_run(self) -> None:
        ran = self.run_skill(self.adapter, "--max-cost-usd", "0.5")
        self.assertEqual(ran.code, 2)
        self.assertIn("does not report what the budget counts", ran.err)
        self.assertIn("warning: 19 trials were not run", ran.err)

    def test_time_is_a_budget_too(self) -> None:
        adapter = self.add_adapter("time.sleep(0.2)\n" + BODY)
        ran = self.run_skill(adapter, "--max-minutes", "0.01")
        self.assertEqual(ran.code, 2)
        self.assertIn("the budget of 0.01 minutes is spent", ran.err)


class TransientFaults(Runs):
    def test_exit_status_75_is_tried_again_and_counted_apart(self) -> None:
        place = self.root / "tries"
        place.mkdir()
        body = f"""
mark = os.path.join({str(place)!r}, str(request["prompt"].encode().hex()) + request["mode"])
if not os.path.exists(mark):
    open(mark, "w").close()
    sys.exit(75)
"""
        adapter = self.add_adapter(body + BODY)
        ran = self.run_skill(adapter, "--case", "1", "--retries", "2")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.artifact("sample/benchmark.json")["transient_retries"], 2)
        self.assertEqual(self.artifact("sample/benchmark.json")["errors"], [])

    def test_without_retries_it_is_an_error_of_its_own_kind(self) -> None:
        ran = self.run_skill(self.add_adapter("sys.exit(75)"), "--case", "1")
        self.assertEqual(ran.code, 2)
        errors = self.artifact("sample/benchmark.json")["errors"]
        self.assertEqual({error["kind"] for error in errors}, {"transient"})  # type: ignore[attr-defined]


def without_times(value: object) -> object:
    """Drop what may differ between equal runs: identity and timing."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k != "run_id" and "seconds" not in k}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def pool() -> object:
    """Return an executor of the standard library, as `--executor` names it."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


class Executors(Runs):
    def test_any_executor_comes_to_the_same(self) -> None:
        self.assertEqual(self.run_skill(self.adapter, "--run-id", "whole").code, 0)
        ran = self.run_skill(self.adapter, "--executor", f"{__name__}:pool")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.document("r"), self.document("whole"))

    def test_what_makes_no_executor_is_named(self) -> None:
        for name in ("nope:x", "os:nope", "os:getcwd", "os", ""):
            with self.subTest(name):
                ran = self.run_skill(self.adapter, f"--executor={name}", "--run-id", f"x{len(name)}")
                self.assertEqual(ran.code, 2)
                self.assertIn("executor", ran.err)


if __name__ == "__main__":
    unittest.main()
