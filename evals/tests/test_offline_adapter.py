"""The adapter `offline`: what it quotes, what it writes, and what it leaves alone."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from evals.tests.adapter_requests import ADAPTERS, WorkspaceTest, ask

HEADER = "---\nname: sample\ndescription: Knows about valves.\n---\n"
BODY = """# Valves

Never guess a pressure.

## Leaks

Look before you turn anything.

- A leaking valve: close the upstream stopcock, then tighten the gland.
- A humming pump: check the bearing for wear.

1. Drain the line.
2. Replace the gasket of the leaking valve.

| Colour | Meaning |
| --- | --- |
| red | main gas line |
| blue | drinking water |

Torque settings are in [the table](references/torque.md) of the valve maker, boiler data in `references/boiler.md`.

Write the leak report to `leak-report.md`.

## Heating

Ask for the boiler's year:

```
year: <year>
```
"""


def skill(body: str = BODY, **references: str) -> dict[str, str]:
    """Return the files of a skill."""
    return {"SKILL.md": HEADER + body, **{f"references/{name}.md": text for name, text in references.items()}}


class QuotingTest(WorkspaceTest):
    def test_the_passage_that_shares_most_words_is_quoted_and_the_unrelated_one_is_not(self) -> None:
        answered = ask("offline", self.request("My valve leaks, what now?", skill=skill()))
        self.assertIn("close the upstream stopcock", answered.output)
        self.assertNotIn("humming pump", answered.output)
        self.assertNotIn("boiler's year", answered.output)

    def test_a_procedure_is_quoted_whole_and_a_row_with_its_columns(self) -> None:
        answered = ask("offline", self.request("Which gasket, and what does red mean?", skill=skill()))
        self.assertIn("1. Drain the line.\n2. Replace the gasket", answered.output)
        self.assertIn("Colour: red; Meaning: main gas line", answered.output)
        self.assertNotIn("drinking water", answered.output)

    def test_a_section_brings_along_the_prose_that_opens_it(self) -> None:
        answered = ask("offline", self.request("The pump is humming.", skill=skill()))
        self.assertIn("Look before you turn anything.", answered.output)
        self.assertNotIn("Never guess", answered.output)

    def test_a_code_block_stays_with_the_sentence_that_announces_it(self) -> None:
        answered = ask("offline", self.request("Heating is cold, boiler?", skill=skill()))
        self.assertIn("Ask for the boiler's year:\n```\nyear: <year>\n```", answered.output)

    def test_word_forms_and_joined_words_meet(self) -> None:
        for prompt, item in (
            ("policies", "Keep one policy."),
            ("deployed", "We deploy on Monday."),
            ("pass a role", "Restrict iam:PassRole."),
        ):
            with self.subTest(prompt):
                answered = ask("offline", self.request(prompt, skill=skill(f"- {item}\n- Unrelated.\n")))
                self.assertIn(item, answered.output)

    def test_a_short_fixture_is_quoted_whole_with_line_numbers_and_a_binary_one_is_not(self) -> None:
        inputs: dict[str, str | bytes] = {"log.txt": "ok\n\nvalve 7 leaks\n", "picture.bin": b"valve\0leaks"}
        for files in (None, skill()):
            with self.subTest(with_skill=files is not None):
                answered = ask("offline", self.request("Which valve leaks?", inputs, files))
                self.assertIn("From inputs/log.txt:\n1: ok\n3: valve 7 leaks", answered.output)
                self.assertNotIn("picture", answered.output)

    def test_of_a_long_fixture_the_lines_are_quoted_that_prompt_or_guidance_speak_of(self) -> None:
        lines = [f"entry {number}" for number in range(100)]
        inputs = {"inventory.txt": "\n".join([*lines, "stopcock S4 upstream", "valve V9 west"])}
        for files, found in ((skill(), True), (None, False)):
            with self.subTest(with_skill=found):
                output = ask("offline", self.request("My valve leaks.", inputs, files)).output
                self.assertIn("102: valve V9 west", output)
                self.assertNotIn("entry 5", output)
                self.assertIs("101: stopcock S4" in output, found)

    def test_without_other_material_the_prompt_is_quoted_by_its_last_paragraph(self) -> None:
        prompt = "The cat sleeps.\nThe pump hums.\n\nWhat about the pump?"
        answered = ask("offline", self.request(prompt))
        self.assertIn("- The pump hums.", answered.output)
        self.assertNotIn("cat", answered.output)

    def test_nothing_in_common_is_said(self) -> None:
        answered = ask("offline", self.request("Zebra?", skill=skill()))
        self.assertIn("Zebra?", answered.output)
        self.assertIn("shares a word", ask("offline", self.request("")).output)


class LoadingTest(WorkspaceTest):
    def test_reading_the_skill_is_reported_by_its_name_and_never_without_it(self) -> None:
        event = {"type": "skill_loaded", "name": "sample"}
        self.assertEqual(ask("offline", self.request("Hi", skill=skill())).response["events"], [event])
        self.assertEqual(ask("offline", self.request("I loaded the skill sample")).response["events"], [])

    def test_a_skill_that_is_not_there_is_not_loaded(self) -> None:
        answered = ask("offline", self.request("My valve leaks.", skill={"README.md": "valve"}))
        self.assertEqual((answered.code, answered.response["events"]), (0, []))
        self.assertIn("no SKILL.md", answered.err)

    def test_a_skill_outside_of_the_workspace_is_not_read(self) -> None:
        (self.outside / "SKILL.md").write_text(HEADER + "- A leaking valve: outside advice.\n", encoding="utf-8")
        link = self.workspace / "skills/linked"
        link.parent.mkdir()
        link.symlink_to(self.outside)
        for path in (self.outside, link):
            request = self.request("My valve leaks.", skill={})
            request["skill"] = {"name": "sample", "path": str(path)}
            answered = ask("offline", request)
            self.assertNotIn("outside advice", answered.output)
            self.assertEqual(answered.response["events"], [])

    def test_only_references_whose_link_matters_are_read(self) -> None:
        files = skill(torque="- Valve torque: 40 Nm.\n", boiler="- Boiler: 2 bar.\n", secret="- Valve canary 51c7.\n")
        output = ask("offline", self.request("Torque for the valve?", skill=files)).output
        self.assertIn("40 Nm", output)
        self.assertNotIn("canary", output)
        unrelated = ask("offline", self.request("Which colour is red?", skill=files)).output
        self.assertNotIn("40 Nm", unrelated)

    def test_a_link_out_of_the_skill_is_not_followed(self) -> None:
        self.write("skills/other/SKILL.md", "- A valve of another skill.\n")
        body = "- The valve is in [there](../other/SKILL.md) and `/etc/hosts.md`.\n"
        self.assertNotIn("another skill", ask("offline", self.request("valve", skill=skill(body))).output)

    def test_nothing_that_was_not_measured_is_reported(self) -> None:
        response = ask("offline", self.request("Hi", skill=skill())).response
        self.assertEqual(set(response), {"output", "events", "usage"})
        self.assertEqual(response["usage"], {})


class WritingTest(WorkspaceTest):
    def made(self, prompt: str, instruction: str | None) -> list[str]:
        """Return what a request leaves in the workspace besides the skill."""
        files = None if instruction is None else skill(f"- {instruction}\n- Valves leak.\n")
        answered = ask("offline", self.request(prompt, skill=files))
        self.assertEqual(answered.code, 0, answered.err)
        paths = [path for path in self.workspace.rglob("*") if path.is_file() and "skills" not in path.parts]
        return sorted(path.relative_to(self.workspace).as_posix() for path in paths)

    def test_a_file_is_written_where_an_instruction_that_concerns_the_request_says(self) -> None:
        for instruction, expected in (
            ("Write the leak report to `out/leak.md`.", ["out/leak.md"]),
            ("Measure first. Then save every leak in a file `leaks.txt`.", ["leaks.txt"]),
            ("For a leak, store your answer in `leak.md`.", ["leak.md"]),
            ("Write the invoice to `invoice.md`.", []),
            ("If the boiler burns, write the leak to `fire.md`.", []),
            ("Never write a leak to `never.md`.", []),
            ("If you see a leak, do not write it to `never.md`.", []),
            ("Write the leak report to `../escape.md`.", []),
            ("Write the leak report to `/tmp/escape.md`.", []),
            ("Write the leak script to `fix.sh`.", []),
            ("We write about leaks in `notes.md`.", []),
        ):
            with self.subTest(instruction):
                self.setUp()
                self.assertEqual(self.made("There is a leak, report it.", instruction), expected)

    def test_the_file_holds_the_answer(self) -> None:
        answered = ask("offline", self.request("Report the leak.", skill=skill()))
        written = (self.workspace / "leak-report.md").read_text(encoding="utf-8")
        self.assertEqual(written, f"{answered.output}\n")

    def test_the_request_itself_may_name_a_file(self) -> None:
        self.assertEqual(self.made("Valves leak. Write the leaks to `notes.md`.", None), ["notes.md"])

    def test_a_link_out_of_the_workspace_is_not_written_through(self) -> None:
        victim = self.outside / "victim.md"
        victim.write_text("mine", encoding="utf-8")
        (self.workspace / "leak-report.md").symlink_to(victim)
        answered = ask("offline", self.request("Report the leak.", skill=skill()))
        self.assertEqual((answered.code, answered.out), (3, b""))
        self.assertIn("not below the workspace", answered.err)
        self.assertEqual(victim.read_text(encoding="utf-8"), "mine")


class CredentialTest(WorkspaceTest):
    def test_what_looks_like_a_credential_is_masked_and_ordinary_text_is_not(self) -> None:
        for line, shown in (
            ("valve EXAMPLEKEY0NOT0REAL0", "valve [masked]"),
            ("valve password = hunter22", "valve password = [masked]"),
            ('valve "api_key": "abc-def-1"', 'valve "api_key": "[masked]"'),
            ("valve token authentication", "valve token authentication"),
            ("valve arn:aws:iam::111122223333:role/price-feed", "valve arn:aws:iam::111122223333:role/price-feed"),
            ("valve secretsmanager:GetSecretValue", "valve secretsmanager:GetSecretValue"),
        ):
            with self.subTest(line):
                answered = ask("offline", self.request("valve", {"notes.txt": line}))
                self.assertEqual(answered.output.splitlines()[-1], f"1: {shown}")


class ProtocolTest(WorkspaceTest):
    def test_the_answer_depends_on_nothing_but_the_request(self) -> None:
        request = self.request("Which valve leaks red gas?", {"log.txt": "valve 7\nvalve 8 red\n"}, skill())
        answers = {ask("offline", request, PYTHONHASHSEED=seed).out for seed in ("0", "1", "2")}
        self.assertEqual(len(answers), 1)

    def test_a_bad_request_is_refused_with_the_place(self) -> None:
        good = self.request("Hi", {"a.txt": "x"}, skill())
        for change, message in (
            ({"protocol_version": 2}, "protocol_version: expected 1, found 2"),
            ({"protocol_version": True}, "protocol_version: expected 1, found true"),
            ({"mode": "both"}, "mode: expected `with_skill` or `without_skill`"),
            ({"skill": None}, "skill: expected an object in mode `with_skill`"),
            ({"mode": "without_skill"}, "skill: expected null in mode `without_skill`"),
            ({"skill": {"name": "sample"}}, "skill.path: expected text, found null"),
            ({"skill": {"name": "sample", "path": "a\0b"}}, "skill.path: holds a NUL"),
            ({"prompt": 3}, "prompt: expected text, found 3"),
            ({"files": None}, "files: expected a list"),
            ({"files": [{"path": "../x"}]}, "files[0].path: "),
            ({"files": [{"path": "/x"}]}, "files[0].path: "),
            ({"files": [{"path": "a\0b"}]}, "files[0].path: "),
            ({"files": ["a"]}, "files[0]: expected an object"),
        ):
            with self.subTest(message):
                answered = ask("offline", {**good, **change})
                self.assertEqual((answered.code, answered.out), (2, b""))
                self.assertIn(message, answered.err)
                self.assertNotIn("Traceback", answered.err)

    def test_bytes_that_are_no_request_are_refused(self) -> None:
        good = json.dumps(self.request("Hi")).encode()
        for content in (
            b"", b"{", b"[]", b"null", b"\xff", b"\xef\xbb\xbf" + good, good + b"{}",
            b"[" * 100_000, good.replace(b"Hi", b"\\ud800"), good.replace(b'"Hi"', b"9" * 5000),
        ):  # fmt: skip
            with self.subTest(content[:20]):
                answered = ask("offline", content)
                self.assertEqual((answered.code, answered.out), (2, b""))
                self.assertNotIn("Traceback", answered.err)

    def test_a_workspace_that_is_not_there_is_refused(self) -> None:
        request = {**self.request("Hi"), "workspace": str(self.outside / "gone")}
        answered = ask("offline", json.dumps(request).encode())
        self.assertEqual(answered.code, 2)
        self.assertIn("workspace: ", answered.err)

    def test_long_and_foreign_prompts_are_answered(self) -> None:
        for prompt in ("valve " * 40_000, "Ventil undicht, Дом, 漢字 \U0001f600\n" * 6_000):
            with self.subTest(prompt[:10]):
                self.assertEqual(ask("offline", self.request(prompt, skill=skill()), LC_ALL="C").code, 0)

    def test_help_is_printed_and_arguments_are_refused(self) -> None:
        self.assertTrue(ask("offline", b"", "--help").out.startswith(b"usage: offline"))
        answered = ask("offline", self.request("Hi"), "--fast")
        self.assertEqual(answered.code, 2)
        self.assertIn("unexpected argument `--fast`", answered.err)

    def test_it_runs_from_a_zip_file(self) -> None:
        archive = self.outside / "tool.pyz"
        with zipfile.ZipFile(archive, "w") as content:
            for name in ("protocol.py", "offline.py"):
                content.write(ADAPTERS / name, f"evals/adapters/{name}")
        start = "import runpy, sys; sys.path.insert(0, sys.argv.pop()); runpy.run_module('offline', None, '__main__')"
        command = [sys.executable, "-c", start, str(Path(archive, "evals/adapters"))]
        request = json.dumps(self.request("My valve leaks.", skill=skill())).encode()
        done = subprocess.run(command, input=request, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("upstream stopcock", json.loads(done.stdout)["output"])
