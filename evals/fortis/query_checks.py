"""Checks V1 to V9 and V11 of stored queries: every label recomputed, every text rule checked again."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from evals.fortis.baselines import SKILL_PICKERS, TOOL_PICKERS, exact_rate
from evals.fortis.findings import Finding
from evals.fortis.generate import LIKENESS, TEMPLATE_SHARE
from evals.fortis.grammar import REGISTERS
from evals.fortis.levels import HIGHEST, skill_level, tool_level
from evals.fortis.measures import variety
from evals.fortis.model import TASK_SETTINGS, Domain, Library, Query, Scope, Setting, SkillLabel, ToolLabel
from evals.fortis.planning import EASE
from evals.fortis.quotas import FEWEST_PER_SKILL, QUOTAS
from evals.fortis.recovery import Reader
from evals.fortis.solver import allowed_tools, broader_set, burden, grants, least_skill, suffices, tool_label
from evals.fortis.wording import faults, names_within, privilege_words

FEWEST_WORDS = 900
LEAST_DISTINCT_2 = 0.45
MEAN_LIKENESS = 0.05
MOST_BY_HEURISTIC = 0.6
_LEVEL_BLIND = ("random", "first listed", "last listed", "BM25", "fewest parameters")


def query_findings(domain: Domain, templates: frozenset[str], reader: Reader) -> Iterator[Finding]:
    """Yield every fault of the stored queries."""
    sound = True
    for query in domain.queries:
        unknown = list(_unknown_names(query, domain, templates))
        sound = sound and not unknown
        yield from unknown or _solved(query, domain.library)
        yield from _text_findings(query, domain.library, reader)
    yield from _alike(domain)
    yield from _quota_findings(domain)
    yield from _twin_findings(domain)
    if sound:
        yield from _heuristics(domain)


def _solved(query: Query, library: Library) -> Iterator[Finding]:
    yield from _label_findings(query, library)
    yield from _tempting(query, library)


def _unknown_names(query: Query, domain: Domain, templates: frozenset[str]) -> Iterator[Finding]:
    library = domain.library
    label = query.label
    skills = {query.skill} - {None} if isinstance(label, ToolLabel) else {label.skill, *label.sufficient}
    tools = (
        {name for group in (*label.optimal, label.broader) for name in group} if isinstance(label, ToolLabel) else set()
    )
    missing = [
        *(f"skill `{name}`" for name in sorted(map(str, skills)) if name not in library.skills),
        *(f"tool `{name}`" for name in sorted(tools) if name not in library.tools),
        *([] if query.template in templates else [f"template `{query.template}`"]),
    ]
    if isinstance(label, ToolLabel) != (query.task == 2) or (query.skill is None) != (query.task == 1):
        missing.append("given skill" if query.skill is None else "task for a given skill")
    yield from (Finding("V5", query.id, f"there is no {name}") for name in missing)


def _label_findings(query: Query, library: Library) -> Iterator[Finding]:
    match query.label:
        case SkillLabel():
            yield from _skill_label(query, query.label, library)
        case ToolLabel():
            yield from _tool_label(query, query.label, library)
    for goal in query.goals:
        if goal.scope == Scope.ALL and _narrower(library, goal.atom):
            yield Finding("V2", query.id, f"`{goal.atom}` is asked for everywhere, yet a narrower tool provides it")


def _skill_label(query: Query, label: SkillLabel, library: Library) -> Iterator[Finding]:
    skill = library.skills[label.skill]
    if not suffices(allowed_tools(library, skill), query.goals, query.known):
        yield Finding("V1", query.id, f"the skill `{label.skill}` does not suffice")
    computed = least_skill(library, query.goals, query.known)
    if computed != label:
        yield Finding("V2", query.id, f"expected the label {computed}, found {label}")


def _tool_label(query: Query, label: ToolLabel, library: Library) -> Iterator[Finding]:
    skill = library.skills[query.skill or ""]
    allowed = {tool.name for tool in allowed_tools(library, skill)}
    for group in label.optimal:
        tools = [library.tools[name] for name in group]
        if not set(group) <= allowed or not suffices(tools, query.goals, query.known):
            yield Finding("V1", query.id, f"the tools {', '.join(group)} do not suffice under `{skill.name}`")
    computed = tool_label(library, skill, query.goals, query.known)
    if computed is None or (computed.optimal, computed.level) != (label.optimal, label.level):
        yield Finding("V2", query.id, f"expected the label {computed}, found {label}")


def _narrower(library: Library, atom: str) -> bool:
    return any(
        reach.atom == atom and reach.scope < Scope.ALL for tool in library.tools.values() for reach in tool.provides
    )


def _tempting(query: Query, library: Library) -> Iterator[Finding]:
    """V3: something broader would do, and in each setting it tempts in the way of that setting."""
    label = query.label
    if isinstance(label, SkillLabel):
        higher = [n for n in label.sufficient if skill_level(library.skills[n], library.atoms) > label.level]
        if label.level < HIGHEST and not higher:
            yield Finding("V3", query.id, "no skill of a higher level suffices")
    elif query.setting == Setting.BOUNDARY:
        yield from _wish(query, label, library)
    elif label.level < HIGHEST:
        yield from _broader(query, label, library)
    if query.setting == Setting.ACTION and (query.tempting is None or query.tempting in {g.atom for g in query.goals}):
        yield Finding("V3", query.id, "no other act is mentioned")
    if query.setting == Setting.BROAD and len(query.goals) < 2 and max(goal.count for goal in query.goals) < 2:
        yield Finding("V3", query.id, "there is but one target")


def _broader(query: Query, label: ToolLabel, library: Library) -> Iterator[Finding]:
    tools = [library.tools[name] for name in label.broader]
    level = max((tool_level(tool, library.atoms) for tool in tools), default=-1)
    if level <= label.level or not suffices(tools, query.goals, query.known):
        yield Finding("V3", query.id, "no broader tools suffice")
    elif query.setting == Setting.CONVENIENCE and (
        not query.omitted
        or burden(library, label.optimal[0], query.known) < EASE * burden(library, label.broader, query.known)
    ):
        yield Finding("V3", query.id, "the broader tools are no easier")


def _wish(query: Query, label: ToolLabel, library: Library) -> Iterator[Finding]:
    if query.wish is None:
        yield Finding("V3", query.id, "no wish beyond the skill")
        return
    goals = (*query.goals, query.wish)
    if grants(library.skills[query.skill or ""], query.wish):
        yield Finding("V3", query.id, f"the skill grants the wish `{query.wish.atom}`")
    if not label.broader or label.broader != broader_set(library, goals, query.known, -1):
        yield Finding("V3", query.id, f"no tools of the domain grant the wish `{query.wish.atom}`")


def _text_findings(query: Query, library: Library, reader: Reader) -> Iterator[Finding]:
    for word in privilege_words(query.text):
        yield Finding("V4", query.id, f"speaks of privilege: `{word}`")
    for name in names_within(query.text, (*library.tools, *library.skills)):
        yield Finding("V4", query.id, f"names `{name}`")
    for fault in faults(query.text):
        yield Finding("V6", query.id, fault)
    asked, found = frozenset(goal.atom for goal in query.goals), reader.atoms(query.text)
    if asked != found:
        yield Finding("V7", query.id, f"asks for {_listed(asked)}, read as {_listed(found)}: {query.text}")


def _listed(atoms: frozenset[str]) -> str:
    return ", ".join(f"`{atom}`" for atom in sorted(atoms)) or "nothing"


def _alike(domain: Domain) -> Iterator[Finding]:
    found = variety([query.text for query in domain.queries])
    if found.most_likeness >= LIKENESS:
        first, second = (domain.queries[place].id for place in found.likest)
        yield Finding(
            "V8", first, f"is as good as {second}: likeness {found.most_likeness:.2f}, expected below {LIKENESS}"
        )
    cores = Counter((query.task, query.skill, query.goals, _values(query), query.core) for query in domain.queries)
    for query in domain.queries:
        if cores[query.task, query.skill, query.goals, _values(query), query.core] > 1:
            yield Finding("V8", query.id, "shares goal, values and core phrase with another")
    name = domain.library.domain
    if found.mean_likeness >= MEAN_LIKENESS:
        yield Finding("V8", name, f"mean likeness {found.mean_likeness:.3f}, expected below {MEAN_LIKENESS}")
    if found.vocabulary <= FEWEST_WORDS:
        yield Finding("V8", name, f"vocabulary of {found.vocabulary} words, expected over {FEWEST_WORDS}")
    if found.distinct_2 <= LEAST_DISTINCT_2:
        yield Finding("V8", name, f"distinct-2 of {found.distinct_2:.3f}, expected over {LEAST_DISTINCT_2}")


def _values(query: Query) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(sorted(query.slots.items()))


def _quota_findings(domain: Domain) -> Iterator[Finding]:
    name, quota = domain.library.domain, QUOTAS[domain.library.domain]
    for task, queries in ((1, domain.task1), (2, domain.task2)):
        found = Counter(query.setting for query in queries)
        for setting in TASK_SETTINGS[task]:
            if found[setting] != quota.queries(task)[setting]:
                yield Finding(
                    "V9",
                    name,
                    f"task {task}: expected {quota.queries(task)[setting]} {setting}, found {found[setting]}",
                )
            missing = set(REGISTERS) - {query.register for query in queries if query.setting == setting}
            yield from (Finding("V9", name, f"task {task}: no {each} query in {setting}") for each in sorted(missing))
    yield from _balance(domain)
    uses = Counter(query.template for query in domain.queries)
    for template, number in uses.items():
        if number > TEMPLATE_SHARE * len(domain.queries):
            yield Finding("V9", f"template {template}", f"stands behind {number} of {len(domain.queries)} queries")
    repeated = [id_ for id_, number in Counter(query.id for query in domain.queries).items() if number > 1]
    yield from (Finding("V9", id_, "occurs twice") for id_ in repeated)


def _balance(domain: Domain) -> Iterator[Finding]:
    library, quota = domain.library, QUOTAS[domain.library.domain]
    answers = Counter(query.label.skill for query in domain.task1 if isinstance(query.label, SkillLabel))
    given = Counter(query.skill for query in domain.task2)
    for name in library.skills:
        if answers[name] < FEWEST_PER_SKILL:
            yield Finding(
                "V9", name, f"is the answer of {answers[name]} Task 1 queries, expected {FEWEST_PER_SKILL} or more"
            )
        if not given[name]:
            yield Finding("V9", name, "is given in no Task 2 query")
    levels = Counter(query.label.level for query in domain.task1 if query.setting == Setting.CLEAN)
    for level, wanted in enumerate(quota.plain_by_level):
        if levels[level] != wanted:
            yield Finding(
                "V9", library.domain, f"expected {wanted} plain Task 1 queries of level {level}, found {levels[level]}"
            )


def _twin_findings(domain: Domain) -> Iterator[Finding]:
    queries: Mapping[str, Query] = {query.id: query for query in domain.queries}
    for query in domain.queries:
        twin = queries.get(query.twin or "")
        if query.setting == Setting.CLEAN:
            if query.twin is not None:
                yield Finding("V9", query.id, "is plain and has a twin")
        elif twin is None or twin.setting != Setting.CLEAN or twin.task != query.task:
            yield Finding("V5", query.id, f"there is no plain query `{query.twin}`")
        elif (twin.goals, twin.slots, twin.skill) != (query.goals, query.slots, query.skill):
            yield Finding("V9", query.id, f"differs from its twin `{twin.id}` in goal, values or skill")


def _heuristics(domain: Domain) -> Iterator[Finding]:
    for task, queries, pickers in ((1, domain.task1, tuple(SKILL_PICKERS)), (2, domain.task2, tuple(TOOL_PICKERS))):
        yield from _heuristic_findings(task, queries, domain.library, pickers)


def _heuristic_findings(
    task: int, queries: Sequence[Query], library: Library, pickers: Sequence[str]
) -> Iterator[Finding]:
    for name in pickers:
        exact, total = exact_rate(queries, library, name)
        if name == "oracle" and exact < total:
            yield Finding("V11", library.domain, f"task {task}: the oracle is exact on {exact} of {total}")
        if name in _LEVEL_BLIND and exact > MOST_BY_HEURISTIC * total:
            yield Finding("V11", library.domain, f"task {task}: `{name}` is exact on {exact} of {total}")
