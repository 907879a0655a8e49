"""Trigger sets: queries that only ask whether the skill is loaded. They are counted, never run."""

TRIGGER_NAMES = frozenset(
    f"{name}.json"
    for name in (
        "trigger-eval",
        "trigger-evals",
        "trigger_eval",
        "trigger_evals",
        "trigger-queries",
        "trigger_queries",
        "triggers",
        "eval_queries",
        "eval-set",
        "eval_set",
    )
)


def trigger_count(root: object) -> int | None:
    """Return how many queries a set has that only asks whether the skill is loaded, or None when it is another."""
    if isinstance(root, dict):
        both = [root[key] for key in ("should_trigger", "should_not_trigger") if isinstance(root.get(key), list)]
        if both and "evals" not in root:
            return sum(len(queries) for queries in both)
        lists = [root[key] for key in ("evals", "cases", "queries") if isinstance(root.get(key), list)]
        return trigger_count(lists[0]) if len(lists) == 1 else None
    if isinstance(root, list) and root and all(_is_trigger(item) for item in root):
        return len(root)
    return None


def _is_trigger(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("should_trigger"), bool):
        return False
    from evals.skill_eval.reading.dialects import GRADED_KEYS, PROMPT_KEYS

    asks = any(isinstance(item.get(key), str) for key in PROMPT_KEYS)
    return asks and item.keys().isdisjoint(GRADED_KEYS)
