"""Adapter protocol 1: one request in, one response out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

PROTOCOL_VERSION = 1


class Mode(StrEnum):
    """The sides of a comparison; an adapter only ever hears of the first two.

    `OLD_SKILL` takes the place of `WITHOUT_SKILL` where a skill is compared with its older version.
    The last three are controls: either baseline once more, and an irrelevant skill of the same size.
    """

    WITH_SKILL = "with_skill"
    WITHOUT_SKILL = "without_skill"
    OLD_SKILL = "old_skill"
    CONTROL = "without_skill_again"
    OLD_CONTROL = "old_skill_again"
    PLACEBO = "placebo_skill"

    @property
    def has_skill(self) -> bool:
        """Tell whether the request names a skill."""
        return self not in (Mode.WITHOUT_SKILL, Mode.CONTROL)

    @property
    def has_old_skill(self) -> bool:
        """Tell whether the request names the older version of the skill."""
        return self in (Mode.OLD_SKILL, Mode.OLD_CONTROL)

    @property
    def is_control(self) -> bool:
        """Tell whether this mode shows what lies in chance, or in any skill."""
        return self in (Mode.CONTROL, Mode.OLD_CONTROL, Mode.PLACEBO)

    @property
    def in_protocol(self) -> str:
        """Return what the request calls this mode."""
        return "with_skill" if self.has_skill else "without_skill"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A fixture as the agent sees it: workspace-relative `path` and hexadecimal `sha256`."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Request:
    """What an adapter is told. `skill_path` is absolute; both skill fields are None in the baseline."""

    mode: Mode
    skill_name: str | None
    skill_path: str | None
    prompt: str
    files: tuple[InputFile, ...]
    workspace: str

    def to_json(self) -> dict[str, object]:
        """Return the request object of protocol 1 (see `evals/schemas/request.schema.json`)."""
        skill = None if self.skill_name is None else {"name": self.skill_name, "path": self.skill_path}
        return {
            "protocol_version": PROTOCOL_VERSION,
            "mode": self.mode.in_protocol,
            "skill": skill,
            "prompt": self.prompt,
            "files": [{"path": file.path, "sha256": file.sha256} for file in self.files],
            "workspace": self.workspace,
        }


@dataclass(frozen=True, slots=True)
class Event:
    """Something an agent runtime reported; `skill_loaded` with an exact name proves a load."""

    type: str
    name: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the event object of protocol 1."""
        return {"type": self.type} if self.name is None else {"type": self.type, "name": self.name}


@dataclass(frozen=True, slots=True)
class Response:
    """What an adapter answered. A `usage` key that was not reported is absent, never 0."""

    output: str
    events: tuple[Event, ...] = ()
    usage: Mapping[str, int | float] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return the response object of protocol 1 (see `evals/schemas/response.schema.json`)."""
        return {"output": self.output, "events": [event.to_json() for event in self.events], "usage": dict(self.usage)}
