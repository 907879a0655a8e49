"""The rules on the fields that few skills have, and on those that the specification does not know."""

import re

from evals.skill_eval.reading.near_miss import near_miss
from evals.skill_eval.reading.quoting import quoted, visible
from evals.skill_eval.reading.skill_fields import described, expect_text
from evals.skill_eval.reading.text_findings import TextFindings
from evals.skill_eval.reading.yaml_nodes import Entry, Node, Scalar, YamlList, YamlMap

LONGEST_COMPATIBILITY = 500

_CLAUDE_CODE = (
    "agent",
    "argument-hint",
    "arguments",
    "context",
    "disable-model-invocation",
    "effort",
    "hooks",
    "model",
    "paths",
    "shell",
    "user-invocable",
    "when_to_use",
)
_TOOLS_HINT = "write the tools with blanks between them, `allowed-tools: Read Grep`: some agents read nothing else"
_IN_PARENTHESES = r"\([^()]*\)"


def check_optional_field(entry: Entry, absent: list[str], findings: TextFindings) -> None:
    """Report what is wrong with a field; one that is unknown may have been meant as one that is `absent`."""
    match entry.key.text:
        case "compatibility":
            _check_compatibility(entry.value, findings)
        case "metadata":
            _check_metadata(entry.value, findings)
        case "allowed-tools":
            _check_allowed_tools(entry.value, findings)
        case _:
            _report_unknown(entry.key, absent, findings)


def _check_compatibility(node: Node, findings: TextFindings) -> None:
    if isinstance(node, Scalar) and not node.text.strip():
        findings.add("SE174", node.place, "compatibility: empty", "say what the skill needs, or take the field out")
    elif expect_text("compatibility", "SE173", node, findings) and isinstance(node, Scalar):
        length = len(node.text.strip())
        if length > LONGEST_COMPATIBILITY:
            message = f"compatibility: {length} characters, at most {LONGEST_COMPATIBILITY} are allowed"
            findings.add("SE174", node.place, message)


def _check_metadata(node: Node, findings: TextFindings) -> None:
    if isinstance(node, Scalar) and node.kind == "null":
        findings.add("SE177", node.place, "metadata: empty", "give it entries, or take the field out")
    elif not isinstance(node, YamlMap):
        what = described(node) if isinstance(node, YamlList) else "text"
        findings.add("SE175", node.place, f"metadata: expected a map, found {what}", "write `key: value` lines")
    else:
        for entry in node.entries:
            _check_metadata_entry(entry, findings)


def _check_metadata_entry(entry: Entry, findings: TextFindings) -> None:
    key, value = entry.key, entry.value
    if key.kind != "str":
        message = f"metadata: expected text as key, found {described(key)}"
        findings.add("SE176", key.place, message, "put it in quotes")
    if not isinstance(value, Scalar) or value.kind != "str":
        message = f"metadata.{visible(key.text[:40])}: expected text, found {described(value)}"
        hint = "put it in quotes" if isinstance(value, Scalar) else "the specification maps text to text"
        findings.add("SE176", value.place, message, hint)


def _check_allowed_tools(node: Node, findings: TextFindings) -> None:
    if isinstance(node, YamlMap):
        findings.add("SE179", node.place, "allowed-tools: expected text, found a map", _TOOLS_HINT)
    elif isinstance(node, YamlList) or node.kind != "str":
        findings.add("SE178", node.place, f"allowed-tools: expected text, found {described(node)}", _TOOLS_HINT)
    elif "," in re.sub(_IN_PARENTHESES, "", node.text):
        findings.add("SE178", node.place, "allowed-tools: commas between the tools", _TOOLS_HINT)


def _report_unknown(key: Scalar, absent: list[str], findings: TextFindings) -> None:
    meant = near_miss(key.text, absent)
    if meant:
        findings.add("SE181", key.place, f"unknown field {quoted(key.text)}", f"did you mean `{meant}`?")
        return
    reader = ", but Claude Code reads it" if key.text in _CLAUDE_CODE else ""
    message = f"{quoted(key.text)} is no field of the specification{reader}"
    findings.add("SE180", key.place, message, "other readers ignore it; entries of your own belong below `metadata`")
