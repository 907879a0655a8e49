"""Probes of what an adapter says: its modes, its output, its exit status, its usage and its events."""

from collections.abc import Iterator

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.running.conformance.kit import SKILL_THING, Kit
from evals.skill_eval.running.conformance.phrases import ask_for, repeat
from evals.skill_eval.running.conformance.probe import (
    ANSWER_FIRST,
    SPOKEN,
    Finding,
    failed,
    passed,
    probe,
    unanswered,
    unseen,
)
from evals.skill_eval.running.conformance.takes import Question, Take

STDERR_LIMIT_BYTES = 256 << 10


@probe(
    "both-modes",
    calls=2,
    does="asks one question without and one with a skill",
    mend="answer requests of both modes with exit status 0; `HOME` is a temporary folder here, so take credentials "
    "and settings from environment variables or arguments",
)
def both_modes(kit: Kit) -> Finding:
    """Ask the plain questions on which all else builds."""
    questions = (Question(repeat(kit.first_word)), Question(ask_for(SKILL_THING), skill_word=kit.word()))
    takes = [kit.ask(question) for question in questions]
    silent = next((take for take in takes if not take.response), None)
    if silent is not None:
        return unanswered(f"no answer {SPOKEN[silent.question.mode]}", silent)
    return passed("it answers with a skill and without")


@probe(
    "protocol",
    does="reads every response by the letter: one JSON object in UTF-8 with known fields, and nothing else",
    mend="write the response object of protocol 1 to standard output and all else to standard error; "
    "`schema response` prints its JSON Schema",
)
def protocol(kit: Kit) -> Finding:
    """Look for the first response that a strict reader refuses."""
    fault = next((take.fault for take in kit.takes if take.fault), None)
    if fault is not None:
        return failed(fault)
    count = len(_answered(kit))
    return (
        passed(f"{count} responses are strict JSON with known fields")
        if count
        else unseen("there was no response", ANSWER_FIRST)
    )


@probe(
    "exit-status",
    does="looks whether a call that was answered ended with status 0",
    mend="exit 0 after a response, and anything else only without one",
)
def exit_status(kit: Kit) -> Finding:
    """Look for answers whose exit status denies them."""
    codes = [take.ended.exit_code for take in _answered(kit) if take.ended]
    bad = next((code for code in codes if code != 0), None)
    if bad is not None:
        return failed(f"a call that was answered ended with exit status {bad}")
    return (
        passed(f"{len(codes)} answered calls ended with exit status 0")
        if codes
        else unseen("there was no answer", ANSWER_FIRST)
    )


@probe(
    "standard-error",
    does="measures what each call writes to standard error",
    mend="write less than 256 KiB of diagnostics a call; the harness ends a call at its limit",
)
def standard_error(kit: Kit) -> Finding:
    """Look for a flood."""
    most = max((len(take.completed.stderr) for take in kit.takes if take.completed), default=0)
    if most > STDERR_LIMIT_BYTES:
        return failed(f"a call wrote {most} bytes to standard error, more than {STDERR_LIMIT_BYTES}")
    return passed(f"no call wrote more than {most} bytes to standard error")


@probe(
    "usage",
    does="compares the usage that both modes report",
    mend="report the same numbers in both modes, or none: a comparison needs both sides",
)
def usage(kit: Kit) -> Finding:
    """Compare the names of the numbers in both modes."""
    if not (kit.answers(Mode.WITH_SKILL) and kit.answers(Mode.WITHOUT_SKILL)):
        return unseen("it does not answer in both modes", ANSWER_FIRST)
    with_skill, baseline = (_reported(kit, mode) for mode in (Mode.WITH_SKILL, Mode.WITHOUT_SKILL))
    for mode, more in (("with a skill", with_skill - baseline), ("in the baseline", baseline - with_skill)):
        if more:
            return failed(f"only {mode} it reports {_listed(more)}")
    return passed(f"both modes report {_listed(with_skill)}" if with_skill else "neither mode reports usage")


@probe(
    "skill-loaded",
    does="compares `skill_loaded` events with the skill that each request had",
    mend="report `skill_loaded` only when the agent has loaded a skill, with exactly the name in the request",
)
def skill_loaded(kit: Kit) -> Finding:
    """Look for loads that cannot have been, and for the one that should be."""
    false = next(_loaded(kit, Mode.WITHOUT_SKILL), None)
    if false is not None:
        return failed(f"a baseline reports that it loaded {quoted(false)}")
    if not kit.answers(Mode.WITH_SKILL):
        return unseen("it answers nothing with a skill", ANSWER_FIRST)
    given, names = kit.skill_name, set(_loaded(kit, Mode.WITH_SKILL))
    if given in names:
        return passed("the given skill is reported by its exact name, and nothing in the baseline")
    near = next((name for name in sorted(names) if given.casefold() in name.casefold()), None)
    if near is not None:
        return failed(f"it reports that it loaded {quoted(near)}, where the request says {quoted(given)}")
    return unseen(
        "no event tells of the given skill, so its activation cannot be measured",
        "report `skill_loaded` with the skill's name when the agent has loaded it, if the agent tells",
    )


def _answered(kit: Kit) -> list[Take]:
    return [take for take in kit.takes if take.response]


def _reported(kit: Kit, mode: Mode) -> set[str]:
    return {name for take in kit.takes if take.response and take.question.mode is mode for name in take.response.usage}


def _loaded(kit: Kit, mode: Mode) -> Iterator[str]:
    for take in kit.takes:
        if take.response and take.question.mode is mode:
            yield from (event.name for event in take.response.events if event.type == "skill_loaded" and event.name)


def _listed(names: set[str]) -> str:
    return ", ".join(quoted(name) for name in sorted(names))
