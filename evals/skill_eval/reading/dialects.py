"""Foreign dialects: evals.json files in other shapes than ours, laid out under our names."""

from collections.abc import Mapping

from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.reading.findings import Part
from evals.skill_eval.reading.parts import (
    RUBRIC_KEYS,
    CaseParts,
    Line,
    MadeCheck,
    Outline,
    items_of,
    part_of,
    rubric_line,
)
from evals.skill_eval.reading.strict_json import Where

PROMPT_KEYS = ("prompt", "question", "input", "query")
_NAME_KEYS = ("name", "eval_name")
_EXPECTED_KEYS = ("ground_truth", "expected_behavior")
_LINE_KEYS = ("expected_behavior", "expected_checks", "rubric", "deterministic_assertions", "scorers")
_TEXT_KEYS = ("text", "description", "assertion", "expectation", "criterion", "pass_if", "name")
_COMMAND_KEYS = ("cmd", "command", "run", "script", "shell", "exec")
GRADED_KEYS = ("expected_output", *RUBRIC_KEYS, "checks", *_EXPECTED_KEYS, *_LINE_KEYS)
_LISTED_CHECKS = {
    "must_include": CheckType.CONTAINS_ALL,
    "must_not_include": CheckType.NOT_CONTAINS,
    "must_have": CheckType.REGEX,
    "must_not_have": CheckType.NOT_REGEX,
}
_TYPES = {
    CheckType.CONTAINS: ("contains", "contains_phrase", "contains_text", "includes"),
    CheckType.NOT_CONTAINS: ("not_contains", "not_contains_phrase", "not_includes", "excludes"),
    CheckType.CONTAINS_ALL: ("contains_all", "includes_all"),
    CheckType.CONTAINS_ANY: ("contains_any", "includes_any"),
    CheckType.REGEX: ("regex", "contains_pattern", "matches", "regex_match", "matches_regex"),
    CheckType.NOT_REGEX: ("not_regex", "not_contains_pattern", "not_matches"),
    CheckType.FILE_EXISTS: ("file_exists",),
}
_TYPE_OF = {spelling: type_ for type_, spellings in _TYPES.items() for spelling in spellings}
_OPERAND_KEYS = {
    CheckType.CONTAINS: ("value", "phrase", "substring"),
    CheckType.NOT_CONTAINS: ("value", "phrase", "substring"),
    CheckType.CONTAINS_ALL: ("values", "value", "phrases"),
    CheckType.CONTAINS_ANY: ("values", "value", "phrases"),
    CheckType.REGEX: ("pattern", "regex", "value"),
    CheckType.NOT_REGEX: ("pattern", "regex", "value"),
    CheckType.FILE_EXISTS: ("path", "file", "value"),
}
_TALK_KEYS = frozenset(("id", "type", "kind", "note", "weight", "required", "case_sensitive", *_TEXT_KEYS))


def foreign_outline(root: object) -> Outline:
    """Find the cases of a suite that is not laid out like ours."""
    if isinstance(root, list):
        return Outline(None, Part((), root), ("a list without the object around it",), wrapped=False)
    if not isinstance(root, dict):
        return Outline(None, None)
    skill_name, foreign = part_of(root, (), "skill_name"), []
    if skill_name is None and (skill_name := part_of(root, (), "skill")):
        foreign.append("`skill` for `skill_name`")
    cases = part_of(root, (), "evals")
    if cases is None and isinstance(root.get("cases"), list):
        cases = part_of(root, (), "cases")
        foreign.append("`cases` for `evals`")
    if cases is None and _text_key(root, PROMPT_KEYS):
        return Outline(skill_name, Part((), root), ("one case alone", *foreign), wrapped=False)
    return Outline(skill_name, cases, tuple(foreign))


def foreign_parts(case: Mapping[str, object], where: Where) -> CaseParts:
    """Lay out one case that has keys of other dialects, or assertions that are more than texts."""
    prompt = _text_key(case, PROMPT_KEYS) or next((key for key in PROMPT_KEYS if key in case), None)
    expected = _expected_key(case)
    lines = [(part, line) for key in _LINE_KEYS if key != expected for part, line in _lines(case, where, key)]
    listed = [key for key in _LISTED_CHECKS if key in case]
    used = {"id", "files", "checks", *RUBRIC_KEYS, *_NAME_KEYS, *listed, *(key for key in _LINE_KEYS if key in case)}
    return CaseParts(
        where=where,
        keys=case,
        id=part_of(case, where, "id"),
        name=next((value for key in _NAME_KEYS if isinstance(value := case.get(key), str)), None),
        prompt=part_of(case, where, prompt),
        expected=part_of(case, where, expected),
        rubrics=tuple(part for key in RUBRIC_KEYS if (part := part_of(case, where, key))),
        files=part_of(case, where, "files"),
        checks=part_of(case, where, "checks"),
        used=frozenset(used | {key for key in (prompt, expected) if key}),
        lines=tuple(lines),
        made=tuple(made for key in listed for made in _listed(Part((*where, key), case[key]), key)),
        foreign=_foreign(case, prompt, expected),
    )


def object_line(part: Part, entry: Mapping[str, object]) -> Line:
    """Say what an entry of a rubric is that is an object.

    A check is made of it only when every key of it is understood.
    """
    check = _made(part, entry)
    if check is not None:
        return Line(check=check)
    if any(isinstance(entry.get(key), str | list) for key in _COMMAND_KEYS):
        return Line(command=True)
    return Line(text=next((v for key in _TEXT_KEYS if isinstance(v := entry.get(key), str) and v.strip()), None))


def _text_key(holder: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if isinstance(holder.get(key), str)), None)


def _expected_key(case: Mapping[str, object]) -> str | None:
    return "expected_output" if "expected_output" in case else _text_key(case, _EXPECTED_KEYS)


def _foreign(case: Mapping[str, object], prompt: str | None, expected: str | None) -> tuple[str, ...]:
    words = [f"`{prompt}` for `prompt`"] if prompt not in (None, "prompt") else []
    if expected not in (None, "expected_output"):
        words.append(f"`{expected}` for `expected_output`")
    named = [key for key in (*_LINE_KEYS, *_LISTED_CHECKS) if key in case and key != expected]
    rubrics = (part_of(case, (), key) for key in RUBRIC_KEYS)
    typed = any(_made(item, item.value) for rubric in rubrics for item in items_of(rubric))
    return (*words, *(f"`{key}`" for key in named), *(("assertions with a `type`",) if typed else ()))


def _lines(case: Mapping[str, object], where: Where, key: str) -> list[tuple[Part, Line]]:
    value = case.get(key)
    if not isinstance(value, list):
        part = Part((*where, key), value)
        return [(part, rubric_line(part))] if isinstance(value, str | dict) else []
    return [(part, rubric_line(part)) for part in items_of(Part((*where, key), value))]


def _listed(part: Part, key: str) -> list[MadeCheck]:
    """Make the checks of a list such as `must_include`; one text alone counts as a list of it."""
    type_, name = _LISTED_CHECKS[key], key.replace("_", "-")
    items = part.value if isinstance(part.value, list) else [part.value]
    if type_ is CheckType.CONTAINS_ALL:
        return [MadeCheck(name, type_, Part(part.where, items))] if items else []
    places = items_of(part) or (part,)
    return [MadeCheck(f"{name}-{number}", type_, place) for number, place in enumerate(places if items else (), 1)]


def _made(part: Part, item: object) -> MadeCheck | None:
    if not isinstance(item, dict) or not isinstance(item.get("type"), str):
        return None
    type_ = _TYPE_OF.get(item["type"].casefold().replace("-", "_"))
    operand = next((key for key in _OPERAND_KEYS[type_] if key in item), None) if type_ else None
    if type_ is None or operand is None or not (item.keys() - {operand}) <= _TALK_KEYS:
        return None
    flags = item.get("required", True), item.get("case_sensitive", False)
    if not all(isinstance(flag, bool) for flag in flags):
        return None
    name = "-".join(str(step + 1) if isinstance(step, int) else step.replace("_", "-") for step in part.where[-2:])
    return MadeCheck(name, type_, Part((*part.where, operand), item[operand]), *flags)
