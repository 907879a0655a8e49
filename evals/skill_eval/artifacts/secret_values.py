"""Values beside a sensitive name: which are secrets, and which are words, code, places or placeholders."""

import re
from typing import Final

from evals.skill_eval.artifacts.secret_names import Sensitivity, sensitivity, word_set
from evals.skill_eval.artifacts.spans import MARK


def is_everyday_value(value: str) -> bool:
    """Tell whether `value` is a common word, a placeholder, a path or a plain address."""
    return (
        value.startswith(MARK)
        or value.lower() in _COMMON_WORDS
        or _PLACEHOLDER.fullmatch(value) is not None
        or _PLACE.match(value) is not None
    )


def looks_like_key(value: str) -> bool:
    """Tell whether `value` is one word with a run of 16 or more letters and digits that is no hash."""
    if len(value) < 16 or len(value.split()) > 1:
        return False
    return any(is_mixed(run) and not _HASH.fullmatch(run) for run in KEY_RUN.findall(value))


def is_mixed(value: str) -> bool:
    """Tell whether `value` holds both digits and letters."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_mixed_word(value: str) -> bool:
    """Tell whether `value` is one word of 6 or more characters that no prose would hold."""
    return len(value) >= 6 and len(value.split()) == 1 and is_mixed(value) and value[0] != "-"


def is_code(value: str) -> bool:
    """Tell whether `value`, not quoted, begins like a call, a variable, a regular expression or a container."""
    return _CODE.match(value) is not None


def is_wordy(value: str) -> bool:
    """Tell whether `value` is made of letters, perhaps joined by `-`, `_`, `/` or `'`."""
    return _WORDY.fullmatch(value) is not None


def is_type_or_variable(value: str) -> bool:
    """Tell whether a wordy `value` is likely to be the name of a type or of another variable."""
    return value.lower().endswith(_TYPE_ENDS) or sensitivity(value) is not Sensitivity.NONE


KEY_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}")
_HASH: Final = re.compile(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|[0-9]+")
_WORDY: Final = re.compile(r"[0-9]{0,3}[A-Za-z]*(?:[-'/_][A-Za-z]+)*")
_TYPE_ENDS: Final = ("str", "string", "text", "bytes", "type", "types", "field", "input")
_COMMON_WORDS: Final = {""} | word_set(
    "any async await bearer bool boolean bytes const default empty env example expired false float function hidden"
    " iam iam-role identifier include inherit instance-profile int integer invalid key lambda managed-identity masked"
    " missing n/a new nil no none not null number object off omit on optional passwd password redacted required role"
    " same-origin secret self service-account set str string tbd text todo token true workload-identity"
    " undefined unknown unset void yes"
)
_PLACEHOLDER: Final = re.compile(
    r"\$\{[^}]*\}|\$?\{\{[^}]*\}\}|\{[\w.]*\}|<[^<>]*>|&lt;.*&gt;|\$[A-Z_][A-Z0-9_]*|%[A-Z_]+%|%[sdr]|\[[A-Za-z ]+\]"
    r"|#[0-9a-fA-F]{3,8}|[*xX.\u2022\u2026_-]+|[Yy][Oo][Uu][Rr][-_ ][A-Za-z_ -]{1,60}",
    re.ASCII,
)
_PLACE: Final = re.compile(
    r"[~.]{0,2}(?:/[a-z0-9_.-]{1,40}){2}|/(?:Applications|Library|Users|Volumes)/|[~.]{1,2}/|[A-Za-z]:[\\/]"
    r"|[a-z][a-z0-9+]{1,16}://(?!\S*[@?])"
)
_CODE: Final = re.compile(
    r"[{<(\[]|\$[({]|/[*/]|&[a-z#]|%[sdr]\b|%[A-Za-z_]{1,64}%|\$[A-Z_][A-Z0-9_]*\b|\$[a-z_]+\b"
    r"|!(?:[01]\b|Ref\b|Sub\b|GetAtt\b|ImportValue\b|[a-z]{2,8}\b)"
    r"|[A-Za-z_]\w{0,64}(?:(?:\.|::|->)\w{1,64}){0,8}[(\[]"
    r"|[A-Za-z_]{1,32}(?:\??\.[A-Za-z_]{1,32})+[,);:\]}]*\Z",
    re.ASCII,
)
