"""`run.json` read back: every field has its type, and what was planned bounds what a journal may hold."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from evals.skill_eval.artifacts.files import json_text_bytes
from evals.skill_eval.artifacts.plain_files import read_plain
from evals.skill_eval.artifacts.redaction import Redactor
from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.certificate import Certificate
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.record import LARGEST_AMOUNT, JsonObject
from evals.skill_eval.model.trial import TrialKey
from evals.skill_eval.reading.case_ids import id_fault
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.skill_fields import is_safe_name
from evals.skill_eval.reading.strict_json import JsonFault, parse

_MOST = 100_000
_LONGEST_SECONDS = 7 * 24 * 3600

Test = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Planned:
    """The trials that a run and its other shards are made of: each case of a skill, in each mode and iteration."""

    cases: Mapping[str, frozenset[int | str]]
    modes: frozenset[str]
    iterations: int

    def fault(self, key: TrialKey) -> str | None:
        """Return why the trial is none of the run's, or None."""
        if key.skill not in self.cases:
            return f"skill {quoted(key.skill)} was not planned"
        if key.case_id not in self.cases[key.skill]:
            return f"case {quoted(str(key.case_id))} was not planned"
        if key.mode not in self.modes:
            return f"mode {quoted(key.mode)} was not planned"
        if key.iteration > self.iterations:
            return f"iteration: expected at most {self.iterations}, found a larger one"
        return None


def planned_facts(keys: Iterable[TrialKey]) -> JsonObject:
    """Return what `run.json` says of the trials `keys`; `planned_by` reads it back."""
    cases: dict[str, dict[int | str, None]] = {}
    modes: set[str] = set()
    last = 0
    for key in keys:
        cases.setdefault(key.skill, {})[key.case_id] = None
        modes.add(str(key.mode))
        last = max(last, key.iteration)
    rows = [{"skill": skill, "ids": list(ids)} for skill, ids in cases.items()]
    return {"cases": rows, "modes": sorted(modes), "iterations": last}


def planned_by(facts: JsonObject) -> Planned:
    """Return what was planned by facts that were checked."""
    checked: Any = facts
    cases = {row["skill"]: frozenset(row["ids"]) for row in checked["cases"]}
    return Planned(cases, frozenset(checked["modes"]), checked["iterations"])


def refuse_secret_names(facts: JsonObject, redactor: Redactor) -> None:
    """Raise ConfigError when a skill's name or a case's id would be redacted: both name folders, in clear."""
    rows: Any = facts["cases"]
    for row in rows:
        if redactor.text(row["skill"]) != row["skill"]:
            raise ConfigError("skill name looks like a secret", "it names a folder of artifacts; give it another one")
        ids = row["ids"]
        if redactor.value(ids) != ids or any(redactor.text(str(one)) != str(one) for one in ids):
            hint = "it names a folder of artifacts; give the case another id"
            raise ConfigError(f"case id looks like a secret, in the suite of `{row['skill']}`", hint)


def options_digest(options: object) -> str:
    """Return the SHA-256 (hexadecimal) by which an edited option is noticed: of the JSON text that is kept."""
    return sha256(json_text_bytes(json.dumps(options, sort_keys=True, ensure_ascii=False))).hexdigest()


def read_facts(path: Path) -> JsonObject:
    """Read `run.json`; raises ConfigError when it is not as `RunStore.write_run` left it."""
    try:
        value = parse(read_plain(path)).value
    except JsonFault as fault:
        raise ConfigError(f"{path}:{fault.line}:{fault.column}: {fault.message}", fault.hint) from fault
    fault_found = _fault(value)
    if fault_found is not None:
        raise ConfigError(f"`{path}` is not the `run.json` of a run: {fault_found}", hint="start a new run")
    return value  # type: ignore[return-value]


def _fault(facts: object) -> str | None:
    if not isinstance(facts, dict):
        return "expected an object"
    fault = _first_fault(facts, _FACTS, required=True, start="")
    if fault is None:
        fault = _first_fault(facts, _OPTIONAL_FACTS, required=False, start="")
    if fault is None:
        fault = _first_fault(facts["options"], _OPTIONS, required="benchmark" not in facts, start="options.")
    if fault is None and facts["options_digest"] != options_digest(facts["options"]):
        return "`options` are not those that the run began with"
    return fault


def _first_fault(value: Mapping[str, object], tests: Mapping[str, Test], *, required: bool, start: str) -> str | None:
    for name, test in tests.items():
        if name not in value:
            if required:
                return f"`{start}{name}` is missing"
        elif not test(value[name]):
            return f"`{start}{name}` is not what a run writes there"
    return None


def _text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _whole(lowest: int, highest: int = LARGEST_AMOUNT) -> Test:
    return lambda value: type(value) is int and lowest <= value <= highest


def _or_null(test: Test) -> Test:
    return lambda value: value is None or test(value)


def _list_of(test: Test) -> Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _one_of(*values: str) -> Test:
    return lambda value: isinstance(value, str) and value in values


def _object_of(tests: Mapping[str, Test]) -> Test:
    return lambda value: isinstance(value, dict) and _first_fault(value, tests, required=True, start="") is None


def _seconds(value: object) -> bool:
    return type(value) in (int, float) and 0 < value <= _LONGEST_SECONDS  # type: ignore[operator]


def _lift(value: object) -> bool:
    plain = isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,30}(?:/[1-9][0-9]{0,29})?", value)
    return bool(plain) and abs(Fraction(str(value))) <= 1


def _shard(value: object) -> bool:
    parts = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", value) if isinstance(value, str) else None
    return parts is not None and int(parts[1]) <= int(parts[2]) <= _MOST


def _skill_name(value: object) -> bool:
    return isinstance(value, str) and bool(value) and is_safe_name(value)


def _digests(value: object) -> bool:
    both = _object_of({"skill": _text, "suite": _text})
    return isinstance(value, dict) and all(_skill_name(name) and both(one) for name, one in value.items())


def _certificate(value: object) -> bool:
    try:
        Certificate.from_json(value)  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError):
        return False
    return True


_ADAPTER = {"name": _text, "argv": _list_of(_text), "digest": _text, "notice": _or_null(_text)}
_CASES = {"skill": _skill_name, "ids": _list_of(lambda value: id_fault(value) is None)}
_FACTS: Mapping[str, Test] = {
    "tool": _object_of({"name": _text, "version": _text}),
    "protocol_version": _whole(1),
    "adapter": _object_of(_ADAPTER),
    "skills": _digests,
    "cases": _list_of(_object_of(_CASES)),
    "modes": _list_of(_one_of(*Mode)),
    "iterations": _whole(0, _MOST),
    "planned_trials": _whole(0),
    "planned_total": _whole(0),
    "start": _text,
    "end": _or_null(_text),
    "complete": _flag,
    "options": lambda value: isinstance(value, dict),
    "options_digest": _text,
}
_OPTIONAL_FACTS: Mapping[str, Test] = {
    "benchmark": _text,
    "adapter_certificate": _or_null(_certificate),
    "merged_from": _list_of(_text),
    "python": _text,
    "platform": _text,
}
# Of `run`; another program's run has some of these, and its own beside them.
_OPTIONS: Mapping[str, Test] = {
    "skills_dir": _list_of(_text),
    "recursive": _flag,
    "skill": _list_of(_text),
    "case": _list_of(_text),
    "adapter": _or_null(_text),
    "adapter_arg": _list_of(_text),
    "iterations": _whole(1, _MOST),
    "timeout_seconds": _seconds,
    "max_output_bytes": _whole(1, 1 << 30),
    "minimum_lift": _or_null(_lift),
    "seed": _whole(0, 2**63 - 1),
    "shard": _or_null(_shard),
    "retries": _whole(0, 100),
    "clean_env": _flag,
    "pass_env": _list_of(_text),
    "sandbox": _one_of("none", "bwrap"),
    "control": _list_of(_one_of("aa", "placebo")),
    "sentinels": _flag,
    "baseline_skill": _or_null(_text),
    "baseline_ref": _or_null(_text),
}
