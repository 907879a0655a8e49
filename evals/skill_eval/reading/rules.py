"""The rules of `validate`: each code once, with what it means and how to mend it."""

from dataclasses import dataclass

from evals.skill_eval.model.problem import Severity

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, slots=True)
class Rule:
    """A finding's stable code, its usual severity, a title of a few words and what to do about it."""

    code: str
    severity: Severity
    title: str
    remedy: str


_ALL = (
    # SE101 to SE149: the file SKILL.md and the text of its frontmatter
    # SE150 to SE199: the frontmatter's fields and the body
    # SE201 to SE219: JSON text
    # SE220 to SE269: suites, cases and checks
    # SE270 to SE299: fixtures
    # SE301 to SE349: discovery of skill folders
)

RULES = {rule.code: rule for rule in _ALL}
