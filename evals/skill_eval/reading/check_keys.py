"""Keys of a check object that are not its type's own: borrowed, misspelled, without effect or unknown."""

from collections.abc import Mapping

from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.reading.checks import EXACT, FLAGS, OPERANDS
from evals.skill_eval.reading.findings import Findings, Part
from evals.skill_eval.reading.near_miss import near_miss
from evals.skill_eval.reading.strict_json import Where, kind_of

_OPERAND_KEYS = tuple(dict.fromkeys(OPERANDS.values()))
_KEYS = ("id", "type", *_OPERAND_KEYS, *FLAGS)
_WANTED = {
    "value": "a string",
    "values": "a list of strings",
    "pattern": "a regular expression",
    "path": "a path below the workspace",
    "skill": "the name of a skill",
}


def examine_keys(item: Mapping[str, object], type_: CheckType, where: Where, findings: Findings) -> None:
    """Refuse what would change the verdict if it were understood, and say what is not used."""
    own = OPERANDS[type_]
    for key in item:
        place = (*where, key)
        if key in _OPERAND_KEYS:
            if key != own and (key != "value" or own in item):
                findings.add("SE246", place, f"a check of type `{type_}` has no `{key}`; it has `{own}`", key=True)
        elif key not in _KEYS and not key.startswith("$"):
            _say_unknown(key, place, findings)
    if "case_sensitive" in item and type_ in EXACT:
        message = f"has no effect: a check of type `{type_}` is always exact"
        findings.add("SE247", (*where, "case_sensitive"), message, key=True)


def borrowed_operand(item: Mapping[str, object], type_: CheckType, where: Where, findings: Findings) -> Part | None:
    """Return `value` for the key of `type_` that is missing: what is meant is clear where the kind fits."""
    own = OPERANDS[type_]
    needs = f"a check of type `{type_}` needs `{own}`, {_WANTED[own]}"
    part = Part((*where, "value"), item.get("value"))
    if "value" not in item:
        if item.keys().isdisjoint(_OPERAND_KEYS):
            findings.add("SE243", where, needs)
        return None
    if isinstance(part.value, list) is not (own == "values"):
        findings.add("SE243", part.where, f"{needs}; found {kind_of(part.value)} in `value`")
        return None
    findings.add("SE251", part.where, f"is read as `{own}`, which is its name in a check of type `{type_}`", key=True)
    return part


def _say_unknown(key: str, place: Where, findings: Findings) -> None:
    near = near_miss(key, _KEYS)
    if near:
        findings.add("SE246", place, "unknown option", f"did you mean `{near}`?", key=True)
    else:
        findings.add("SE247", place, "is not used: a check has no such option", key=True)
