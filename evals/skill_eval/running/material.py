"""What a run is made of: files taken once at its start, so that nothing changes under it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.skill import FileCopy, Skill
from evals.skill_eval.model.suite import Case, Suite
from evals.skill_eval.model.trial import AdapterCommand, GivenSkill, TrialJob, TrialKey
from evals.skill_eval.reading.file_copies import load, load_skill
from evals.skill_eval.running.engine import Plan, Unit, in_drawn_order

_LICENCE = re.compile(r"(licen[cs]e|notice|copying)", re.IGNORECASE)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Material:
    """One skill with the cases to run and the bytes of every file they need.

    `given` holds what each mode's agent gets (None: no skill). `inputs` are by case id. `text` is
    the skill's prose, `folder` its place. The digests are hexadecimal SHA-256: `skill_digest` of
    what the agent is given, `suite_digest` of the suite and its fixtures.
    """

    skill: str
    cases: tuple[Case, ...]
    given: Mapping[Mode, GivenSkill | None]
    inputs: Mapping[int | str, tuple[FileCopy, ...]]
    text: str
    folder: str
    skill_digest: str
    suite_digest: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """How often and how long: `timeout_seconds` for a call, `limit_bytes` for each of its streams."""

    iterations: int = 1
    timeout_seconds: float = 120.0
    limit_bytes: int = 1 << 20


def take_material(skill: Skill, suite: Suite, cases: tuple[Case, ...]) -> Material:
    """Read every file that the cases need; raises ConfigError when one has gone."""
    files = load_skill(skill.directory)
    inputs = {case.id: load(skill.directory, case) for case in cases}
    suite_text = FileCopy("evals.json", suite.path.read_bytes())
    return Material(
        skill=skill.name,
        cases=cases,
        given={Mode.WITH_SKILL: GivenSkill(skill.name, files), Mode.WITHOUT_SKILL: None},
        inputs=inputs,
        text="\n".join(_prose(files)),
        folder=str(skill.directory),
        skill_digest=digest(files),
        suite_digest=digest((suite_text, *(file for one in inputs.values() for file in one))),
    )


def with_modes(material: Material, more: Mapping[Mode, GivenSkill | None], baseline: Mode) -> Material:
    """Return the material with the modes `more`, and with `baseline` as the only baseline."""
    given = {mode: one for mode, one in material.given.items() if mode in (Mode.WITH_SKILL, baseline)}
    return replace(material, given=given | dict(more))


def digest(files: Iterable[FileCopy]) -> str:
    """Return one SHA-256 (hexadecimal) over names, contents and executable bits."""
    total = sha256()
    for file in files:
        total.update(repr((file.path, file.executable, sha256(file.content).hexdigest())).encode())
    return total.hexdigest()


def plan_trials(materials: Iterable[Material], adapter: AdapterCommand, bounds: Bounds, seed: int) -> Plan:
    """Return every case of every material in each of its modes, iteration by iteration."""
    return Plan(
        tuple(
            in_drawn_order(_unit(material, case, iteration, adapter, bounds), seed)
            for material in materials
            for iteration in range(1, bounds.iterations + 1)
            for case in material.cases
        )
    )


def shard(plan: Plan, index: int, count: int) -> Plan:
    """Return every `count`-th unit, beginning with number `index` (from 1)."""
    return Plan(plan.units[index - 1 :: count])


def _unit(material: Material, case: Case, iteration: int, adapter: AdapterCommand, bounds: Bounds) -> Unit:
    return tuple(
        TrialJob(
            key=TrialKey(material.skill, case.id, iteration, mode),
            case=case,
            adapter=adapter,
            inputs=material.inputs[case.id],
            skill=given,
            timeout_seconds=bounds.timeout_seconds,
            limit_bytes=bounds.limit_bytes,
            skill_text=material.text,
            watched=material.folder,
        )
        for mode, given in material.given.items()
    )


def _prose(files: Iterable[FileCopy]) -> Iterator[str]:
    """Yield the skill's texts without licences and code blocks, which others may well write the same."""
    for file in files:
        if file.path.endswith((".md", ".txt")) and not _LICENCE.match(file.path.rpartition("/")[2]):
            yield _FENCED.sub("", file.content.decode("utf-8", "replace"))
