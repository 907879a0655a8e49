"""The probe with requests that are none: an adapter must refuse what it does not understand."""

import json

from evals.skill_eval.model.protocol import PROTOCOL_VERSION, Mode, Request
from evals.skill_eval.running.conformance.kit import Kit
from evals.skill_eval.running.conformance.probe import Finding, failed, passed, probe
from evals.skill_eval.running.conformance.takes import Take

_VALID = Request(Mode.WITHOUT_SKILL, None, None, "Say hello.", (), ".").to_json()
REQUESTS = {
    "a text that is no JSON": b"this is no JSON\n",
    "another protocol version": json.dumps({**_VALID, "protocol_version": PROTOCOL_VERSION + 998}).encode(),
    "a request without its fields": json.dumps({"protocol_version": PROTOCOL_VERSION}).encode(),
    "a list": json.dumps([_VALID]).encode(),
}


@probe(
    "invalid-requests",
    calls=len(REQUESTS),
    does="sends no JSON, another protocol version, a request without its fields, and a list",
    mend="check the request first; say on standard error what is wrong with it, exit with another status than 0 and "
    "print no response",
)
def invalid_requests(kit: Kit) -> Finding:
    """Look for requests that are answered though they are none."""
    faults = {title: _fault(kit.send(stdin)) for title, stdin in REQUESTS.items()}
    wrong = [f"{title}: {fault}" for title, fault in faults.items() if fault]
    return failed("; ".join(wrong)) if wrong else passed(f"{len(REQUESTS)} invalid requests were refused")


def _fault(take: Take) -> str | None:
    if take.response is not None:
        return "it was answered"
    if take.ended is None:
        return take.silence
    return None if take.ended.exit_code else "the exit status was 0"
