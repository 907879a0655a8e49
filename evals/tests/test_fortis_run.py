"""`fortis run`, `merge` and `report` from the outside: real adapters, real folders, exit codes and what is kept."""

import contextlib
import io
import json
import os
import unittest
from itertools import pairwise
from pathlib import Path
from unittest import mock

from evals.fortis.cli import COMMANDS, main
from evals.fortis.prompts import HINT
from evals.tests.support import Ran, RepositoryTest, run_cli

SKILLS_AND_TOOLS = """
import re
names = re.findall(r"^- ([\\w-]+)", request["prompt"], re.M)
task = 1 if "\\nSkills:\\n" in request["prompt"] else 2
def choose(name):
    reply(name if task == 1 else json.dumps([{"tool": name, "args": {}}]))
"""
FIRST = SKILLS_AND_TOOLS + "choose(names[0])"
NAMED = SKILLS_AND_TOOLS + "choose(sorted(names)[0])"


def run_fortis(*argv: str | Path) -> Ran:
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in argv])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 2
    return Ran(code, out.getvalue(), err.getvalue())


class FortisTest(RepositoryTest):
    def setUp(self) -> None:
        super().setUp()
        # Reports name the adapter by its path: no line may break where the temporary folder has a long name.
        self.enterContext(mock.patch.dict(os.environ, COLUMNS="1000"))

    def run_queries(self, adapter: Path | str, *options: str | Path, run_id: str = "r", sample: str = "8") -> Ran:
        """Ask a sample of the e-mail queries."""
        words = ("run", "--repo-root", self.root, "--adapter", adapter, "--domain", "email", "--sample", sample)
        return run_fortis(*words, *(() if "--resume" in options else ("--run-id", run_id)), *options)

    def folder(self, run_id: str = "r") -> Path:
        """Return the folder of a run."""
        return self.root / "tmp/skills-eval" / run_id

    def answers(self, run_id: str = "r") -> list[dict[str, object]]:
        """Return the judged answers of a run."""
        lines = (self.folder(run_id) / "answers.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def report(self, run_id: str, kind: str) -> str:
        """Return the report on a run."""
        ran = run_fortis("report", "--repo-root", self.root, run_id, "--format", kind)
        self.assertIn(ran.code, (0, 2), ran.err)
        return ran.out


class Asking(FortisTest):
    def test_each_query_is_one_request_without_a_skill_and_all_is_in_the_prompt(self) -> None:
        body = """
wanted = {"protocol_version", "mode", "skill", "prompt", "files", "workspace"}
if set(request) != wanted or request["skill"] is not None or request["mode"] != "without_skill" or request["files"]:
    sys.exit("not as expected")
reply("none")"""
        ran = self.run_queries(self.add_adapter(body))
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(len(self.answers()), 8)
        self.assertEqual({str(one["ours"]) for one in self.answers()}, {"no_action"})
        self.assertIn("answered (", ran.err)

    def test_queries_with_the_same_prompt_head_run_one_after_the_other(self) -> None:
        self.run_queries(self.add_adapter('reply("")'), "--task", "2", sample="20")
        heads = []
        for line in (self.folder() / "journal.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)["case"]
            path = self.folder() / f"fortis-email-task2/iteration-1/eval-{case}/case.json"
            heads.append(json.loads(path.read_text("utf-8"))["prompt"].partition("Request:")[0])
        changes = 1 + sum(one != other for one, other in pairwise(heads))
        self.assertEqual(changes, len(set(heads)))
        self.assertLess(changes, len(heads))

    def test_filters_narrow_what_is_asked(self) -> None:
        ran = self.run_queries(self.add_adapter(FIRST), "--task", "2", "--setting", "BS", "--setting", "CS", sample="6")
        self.assertEqual(ran.code, 0, ran.err)
        asked = {str(one["query"]).split("-")[2] for one in self.answers()}
        self.assertEqual(asked, {"bs", "cs"})

    def test_a_repeat_has_an_order_of_its_own_and_a_seed_is_kept(self) -> None:
        adapter = self.add_adapter(FIRST)
        ran = self.run_queries(adapter, "--repeats", "2", "--task", "1", "--order-seed", "7")
        self.assertEqual(ran.code, 0, ran.err)
        by_repeat = {repeat: [one["names"] for one in self.answers() if one["repeat"] == repeat] for repeat in (1, 2)}
        self.assertEqual(len(by_repeat[1]), len(by_repeat[2]))
        self.assertNotEqual(by_repeat[1], by_repeat[2])
        self.assertEqual(self.artifact("run.json")["options"]["order_seed"], 7)  # type: ignore[index]
        self.run_queries(adapter, "--repeats", "2", "--task", "1", "--order-seed", "7", run_id="again")
        self.assertEqual(self.answers(), self.answers("again"))
        self.run_queries(adapter, "--repeats", "2", "--task", "1", "--order-seed", "8", run_id="other")
        self.assertNotEqual(self.answers(), self.answers("other"))

    def test_the_hint_is_in_every_prompt_and_the_report_says_so(self) -> None:
        adapter = self.add_adapter(f'reply("none" if {HINT!r} in request["prompt"] else "hint lacks")')
        ran = self.run_queries(adapter, "--hint")
        self.assertEqual({str(one["ours"]) for one in self.answers()}, {"no_action"})
        self.assertIn("with hint", ran.out)
        self.assertIn("do not compare it with runs without", ran.out)

    def test_an_odd_sample_is_told_before_the_run_and_in_the_report(self) -> None:
        ran = self.run_queries(self.add_adapter(FIRST), sample="2")
        self.assertRegex(ran.err, r"note: a sample of 2 has nothing of Task 1 CB \(email\), ")
        for kind in ("terminal", "markdown", "html", "json"):
            text = " ".join(self.report("r", kind).split())
            self.assertIn("a sample of 2 has nothing of Task 1 CB", text.replace("\\", ""), kind)
        ran = self.run_queries("offline", "--task", "1", "--dry-run", sample="9999")
        self.assertIn("there are 200 such queries; all are taken", ran.err)
        self.assertEqual(ran.out, "200 adapter calls; nothing was run\n")

    def test_one_call_is_one_call(self) -> None:
        ran = self.run_queries("offline", "--dry-run", sample="1")
        self.assertEqual(ran.out, "1 adapter call; nothing was run\n")

    def test_a_dry_run_counts_and_writes_nothing(self) -> None:
        ran = self.run_queries(self.add_adapter("sys.exit(1)"), "--dry-run", "--repeats", "3")
        self.assertEqual((ran.code, ran.out), (0, "24 adapter calls; nothing was run\n"))
        self.assertFalse(self.folder().exists())


class Machinery(FortisTest):
    def test_a_run_that_a_budget_ended_is_resumed_to_the_same_answers(self) -> None:
        adapter = self.add_adapter(NAMED)
        self.run_queries(adapter, run_id="whole")
        ran = self.run_queries(adapter, "--max-calls", "5")
        self.assertEqual(ran.code, 2)
        self.assertIn("stopped: the budget of 5 calls is spent", ran.err)
        self.assertIn("3 of 8 trials were not run", ran.out)
        ran = run_fortis("run", "--repo-root", self.root, "--adapter", adapter, "--resume", "r")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.answers(), self.answers("whole"))

    def test_a_resumed_run_keeps_its_options(self) -> None:
        adapter = self.add_adapter(NAMED)
        self.run_queries(adapter, "--max-calls", "5")
        ran = run_fortis("run", "--repo-root", self.root, "--resume", "r", "--order-seed", "3")
        self.assertEqual(ran.code, 2)
        self.assertIn("`--order-seed` was 0", ran.err)

    def test_shards_merge_to_the_whole(self) -> None:
        adapter = self.add_adapter(NAMED)
        self.run_queries(adapter, run_id="whole")
        for part in ("1", "2"):
            ran = self.run_queries(adapter, "--shard", f"{part}/2", run_id=f"part{part}")
            self.assertEqual(ran.code, 0, ran.err)
        ran = run_fortis("merge", "--repo-root", self.root, "part1", "part2", "--run-id", "joined")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertEqual(self.answers("joined"), self.answers("whole"))
        ran = run_fortis("merge", "--repo-root", self.root, "part1", "--run-id", "half")
        self.assertEqual(ran.code, 2)
        self.assertIn("4 of 8 trials were not run", ran.out)

    def test_jobs_an_executor_and_a_clean_environment_change_no_answer(self) -> None:
        adapter = self.add_adapter(NAMED)
        self.run_queries(adapter, run_id="whole")
        for number, options in enumerate(
            (("--jobs", "3"), ("--executor", "concurrent.futures:ThreadPoolExecutor"), ("--clean-env",))
        ):
            with self.subTest(options):
                ran = self.run_queries(adapter, *options, run_id=f"run{number}")
                self.assertEqual(ran.code, 0, ran.err)
                self.assertEqual(self.answers(f"run{number}"), self.answers("whole"))

    def test_an_adapter_error_is_in_no_rate_and_ends_with_2(self) -> None:
        body = 'if "Skills:" in request["prompt"]: sys.exit("boom: token=abcdefghijklmnop1234")\nreply("[]")'
        ran = self.run_queries(self.add_adapter(body), "--jobs", "1", sample="8")
        self.assertEqual(ran.code, 2)
        report = json.loads((self.folder() / "report.json").read_text("utf-8"))
        (run,) = report["runs"]
        first, second = (run["measures"]["ours"][f"task{task}"] for task in (1, 2))
        self.assertEqual((first["answers"], first["em"]["rate"], first["classes"]), (0, None, None))
        self.assertGreater(first["adapter_errors"], 0)
        self.assertEqual(second["nar"]["rate"], 1.0)
        self.assertIn("exit status 1: boom", ran.err)
        self.assertNotIn("abcdefghijklmnop1234", ran.out + ran.err)

    def test_a_transient_fault_is_tried_again(self) -> None:
        flag = self.root / "tried"
        body = f"""
if not os.path.exists({str(flag)!r}):
    open({str(flag)!r}, "w").close()
    sys.exit(75)
reply("none")"""
        ran = self.run_queries(self.add_adapter(body), "--retries", "1", sample="2")
        self.assertEqual(ran.code, 0, ran.err)

    def test_a_secret_in_an_answer_reaches_no_file(self) -> None:
        body = 'reply("My api_key=sk-abcdefghijklmnopqrstuvwx1234 token: ghp_abcdefghijklmnopqrstuvwxyz0123456789")'
        self.run_queries(self.add_adapter(body), sample="4")
        texts = [path.read_text("utf-8") for path in self.folder().rglob("*") if path.is_file()]
        self.assertGreater(len(texts), 20)
        for text in texts:
            self.assertNotIn("abcdefghijklmnopqrstuvwx", text)

    def test_an_answer_that_was_cut_off_is_truncated(self) -> None:
        body = FIRST.replace("reply(name if", 'reply(events=[{"type": "output_truncated"}], output=name if')
        ran = self.run_queries(self.add_adapter(body), sample="4")
        self.assertEqual({str(one["ours"]) for one in self.answers()}, {"truncated"}, ran.err)

    def test_an_ungraded_answer_leaves_no_grading(self) -> None:
        self.run_queries(self.add_adapter(NAMED), sample="2")
        self.assertFalse(list(self.folder().rglob("grading.json")))
        self.assertEqual(len(list(self.folder().rglob("output.txt"))), 4)


class Reports(FortisTest):
    def test_the_notice_of_an_adapter_without_a_model_is_in_every_output(self) -> None:
        ran = self.run_queries("offline", sample="4")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("is a program without a language model", ran.out)
        for name in ("report.md", "report.html", "report.json"):
            self.assertIn("is a program without a language model", (self.folder() / name).read_text("utf-8"))

    def test_all_forms_are_those_of_the_run_folder(self) -> None:
        ran = self.run_queries(self.add_adapter(FIRST), sample="8")
        for name, kind in (("report.json", "json"), ("report.md", "markdown"), ("report.html", "html")):
            with self.subTest(kind):
                self.assertEqual(self.report("r", kind), (self.folder() / name).read_text("utf-8"))
        self.assertEqual(self.report("r", "terminal") + f"artifacts: {self.folder()}\n", ran.out)

    def test_the_terminal_report_is_as_narrow_as_the_terminal(self) -> None:
        for columns, most in (("80", 80), ("", 100)):
            with mock.patch.dict(os.environ, {"COLUMNS": columns}):
                ran = self.run_queries(self.add_adapter(FIRST), run_id=f"w{columns}")
            report = ran.out.partition("artifacts: ")[0]
            self.assertLessEqual(max(map(len, report.splitlines())), most)

    def test_several_runs_stand_side_by_side(self) -> None:
        adapter = self.add_adapter(FIRST)
        self.run_queries(adapter, run_id="one")
        self.run_queries(adapter, run_id="two", sample="6")
        target = self.root / "both.html"
        ran = run_fortis("report", "--repo-root", self.root, "one", "two", "--format", "html", "--output", target)
        self.assertEqual((ran.code, ran.out), (0, ""))
        page = target.read_text("utf-8")
        self.assertIn("(one)", page)
        self.assertIn("(two)", page)
        self.assertIn("did not ask the same queries", page)

    def test_without_a_run_the_baselines_are_reported(self) -> None:
        ran = run_fortis("report", "--repo-root", self.root)
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn("fewest parameters", ran.out)
        self.assertIn("Table 6. Task 2 by domain", ran.out)

    def test_a_run_of_other_queries_is_refused(self) -> None:
        self.run_queries(self.add_adapter(FIRST), "--task", "1", sample="2")
        path = self.folder() / "run.json"
        facts = json.loads(path.read_text("utf-8"))
        facts["skills"]["fortis-email-task1"]["suite"] = "0" * 64
        path.write_text(json.dumps(facts), encoding="utf-8")
        ran = run_fortis("report", "--repo-root", self.root, "r")
        self.assertEqual(ran.code, 2)
        self.assertIn("was made with other queries, skills or tools than these", ran.err)

    def test_the_harness_and_fortis_refuse_each_others_runs(self) -> None:
        self.run_queries(self.add_adapter(FIRST), sample="2")
        ran = run_cli("rebuild", "--repo-root", self.root, "r")
        self.assertEqual(ran.code, 2)
        self.assertIn("`r` is a run of fortis", ran.err)
        self.add_skill(cases=[{"id": 1, "prompt": "Say.", "checks": [{"id": "c", "type": "contains", "value": "x"}]}])
        self.run_skill(self.add_adapter('reply("x")'), "--run-id", "skills")
        ran = run_fortis("report", "--repo-root", self.root, "skills")
        self.assertEqual(ran.code, 2)
        self.assertIn("`skills` is no run of fortis", ran.err)

    def test_a_stored_answer_that_is_broken_is_named(self) -> None:
        self.run_queries(self.add_adapter(FIRST), sample="2")
        path = next(self.folder().rglob("response.json"))
        path.write_text("{", encoding="utf-8")
        ran = run_fortis("report", "--repo-root", self.root, "r")
        self.assertEqual(ran.code, 2)
        self.assertIn("response.json` cannot be read", ran.err)


class Usage(FortisTest):
    def test_what_makes_no_sense_is_a_usage_error_in_one_line(self) -> None:
        for words, message in (
            (("--setting", "XY"), "expected one of CB, Sc, Lx, AI, CS, BA, BS, found `XY`"),
            (("--task", "3"), "invalid choice"),
            (("--sample", "0"), "expected a whole number from 1 to 100000"),
            (("--domain", "cooking"), "unknown domain `cooking`"),
            (("--task", "1", "--setting", "BS"), "no query has this domain, task and setting"),
            (("--resume", "nothing"), "no run"),
        ):
            with self.subTest(words):
                ran = run_fortis("run", "--repo-root", self.root, "--adapter", "offline", *words)
                self.assertEqual(ran.code, 2)
                self.assertIn(message, ran.err)
                self.assertNotIn("Traceback", ran.err)

    def test_sample_knows_the_short_and_the_long_names_of_settings(self) -> None:
        printed = {
            run_fortis("sample", "--domain", "email", "--setting", name).out for name in ("bs", "boundary_sensitive")
        }
        self.assertEqual(len(printed), 1)
        self.assertEqual(printed.pop().count("[boundary_sensitive"), 5)
        self.assertIn("CB (clean_baseline), Sc", " ".join(run_fortis("sample", "--help").out.split()))
        self.assertIn("expected one of CB, Sc", run_fortis("sample", "--setting", "XY").err)

    def test_every_command_has_its_help(self) -> None:
        for command in COMMANDS:
            with self.subTest(command):
                ran = run_fortis(command, "--help")
                self.assertEqual(ran.code, 0)
                self.assertIn("usage: fortis", ran.out)


if __name__ == "__main__":
    unittest.main()
