"""A certificate as text: one line for each probe, what is to be done below it, and the counts last."""

from collections.abc import Iterator

from evals.skill_eval.model.certificate import Certificate, ProbeResult, Verdict
from evals.skill_eval.reporting.escape import escape_line

_SHOWN = {Verdict.PASS: "pass", Verdict.FAIL: "FAIL", Verdict.NOT_OBSERVABLE: "not observable"}
_WIDTH = max(map(len, _SHOWN.values()))
_SHORT_DIGEST = 12


def text(certificate: Certificate) -> str:
    """Return the whole certificate."""
    lines = [line for probe in certificate.probes for line in probe_lines(probe)]
    notice = [f"note: {certificate.notice}"] if certificate.notice else []
    return "\n".join([*lines, *notice, summary(certificate)])


def probe_lines(probe: ProbeResult) -> Iterator[str]:
    """Yield the lines of one probe."""
    yield f"{_SHOWN[probe.verdict]:<{_WIDTH}}  {probe.name}: {escape_line(probe.reason)}"
    if probe.mend:
        yield f"{'':<{_WIDTH}}  to mend: {escape_line(probe.mend)}"


def summary(certificate: Certificate) -> str:
    """Return the line that counts verdicts and says which adapter is meant."""
    counts = ", ".join(f"{certificate.count(verdict)} {_COUNTED[verdict]}" for verdict in Verdict)
    who = f"`{escape_line(certificate.adapter)}` (digest {certificate.digest[:_SHORT_DIGEST]}, {certificate.date})"
    return f"{who}: {len(certificate.probes)} probes: {counts}"


_COUNTED = {Verdict.PASS: "passed", Verdict.FAIL: "failed", Verdict.NOT_OBSERVABLE: "not observable"}
