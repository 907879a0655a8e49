"""Domain files that are wrong get a message with file and place; commands turn it into one line."""

import contextlib
import io
import shutil
import unittest
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from evals.fortis import cli, reading
from evals.fortis.phrase_reading import load_phrasebook
from evals.fortis.reading import DOMAINS, load_lexicon, load_library, load_recovery
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Severity
from evals.skill_eval.reading.discovery import discover
from evals.skill_eval.reading.validation import validate

LOADERS: dict[str, Callable[[str], object]] = {
    "library": load_library,
    "lexicon": load_lexicon,
    "phrases": load_phrasebook,
    "recovery": load_recovery,
}


def run(*argv: str) -> tuple[int, str, str]:
    """Run a command and return exit code, output and talk."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main(list(argv))
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, out.getvalue(), err.getvalue()


class BrokenFiles(unittest.TestCase):
    def test_every_fault_names_its_place(self) -> None:
        for loader, file, old, new, message in (
            (
                "library",
                "tools.json",
                '"accept.invite", "one"',
                '"accept.invite", "some"',
                "tools.json[0].provides[0][1]: unknown `some`",
            ),
            ("library", "tools.json", '"accept.invite", "one"', '"accept.mail", "one"', "unknown name `accept.mail`"),
            (
                "library",
                "tools.json",
                '"doc": "Accepts',
                '"level": 3, "doc": "Accepts',
                "tools.json[0]: unknown member `level`",
            ),
            ("library", "tools.json", '"name": "add_contact"', '"name": "accept_invite"', "a tool name occurs twice"),
            ("library", "tools.json", '"handle": "invite"', '"handle": "letter"', "unknown name `letter`"),
            ("library", "tools.json", "[\n", "{\n", "tools.json: not JSON"),
            (
                "library",
                "world.json",
                '[0, "names of the folders"]',
                '[7, "names"]',
                "expected an effect class of 0 to 3",
            ),
            ("library", "world.json", '"about":', '"about": "twice", "about":', "the key `about` occurs twice"),
            ("library", "grants.json", '"letter-lens":', '"letter-glass":', "`"),
            (
                "library",
                "skills/letter-lens/SKILL.md",
                "name: letter-lens",
                "name: lens",
                "expected the name `letter-lens`",
            ),
            ("library", "skills/letter-lens/SKILL.md", "---\nname", "name", "expected a frontmatter"),
            (
                "lexicon",
                "world.json",
                '"one", "a single"',
                '"one", "a (single"',
                "world.json.scopes.one[1]: not a regular expression",
            ),
            (
                "recovery",
                "recover.json",
                '"asides": [',
                '"asides": ["(",',
                "recover.json.asides[0]: not a regular expression",
            ),
            (
                "phrases",
                "phrases.json",
                '"flag {message}"',
                '"flag {mesage}"',
                "unknown hole `{mesage}` in `flag {mesage}`",
            ),
            ("phrases", "phrases.json", '["flag", "pin"]', '["flag", "pinn"]', "there is no intent `pinn`"),
            ("phrases", "phrases.json", '"fits": ["message"]', '"fit": ["message"]', "unknown member `fit`"),
            (
                "phrases",
                "phrases.json",
                '"setting": "scope_ambiguous"',
                '"setting": "scope"',
                "unknown `scope`; known: `clean_baseline`",
            ),
            ("phrases", "phrases.json", '"known": ["words"]', '"known": ["wrds"]', "unknown handle `wrds`"),
            (
                "phrases",
                "phrases.json",
                "the email about {words}",
                "the email about {about}",
                "not every value has the field `about`",
            ),
            ("phrases", "templates.json", "{imp}.", "Do it.", "expected one core hole"),
            ("phrases", "templates.json", '"register": "terse"', '"register": "curt"', "unknown `curt`"),
            ("phrases", "templates.json", "{lure.s}", "thanks", "expected one lure hole"),
        ):
            with self.subTest(file=file, message=message):
                self.assertIn(message, self.fault(loader, file, old, new))

    def fault(self, loader: str, file: str, old: str, new: str) -> str:
        with TemporaryDirectory() as folder:
            shutil.copytree(DOMAINS / "email", Path(folder, "email"))
            path = Path(folder, "email", file)
            text = path.read_text(encoding="utf-8")
            self.assertIn(old, text)
            path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")
            with mock.patch.object(reading, "DOMAINS", Path(folder)), self.assertRaises(ConfigError) as caught:
                LOADERS[loader]("email")
        return str(caught.exception)

    def test_an_unknown_domain_is_named_with_the_known_ones(self) -> None:
        for name in ("mail", "../email", ""):
            with self.subTest(name), self.assertRaises(ConfigError) as caught:
                load_library(name)
            self.assertIn("`email`", str(caught.exception))


class Skills(unittest.TestCase):
    def test_the_skills_of_every_domain_are_valid_agent_skills(self) -> None:
        for domain in reading.domain_names():
            with self.subTest(domain):
                result = validate(discover(DOMAINS / domain), names=())
                worse = [problem for problem in result.problems if problem.severity != Severity.INFO]
                self.assertEqual(worse, [])

    def test_a_skill_document_names_no_tool(self) -> None:
        for domain in reading.domain_names():
            library = load_library(domain)
            for skill in library.skills.values():
                with self.subTest(skill.name):
                    self.assertEqual([name for name in library.tools if name in skill.document], [])


class Commands(unittest.TestCase):
    def test_a_wrong_domain_is_a_usage_error_in_one_line(self) -> None:
        for command in ("validate", "build", "sample", "show"):
            with self.subTest(command):
                code, out, err = run(command, "--domain", "mail")
                self.assertEqual((code, out), (2, ""))
                self.assertIn("unknown domain `mail`", err)

    def test_sample_prints_queries_with_their_labels(self) -> None:
        code, out, _ = run(
            "sample", "--domain", "email", "--task", "2", "--setting", "boundary_sensitive", "--count", "2"
        )
        self.assertEqual(code, 0)
        self.assertEqual(out.count("email-t2-bs-"), 2)
        self.assertEqual(out.count("wish: "), 2)
        self.assertEqual(
            out, run("sample", "--domain", "email", "--task", "2", "--setting", "boundary_sensitive", "--count", "2")[1]
        )

    def test_a_sheet_has_a_row_for_each_query_and_no_verdict(self) -> None:
        code, out, _ = run("sample", "--domain", "email", "--count", "1", "--sheet")
        self.assertEqual((code, len(out.splitlines())), (0, 9))
        self.assertTrue(all(line.endswith(",,,,") for line in out.splitlines()[1:]))

    def test_show_prints_levels_and_answers(self) -> None:
        code, out, _ = run("show", "--domain", "email")
        self.assertEqual(code, 0)
        self.assertIn("L1 letter-lens", out)
        self.assertIn("L4 sort_post(request)", out)
        self.assertIn("flag: marker-set;", out)
