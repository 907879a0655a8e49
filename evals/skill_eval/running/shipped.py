"""The adapters that ship with the harness: found by name, started as processes."""

import os
import sys
from dataclasses import dataclass

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.trial import AdapterCommand

_NO_MODEL = "is a program without a language model"


@dataclass(frozen=True, slots=True)
class ShippedAdapter:
    """One program in `evals/adapters`.

    `needs` says in words what the user must bring, `executable` is what must be on `PATH`, and
    `takes_path` tells that the first argument is a path of the user's, which it cannot do without;
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
            f"`offline` {_NO_MODEL}: its results say that the plumbing works, nothing about a model",
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


def _with_path(adapter: ShippedAdapter, arguments: tuple[str, ...], folder: str) -> tuple[str, ...]:
    """Make the first argument absolute: a path from `folder`, or the id of a run there."""
    if not arguments or arguments[0].startswith("-"):
        raise ConfigError(f"adapter `{adapter.name}` needs an argument", hint=adapter.needs)
    places = (os.path.join(folder, arguments[0]), os.path.join(folder, "tmp/skills-eval", arguments[0]))
    found = next((place for place in places if os.path.exists(place)), None)
    if found is None:
        raise ConfigError(f"adapter `{adapter.name}`: there is no `{os.path.abspath(places[0])}`", hint=adapter.needs)
    return (os.path.abspath(found), *arguments[1:])


def shipped_command(name: str, arguments: tuple[str, ...], folder: str) -> AdapterCommand:
    """Return how the shipped adapter `name` is started with this interpreter; raises KeyError and ConfigError.

    Adapters run in their workspace, so a path of the user's is made absolute from `folder`.
    """
    adapter = SHIPPED[name]
    if adapter.takes_path:
        arguments = _with_path(adapter, arguments, folder)
    elif arguments:
        raise ConfigError(f"adapter `{name}` takes no argument, found `{arguments[0]}`")
    program = os.path.join(FOLDER, f"{name}.py")
    start = [program] if os.path.isfile(program) else ["-c", _FROM_ZIP, FOLDER, name]
    return AdapterCommand(name, (sys.executable, *start, *arguments), adapter.notice)
