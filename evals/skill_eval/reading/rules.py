"""The rules of `validate`: each code once, with what it means and how to mend it."""

from evals.skill_eval.reading.skill_rules import SKILL_RULES
from evals.skill_eval.reading.suite_rules import SUITE_RULES

RULES = {rule.code: rule for rule in sorted((*SKILL_RULES, *SUITE_RULES))}
