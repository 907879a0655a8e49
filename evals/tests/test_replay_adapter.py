"""The adapter `replay`: it gives again what the artifacts of an earlier run hold."""

import json
from pathlib import Path

from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.artifacts.store import RunStore
from evals.skill_eval.model.protocol import Event, Mode
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.suite import Case
from evals.skill_eval.model.trial import Failure, Trial, TrialKey
from evals.tests.adapter_requests import Answered, Json, WorkspaceTest, ask

SKILL = {"SKILL.md": "---\nname: sample\ndescription: x\n---\n"}
PROMPT = "Write the report."


class ReplayTest(WorkspaceTest):
    def setUp(self) -> None:
        """Make an empty run, written by the real writer of artifacts."""
        super().setUp()
        self.run_folder = self.outside / "run"
        self.run_folder.mkdir()
        self.store = RunStore(self.run_folder, Redactor())

    def record(
        self,
        output: str,
        mode: Mode = Mode.WITH_SKILL,
        *,
        case: Case | None = None,
        skill: str = "sample",
        iteration: int = 1,
        created: tuple[FileCopy, ...] = (),
    ) -> None:
        """Keep a trial of the run."""
        case = case or Case(1, PROMPT)
        events = (Event("skill_loaded", skill),) if mode is Mode.WITH_SKILL else ()
        key = TrialKey(skill, case.id, iteration, mode)
        self.store.keep(case, Trial(key, 0.5, output, events, {"input_tokens": 7}, created=created))

    def replay(self, *arguments: str | Path, prompt: str = PROMPT, **request: object) -> Answered:
        """Ask with the skill."""
        return ask("replay", {**self.request(prompt, skill=SKILL), **request}, *(arguments or (self.run_folder,)))

    def replay_baseline(self, *arguments: str | Path, **request: object) -> Answered:
        """Ask without a skill."""
        return ask("replay", {**self.request(PROMPT), **request}, *(arguments or (self.run_folder,)))

    def assert_refused(self, answered: Answered, code: int, *messages: str) -> None:
        """Expect an exit status, no answer and these messages."""
        self.assertEqual((answered.code, answered.out), (code, b""))
        self.assertNotIn("Traceback", answered.err)
        for message in messages:
            self.assertIn(message, answered.err)


class AnswerTest(ReplayTest):
    def test_each_mode_gets_its_own_answer_events_and_usage(self) -> None:
        self.record("with")
        self.record("without", Mode.WITHOUT_SKILL)
        for folder in (self.run_folder, self.run_folder / "sample"):
            with self.subTest(folder.name):
                event = {"type": "skill_loaded", "name": "sample"}
                expected: Json = {"output": "with", "events": [event], "usage": {"input_tokens": 7}}
                self.assertEqual(self.replay(folder).response, expected)
                expected = {"output": "without", "events": [], "usage": {"input_tokens": 7}}
                self.assertEqual(self.replay_baseline(folder).response, expected)

    def test_the_files_that_the_agent_made_are_made_again(self) -> None:
        created = (FileCopy("out/report.md", b"# \xff\n"), FileCopy("notes.txt", b"n"))
        self.record("done", created=created)
        self.assertEqual(self.replay().output, "done")
        self.assertEqual((self.workspace / "out/report.md").read_bytes(), b"# \xff\n")
        self.assertEqual((self.workspace / "notes.txt").read_bytes(), b"n")
        self.assertFalse((self.workspace / "output.txt").exists())

    def test_a_file_of_the_agent_called_output_txt_is_made_again(self) -> None:
        self.record("done", created=(FileCopy("output.txt", b"its own"),))
        self.replay()
        self.assertEqual((self.workspace / "output.txt").read_bytes(), b"its own")

    def test_a_file_that_was_not_kept_is_told_and_the_rest_is_answered(self) -> None:
        self.record("done", created=(FileCopy("a.md", b"a"), FileCopy("b.md", b"b")))
        (self.run_folder / "sample/iteration-1/eval-1/with_skill/outputs/a.md").unlink()
        answered = self.replay()
        self.assertEqual((answered.code, answered.output), (0, "done"))
        self.assertIn("file `a.md` is not among the artifacts", answered.err)
        self.assertTrue((self.workspace / "b.md").is_file())

    def test_a_path_out_of_the_workspace_in_tampered_artifacts_is_not_written(self) -> None:
        self.record("done", created=(FileCopy("a.md", b"a"),))
        timing = self.run_folder / "sample/iteration-1/eval-1/with_skill/timing.json"
        timing.write_text(timing.read_text(encoding="utf-8").replace('"a.md"', '"../../../a.md"'), encoding="utf-8")
        self.assertIn("is not among the artifacts", self.replay().err)
        self.assertFalse((self.workspace / "../../../a.md").exists())


class ChoiceTest(ReplayTest):
    def test_the_first_iteration_answers_unless_another_is_named(self) -> None:
        for iteration in (10, 2, 3):
            self.record(f"answer {iteration}", iteration=iteration)
        self.assertEqual(self.replay().output, "answer 2")
        self.assertEqual(self.replay(self.run_folder, "--iteration", "10").output, "answer 10")
        self.assertEqual(self.replay(self.run_folder, "--iteration=3").output, "answer 3")
        self.assert_refused(self.replay(self.run_folder, "--iteration", "4"), 3, "iteration 4")

    def test_the_skill_is_found_by_its_name(self) -> None:
        self.record("other", skill="other")
        self.record("sample")
        self.assertEqual(self.replay().output, "sample")

    def test_a_baseline_whose_prompt_stands_in_two_skills_needs_equal_answers_or_a_choice(self) -> None:
        self.record("same", Mode.WITHOUT_SKILL, skill="first")
        self.record("same", Mode.WITHOUT_SKILL, skill="second")
        self.assertEqual(self.replay_baseline().output, "same")
        self.record("different", Mode.WITHOUT_SKILL, skill="third")
        self.assert_refused(self.replay_baseline(), 3, "--skill", "first/iteration-1", "third/iteration-1")
        self.assertEqual(self.replay_baseline(self.run_folder, "--skill", "third").output, "different")

    def test_cases_with_one_prompt_are_told_apart_by_their_fixtures(self) -> None:
        self.record("for a", case=Case(1, PROMPT, files=("evals/fixtures/a.txt",)))
        self.record("for b", case=Case(2, PROMPT, files=("evals/fixtures/b.txt",)))
        files = [{"path": "inputs/evals/fixtures/b.txt", "sha256": "0"}]
        self.assertEqual(self.replay(files=files).output, "for b")
        self.assert_refused(self.replay(), 3, "holds no case", "files []")

    def test_a_prompt_that_was_redacted_is_found_again(self) -> None:
        secret = "Use password=" + "hunter22hunter22"
        for case_id, prompt in enumerate((f"{secret} now.", f"{secret} later."), start=1):
            self.record(f"answer {case_id}", case=Case(case_id, prompt))
        recorded = json.loads((self.run_folder / "sample/iteration-1/eval-2/case.json").read_bytes())["prompt"]
        self.assertIn("[REDACTED]", recorded)
        self.assertEqual(self.replay(prompt=f"{secret} later.").output, "answer 2")
        self.assert_refused(self.replay(prompt="Use nothing never."), 3, "holds no case")

    def test_the_very_prompt_goes_before_one_that_only_fits(self) -> None:
        self.record("fits", case=Case(1, "Say [REDACTED] now"))
        self.record("exact", case=Case(2, "Say it now"))
        self.assertEqual(self.replay(prompt="Say it now").output, "exact")


class RefusalTest(ReplayTest):
    def test_what_was_looked_for_is_told_when_nothing_fits(self) -> None:
        self.record("x", case=Case(1, "Another request."))
        self.assert_refused(
            self.replay(), 3, "holds no case for skill `sample`, iteration first, files [], prompt", PROMPT
        )
        self.assert_refused(self.replay_baseline(self.run_folder, "--skill", "gone"), 3, "skill `gone`")

    def test_a_trial_that_was_errored_is_errored_again(self) -> None:
        failure = Failure("timeout", "no answer within 120 s")
        self.store.keep(Case(1, PROMPT), Trial(TrialKey("sample", 1, 1, Mode.WITH_SKILL), 120.0, failure=failure))
        self.assert_refused(self.replay(), 3, "eval-1/with_skill` was errored: no answer within 120 s")
        self.assert_refused(self.replay_baseline(), 3, "without_skill` holds no `response.json`")

    def test_artifacts_that_cannot_be_read_are_told(self) -> None:
        self.record("x")
        folder = self.run_folder / "sample/iteration-1/eval-1/with_skill"
        for name, content, message in (
            ("response.json", "{", "not JSON"),
            ("response.json", "[]", "holds no JSON object"),
            ("response.json", "{}", "holds no text `output`"),
        ):
            with self.subTest(message):
                (folder / name).write_text(content, encoding="utf-8")
                self.assert_refused(self.replay(), 3, message)

    def test_wrong_arguments_are_refused(self) -> None:
        self.record("x")
        request = self.request(PROMPT)
        for arguments, message in (
            ((), "expected one folder of a run, found 0"),
            ((self.run_folder, "b"), "expected one folder of a run, found 2"),
            ((self.outside / "gone",), "is no folder"),
            ((self.run_folder, "--seed", "1"), "unknown option `--seed`; known: `--skill`, `--iteration`"),
            ((self.run_folder, "--iteration", "0"), "--iteration: expected a whole number"),
            ((self.run_folder, "--iteration"), "--iteration: expected a whole number of at least 1, found ``"),
        ):
            with self.subTest(message):
                self.assert_refused(ask("replay", request, *arguments), 2, message)
