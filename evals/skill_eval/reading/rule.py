"""A rule of `validate`, as the tables `skill_rules` and `suite_rules` list them."""

from typing import NamedTuple

from evals.skill_eval.model.problem import Severity


class Rule(NamedTuple):
    """A finding's stable code, its usual severity, a title of a few words and what to do about it."""

    code: str
    severity: Severity
    title: str
    remedy: str
