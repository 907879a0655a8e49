"""What a finding is known by from one commit to the next."""

import re
from collections import Counter
from collections.abc import Sequence

from evals.skill_eval.model.problem import Problem


def fingerprints(problems: Sequence[Problem]) -> list[str]:
    """Return a distinct hexadecimal digest for each finding that stays the same when lines move.

    It is made of code, path and message, the message without its numbers; equal ones are told
    apart by their order in the file.
    """
    from hashlib import sha256

    seen: Counter[str] = Counter()
    digests = []
    for problem in problems:
        subject = "\0".join((problem.code, problem.path, re.sub(r"\d+", "#", problem.message)))
        seen[subject] += 1
        digests.append(sha256(f"{subject}\0{seen[subject]}".encode("utf-8", "backslashreplace")).hexdigest())
    return digests
