"""The level is a function of what is declared, never a field."""

import json
import unittest

from evals.fortis.levels import level_of, skill_level, tool_level
from evals.fortis.model import Atom, Effect, Reach, Scope, Skill, Tool
from evals.fortis.reading import DOMAINS, domain_names, source_files

ATOMS = {
    "list.message": Atom("list.message", Effect.METADATA, "headers"),
    "read.message": Atom("read.message", Effect.CONTENT, "text"),
    "flag.message": Atom("flag.message", Effect.REVERSIBLE, "flag"),
    "send.message": Atom("send.message", Effect.IRREVERSIBLE, "out"),
}


class Levels(unittest.TestCase):
    def test_the_level_follows_from_effect_and_scope(self) -> None:
        table = {
            Effect.METADATA: (0, 0, 0, 4),
            Effect.CONTENT: (1, 1, 4, 4),
            Effect.REVERSIBLE: (2, 4, 4, 4),
            Effect.IRREVERSIBLE: (3, 4, 4, 4),
        }
        for effect, levels in table.items():
            for scope, level in zip(Scope, levels, strict=True):
                with self.subTest(effect=effect.name, scope=scope.name):
                    self.assertEqual(level_of(effect, scope), level)

    def test_a_side_effect_raises_the_level_of_a_tool(self) -> None:
        provides = (Reach("read.message", Scope.ONE),)
        plain = Tool("peek", "doc", (), provides)
        loud = Tool("open", "doc", (), provides, effects=(Reach("send.message", Scope.ONE),))
        self.assertEqual((tool_level(plain, ATOMS), tool_level(loud, ATOMS)), (1, 3))

    def test_a_skill_has_the_level_of_its_widest_grant(self) -> None:
        for grants, level in (
            ({"list.message": Scope.CONTAINER}, 0),
            ({"list.message": Scope.CONTAINER, "flag.message": Scope.ONE}, 2),
            ({"flag.message": Scope.FEW}, 4),
        ):
            with self.subTest(level):
                self.assertEqual(skill_level(Skill("s", "d", "", "", grants), ATOMS), level)

    def test_no_declaration_has_a_level(self) -> None:
        self.assertIn("email", domain_names())
        for name in domain_names():
            for file in ("world.json", "tools.json", "grants.json"):
                with self.subTest(domain=name, file=file):
                    text = (DOMAINS / name / file).read_text(encoding="utf-8")
                    self.assertNotIn("level", _keys(json.loads(text)))

    def test_no_skill_document_speaks_of_levels(self) -> None:
        for name in domain_names():
            for path in (path for path in source_files(name) if path.suffix == ".md"):
                with self.subTest(path.relative_to(DOMAINS).as_posix()):
                    self.assertNotRegex(path.read_text(encoding="utf-8"), r"(?i)\blevels?\b|\bL[0-4]\b|privilege")


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(_keys(item) for item in value.values()))
    return set().union(*(_keys(item) for item in value)) if isinstance(value, list) else set()
