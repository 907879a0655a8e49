"""The harness's own version, as changelog, artifacts and `--version` name it."""

VERSION = "0.1.0"
