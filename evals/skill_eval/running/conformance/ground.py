"""The ground on which an adapter is checked: a temporary home, planted skills and a planted secret."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evals.skill_eval.running.conditions import Conditions
from evals.skill_eval.running.conformance.phrases import instruction_text, new_word, skill_text
from evals.skill_eval.running.environment import adapter_environment
from evals.skill_eval.running.sandbox import USER_SKILL_FOLDERS
from evals.skill_eval.running.workspace import prepared_workspace

SECRET_VARIABLE = "SKILL_EVAL_PLANTED_KEY"
HOME_THING, ABOVE_THING = "lantern word", "anchor word"

_HOME_SKILLS = (*USER_SKILL_FOLDERS, ".cline/skills", ".pi/agent/skills", ".qwen/skills", ".vibe/skills")
_HOME_INSTRUCTIONS = (
    ".agents/AGENTS.md",
    ".claude/CLAUDE.md",
    ".codex/AGENTS.md",
    ".config/opencode/AGENTS.md",
    ".copilot/copilot-instructions.md",
    ".gemini/GEMINI.md",
    ".pi/agent/AGENTS.md",
    ".qwen/QWEN.md",
)
_ABOVE_SKILLS = (
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".github/skills",
    ".goose/skills",
    ".opencode/skills",
    ".pi/skills",
    ".qwen/skills",
    ".vibe/skills",
    "skills",
)
_ABOVE_INSTRUCTIONS = (
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".goosehints",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
)
# Where these are set they name a user's own folder in place of HOME.
_AGENT_HOMES = {
    "CLAUDE_CONFIG_DIR": "/.claude",
    "CODEX_HOME": "/.codex",
    "COPILOT_HOME": "/.copilot",
    "GEMINI_CLI_HOME": "",
    "OPENCODE_CONFIG_DIR": "/.config/opencode",
    "PI_CODING_AGENT_DIR": "/.pi/agent",
    "QWEN_HOME": "/.qwen",
    "VIBE_HOME": "/.vibe",
}


@dataclass(frozen=True, slots=True)
class Planted:
    """Random words, each in one place where no baseline may find it."""

    home_skill: str = field(default_factory=new_word)
    home_instructions: str = field(default_factory=new_word)
    above_skill: str = field(default_factory=new_word)
    above_instructions: str = field(default_factory=new_word)
    secret: str = field(default_factory=new_word)


@dataclass(frozen=True, slots=True)
class Ground:
    """All below `folder`, which stands in `root`.

    Workspaces are made in `calls`, or in `below_traces` for an agent that shall find skills and
    instructions above itself. `environment` has the planted home and secret, `clean_environment`
    is what `--clean-env` gives, with another home.
    """

    root: Path
    folder: Path
    planted: Planted
    environment: Mapping[str, str]
    clean_environment: Mapping[str, str]

    @property
    def calls(self) -> Path:
        """Return where workspaces are made."""
        return self.folder / "calls"

    @property
    def below_traces(self) -> Path:
        """Return where workspaces are made below skills and instructions."""
        return self.folder / "project" / "work"


@contextmanager
def prepared_ground(root: Path, environment: Mapping[str, str]) -> Iterator[Ground]:
    """Make the ground in `root` and plant it; remove it at the end. `environment` is the user's own."""
    with prepared_workspace(root, files=()) as workspace:
        folder = workspace.parent  # the workspace itself is a git repository, which the ground must not be
        home, clean_home = folder / "home", folder / "clean-home"
        planted = Planted()
        exposed = {**environment, SECRET_VARIABLE: planted.secret}
        ground = Ground(root, folder, planted, _offered(exposed, str(home)), _clean(exposed, str(clean_home)))
        for place in (ground.calls, ground.below_traces, home / "tmp", clean_home / "tmp"):
            place.mkdir(parents=True)
        _plant(home, _HOME_SKILLS, HOME_THING, planted.home_skill)
        _instruct(home, _HOME_INSTRUCTIONS, HOME_THING, planted.home_instructions)
        _plant(folder / "project", _ABOVE_SKILLS, ABOVE_THING, planted.above_skill)
        _instruct(folder / "project", _ABOVE_INSTRUCTIONS, ABOVE_THING, planted.above_instructions)
        yield ground


def _offered(environment: Mapping[str, str], home: str) -> dict[str, str]:
    """Return the inherited environment with every home in it replaced."""
    inherited = adapter_environment(environment, Conditions(), None)
    agents = {name: home + below for name, below in _AGENT_HOMES.items() if name in inherited}
    return inherited | _clean({}, home) | agents


def _clean(environment: Mapping[str, str], home: str) -> dict[str, str]:
    return adapter_environment(environment, Conditions(clean_environment=True), home)


def _plant(folder: Path, places: Iterable[str], thing: str, word: str) -> None:
    name = thing.replace(" ", "-")
    for place in places:
        _write(folder / place / name / "SKILL.md", skill_text(name, thing, word))


def _instruct(folder: Path, places: Iterable[str], thing: str, word: str) -> None:
    for place in places:
        _write(folder / place, instruction_text(thing, word))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
