"""The harness's own exceptions: what went wrong outside our code."""


class SkillEvalError(Exception):
    """Something the user can mend; `str()` is a message fit to be shown, without a full stop."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class ConfigError(SkillEvalError):
    """An option, a selection or a path that makes the command impossible."""


class AdapterError(SkillEvalError):
    """An adapter that is missing, failed, was too loud or broke the protocol."""


class AdapterTimeout(AdapterError):
    """An adapter that gave no answer within its time limit."""
