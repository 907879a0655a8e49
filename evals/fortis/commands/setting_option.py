"""The option that says which settings are meant, by their short or long names."""

from argparse import ArgumentTypeError

from evals.fortis.model import Setting
from evals.fortis.selection import SHORT_NAMES

SETTINGS_HELP = f"one of {', '.join(f'{short} ({setting})' for setting, short in SHORT_NAMES.items())}"


def setting_name(text: str) -> Setting:
    """Return the setting of a name, short or long."""
    for setting, short in SHORT_NAMES.items():
        if text.casefold() in (short.casefold(), str(setting)):
            return setting
    raise ArgumentTypeError(f"expected one of {', '.join(SHORT_NAMES.values())}, found `{text}`")
