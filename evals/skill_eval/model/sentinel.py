"""Sentinels: cases with known answers that tell whether anything was measured at all."""

from evals.skill_eval.model.suite import Case, Check, CheckType

_WORD, _OTHER = "perpendicular-lantern", "subterranean-kite"

MUST_PASS = Case(
    id="sentinel-must-pass",
    prompt=f"Reply with exactly this one word and nothing else: {_WORD}",
    expected_output=_WORD,
    checks=(Check("says-the-word", CheckType.CONTAINS, (_WORD,)),),
)
MUST_FAIL = Case(
    id="sentinel-must-fail",
    prompt=f"Reply with exactly this one word and nothing else: {_WORD}",
    expected_output=_WORD,
    checks=(Check("says-a-word-it-cannot-know", CheckType.CONTAINS, (_OTHER,)),),
)
SENTINELS = (MUST_PASS, MUST_FAIL)
EXPECTED = {MUST_PASS.id: True, MUST_FAIL.id: False}
"""What every graded trial of a sentinel must come to, by case id."""
