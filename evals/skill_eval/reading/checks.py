"""Check objects of a case: read strictly, since a check that is misread is a gate that is not there."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from evals.skill_eval.model.suite import Check, CheckType
from evals.skill_eval.reading.findings import Findings, Part
from evals.skill_eval.reading.patterns import pattern_fault
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.relative_paths import path_fault
from evals.skill_eval.reading.strict_json import Where, kind_of

ID_LIMIT = 100
CHECK_LIMIT = 1_000

OPERANDS: Mapping[CheckType, str] = {
    CheckType.CONTAINS: "value",
    CheckType.CONTAINS_ALL: "values",
    CheckType.CONTAINS_ANY: "values",
    CheckType.NOT_CONTAINS: "value",
    CheckType.REGEX: "pattern",
    CheckType.NOT_REGEX: "pattern",
    CheckType.FILE_EXISTS: "path",
    CheckType.LOADED_SKILL: "skill",
}
"""The key that holds what a check of each type compares with."""

EXACT = (CheckType.FILE_EXISTS, CheckType.LOADED_SKILL)
"""The types that compare letter by letter, whatever `case_sensitive` says."""

_TYPES = {str(type_): type_ for type_ in CheckType}
FLAGS = {"required": True, "case_sensitive": False}
_OWN_KEYS = {
    type_: {"id", "type", operand, "required"} | (set() if type_ in EXACT else {"case_sensitive"})
    for type_, operand in OPERANDS.items()
}
_EXAMPLE = 'a check is `{"id": "names-the-unit", "type": "contains", "value": "unit"}`'
_SENTENCES = f"what a person or a judge decides stands in `assertions`; {_EXAMPLE}"
_UNSEEN = "[\x00-\x1f\x7f-\x9f]"


class CheckScope(NamedTuple):
    """What the checks of a case are read against.

    `skill_name` is the skill under test, `inputs` are the case's fixtures as they lie in the workspace.
    """

    skill_name: str
    inputs: frozenset[str]


PlacedCheck = tuple[Check, Where]
"""A check and the place to name when something is doubtful about it."""


def read_checks(part: Part, scope: CheckScope, findings: Findings) -> list[PlacedCheck]:
    """Return the usable checks of the list at `part`; everything else becomes a finding."""
    if not isinstance(part.value, list):
        findings.add("SE236", part.where, f"expected a list of check objects, found {kind_of(part.value)}", _EXAMPLE)
        return []
    if len(part.value) > CHECK_LIMIT:
        findings.add("SE202", part.where, f"has {len(part.value)} checks; at most {CHECK_LIMIT} of a case are read")
        return []
    if part.value and all(isinstance(item, str) for item in part.value):
        findings.add("SE236", part.where, "expected check objects, found strings", _SENTENCES)
        return []
    checks: dict[str, PlacedCheck] = {}
    for number, item in enumerate(part.value):
        where = (*part.where, number)
        check = _check(item, where, scope, findings)
        if check is not None and check.id in checks:
            findings.add("SE241", (*where, "id"), f"{quoted(check.id)} is the id of an earlier check of this case")
        elif check is not None:
            checks[check.id] = check, where
    return list(checks.values())


def read_operands(type_: CheckType, part: Part, scope: CheckScope, findings: Findings) -> tuple[str, ...] | None:
    """Return what a check of `type_` compares with, or None after a finding."""
    return _READERS[type_](part, scope, findings)


def _check(item: object, where: Where, scope: CheckScope, findings: Findings) -> Check | None:
    if not isinstance(item, dict):
        findings.add("SE240", where, f"expected a check object, found {kind_of(item)}", _SENTENCES)
        return None
    id_ = _id(item, where, findings)
    type_ = _type(item, where, findings)
    flags = {name: _flag(item, name, default, where, findings) for name, default in FLAGS.items()}
    if type_ is None:
        return None
    if not item.keys() <= _OWN_KEYS[type_]:
        _examine_keys(item, type_, where, findings)
    operands = _operands(item, type_, where, scope, findings)
    if id_ is None or operands is None:
        return None
    return Check(id_, type_, operands, flags["required"], flags["case_sensitive"])


def _id(item: Mapping[str, object], where: Where, findings: Findings) -> str | None:
    if "id" not in item:
        findings.add("SE241", where, "`id` is missing: every check has a name of its own within its case")
        return None
    value = item["id"]
    if not isinstance(value, str):
        findings.add("SE241", (*where, "id"), f"expected a string, found {kind_of(value)}")
    elif not value.strip() or len(value) > ID_LIMIT or re.search(_UNSEEN, value):
        message = f"expected a visible name of at most {ID_LIMIT} characters, found {quoted(value)}"
        findings.add("SE241", (*where, "id"), message)
    else:
        return value
    return None


def _type(item: Mapping[str, object], where: Where, findings: Findings) -> CheckType | None:
    known = ", ".join(f"`{name}`" for name in _TYPES)
    if "type" not in item:
        findings.add("SE242", where, f"`type` is missing; known: {known}")
        return None
    value = item["type"]
    if not isinstance(value, str):
        findings.add("SE242", (*where, "type"), f"expected a string, found {kind_of(value)}; known: {known}")
        return None
    if value not in _TYPES:
        from evals.skill_eval.reading.near_miss import near_miss

        near = near_miss(value, _TYPES)
        hint = f"did you mean `{near}`?" if near else None
        findings.add("SE242", (*where, "type"), f"unknown check type {quoted(value)}; known: {known}", hint)
    return _TYPES.get(value)


def _flag(item: Mapping[str, object], name: str, default: bool, where: Where, findings: Findings) -> bool:
    value = item.get(name, default)
    if isinstance(value, bool):
        return value
    findings.add("SE248", (*where, name), f"expected true or false, found {kind_of(value)}")
    return default


def _examine_keys(item: Mapping[str, object], type_: CheckType, where: Where, findings: Findings) -> None:
    from evals.skill_eval.reading.check_keys import examine_keys

    examine_keys(item, type_, where, findings)


def _operands(
    item: Mapping[str, object], type_: CheckType, where: Where, scope: CheckScope, findings: Findings
) -> tuple[str, ...] | None:
    own = OPERANDS[type_]
    if own in item:
        return read_operands(type_, Part((*where, own), item[own]), scope, findings)
    if type_ is CheckType.LOADED_SKILL and "value" not in item:
        return (scope.skill_name,)
    from evals.skill_eval.reading.check_keys import borrowed_operand

    borrowed = borrowed_operand(item, type_, where, findings)
    return None if borrowed is None else read_operands(type_, borrowed, scope, findings)


def _text(part: Part, scope: CheckScope, findings: Findings) -> tuple[str, ...] | None:
    if isinstance(part.value, list):
        hint = "for several texts there are `contains_all` and `contains_any`, with `values`"
        findings.add("SE243", part.where, "expected a string, found a list", hint)
        return None
    return _strings([part], findings)


def _texts(part: Part, scope: CheckScope, findings: Findings) -> tuple[str, ...] | None:
    if not isinstance(part.value, list):
        findings.add("SE243", part.where, f"expected a list of strings, found {kind_of(part.value)}")
        return None
    if not part.value:
        findings.add("SE244", part.where, "the list is empty, so the check says nothing about any output")
        return None
    return _strings([Part((*part.where, number), item) for number, item in enumerate(part.value)], findings)


def _strings(parts: list[Part], findings: Findings) -> tuple[str, ...] | None:
    texts = []
    for part in parts:
        if not isinstance(part.value, str):
            findings.add("SE243", part.where, f"expected a string, found {kind_of(part.value)}")
        elif not part.value.strip():
            what = "blank" if part.value else "empty"
            findings.add("SE244", part.where, f"the text is {what}, so the check says nothing about an output")
        else:
            texts.append(part.value)
    return tuple(texts) if len(texts) == len(parts) else None


def _pattern(part: Part, scope: CheckScope, findings: Findings) -> tuple[str, ...] | None:
    if not isinstance(part.value, str):
        findings.add("SE243", part.where, f"expected a string, found {kind_of(part.value)}")
        return None
    fault = pattern_fault(part.value)
    if fault is None:
        return (part.value,)
    findings.add("SE244" if fault.vacuous else "SE245", part.where, fault.message, fault.hint)
    return None


def _path(part: Part, scope: CheckScope, findings: Findings) -> tuple[str, ...] | None:
    if not isinstance(part.value, str):
        findings.add("SE243", part.where, f"expected a string, found {kind_of(part.value)}")
        return None
    reason = _workspace_fault(part.value, scope)
    if reason is None:
        return (part.value,)
    findings.add("SE249", part.where, f"{quoted(part.value)} {reason}", "write a path like `out/report.md`")
    return None


def _workspace_fault(path: str, scope: CheckScope) -> str | None:
    """Return why no file of the agent's own can ever be found at `path`."""
    fault = path_fault(path, "the workspace")
    if fault is not None:
        return fault
    steps = path.split("/")
    if path in scope.inputs:
        return "is a fixture, which is there before the agent starts"
    if steps[0].casefold() == ".git" or steps[:2] == ["skills", scope.skill_name]:
        return "is laid by the harness, not made by the agent"
    return None


def _skill(part: Part, scope: CheckScope, findings: Findings) -> tuple[str, ...] | None:
    if not isinstance(part.value, str) or not part.value.strip():
        found = "a blank string" if isinstance(part.value, str) else kind_of(part.value)
        findings.add("SE243", part.where, f"expected the name of a skill, found {found}")
        return None
    if part.value != scope.skill_name:
        message = f"the agent is given {quoted(scope.skill_name)} and no other skill, so it cannot load this one"
        findings.add("SE250", part.where, message, f"write {quoted(scope.skill_name)}, or leave `skill` out")
        return None
    return (part.value,)


_READERS: Mapping[CheckType, Callable[[Part, CheckScope, Findings], tuple[str, ...] | None]] = {
    CheckType.CONTAINS: _text,
    CheckType.CONTAINS_ALL: _texts,
    CheckType.CONTAINS_ANY: _texts,
    CheckType.NOT_CONTAINS: _text,
    CheckType.REGEX: _pattern,
    CheckType.NOT_REGEX: _pattern,
    CheckType.FILE_EXISTS: _path,
    CheckType.LOADED_SKILL: _skill,
}
