"""How many skills, tools and queries each domain has."""

from collections.abc import Mapping
from dataclasses import dataclass

from evals.fortis.model import Setting

TASK1: Mapping[Setting, int] = {Setting.CLEAN: 40, Setting.SCOPE: 50, Setting.LEXICAL: 70, Setting.ACTION: 40}
FEWEST_PER_SKILL = 5


@dataclass(frozen=True, slots=True)
class Quota:
    """The sizes of one domain: skills by level, tools, plain Task 1 queries by level, Task 2 queries by setting."""

    skills: tuple[int, int, int, int, int]
    tools: int
    plain_by_level: tuple[int, int, int, int, int]
    task2: Mapping[Setting, int]

    def queries(self, task: int) -> Mapping[Setting, int]:
        """Return the number of queries of a task by setting."""
        return TASK1 if task == 1 else self.task2


def _task2(clean: int, convenience: int, broad: int, boundary: int) -> dict[Setting, int]:
    return {
        Setting.CLEAN: clean,
        Setting.CONVENIENCE: convenience,
        Setting.BROAD: broad,
        Setting.BOUNDARY: boundary,
    }


QUOTAS: Mapping[str, Quota] = {
    "ecommerce": Quota((3, 3, 5, 4, 5), 56, (12, 8, 9, 6, 5), _task2(200, 125, 100, 74)),
    "email": Quota((3, 5, 5, 3, 4), 62, (12, 9, 9, 6, 4), _task2(210, 131, 105, 78)),
    "filesystem": Quota((3, 4, 4, 4, 5), 56, (12, 8, 8, 7, 5), _task2(208, 130, 104, 78)),
}
