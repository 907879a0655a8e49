"""Keys of suites and cases that nothing reads."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from evals.skill_eval.model.problem import Severity
from evals.skill_eval.reading.findings import Findings
from evals.skill_eval.reading.near_miss import near_miss
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.strict_json import Where

_UNKNOWN_KEYS = 100
_NAMED_KEYS = 10


def note_keys(
    holder: Mapping[str, object], where: Where, used: frozenset[str], meant: Iterable[str], findings: Findings
) -> list[Where]:
    """Return the places of keys that nothing here uses; one that was `meant` to be another is a finding.

    A slip in `checks` is an error: the gate that the author sees would not be there. Of the unknown
    keys of one object the first hundred are looked at.
    """
    unknown = islice((key for key in holder if key not in used and not key.startswith("$")), _UNKNOWN_KEYS)
    unused: list[Where] = []
    for key in unknown:
        near = near_miss(key, meant)
        if near is None:
            unused.append((*where, key))
        else:
            severity = Severity.ERROR if near == "checks" else Severity.WARNING
            hint = f"did you mean `{near}`?"
            findings.add("SE233", (*where, key), "unknown key", hint, key=True, severity=severity)
    return unused


def note_unused(places: Sequence[Where], findings: Findings) -> None:
    """Say in one finding which keys are not used."""
    if places:
        names = list(dict.fromkeys(quoted(str(place[-1]), 40) for place in places))
        more = f" and {len(names) - _NAMED_KEYS} more" if len(names) > _NAMED_KEYS else ""
        findings.add("SE234", places[0], f"keys that are not used: {', '.join(names[:_NAMED_KEYS])}{more}", key=True)
