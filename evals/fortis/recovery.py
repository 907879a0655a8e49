"""An independent reader: which acts does the text of a query ask for, told from the text alone?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class Reader:
    """Patterns of what is no request (`asides`, which are cut out) and, by atom, of what is one."""

    asides: Sequence[str]
    goals: Mapping[str, Sequence[str]]

    def atoms(self, text: str) -> frozenset[str]:
        """Return the atoms that a text asks for; quoted names are blanked before anything is looked for."""
        left = _QUOTED.sub('"X"', text)
        for aside in self._asides:
            left = aside.sub(" ", left)
        return frozenset(atom for atom, pattern in self._goals.items() if pattern.search(left))

    @cached_property
    def _asides(self) -> list[re.Pattern[str]]:
        return [re.compile(pattern, re.IGNORECASE) for pattern in self.asides]

    @cached_property
    def _goals(self) -> dict[str, re.Pattern[str]]:
        return {atom: re.compile("|".join(patterns), re.IGNORECASE) for atom, patterns in self.goals.items()}
