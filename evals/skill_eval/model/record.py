"""The scored facts of a trial: what the journal keeps and all that a benchmark is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.model.trial import Failure, TrialKey

JsonObject = dict[str, object]

LARGEST_AMOUNT = 10**15
"""No duration, count or cost is larger; so totals stay finite and whole numbers exact."""


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One trial without its texts, redacted: graded (`grading`) or errored (`failure`), never both.

    `loaded` tells whether an event proved that the skill under test was loaded;
    `telemetry` is False when the adapter said that it cannot tell, None when it said nothing.
    `retries` counts the transient faults before this result; `notes` are what a reader should know.
    """

    key: TrialKey
    duration_seconds: float
    grading: Grading | None = None
    failure: Failure | None = None
    usage: Mapping[str, int | float] = field(default_factory=dict)
    loaded: bool = False
    telemetry: bool | None = None
    retries: int = 0
    notes: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        """Return the journal's object; `from_json` reads it back without loss."""
        return {
            "skill": self.key.skill,
            "case": self.key.case_id,
            "iteration": self.key.iteration,
            "mode": str(self.key.mode),
            "duration_seconds": self.duration_seconds,
            "checks": None if self.grading is None else [check_to_json(result) for result in self.grading.results],
            "failure": None if self.failure is None else {"kind": self.failure.kind, "message": self.failure.message},
            "usage": dict(self.usage),
            "loaded": self.loaded,
            "telemetry": self.telemetry,
            "retries": self.retries,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, value: object) -> "TrialRecord":
        """Read what `to_json` wrote; raises KeyError (a field is missing), TypeError or ValueError on anything else."""
        fields = _object(value, "a line")
        checks, failure = fields["checks"], fields["failure"]
        if (checks is None) is (failure is None):
            raise ValueError("expected either `checks` or `failure`, found both or neither")
        return cls(
            TrialKey(
                _text(fields["skill"], "skill"),
                _case_id(fields["case"]),
                _whole(fields["iteration"], "iteration", 1),
                Mode(_one_of(Mode, fields["mode"], "mode")),
            ),
            _amount(fields["duration_seconds"], "duration_seconds"),
            None if checks is None else Grading(tuple(map(_check_from_json, _list(checks, "checks")))),
            None if failure is None else _failure_from_json(failure),
            {name: _amount(amount, "usage") for name, amount in _object(fields["usage"], "usage").items()},
            _flag(fields["loaded"], "loaded"),
            _maybe_flag(fields["telemetry"], "telemetry"),
            _whole(fields["retries"], "retries", 0),
            tuple(_text(note, "notes") for note in _list(fields["notes"], "notes")),
        )


def check_to_json(result: CheckResult) -> JsonObject:
    """Return the object that stands for one check in journal and `grading.json`."""
    return {
        "id": result.id,
        "type": str(result.type),
        "required": result.required,
        "passed": result.passed,
        "message": result.message,
    }


def _check_from_json(value: object) -> CheckResult:
    fields = _object(value, "checks")
    return CheckResult(
        _text(fields["id"], "id"),
        CheckType(_one_of(CheckType, fields["type"], "type")),
        _flag(fields["required"], "required"),
        _maybe_flag(fields["passed"], "passed"),
        _text(fields["message"], "message"),
    )


def _failure_from_json(value: object) -> Failure:
    fields = _object(value, "failure")
    return Failure(_text(fields["kind"], "kind"), _text(fields["message"], "message"))


# No value is quoted below: it may be long, or what must not be shown.


def _object(value: object, name: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"`{name}`: expected an object")
    return value


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"`{name}`: expected a list")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"`{name}`: expected text")
    return value


def _one_of(known: type[StrEnum], value: object, name: str) -> str:
    text = _text(value, name)
    if text not in known.__members__.values():
        raise ValueError(f"`{name}`: expected one of {', '.join(f'`{one}`' for one in known)}")
    return text


def _case_id(value: object) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError("`case`: expected a whole number or text")
    return value


def _whole(value: object, name: str, lowest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= LARGEST_AMOUNT:
        raise TypeError(f"`{name}`: expected a whole number of at least {lowest}")
    return value


def _amount(value: object, name: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_AMOUNT:
        raise TypeError(f"`{name}`: expected a number from 0 to {LARGEST_AMOUNT:.0e}")
    return value


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"`{name}`: expected true or false")
    return value


def _maybe_flag(value: object, name: str) -> bool | None:
    return None if value is None else _flag(value, name)
