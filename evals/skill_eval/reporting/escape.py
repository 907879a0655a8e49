"""Text of models and files made safe for a terminal and for the log of a CI runner.

No control character, no terminal escape, no change of writing direction, no invisible character,
no lone surrogate, and no line that a CI runner takes for a command (`::error::`, `##[group]`).
What is dangerous is shown as a Python escape; safe text comes back unchanged, and escaping twice
is the same as escaping once.
"""

import re

from evals.skill_eval.reading.quoting import visible

# GitHub obeys `::` after any white space at the start of a line, and `##[` anywhere in it;
# Azure and TeamCity obey `##vso[` and `##teamcity[`.
_LEADING_COMMAND = r"^(\s*):(?=:)"
_HASH_COMMAND = r"##(?=\w*\[)"
_LINE_END = r"\r?\n"


def escape_line(text: str) -> str:
    """Return `text` as one safe line; a line break becomes the two characters `\\n`."""
    return re.sub(_HASH_COMMAND, r"#\\x23", re.sub(_LEADING_COMMAND, r"\1\\x3a", visible(text)))


def escape_block(text: str) -> str:
    """Return `text` with its line breaks kept (as `\\n`) and every line safe."""
    return "\n".join(escape_line(line) for line in re.split(_LINE_END, text))


def escaped_json(value: object) -> str:
    """Return `value` as ASCII JSON, indented by two, of which no line is a command either."""
    import json

    return json.dumps(value, indent=2).replace("##", r"#\u0023")  # `#` stands only in strings, where this is a `#`


def encodable(text: str) -> str:
    """Return `text` with lone surrogates, such as those of undecodable file names, escaped, and nothing else."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
