"""What the conformance kit found out about an adapter: one verdict for each probe."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from evals.skill_eval.model.record import JsonObject


class Verdict(StrEnum):
    """What a probe came to; what cannot be seen is neither a pass nor a failure."""

    PASS = "pass"
    FAIL = "fail"
    NOT_OBSERVABLE = "not observable"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The verdict of one probe, why, and what to do about it (None where there is nothing to do)."""

    name: str
    verdict: Verdict
    reason: str
    mend: str | None = None

    def to_json(self) -> JsonObject:
        """Return the object of one probe (see `evals/schemas/certificate.schema.json`)."""
        return {"name": self.name, "verdict": str(self.verdict), "reason": self.reason, "mend": self.mend}

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "ProbeResult":
        """Read what `to_json` wrote; raises KeyError, TypeError or ValueError on anything else."""
        return cls(
            _text(value["name"]), Verdict(_text(value["verdict"])), _text(value["reason"]), _maybe(value["mend"])
        )


@dataclass(frozen=True, slots=True)
class Certificate:
    """The verdicts on one adapter at one time.

    `digest` identifies the adapter's command line and program (`running.adapters.adapter_digest`),
    `date` is UTC in ISO 8601, `notice` is the sentence about an adapter that is no language model.
    """

    adapter: str
    digest: str
    date: str
    probes: tuple[ProbeResult, ...]
    notice: str | None = None

    @property
    def passed(self) -> bool:
        """Tell whether no probe failed."""
        return not self.count(Verdict.FAIL)

    def count(self, verdict: Verdict) -> int:
        """Return how many probes have this verdict."""
        return sum(probe.verdict is verdict for probe in self.probes)

    def to_json(self) -> JsonObject:
        """Return the document of `certificate.schema.json`; `from_json` reads it back without loss."""
        return {
            "adapter": self.adapter,
            "digest": self.digest,
            "date": self.date,
            "notice": self.notice,
            "passed": self.passed,
            "probes": [probe.to_json() for probe in self.probes],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "Certificate":
        """Read what `to_json` wrote; raises KeyError, TypeError or ValueError on anything else."""
        probes = value["probes"]
        if not isinstance(probes, list):
            raise TypeError("`probes`: expected a list")
        return cls(
            _text(value["adapter"]),
            _text(value["digest"]),
            _text(value["date"]),
            tuple(ProbeResult.from_json(probe) for probe in probes),
            _maybe(value["notice"]),
        )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}")
    return value


def _maybe(value: object) -> str | None:
    return None if value is None else _text(value)
