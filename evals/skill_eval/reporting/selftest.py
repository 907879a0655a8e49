"""The table of the self-test: which check tells which wrong answer apart."""

from collections.abc import Sequence

from evals.skill_eval.grading.selftest import Answer, Score
from evals.skill_eval.reporting.escape import escape_line
from evals.skill_eval.reporting.table import table

_WRONG = tuple(answer for answer in Answer if answer is not Answer.EXPECTED)
_SHORT = {
    Answer.EMPTY: "empty",
    Answer.REFUSAL: "refusal",
    Answer.ECHO: "echo",
    Answer.FIXTURES: "fixtures",
    Answer.SKILL: "SKILL.md",
    Answer.GENERIC: "generic",
}


def score_table(scores: Sequence[Score]) -> list[str]:
    """Return a row for each check: an `x` where it fails a wrong answer, `-` where that could not be tried."""
    headings = ("skill", "case", "check", "score", *(_SHORT[answer] for answer in _WRONG))
    legend = "x: the check fails this wrong answer; .: it lets it pass; -: there was nothing to try"
    return [*table([headings, *(_row(score) for score in scores)]), legend]


def _row(score: Score) -> tuple[str, ...]:
    marks = ("-" if answer not in score.tried else "x" if answer in score.killed else "." for answer in _WRONG)
    name = escape_line(score.check_id)
    return (score.skill, escape_line(str(score.case_id)), name, f"{len(score.killed)}/{len(score.tried)}", *marks)
