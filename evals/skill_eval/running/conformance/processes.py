"""Probes of an adapter's processes: several at once, one that is cut off, and those that stay behind."""

import sys

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.running.conformance.kit import Kit
from evals.skill_eval.running.conformance.phrases import repeat
from evals.skill_eval.running.conformance.probe import (
    ANSWER_FIRST,
    DO_AS_ASKED,
    Finding,
    failed,
    passed,
    probe,
    unanswered,
    unseen,
)
from evals.skill_eval.running.conformance.takes import Question, Take

SHORTEST_CUT_SECONDS = 0.005
LEAST_WORK_SECONDS = 1.0

_BASELINE = (Mode.WITHOUT_SKILL,)
_LONG_WORK = "Count from one to five hundred in words, one number on each line. Leave none out."


@probe(
    "concurrency",
    calls=4,
    needs=(Mode.WITH_SKILL, Mode.WITHOUT_SKILL),
    does="makes four calls at once, two of them with a skill, each with a word of its own",
    mend="share no file, port, lock or session between calls: derive every path from the workspace, "
    "or make a new temporary folder",
)
def concurrency(kit: Kit) -> Finding:
    """Look whether four calls are answered and whether one shows another's word."""
    told, known = [kit.word() for _ in range(4)], [None, None, kit.word(), kit.word()]
    takes = kit.ask_at_once([Question(repeat(word), skill_word=skill) for word, skill in zip(told, known, strict=True)])
    silent = [take for take in takes if take.response is None]
    if silent:
        return unanswered(f"{len(silent)} of 4 calls at once were not answered", silent[0])
    words = set(filter(None, told + known))
    own = [{word, skill} for word, skill in zip(told, known, strict=True)]
    if any(take.shows(word) for take, mine in zip(takes, own, strict=True) for word in words - mine):
        return failed("of four calls at once one shows the word of another")
    if not kit.repeats:
        return unseen("four calls at once were answered, but none shows its own word", DO_AS_ASKED)
    return passed("four calls at once were answered, each with its own word")


@probe(
    "cancellation",
    calls=3,
    needs=_BASELINE,
    does="cuts a call off while it runs, and looks whether all of its processes end and the next call works",
    mend="survive being killed at any time: leave no lock behind, and start no process outside of your own tree",
)
def cancellation(kit: Kit) -> Finding:
    """Cut a call that has much to do; who answers all the same is cut in half the time of the fastest answer."""
    seconds = sorted(take.ended.duration_seconds for take in kit.takes if take.ended and take.response)
    for limit in (max(LEAST_WORK_SECONDS, 1.5 * seconds[len(seconds) // 2]), 0.5 * seconds[0]):
        if limit < SHORTEST_CUT_SECONDS or limit > kit.timeout_seconds:
            continue
        take = kit.ask(Question(_LONG_WORK, timeout_seconds=limit))
        if take.completed is None:
            return failed(f"when a call was cut off: {take.silence}")
        if take.completed.stopped == "timeout":
            return _afterwards(kit, limit)
    reason = f"it answers within {seconds[0]:.3f} s, too fast to be cut off"
    return unseen(reason, "nothing, unless a model is behind the adapter")


@probe(
    "leftover-processes",
    does="counts the processes that outlive a call which has ended by itself",
    mend="end every process that the adapter or its agent has started, and wait for its end, before you exit",
)
def leftover_processes(kit: Kit) -> Finding:
    """Look at what the supervisor had to end."""
    ended = [take.ended for take in kit.takes if take.ended]
    most = max((completed.survivors for completed in ended), default=0)
    if most:
        return failed(f"{most} process{'es' if most > 1 else ''} outlived a call that had ended")
    if sys.platform not in ("linux", "darwin"):
        return unseen("processes that outlive a call are not counted on this system", "check on Linux or macOS")
    if not ended:
        return unseen("no call ended by itself", ANSWER_FIRST)
    return passed(f"no process outlived one of {len(ended)} calls")


def _afterwards(kit: Kit, limit: float) -> Finding:
    after: Take = kit.ask(Question(repeat(kit.word())))
    cut = f"after a call was cut off at {limit:.3g} s"
    if after.response is None:
        return unanswered(f"{cut}, the next one gave no answer", after)
    return passed(f"{cut} none of its processes was left, and the next call was answered")
