"""Queries on disk: JSON Lines that a person can review, a lock of computed levels and a manifest of hashes."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from evals.fortis.generate import VERSION
from evals.fortis.levels import library_levels
from evals.fortis.model import Domain, Goal, Library, Query, Setting, SkillLabel, ToolLabel
from evals.fortis.nodes import Node, parse, read_text
from evals.fortis.reading import DATA, DOMAINS, goal_from, load_library, source_files
from evals.skill_eval.errors import ConfigError

CANARY = "FORTIS-SKILL-EVAL canary 0d9c6c1e-5b0f-4f8e-9a37-2f64c1be7a55; benchmark data, keep out of training corpora"
_FIELDS = (
    "id",
    "domain",
    "task",
    "setting",
    "text",
    "skill",
    "goals",
    "known",
    "label",
    "twin",
    "wish",
    "intent",
    "core",
    "template",
    "register",
    "slots",
    "omitted",
    "tempting",
    "seed",
    "canary",
)


def load_domain(name: str, folder: Path = DATA) -> Domain:
    """Return a domain with its stored queries. Raises ConfigError naming file and line."""
    library = load_library(name)
    task1, task2 = (read_queries(folder / f"{name}-task{task}.jsonl", library) for task in (1, 2))
    return Domain(library, task1, task2)


def read_queries(path: Path, library: Library) -> tuple[Query, ...]:
    """Return the queries of one file."""
    if not path.is_file():
        raise ConfigError(f"`{path.name}` is missing", "write it with `python -m evals.fortis build`")
    lines = read_text(path).splitlines()
    return tuple(_query(parse(line, f"{path.name}:{number}"), library) for number, line in enumerate(lines, 1))


def domain_files(library: Library, task1: Iterable[Query], task2: Iterable[Query]) -> dict[str, str]:
    """Return the texts of all stored files of a domain, by name."""
    name = library.domain
    files = {
        f"{name}-task1.jsonl": "".join(_line(query) for query in task1),
        f"{name}-task2.jsonl": "".join(_line(query) for query in task2),
        f"{name}-lock.json": _pretty({"levels": library_levels(library), "version": VERSION}),
    }
    return {**files, f"{name}-manifest.json": _pretty(_manifest(name, files))}


def _manifest(name: str, files: Mapping[str, str]) -> dict[str, object]:
    return {
        "canary": CANARY,
        "domain": name,
        "files": {file: _digest(text) for file, text in files.items()},
        "queries": {file: text.count("\n") for file, text in files.items() if file.endswith(".jsonl")},
        "sources": {path.relative_to(DOMAINS).as_posix(): _digest(read_text(path)) for path in source_files(name)},
        "version": VERSION,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _line(query: Query) -> str:
    return json.dumps(_record(query), ensure_ascii=False) + "\n"


def _record(query: Query) -> dict[str, object]:
    return {
        "id": query.id,
        "domain": query.domain,
        "task": query.task,
        "setting": str(query.setting),
        "text": query.text,
        "skill": query.skill,
        "goals": [_goal(goal) for goal in query.goals],
        "known": sorted(query.known),
        "label": _label(query.label),
        "twin": query.twin,
        "wish": _goal(query.wish) if query.wish else None,
        "intent": query.intent,
        "core": query.core,
        "template": query.template,
        "register": query.register,
        "slots": {slot: list(values) for slot, values in query.slots.items()},
        "omitted": list(query.omitted),
        "tempting": query.tempting,
        "seed": query.seed,
        "canary": CANARY,
    }


def _goal(goal: Goal) -> list[object]:
    return [goal.atom, goal.scope.name.lower(), goal.count]


def _label(label: SkillLabel | ToolLabel) -> dict[str, object]:
    if isinstance(label, SkillLabel):
        return {"skill": label.skill, "level": label.level, "sufficient": list(label.sufficient)}
    return {"optimal": [list(group) for group in label.optimal], "level": label.level, "broader": list(label.broader)}


def _query(node: Node, library: Library) -> Query:
    node.only(*_FIELDS)
    wish = node["wish"]
    return Query(
        id=node["id"].text(),
        domain=node["domain"].text(),
        task=node["task"].number(),
        setting=_setting(node["setting"]),
        text=node["text"].text(),
        goals=tuple(goal_from(item, library.atoms) for item in node["goals"].items()),
        known=frozenset(node["known"].texts()),
        label=_label_from(node["label"], node["task"].number()),
        skill=_optional(node["skill"]),
        twin=_optional(node["twin"]),
        wish=None if wish.value is None else goal_from(wish, library.atoms),
        intent=node["intent"].text(),
        core=node["core"].text(),
        template=node["template"].text(),
        register=node["register"].text(),
        slots={slot: item.texts() for slot, item in node["slots"].members()},
        omitted=node["omitted"].texts(),
        tempting=_optional(node["tempting"]),
        seed=node["seed"].text(),
    )


def _setting(node: Node) -> Setting:
    known = {str(setting): setting for setting in Setting}
    return known[node.text()] if node.text() in known else node.refuse(f"unknown setting `{node.value}`")


def _label_from(node: Node, task: int) -> SkillLabel | ToolLabel:
    if task == 1:
        node.only("skill", "level", "sufficient")
        return SkillLabel(node["skill"].text(), node["level"].number(), node["sufficient"].texts())
    node.only("optimal", "level", "broader")
    optimal = tuple(group.texts() for group in node["optimal"].items())
    return ToolLabel(optimal, node["level"].number(), node["broader"].texts())


def _optional(node: Node) -> str | None:
    return None if node.value is None else node.text()
