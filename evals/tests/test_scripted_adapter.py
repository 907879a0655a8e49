"""The adapter `scripted`: rules, what they make it do, and what is said of a faulty script."""

import json
import time
from pathlib import Path

from evals.tests.adapter_requests import Answered, WorkspaceTest, ask

SKILL = {"SKILL.md": "---\nname: sample\ndescription: x\n---\n"}


class ScriptTest(WorkspaceTest):
    def script(self, content: object, name: str = "script.json") -> Path:
        """Write a script outside of the workspace."""
        path = self.outside / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def act(self, *rules: object, prompt: str = "Write the report.", with_skill: bool = False) -> Answered:
        """Ask with these rules."""
        request = self.request(prompt, skill=SKILL if with_skill else None)
        return ask("scripted", request, self.script({"rules": rules}))


class RuleTest(ScriptTest):
    def test_the_first_rule_whose_conditions_all_hold_answers(self) -> None:
        rules = (
            {"match": {"mode": "with_skill", "prompt_contains": "report"}, "response": {"output": "both"}},
            {"match": {"skill": "sample"}, "response": {"output": "skill"}},
            {"match": {"skill": None, "prompt_contains": "Report"}, "response": {"output": "baseline"}},
            {"match": {"skill": "other"}, "response": {"output": "never"}},
            {"response": {"output": "else"}},
        )
        for prompt, with_skill, expected in (
            ("A report.", True, "both"),
            ("A note.", True, "skill"),
            ("A Report.", False, "baseline"),
            ("A report.", False, "else"),
        ):
            with self.subTest(expected):
                self.assertEqual(self.act(*rules, prompt=prompt, with_skill=with_skill).output, expected)

    def test_a_request_that_no_rule_matches_ends_with_2(self) -> None:
        answered = self.act({"match": {"prompt_contains": "invoice"}, "response": {}}, with_skill=True)
        self.assertEqual((answered.code, answered.out), (2, b""))
        self.assertIn('no rule matches mode `with_skill`, skill `sample`, prompt "Write the report."', answered.err)

    def test_placeholders_are_filled_and_other_braces_stay(self) -> None:
        rule = {"response": {"output": '{mode} {skill} {"a": {}} {prompt}'}}
        answered = self.act(rule, prompt="of {mode} {skill}", with_skill=True)
        self.assertEqual(answered.output, 'with_skill sample {"a": {}} of {mode} {skill}')

    def test_events_usage_and_an_empty_answer_are_given_as_written(self) -> None:
        events = [{"type": "note"}, {"type": "skill_loaded", "name": "other"}]
        response = self.act({"response": {"events": events, "usage": {"input_tokens": 3, "cost_usd": 0.5}}}).response
        self.assertEqual(response, {"output": "", "events": events, "usage": {"input_tokens": 3, "cost_usd": 0.5}})

    def test_loaded_stands_for_the_event_where_there_is_a_skill(self) -> None:
        rule = {"response": {"events": "loaded"}}
        event = {"type": "skill_loaded", "name": "sample"}
        self.assertEqual(self.act(rule, with_skill=True).response["events"], [event])
        self.assertEqual(self.act(rule).response["events"], [])

    def test_files_are_written_below_the_workspace(self) -> None:
        self.act({"response": {"files": {"out/a.md": "for {prompt}", "b.txt": ""}}})
        self.assertEqual((self.workspace / "out/a.md").read_text(encoding="utf-8"), "for Write the report.")
        self.assertTrue((self.workspace / "b.txt").is_file())

    def test_a_file_that_cannot_be_written_ends_with_3(self) -> None:
        self.write("taken", "x")
        (self.workspace / "out").symlink_to(self.outside)
        for path in ("taken/a.md", "out/a.md"):
            with self.subTest(path):
                answered = self.act({"response": {"files": {path: "x"}}})
                self.assertEqual((answered.code, answered.out), (3, b""))
                self.assertIn(path, answered.err)
        self.assertFalse((self.outside / "a.md").exists())

    def test_raw_replaces_the_response_byte_by_byte(self) -> None:
        for raw, expected in (("no JSON ä", "no JSON ä".encode()), ([255, 0, 10], b"\xff\0\n"), ("", b"")):
            with self.subTest(raw):
                self.assertEqual(self.act({"response": {"raw": raw, "output": "x"}}).out, expected)

    def test_exit_code_and_standard_error_are_as_written(self) -> None:
        answered = self.act({"response": {"output": "done", "exit_code": 75, "stderr": "busy: {prompt}"}})
        self.assertEqual((answered.code, answered.err), (75, "busy: Write the report.\n"))
        self.assertEqual(answered.output, "done")

    def test_it_sleeps_before_it_answers(self) -> None:
        start = time.monotonic()
        self.act({"response": {"sleep_seconds": 0.3}})
        self.assertGreaterEqual(time.monotonic() - start, 0.3)


class FaultTest(ScriptTest):
    def test_every_fault_is_told_with_its_place(self) -> None:
        for script, message in (
            ([], "/: expected an object, found []"),
            ({}, "/rules: missing, expected a list of at least one rule"),
            ({"rules": []}, "/rules: expected a list of at least one rule, found []"),
            ({"rules": [3]}, "/rules/0: expected an object, found 3"),
            ({"rules": [{}]}, "/rules/0/response: missing"),
            ({"rules": [{"respond": {}}]}, "/rules/0/respond: unknown field; known: `match`, `response`"),
            ({"rules": [{"match": {"mode": "x"}, "response": {}}]}, "/rules/0/match/mode: expected `with_skill` or"),
            ({"rules": [{"match": {"skill": 1}, "response": {}}]}, "/rules/0/match/skill: expected text or null"),
            ({"rules": [{"match": {"case": 1}, "response": {}}]}, "/rules/0/match/case: unknown field"),
            ({"rules": [{"response": {"output": None}}]}, "/rules/0/response/output: expected text, found null"),
            ({"rules": [{"response": {"events": "load"}}]}, "/rules/0/response/events: expected a list"),
            ({"rules": [{"response": {"events": [{"name": "x"}]}}]}, "/rules/0/response/events: expected a list"),
            ({"rules": [{"response": {"usage": {"a": True}}}]}, "/rules/0/response/usage: expected an object of"),
            ({"rules": [{"response": {"usage": {"a": -1}}}]}, "/rules/0/response/usage: expected an object of"),
            ({"rules": [{"response": {"files": {"../a": "x"}}}]}, "/rules/0/response/files: expected an object of"),
            ({"rules": [{"response": {"files": {"/a": "x"}}}]}, "/rules/0/response/files: expected an object of"),
            ({"rules": [{"response": {"exit_code": 256}}]}, "/rules/0/response/exit_code: expected a whole number"),
            ({"rules": [{"response": {"sleep_seconds": -1}}]}, "/rules/0/response/sleep_seconds: expected a finite"),
            ({"rules": [{"response": {"raw": [256]}}]}, "/rules/0/response/raw: expected text or a list"),
        ):
            with self.subTest(message):
                answered = ask("scripted", self.request("Hi"), self.script(script))
                self.assertEqual((answered.code, answered.out), (2, b""))
                self.assertIn(f"script.json`, {message}", answered.err)

    def test_all_faults_are_told_at_once(self) -> None:
        rules = [{"response": {"output": 1}}, {"response": {"stderr": 2}}]
        answered = ask("scripted", self.request("Hi"), self.script({"rules": rules}))
        self.assertEqual(len(answered.err.splitlines()), 2)

    def test_a_script_that_cannot_be_read_is_told(self) -> None:
        request = self.request("Hi")
        for argument, message in (
            (self.outside / "gone.json", "cannot be read"),
            (self.outside, "cannot be read"),
            (self.script(b"{'a': 1}"), "not JSON"),
            (self.script(b"\xff", "bytes.json"), "not JSON in UTF-8"),
        ):
            with self.subTest(message):
                answered = ask("scripted", request, argument)
                self.assertEqual((answered.code, answered.out), (2, b""))
                self.assertIn(message, answered.err)

    def test_one_argument_is_expected(self) -> None:
        request = self.request("Hi")
        for arguments in ((), ("a", "b")):
            answered = ask("scripted", request, *arguments)
            self.assertEqual(answered.code, 2)
            self.assertIn(f"expected one argument, the script, found {len(arguments)}", answered.err)
