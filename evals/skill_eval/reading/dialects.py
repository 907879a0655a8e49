"""Foreign dialects: evals.json files in other shapes than ours, laid out under our names.

Nothing is judged here and nothing is dropped in silence: every value keeps its place in the file,
and the words in `foreign` say what was taken for what.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.reading.findings import Part
from evals.skill_eval.reading.strict_json import Where

TOP_KEYS = ("skill_name", "evals", "cases", "skill")
PROMPT_KEYS = ("prompt", "question", "input", "query")
RUBRIC_KEYS = ("assertions", "expectations")
CASE_KEYS = ("id", "prompt", "expected_output", *RUBRIC_KEYS, "files", "checks")
TRIGGER_NAMES = frozenset(
    f"{name}.json"
    for name in (
        "trigger-eval",
        "trigger-evals",
        "trigger_eval",
        "trigger_evals",
        "trigger-queries",
        "trigger_queries",
        "triggers",
        "eval_queries",
        "eval-set",
        "eval_set",
    )
)

_NAME_KEYS = ("name", "eval_name")
_EXPECTED_KEYS = ("ground_truth", "expected_behavior")
_LINE_KEYS = ("expected_behavior", "expected_checks", "rubric", "deterministic_assertions", "scorers")
_TEXT_KEYS = ("text", "description", "assertion", "expectation", "criterion", "pass_if", "name")
_COMMAND_KEYS = ("cmd", "command", "run", "script", "shell", "exec")
_GRADED_KEYS = ("expected_output", *RUBRIC_KEYS, "checks", *_EXPECTED_KEYS, *_LINE_KEYS)
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


@dataclass(frozen=True, slots=True)
class Outline:
    """Where a suite keeps its parts.

    `cases` is what should be the list of them, or the one case that is there (None when there is
    neither); `wrapped` tells whether there is an object around them.
    """

    skill_name: Part | None
    cases: Part | None
    foreign: tuple[str, ...] = ()
    wrapped: bool = True

    @property
    def items(self) -> tuple[Part, ...]:
        """Return the cases one by one."""
        if self.cases is not None and not self.wrapped and isinstance(self.cases.value, dict):
            return (self.cases,)
        return _items(self.cases)


@dataclass(frozen=True, slots=True)
class MadeCheck:
    """A check that is spelled as something else; `operand` still has to be examined."""

    id: str
    type: CheckType
    operand: Part
    required: bool = True
    case_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """What one entry of a rubric is: a text for a judge, a check, or a command; none of them when it is unusable."""

    text: str | None = None
    check: MadeCheck | None = None
    command: bool = False


@dataclass(frozen=True, slots=True)
class CaseParts:
    """The parts of one case, whatever they are called.

    `keys` is the case as it stands and `used` what is read of it; `lines` come from rubrics under foreign names.
    """

    where: Where
    keys: Mapping[str, object]
    id: Part | None
    name: str | None
    prompt: Part | None
    expected: Part | None
    rubrics: tuple[Part, ...]
    files: Part | None
    checks: Part | None
    lines: tuple[tuple[Part, Line], ...]
    made: tuple[MadeCheck, ...]
    used: frozenset[str]
    foreign: tuple[str, ...]


def outline(root: object) -> Outline:
    """Find the cases of a suite in the value of its file."""
    if isinstance(root, list):
        return Outline(None, Part((), root), ("a list without the object around it",), wrapped=False)
    if not isinstance(root, dict):
        return Outline(None, None)
    skill_name, foreign = _part(root, (), "skill_name"), []
    if skill_name is None and (skill_name := _part(root, (), "skill")):
        foreign.append("`skill` for `skill_name`")
    cases = _part(root, (), "evals")
    if cases is None and isinstance(root.get("cases"), list):
        cases = _part(root, (), "cases")
        foreign.append("`cases` for `evals`")
    if cases is None and _text_key(root, PROMPT_KEYS):
        return Outline(skill_name, Part((), root), ("one case alone", *foreign), wrapped=False)
    return Outline(skill_name, cases, tuple(foreign))


def trigger_count(root: object) -> int | None:
    """Return how many queries a set has that only asks whether the skill is loaded, or None when it is another."""
    if isinstance(root, dict):
        both = [root[key] for key in ("should_trigger", "should_not_trigger") if isinstance(root.get(key), list)]
        if both and "evals" not in root:
            return sum(len(queries) for queries in both)
        lists = [root[key] for key in ("evals", "cases", "queries") if isinstance(root.get(key), list)]
        return trigger_count(lists[0]) if len(lists) == 1 else None
    if isinstance(root, list) and root and all(_is_trigger(item) for item in root):
        return len(root)
    return None


def case_parts(case: Mapping[str, object], where: Where) -> CaseParts:
    """Lay out one case."""
    prompt = _text_key(case, PROMPT_KEYS) or next((key for key in PROMPT_KEYS if key in case), None)
    expected = _expected_key(case)
    lines = [(part, line) for key in _LINE_KEYS if key != expected for part, line in _lines(case, where, key)]
    listed = [key for key in _LISTED_CHECKS if key in case]
    used = {"id", "files", "checks", *RUBRIC_KEYS, *_NAME_KEYS, *listed, *(key for key in _LINE_KEYS if key in case)}
    return CaseParts(
        where=where,
        keys=case,
        id=_part(case, where, "id"),
        name=next((value for key in _NAME_KEYS if isinstance(value := case.get(key), str)), None),
        prompt=_part(case, where, prompt),
        expected=_part(case, where, expected),
        rubrics=tuple(part for key in RUBRIC_KEYS if (part := _part(case, where, key))),
        files=_part(case, where, "files"),
        checks=_part(case, where, "checks"),
        lines=tuple(lines),
        made=tuple(made for key in listed for made in _listed(Part((*where, key), case[key]), key)),
        used=frozenset(used | {key for key in (prompt, expected) if key}),
        foreign=_foreign(case, prompt, expected),
    )


def rubric_line(part: Part) -> Line:
    """Say what one entry of a rubric is. A check is made of it only when every key of it is understood."""
    if isinstance(part.value, str):
        return Line(text=part.value)
    if not isinstance(part.value, dict):
        return Line()
    check = _made(part, part.value)
    if check is not None:
        return Line(check=check)
    if any(isinstance(part.value.get(key), str | list) for key in _COMMAND_KEYS):
        return Line(command=True)
    return Line(text=next((v for key in _TEXT_KEYS if isinstance(v := part.value.get(key), str) and v.strip()), None))


def has_checks(case: object) -> bool:
    """Tell whether a case has a check as only this harness writes them."""
    checks = case.get("checks") if isinstance(case, dict) else None
    return isinstance(checks, list) and any(isinstance(check, dict) for check in checks)


def _part(holder: Mapping[str, object], where: Where, key: str | None) -> Part | None:
    return Part((*where, key), holder[key]) if key is not None and key in holder else None


def _items(part: Part | None) -> tuple[Part, ...]:
    if part is None or not isinstance(part.value, list):
        return ()
    return tuple(Part((*part.where, number), item) for number, item in enumerate(part.value))


def _text_key(holder: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if isinstance(holder.get(key), str)), None)


def _is_trigger(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("should_trigger"), bool):
        return False
    return _text_key(item, PROMPT_KEYS) is not None and item.keys().isdisjoint(_GRADED_KEYS)


def _expected_key(case: Mapping[str, object]) -> str | None:
    return "expected_output" if "expected_output" in case else _text_key(case, _EXPECTED_KEYS)


def _foreign(case: Mapping[str, object], prompt: str | None, expected: str | None) -> tuple[str, ...]:
    words = [f"`{prompt}` for `prompt`"] if prompt not in (None, "prompt") else []
    if expected not in (None, "expected_output"):
        words.append(f"`{expected}` for `expected_output`")
    named = [key for key in (*_LINE_KEYS, *_LISTED_CHECKS) if key in case and key != expected]
    rubrics = (_part(case, (), key) for key in RUBRIC_KEYS)
    typed = any(_made(item, item.value) for rubric in rubrics for item in _items(rubric))
    return (*words, *(f"`{key}`" for key in named), *(("assertions with a `type`",) if typed else ()))


def _lines(case: Mapping[str, object], where: Where, key: str) -> list[tuple[Part, Line]]:
    value = case.get(key)
    if not isinstance(value, list):
        part = Part((*where, key), value)
        return [(part, rubric_line(part))] if isinstance(value, str | dict) else []
    return [(part, rubric_line(part)) for part in _items(Part((*where, key), value))]


def _listed(part: Part, key: str) -> list[MadeCheck]:
    """Make the checks of a list such as `must_include`; one text alone counts as a list of it."""
    type_, name = _LISTED_CHECKS[key], key.replace("_", "-")
    items = part.value if isinstance(part.value, list) else [part.value]
    if type_ is CheckType.CONTAINS_ALL:
        return [MadeCheck(name, type_, Part(part.where, items))] if items else []
    places = _items(part) or (part,)
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
