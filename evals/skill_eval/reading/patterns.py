"""Regular expressions of checks: whether they compile on every Python, discriminate, and end."""

import re
import warnings
from typing import NamedTuple

_EVERY, _NONE = ("$", r"\Z", "(?=)"), ("(?!)", "a^", "$a")  # what people write for `always` and `never`
LENGTH_LIMIT = 10_000
DEPTH_LIMIT = 100


class PatternFault(NamedTuple):
    """Why a pattern cannot be a check; `vacuous` when it compiles and matches every text, or none."""

    message: str
    hint: str | None = None
    vacuous: bool = False


def pattern_fault(pattern: str) -> PatternFault | None:
    """Return why `pattern` is useless in a check, or None; the same on every supported Python."""
    if not pattern:
        return PatternFault("the pattern is empty, so it matches every text", vacuous=True)
    if len(pattern) > LENGTH_LIMIT:
        return PatternFault(f"a pattern of {len(pattern)} characters; at most {LENGTH_LIMIT} are taken")
    if pattern.count("(") > DEPTH_LIMIT or "\\z" in pattern:
        from evals.skill_eval.reading.pattern_tokens import form_fault

        if fault := form_fault(pattern):
            return fault
    compiled = _compiled(pattern)
    if isinstance(compiled, PatternFault):
        return compiled
    if pattern in _NONE:
        return PatternFault("the pattern matches no text at all", "ask for something that an answer may have", True)
    if pattern in _EVERY or (compiled.search("") and _matches_all(pattern, compiled)):
        hint = "ask for at least one character that a wrong answer lacks"
        return PatternFault("the pattern matches every text, the empty one too", hint, vacuous=True)
    return None


def may_explode(pattern: str) -> bool:
    """Tell whether a repeated group holds nothing but what repeats itself, such as `(a+)+`.

    On a text that almost matches, the time of such a pattern doubles with each character.
    """
    if not any(repeated in pattern for repeated in (")*", ")+", "){")):
        return False
    from evals.skill_eval.reading.pattern_tokens import has_loose_loop

    return has_loose_loop(pattern)


def _compiled(pattern: str) -> "re.Pattern[str] | PatternFault":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern)
        except re.error as error:
            return PatternFault(f"no regular expression that Python knows: {error}")
        except OverflowError:
            return PatternFault("a repetition in the pattern is too large")
        except ValueError as error:  # flags that exclude each other, or `int` about thousands of digits
            if "digits" in str(error):
                return PatternFault("a number in the pattern is too large")
            return PatternFault(f"no regular expression that Python knows: {error}")
        except RecursionError:
            return PatternFault("the pattern is nested too deep")


def _matches_all(pattern: str, compiled: re.Pattern[str]) -> bool:
    from evals.skill_eval.reading.pattern_tokens import matches_all

    return matches_all(pattern, compiled)
