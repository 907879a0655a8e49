"""Numbers from the command line: checked as argparse reads them, so that a bad one is a usage error."""

import re
from argparse import ArgumentTypeError
from fractions import Fraction

LONGEST_SECONDS = 7 * 24 * 3600
LARGEST_BYTES = 1 << 30
MOST = 100_000

_DECIMAL = re.compile(r"[+-]?(\d{1,9}(\.\d{0,18})?|\.\d{1,18})")


def whole_number(text: str) -> int:
    """Return a whole number from 1 to 100,000."""
    return _whole(text, 1, MOST)


def token_count(text: str) -> int:
    """Return a whole number from 1 to 10**12."""
    return _whole(text, 1, 10**12)


def byte_count(text: str) -> int:
    """Return a number of bytes from 1 to 2**30."""
    return _whole(text, 1, LARGEST_BYTES)


def small_number(text: str) -> int:
    """Return a whole number from 0 to 100."""
    return _whole(text, 0, 100)


def seed_number(text: str) -> int:
    """Return a whole number from 0 to 2**63 - 1."""
    return _whole(text, 0, 2**63 - 1)


def seconds(text: str) -> float:
    """Return a duration above 0 and at most a week."""
    value = _decimal(text)
    if not 0 < value <= LONGEST_SECONDS:
        raise ArgumentTypeError(f"expected a number of seconds above 0 and at most {LONGEST_SECONDS}, found `{text}`")
    return float(value)


def variable_name(text: str) -> str:
    """Return the name of an environment variable."""
    if not re.fullmatch(r"[^=\0]+", text):
        raise ArgumentTypeError(f"expected the name of a variable, found `{text}`")
    return text


def minutes(text: str) -> float:
    """Return a duration in minutes, above 0 and at most a week; the value is in seconds."""
    value = _decimal(text) * 60
    if not 0 < value <= LONGEST_SECONDS:
        raise ArgumentTypeError(f"expected a number of minutes above 0 and at most a week, found `{text}`")
    return float(value)


def amount(text: str) -> Fraction:
    """Return an amount above 0, exactly as it was written."""
    value = _decimal(text)
    if value <= 0:
        raise ArgumentTypeError(f"expected an amount above 0, found `{text}`")
    return value


def lift(text: str) -> Fraction:
    """Return a lift from -1 to 1, exactly as it was written."""
    value = _decimal(text)
    if not -1 <= value <= 1:
        raise ArgumentTypeError(f"expected a number from -1 to 1, found `{text}`")
    return value


def _decimal(text: str) -> Fraction:
    if not _DECIMAL.fullmatch(text):
        raise ArgumentTypeError(f"expected a plain decimal number, found `{text}`")
    return Fraction(text)


def _whole(text: str, lowest: int, highest: int) -> int:
    if not re.fullmatch(r"\d{1,19}", text, re.ASCII) or not lowest <= int(text) <= highest:
        raise ArgumentTypeError(f"expected a whole number from {lowest} to {highest}, found `{text}`")
    return int(text)
