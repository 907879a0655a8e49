"""Numbers as a reader sees them: a rate with its counts and interval, and never a 0 for what was not measured."""

from fractions import Fraction

from evals.fortis.metrics import Share
from evals.fortis.model import Scope
from evals.skill_eval.evidence.statistics import Interval

MISSING = "not measured"


def share_cell(share: Share) -> str:
    """Return rate, counts and 95 % Wilson interval."""
    if share.interval is None:
        return MISSING
    return f"{percent(share.value)} ({share.count}/{share.total}; {interval_cell(share.interval)})"


def rate_cell(share: Share) -> str:
    """Return rate and counts."""
    return MISSING if share.value is None else f"{percent(share.value)} ({share.count}/{share.total})"


def ratio_cell(share: Share) -> str:
    """Return a part of failures as a number from 0 to 1; without failures there is none."""
    return MISSING if share.value is None else f"{float(share.value):.2f} ({share.count}/{share.total})"


def percent(value: Fraction | float | None) -> str:
    """Return a rate in percent with one digit."""
    return MISSING if value is None else f"{100 * float(value):.1f} %"


def points(value: Fraction | float | None) -> str:
    """Return a difference of rates in percentage points, with its sign."""
    return MISSING if value is None else f"{100 * float(value):+.1f} points"


def interval_cell(interval: Interval) -> str:
    """Return an interval in percent."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def scope_words(scope: Scope) -> str:
    """Return in words how much a scope is."""
    return ("one", "several named", "a whole container", "everything")[scope]
