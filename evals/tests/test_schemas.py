"""Schemas and readers: the same verdict on every document that both speak of."""

import json
import unittest
from collections.abc import Mapping
from typing import Any

from evals.skill_eval.model.protocol import InputFile, Mode, Request
from evals.skill_eval.model.suite import CheckType
from evals.tests.schema_checker import load_schema, violations
from evals.tests.suite_folders import documents

# What a schema cannot say: the reader refuses these, the schema takes them.
BEYOND_A_SCHEMA: Mapping[str, str] = {
    "name-of-another": "the name of the skill stands in SKILL.md",
    "id-float": "a schema takes 1.0 for a whole number",
    "id-many-bytes": "a schema counts characters",
    "ids-number-and-string": "uniqueness across cases",
    "ids-in-two-cases": "uniqueness across cases",
    "ids-composed-and-not": "uniqueness across cases",
    "check-id-twice": "uniqueness within a case",
    "checks-misspelt": "unknown keys are other tools' keys, unless they are almost ours",
    "option-misspelt": "unknown keys are tolerated, unless they are almost ours",
    "pattern-open": "whether a pattern compiles",
    "pattern-late-flag": "whether a pattern compiles",
    "pattern-huge-repeat": "whether a pattern compiles",
    "pattern-endless-number": "whether a pattern compiles",
    "pattern-flags-at-odds": "whether a pattern compiles",
    "pattern-deep": "how deep a pattern is nested",
    "pattern-of-newer-pythons": "whether a pattern compiles on every Python",
    "pattern-matches-all": "whether a pattern discriminates",
    "patterns-by-form": "whether a pattern discriminates",
    "pattern-anchor-alone": "whether a pattern discriminates",
    "path-fixture": "what lies in the workspace",
    "path-skill-copy": "what lies in the workspace",
    "path-git": "what lies in the workspace",
    "skill-of-another": "the name of the skill stands in SKILL.md",
    "fixture-missing": "what lies on disk",
    "fixture-relative-to-evals": "what lies on disk",
    "fixture-wrong-case": "what lies on disk",
    "fixture-decomposed": "what lies on disk",
    "fixture-folder": "what lies on disk",
    "fixture-below-a-file": "what lies on disk",
    "fixture-lfs-pointer": "what lies on disk",
    "fixture-long-name": "what lies on disk",
    "fixture-twice-in-two-cases": "uniqueness on every file system",
}


class AgreementTest(unittest.TestCase):
    def test_the_schema_takes_every_valid_document(self) -> None:
        for name, folder in (("evals", "suites/valid"), ("response", "responses/valid")):
            schema = load_schema(name)
            for path in documents(folder):
                with self.subTest(path.name):
                    self.assertEqual(violations(schema, json.loads(path.read_bytes())), [])

    def test_the_schema_refuses_every_invalid_document_but_those_it_cannot_judge(self) -> None:
        taken = set()
        for name, folder in (("evals", "suites/invalid"), ("response", "responses/invalid")):
            schema = load_schema(name)
            taken |= {path.stem for path in documents(folder) if not violations(schema, json.loads(path.read_bytes()))}
        self.assertEqual(taken, set(BEYOND_A_SCHEMA))

    def test_every_request_of_ours_fits_its_schema(self) -> None:
        schema = load_schema("request")
        files = (InputFile("inputs/evals/fixtures/input.txt", "0" * 64),)
        for request in (
            Request(Mode.WITH_SKILL, "sample", "/tmp/w/skills/sample", "Sum up.", files, "/tmp/w"),
            Request(Mode.WITHOUT_SKILL, None, None, "Sum up.", (), "/tmp/w"),
        ):
            with self.subTest(request.mode):
                self.assertEqual(violations(schema, request.to_json()), [])

    def test_a_request_that_breaks_the_protocol_does_not(self) -> None:
        schema = load_schema("request")
        good = Request(Mode.WITHOUT_SKILL, None, None, "Sum up.", (), "/tmp/w").to_json()
        skill = {"name": "sample", "path": "/tmp/w/skills/sample"}
        changes: tuple[dict[str, object], ...] = (
            {"skill": skill},
            {"mode": "with_skill"},
            {"mode": "baseline"},
            {"protocol_version": 2},
            {"protocol_version": True},
            {"prompt": " "},
            {"files": [{"path": "evals/x", "sha256": "0" * 64}]},
            {"files": [{"path": "inputs/x", "sha256": "0"}]},
            {"checks": []},
            {"workspace": ""},
        )
        for change in changes:
            with self.subTest(change):
                self.assertNotEqual(violations(schema, {**good, **change}), [])
        self.assertNotEqual(violations(schema, {key: good[key] for key in good if key != "prompt"}), [])
        self.assertEqual(violations(schema, {**good, "mode": "with_skill", "skill": skill}), [])

    def test_the_schema_knows_the_check_types_of_the_model(self) -> None:
        known = load_schema("evals")["$defs"]["check"]["properties"]["type"]["enum"]
        self.assertEqual(known, [str(type_) for type_ in CheckType])


class CheckerTest(unittest.TestCase):
    def test_a_keyword_that_it_does_not_know_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "does not know the keyword `multipleOf`"):
            violations({"properties": {"a": {"multipleOf": 2}}}, {"a": 4})

    def test_every_schema_uses_known_keywords_only(self) -> None:
        for name in ("evals", "request", "response", "benchmark"):
            with self.subTest(name):
                schema = load_schema(name)
                self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                for part in _subschemas(schema):
                    self.assertIsInstance(violations({**part, "$defs": schema.get("$defs", {})}, None), list)

    def test_each_keyword_is_broken_by_what_it_forbids_and_by_nothing_else(self) -> None:
        cases: tuple[tuple[dict[str, Any], object, object], ...] = (
            ({"type": "integer"}, 1, True),
            ({"type": "integer"}, 1.0, 1.5),
            ({"type": ["number", "null"]}, None, "1"),
            ({"const": 1}, 1, True),
            ({"enum": ["a", False]}, False, 0),
            ({"required": ["a"]}, {"a": None}, {}),
            ({"properties": {"a": False}}, {"b": 1}, {"a": 1}),
            ({"properties": {"a": True}, "additionalProperties": False}, {"a": 1}, {"b": 1}),
            ({"items": {"type": "string"}}, ["a"], ["a", 1]),
            ({"contains": {"const": 1}}, [0, 1], [0]),
            ({"uniqueItems": True}, ["a", "b"], ["a", "a"]),
            ({"allOf": [{"minimum": 0}, {"maximum": 1}]}, 1, 2),
            ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, 3, 2),
            ({"not": {"type": "string"}}, 1, "a"),
            ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}}, "ab", "a"),
            ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}}, 2, 1),
            ({"minLength": 1, "maxLength": 2}, "ab", "abc"),
            ({"minItems": 1, "maxItems": 2}, [1], []),
            ({"pattern": "^a"}, "ab", "b"),
            ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, None, 0),
        )
        for schema, good, bad in cases:
            with self.subTest(schema):
                self.assertEqual(violations(schema, good), [])
                self.assertNotEqual(violations(schema, bad), [])


def _subschemas(schema: Any) -> list[dict[str, Any]]:
    """Return `schema` and every schema inside it."""
    if not isinstance(schema, dict):
        return []
    keys = ("additionalProperties", "contains", "else", "if", "items", "not", "then")
    inner: list[Any] = [schema.get(key) for key in keys]
    for key in ("$defs", "properties"):
        inner += schema.get(key, {}).values()
    for key in ("allOf", "anyOf"):
        inner += schema.get(key, [])
    return [schema, *(part for one in inner for part in _subschemas(one))]


if __name__ == "__main__":
    unittest.main()
