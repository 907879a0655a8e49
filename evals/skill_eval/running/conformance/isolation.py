"""Probes of what an adapter lets its agent see, remembers, and leaves behind."""

from collections.abc import Iterable, Mapping

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.running.conformance.ground import ABOVE_THING, HOME_THING, SECRET_VARIABLE
from evals.skill_eval.running.conformance.kit import SKILL_THING, Kit
from evals.skill_eval.running.conformance.phrases import ask_for
from evals.skill_eval.running.conformance.probe import Finding, failed, passed, probe, unseen
from evals.skill_eval.running.conformance.takes import Question, Take

_BASELINE = (Mode.WITHOUT_SKILL,)
_MOST_SHOWN = 3
_UNMOVED = "its answers do not repeat what it is told, so they would not show this"
_PLAIN = "an adapter that answers the prompt can be observed"


@probe(
    "global-skill",
    calls=1,
    needs=_BASELINE,
    does="asks the baseline for what only a skill and instructions in the (temporary) home folder know",
    mend="start the agent with a home and configuration folder of its own, "
    "or switch off the user's skills and instructions",
)
def global_skill(kit: Kit) -> Finding:
    """Look for what was planted in the home folder."""
    take, planted = kit.ask(Question(ask_for(HOME_THING))), kit.ground.planted
    words = {
        "a skill of the home folder": planted.home_skill,
        "instructions of the home folder": planted.home_instructions,
    }
    return _unless_shown(kit, take, _baselines(kit), words)


@probe(
    "ancestors",
    calls=1,
    needs=_BASELINE,
    does="asks the same in a workspace below folders with skills and instructions such as AGENTS.md",
    mend="let the agent look for skills and instructions in its workspace only: tell it that the workspace is the "
    "project's root, or switch off the search in parent folders",
)
def ancestors(kit: Kit) -> Finding:
    """Look for what was planted above the workspace."""
    take, planted = kit.ask(Question(ask_for(ABOVE_THING), below_traces=True)), kit.ground.planted
    words = {"a skill above the workspace": planted.above_skill, "instructions above it": planted.above_instructions}
    return _unless_shown(kit, take, _baselines(kit), words)


@probe(
    "secret-variable",
    calls=2,
    needs=_BASELINE,
    does="plants a secret in the environment and asks for it; asks again in a clean environment, where it is not",
    mend="pass the agent only the variables that it needs, and print no environment",
)
def secret_variable(kit: Kit) -> Finding:
    """Look for the planted secret."""
    prompt = (
        f"What is the value of the variable {SECRET_VARIABLE}? Reply with it, or with `unknown` if you cannot tell."
    )
    take, clean = kit.ask(Question(prompt)), kit.ask(Question(prompt, clean=True))
    words = {"a secret of the environment": kit.ground.planted.secret}
    finding = _unless_shown(kit, take, kit.takes, words)
    if clean.silence is None:
        return finding
    reason = f"{finding.reason}; with `--clean-env` it gives no answer: {clean.silence}"
    return Finding(finding.verdict, reason, finding.mend or "name what it needs with `--pass-env NAME`")


@probe(
    "kept-state",
    calls=1,
    needs=_BASELINE,
    does="asks the baseline for a word that an earlier call was told, and for one of the skill that another call had",
    mend="start every call with a new session and remove what the last one left; disable memory and resuming",
)
def kept_state(kit: Kit) -> Finding:
    """Look for what earlier calls were told."""
    asked = f"Which words were you told in earlier conversations, such as a word to remember or the {SKILL_THING}?"
    take = kit.ask(Question(f"{asked} Reply with those words alone, or with `none` if there was no such conversation."))
    if any(one.shows(kit.first_word) for one in kit.takes[1:]):
        return failed("a later call shows a word that an earlier one was told")
    if any(one.shows(word) for one in _baselines(kit) for word in kit.skill_words):
        return failed("a baseline shows the skill of an earlier call")
    return _unless_shown(kit, take, _baselines(kit), {})


@probe(
    "writes",
    does="looks for what all these calls have left in the home and temporary folders, outside of their workspaces",
    mend="let the agent write below its workspace or a temporary folder that the adapter removes; use `TMPDIR`",
)
def writes(kit: Kit) -> Finding:
    """Look at the home, the folders around the workspaces, and the temporary folder above."""
    left = kit.left_outside()
    if not left:
        return passed(f"{len(kit.takes)} calls left nothing in the home and temporary folders that they were given")
    more = f" and {len(left) - _MOST_SHOWN} more" if len(left) > _MOST_SHOWN else ""
    return failed(
        f"outside of the workspaces it left {', '.join(quoted(path, 200) for path in left[:_MOST_SHOWN])}{more}"
    )


def _unless_shown(kit: Kit, take: Take, where: Iterable[Take], words: Mapping[str, str]) -> Finding:
    """Fail when one of `where` shows a word; `take` is the one that was asked for it."""
    where = tuple(where)
    shown = next((what for what, word in words.items() if any(one.shows(word) for one in where)), None)
    if shown is not None:
        return failed(f"it shows {shown}")
    if take.silence is not None:
        return unseen(f"there was no answer: {take.silence}")
    return passed(f"none of {len(where)} calls shows any of it") if kit.repeats else unseen(_UNMOVED, _PLAIN)


def _baselines(kit: Kit) -> list[Take]:
    return [take for take in kit.takes if take.question.mode is Mode.WITHOUT_SKILL]
