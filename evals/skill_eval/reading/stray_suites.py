"""Suites in the wrong place: a skill that has one there alone looks like a skill without any."""

import os

from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.problems import finding
from evals.skill_eval.reading.skill_folders import SkillFolder

_PLACES = (
    "evals/eval.json",
    "evals/evals.jsonl",
    "evals/evals.yaml",
    "evals/evals.yml",
    "eval/evals.json",
    "eval/eval.json",
    "tests/evals.json",
    "evals.json",
    "eval.json",
    "evals.yaml",
    "eval.yaml",
)


def stray_suites(folder: SkillFolder) -> tuple[Problem, ...]:
    """Return a finding for each file that seems to be meant as the suite of a skill that has none."""
    places = (place for place in _PLACES if os.path.isfile(folder.directory / place))
    message = "looks like a suite, but only `evals/evals.json` is read"
    return tuple(finding("SE239", f"{folder.shown}/{place}", message) for place in places)
