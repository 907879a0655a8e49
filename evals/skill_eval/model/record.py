"""The scored facts of a trial: what the journal keeps and all that a benchmark is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.model.trial import Failure, TrialKey

JsonObject = dict[str, object]


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
    def from_json(cls, value: Mapping[str, object]) -> "TrialRecord":
        """Read what `to_json` wrote; raises KeyError, TypeError or ValueError on anything else."""
        checks, failure = value["checks"], value["failure"]
        usage, notes = value["usage"], value["notes"]
        if not isinstance(notes, list):
            raise TypeError("not a journal object")
        if not isinstance(usage, dict) or not isinstance(checks, list | None) or not isinstance(failure, dict | None):
            raise TypeError("not a journal object")
        return cls(
            TrialKey(
                str(value["skill"]), _case_id(value["case"]), _whole(value["iteration"]), Mode(str(value["mode"]))
            ),
            _number(value["duration_seconds"]),
            None if checks is None else Grading(tuple(_check_from_json(check) for check in checks)),
            None if failure is None else Failure(str(failure["kind"]), str(failure["message"])),
            {str(name): _number(amount) for name, amount in usage.items()},
            value["loaded"] is True,
            _flag(value["telemetry"]),
            _whole(value["retries"]),
            tuple(str(note) for note in notes),
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


def _check_from_json(value: Mapping[str, object]) -> CheckResult:
    passed, kind = _flag(value["passed"]), CheckType(str(value["type"]))
    return CheckResult(str(value["id"]), kind, value["required"] is True, passed, str(value["message"]))


def _case_id(value: object) -> int | str:
    return value if isinstance(value, int) else str(value)


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, found {value!r}")
    return value


def _number(value: object) -> int | float:
    if not isinstance(value, int | float):
        raise TypeError(f"expected a number, found {value!r}")
    return value


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
