"""What an adapter finds in its environment."""

from collections.abc import Mapping

from evals.skill_eval.running.conditions import Conditions

# By these an agent knows that it was started inside another one, and behaves differently.
NESTED_AGENT_VARIABLES = frozenset(
    {
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CURSOR_AGENT",
        "GEMINI_CLI",
        "OPENCODE",
        "COPILOT_CLI",
        "GOOSE_TERMINAL",
        "AGENT_SESSION_ID",
    }
)
_KEPT = ("PATH", "LANG", "LANGUAGE", "TZ", "SYSTEMROOT", "PATHEXT", "COMSPEC")
HOMES = {
    "HOME": "",
    "USERPROFILE": "",
    "XDG_CONFIG_HOME": "/.config",
    "XDG_CACHE_HOME": "/.cache",
    "XDG_DATA_HOME": "/.local/share",
    "XDG_STATE_HOME": "/.local/state",
}
"""Where programs keep what is the user's, by variable, and where that is in an empty home."""

_PLACES = {**HOMES, "TMPDIR": "/tmp"}


def adapter_environment(environment: Mapping[str, str], conditions: Conditions, home: str | None) -> dict[str, str]:
    """Return what the adapter inherits of `environment`; `home` is the empty home of a clean one."""
    if home is None:
        return {name: value for name, value in environment.items() if name not in NESTED_AGENT_VARIABLES}
    passed = {*_KEPT, *conditions.passed_variables}
    kept = {name: value for name, value in environment.items() if name in passed or name.startswith("LC_")}
    homes = {name: home + below for name, below in _PLACES.items() if name not in conditions.passed_variables}
    return kept | homes
