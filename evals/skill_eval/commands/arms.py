"""What else stands beside a comparison: an older skill as the baseline, controls, sentinels."""

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.sentinel import SENTINELS
from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.model.trial import GivenSkill
from evals.skill_eval.reading.file_copies import load_archive, load_skill
from evals.skill_eval.running.material import Material, with_modes

_PLACEBO_NAME = "house-plants"
_PLACEBO_HEAD = f"""---
name: {_PLACEBO_NAME}
description: Advice on the care of common house plants. Use when somebody asks about water, light or soil.
---

# House plants

"""
_PLACEBO_LINES = (
    "- Water a fern when the top of its soil feels dry to the finger.\n",
    "- Turn the pot a quarter round each week, so that all sides get light.\n",
    "- A cactus rests in winter and then wants almost no water.\n",
    "- Repot in spring, into a pot two fingers wider than the old one.\n",
    "- Wipe dust from broad leaves with a damp cloth.\n",
)


def with_controls(material: Material, args: Namespace, repository: Path) -> Material:
    """Return `material` with the baseline, control arms and sentinels that the options ask for.

    Raises ConfigError when the older skill cannot be had.
    """
    old = _old_skill(material, args, repository)
    baseline = Mode.WITHOUT_SKILL if old is None else Mode.OLD_SKILL
    modes: dict[Mode, GivenSkill | None] = {} if old is None else {Mode.OLD_SKILL: old}
    modes |= _controls(material, args.control, old)
    changed = with_modes(material, modes, baseline)
    return _with_sentinels(changed) if args.sentinels else changed


def _controls(material: Material, wanted: list[str], old: GivenSkill | None) -> Mapping[Mode, GivenSkill | None]:
    modes: dict[Mode, GivenSkill | None] = {}
    if "aa" in wanted:
        modes[Mode.OLD_CONTROL if old else Mode.CONTROL] = old
    if "placebo" in wanted and old:
        message = "`--control placebo` shows what any skill does beside none; an older skill does not go with it"
        raise ConfigError(message, hint="use `--control aa`, or compare with no skill")
    if "placebo" in wanted:
        modes[Mode.PLACEBO] = _placebo(material)
    return modes


def _placebo(material: Material) -> GivenSkill:
    """Return a skill about something else, with a SKILL.md of the same number of bytes."""
    given = material.given[Mode.WITH_SKILL]
    size = next(len(file.content) for file in given.files if file.path == "SKILL.md") if given else 0
    lines = _PLACEBO_LINES * (max(0, size - len(_PLACEBO_HEAD)) // len("".join(_PLACEBO_LINES)) + 1)
    text = (_PLACEBO_HEAD + "".join(lines))[: max(size, len(_PLACEBO_HEAD))]
    return GivenSkill(_PLACEBO_NAME, (FileCopy("SKILL.md", text.encode()),))


def _with_sentinels(material: Material) -> Material:
    inputs = {**material.inputs, **{case.id: () for case in SENTINELS}}
    return replace(material, cases=(*SENTINELS, *material.cases), inputs=inputs)


def _old_skill(material: Material, args: Namespace, repository: Path) -> GivenSkill | None:
    if args.baseline_skill is not None:
        if not args.baseline_skill.is_dir():
            raise ConfigError(f"`{args.baseline_skill}`, the older skill, is no folder")
        return _given(material.skill, load_skill(args.baseline_skill), str(args.baseline_skill))
    if args.baseline_ref is None:
        return None
    shown = f"{args.baseline_ref}:{material.folder}"
    return _given(material.skill, load_archive(_archive(Path(material.folder), args.baseline_ref), shown), shown)


def _given(skill: str, files: tuple[FileCopy, ...], shown: str) -> GivenSkill:
    if all(file.path != "SKILL.md" for file in files):
        raise ConfigError(f"`{shown}` holds no SKILL.md to compare with")
    return GivenSkill(skill, files)


def _archive(skill: Path, ref: str) -> bytes:
    """Return a tar of the folder at `ref`; the work tree and the index are left alone."""
    from subprocess import run

    if ref.startswith("-"):
        raise ConfigError(f"`{ref}` is no commit")
    try:
        done = run(["git", "archive", "--format=tar", ref], cwd=skill, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise ConfigError("`--baseline-ref` needs git, which is not on PATH") from error
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip().splitlines()
        raise ConfigError(
            f"git has no `{skill.name}` at `{ref}`: {message[-1] if message else 'no reason given'}",
            hint="a new skill has no older version: choose the others by `--skill`, and run it without a baseline ref",
        )
    return done.stdout
