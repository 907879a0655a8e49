"""The adapters that ship with the harness: found by name, started as processes."""

import os
import sys
from dataclasses import dataclass

from evals.skill_eval.model.trial import AdapterCommand

_NO_MODEL = "is a program without a language model"


@dataclass(frozen=True, slots=True)
class ShippedAdapter:
    """One program in `evals/adapters`.

    `needs` says in words what the user must bring, `executable` is what must be on `PATH`, and
    `takes_path` tells that the first argument is a path of the user's;
    `notice` is repeated by every output of an adapter that is no language model.
    """

    name: str
    summary: str
    needs: str
    notice: str | None = None
    executable: str | None = None
    takes_path: bool = False


SHIPPED = {
    adapter.name: adapter
    for adapter in (
        ShippedAdapter(
            "offline",
            "a small deterministic extractive agent: answers from prompt, fixtures and SKILL.md",
            "nothing",
            f"`offline` {_NO_MODEL}: its lift says that the plumbing works, not that the skill helps a model",
        ),
        ShippedAdapter(
            "scripted",
            "answers from a JSON script, for tests and adapter authors",
            "`--adapter-arg SCRIPT.json`",
            f"`scripted` {_NO_MODEL}: it answers what its script says",
            takes_path=True,
        ),
        ShippedAdapter(
            "replay",
            "answers from the artifacts of an earlier run",
            "`--adapter-arg RUN_FOLDER`",
            f"`replay` {_NO_MODEL}: it repeats an earlier run's answers",
            takes_path=True,
        ),
    )
}

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "adapters")

# From a zip file a program cannot be started by its path.
_FROM_ZIP = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def shipped_command(name: str, arguments: tuple[str, ...], folder: str) -> AdapterCommand:
    """Return how the shipped adapter `name` is started with this interpreter; raises KeyError.

    Adapters run in their workspace, so a path of the user's is made absolute from `folder`.
    """
    adapter = SHIPPED[name]
    if adapter.takes_path and arguments and not arguments[0].startswith("-"):
        arguments = (os.path.abspath(os.path.join(folder, arguments[0])), *arguments[1:])
    program = os.path.join(FOLDER, f"{name}.py")
    start = [program] if os.path.isfile(program) else ["-c", _FROM_ZIP, FOLDER, name]
    return AdapterCommand(name, (sys.executable, *start, *arguments), adapter.notice)
