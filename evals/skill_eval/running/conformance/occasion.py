"""The occasion to ask what an earlier run has asked: for adapters such as `replay`, which answer nothing else."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.sentinel import EXPECTED


@dataclass(frozen=True, slots=True)
class Occasion:
    """A case of a run: its prompt, the name of its skill, and its fixtures, relative to the skill's root."""

    prompt: str
    skill: str
    files: tuple[str, ...]


def recorded_occasion(arguments: Sequence[str]) -> Occasion | None:
    """Return a case that both modes of an earlier run have answered, when an argument is the folder of a run.

    Cases whose prompt occurs twice are left out, since their baselines could be mistaken for one
    another; skills that an argument names come first.
    """
    found = list(_answered(arguments))
    often = Counter(occasion.prompt for occasion in found)
    usable = [occasion for occasion in found if often[occasion.prompt] == 1]
    named = (occasion for occasion in usable if {occasion.skill, f"--skill={occasion.skill}"} & set(arguments))
    return next(named, usable[0] if usable else None)


def _answered(arguments: Sequence[str]) -> Iterator[Occasion]:
    """Yield each case once, whatever the number of its iterations."""
    cases = {(path.parts[-4], path.parts[-2]): path for path in _cases(arguments)}
    for (skill, _), path in cases.items():
        try:
            case = json.loads(path.read_bytes())
            if case["id"] not in EXPECTED:
                yield Occasion(str(case["prompt"]), skill, tuple(map(str, case["files"])))
        except (OSError, ValueError, KeyError, TypeError):
            continue


def _cases(arguments: Sequence[str]) -> Iterator[Path]:
    for folder in (Path(argument) for argument in arguments if Path(argument).is_dir()):
        for pattern in ("iteration-*/eval-*/case.json", "*/iteration-*/eval-*/case.json"):
            yield from (path for path in sorted(folder.absolute().glob(pattern), reverse=True) if _is_complete(path))


def _is_complete(case: Path) -> bool:
    modes = (Mode.WITH_SKILL, Mode.WITHOUT_SKILL)
    return all((case.parent / mode / "response.json").is_file() for mode in modes)
