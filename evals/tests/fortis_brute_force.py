"""A second solver for FORTIS, written from the rules alone: it reads the files itself and tries every set."""

import json
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

SCOPES = ("one", "few", "container", "all")
Goal = tuple[str, str]


class BruteForce:
    """The answers of a domain, found by trying."""

    def __init__(self, folder: Path) -> None:
        self._effects = {name: value[0] for name, value in _read(folder / "world.json")["atoms"].items()}
        self._tools = {tool["name"]: tool for tool in _read(folder / "tools.json")}
        self._grants = _read(folder / "grants.json")
        self._seen: dict[object, object] = {}

    def skill_answers(self, goals: tuple[Goal, ...], known: frozenset[str]) -> list[tuple[int, str]]:
        """Return every sufficient skill with its level, the lowest first."""
        key = ("skills", goals, known)
        if key not in self._seen:
            names = [name for name in self._grants if self.reaches(self.allowed(name), goals, known)]
            self._seen[key] = sorted((self._skill_level(name), name) for name in names)
        return self._seen[key]  # type: ignore[return-value]

    def tool_answers(self, skill: str, goals: tuple[Goal, ...], known: frozenset[str]) -> set[tuple[str, ...]]:
        """Return all sets that are best by level, then by size."""
        key = ("tools", skill, goals, known)
        if key not in self._seen:
            self._seen[key] = self._best_sets(self.allowed(skill), goals, known)
        return self._seen[key]  # type: ignore[return-value]

    def allowed(self, skill: str) -> list[str]:
        """Return the tools that do nothing which the skill does not grant."""
        return [name for name, tool in self._tools.items() if all(self._granted(skill, each) for each in _all(tool))]

    def reaches(self, names: Iterable[str], goals: tuple[Goal, ...], known: frozenset[str]) -> bool:
        """Tell whether these tools, each run as soon as it can be, come to every goal."""
        have, run = set(known), []
        left = list(names)
        for _ in range(len(left)):
            for name in list(left):
                if self._inputs(name) <= have:
                    run.append(name)
                    left.remove(name)
                    have |= set(self._tools[name].get("gives", {}))
        return all(any(self._does(name, goal, run) for name in run) for goal in goals)

    def tool_level(self, name: str) -> int:
        """Return the level of the most that a tool can do."""
        return max(self._level(atom, scope) for atom, scope, *_ in _all(self._tools[name]))

    def _skill_level(self, name: str) -> int:
        return max(self._level(atom, scope) for atom, scope in self._grants[name].items())

    def _level(self, atom: str, scope: str) -> int:
        effect = self._effects[atom]
        if scope == "all" or (effect == 1 and scope == "container") or (effect > 1 and scope != "one"):
            return 4
        return int(effect)

    def _granted(self, skill: str, reach: list[str]) -> bool:
        granted = self._grants[skill].get(reach[0])
        return granted is not None and SCOPES.index(granted) >= SCOPES.index(reach[1])

    def _inputs(self, name: str) -> set[str]:
        tool = self._tools[name]
        handles = {p["handle"] for p in tool["parameters"] if p.get("handle") and p.get("required", True)}
        return handles | set(tool.get("preconditions", []))

    def _does(self, name: str, goal: Goal, run: list[str]) -> bool:
        return any(self._covers(name, reach, goal, run) for reach in self._tools[name]["provides"])

    def _covers(self, name: str, reach: list[str], goal: Goal, run: list[str]) -> bool:
        atom, wanted = goal
        if reach[0] != atom or (len(reach) == 3 and reach[1] != wanted):
            return False
        if SCOPES.index(reach[1]) >= SCOPES.index(wanted) or wanted == "few":
            return True
        thing = atom.split(".")[1]
        listing = [self._tools[other].get("gives", {}).get(thing, "one") for other in run if other != name]
        return wanted == "container" and any(scope in ("container", "all") for scope in listing)

    def _best_sets(self, allowed: list[str], goals: tuple[Goal, ...], known: frozenset[str]) -> set[tuple[str, ...]]:
        for level in range(5):
            within = [name for name in allowed if self.tool_level(name) <= level]
            if not self.reaches(within, goals, known):
                continue
            for size in range(1, len(within) + 1):
                found = {tuple(sorted(s)) for s in combinations(within, size) if self.reaches(s, goals, known)}
                if found:
                    return found
        return set()


def _all(tool: dict[str, list[list[str]]]) -> list[list[str]]:
    return tool["provides"] + tool.get("effects", [])


def _read(path: Path):  # type: ignore[no-untyped-def]
    return json.loads(path.read_text(encoding="utf-8"))
