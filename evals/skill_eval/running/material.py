"""What a run is made of: files taken once at its start, so that nothing changes under it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.skill import FileCopy, Skill
from evals.skill_eval.model.suite import Case, Suite
from evals.skill_eval.model.trial import AdapterCommand, TrialJob, TrialKey
from evals.skill_eval.reading.fixtures import load, load_skill
from evals.skill_eval.running.engine import Plan, in_drawn_order


@dataclass(frozen=True, slots=True)
class Material:
    """One skill with the cases to run and the bytes of every file they need.

    `inputs` are by case id. `skill_digest` covers what the agent is given of the skill,
    `suite_digest` the cases and fixtures; both are hexadecimal SHA-256.
    """

    skill: str
    cases: tuple[Case, ...]
    skill_files: tuple[FileCopy, ...]
    inputs: Mapping[int | str, tuple[FileCopy, ...]]
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
    skill_files = load_skill(skill.directory)
    inputs = {case.id: load(skill.directory, case) for case in cases}
    suite_text = FileCopy("evals.json", suite.path.read_bytes())
    fixtures = (file for files in inputs.values() for file in files)
    return Material(skill.name, cases, skill_files, inputs, digest(skill_files), digest((suite_text, *fixtures)))


def digest(files: Iterable[FileCopy]) -> str:
    """Return one SHA-256 (hexadecimal) over names, contents and executable bits."""
    total = sha256()
    for file in files:
        total.update(repr((file.path, file.executable, sha256(file.content).hexdigest())).encode())
    return total.hexdigest()


def plan_trials(materials: Iterable[Material], adapter: AdapterCommand, bounds: Bounds, seed: int) -> Plan:
    """Return every case of every material in both modes, iteration by iteration."""
    pairs = (
        in_drawn_order([_job(material, case, iteration, mode, adapter, bounds) for mode in Mode], seed)
        for material in materials
        for iteration in range(1, bounds.iterations + 1)
        for case in material.cases
    )
    return Plan(tuple(pairs))


def _job(
    material: Material, case: Case, iteration: int, mode: Mode, adapter: AdapterCommand, bounds: Bounds
) -> TrialJob:
    return TrialJob(
        key=TrialKey(material.skill, case.id, iteration, mode),
        case=case,
        adapter=adapter,
        inputs=material.inputs[case.id],
        skill_files=material.skill_files if mode is Mode.WITH_SKILL else None,
        timeout_seconds=bounds.timeout_seconds,
        limit_bytes=bounds.limit_bytes,
    )
