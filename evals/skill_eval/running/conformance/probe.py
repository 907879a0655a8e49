"""A probe: a name, what it does, how to mend a failure, and the calls that tell."""

from collections.abc import Callable
from dataclasses import dataclass

from evals.skill_eval.model.certificate import ProbeResult, Verdict
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.running.conformance.kit import Kit
from evals.skill_eval.running.conformance.takes import Take

SPOKEN = {Mode.WITH_SKILL: "with a skill", Mode.WITHOUT_SKILL: "in the baseline"}

ANSWER_FIRST = "mend `both-modes` first"
DO_AS_ASKED = "nothing, unless the agent behind the adapter does what a prompt asks"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe came to; `mend` takes the place of what the probe says for a failure."""

    verdict: Verdict
    reason: str
    mend: str | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """One question about an adapter.

    `calls` is how many calls it makes at most, `needs` are the modes in which the adapter has to
    answer plain questions before this one makes sense.
    """

    name: str
    calls: int
    does: str
    mend: str
    needs: tuple[Mode, ...]
    look: Callable[[Kit], Finding]

    def result(self, kit: Kit) -> ProbeResult:
        """Make the calls and judge them."""
        finding = self._obstacle(kit) or self.look(kit)
        mend = finding.mend or (self.mend if finding.verdict is Verdict.FAIL else None)
        return ProbeResult(self.name, finding.verdict, finding.reason, mend)

    def _obstacle(self, kit: Kit) -> Finding | None:
        if kit.is_mute and self.calls:
            return unseen("it answered no question at all", ANSWER_FIRST)
        silent = next((mode for mode in self.needs if not kit.answers(mode)), None)
        return None if silent is None else unseen(f"it answers nothing {SPOKEN[silent]}", ANSWER_FIRST)


def probe(
    name: str, *, calls: int = 0, needs: tuple[Mode, ...] = (), does: str, mend: str
) -> Callable[[Callable[[Kit], Finding]], Probe]:
    """Make a probe of a function that looks for one thing."""
    return lambda look: Probe(name, calls, does, mend, needs, look)


def passed(reason: str) -> Finding:
    """Return that all is as it should be."""
    return Finding(Verdict.PASS, reason)


def failed(reason: str) -> Finding:
    """Return that the adapter is at fault."""
    return Finding(Verdict.FAIL, reason)


def unseen(reason: str, mend: str | None = None) -> Finding:
    """Return that nothing can be said, and what would make it observable."""
    return Finding(Verdict.NOT_OBSERVABLE, reason, mend)


def unanswered(what: str, take: Take) -> Finding:
    """Return a failure for want of an answer, unless the adapter asked to be called later."""
    if take.is_transient:
        return unseen(f"{what}: {take.silence}", "repeat the check when the service behind the adapter is free")
    return failed(f"{what}: {take.silence}")
