"""What an adapter finds in its environment."""

from collections.abc import Mapping

# By these an agent knows that it was started inside another one, and behaves differently.
NESTED_AGENT_VARIABLES = (
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
)


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` without the variables that tell of an agent around the harness."""
    return {name: value for name, value in environment.items() if name not in NESTED_AGENT_VARIABLES}
