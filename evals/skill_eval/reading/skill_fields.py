"""The rules on the fields of a SKILL.md: https://agentskills.io/specification, and what readers make of it."""

import re

from evals.skill_eval.reading.frontmatter import Frontmatter
from evals.skill_eval.reading.near_miss import near_miss
from evals.skill_eval.reading.quoting import quoted, visible
from evals.skill_eval.reading.text_findings import Place, TextFindings
from evals.skill_eval.reading.yaml_nodes import Entry, Node, Scalar, YamlList, YamlMap

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500

_KNOWN = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
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
_PLAIN_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_BOOLEAN_OF_YAML_1_1 = re.compile(r"(?i)y|n|yes|no|on|off")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
_KINDS = {"null": "nothing", "bool": "a boolean", "int": "a number", "float": "a number", "date": "a date"}


def check_fields(frontmatter: Frontmatter, directory_name: str | None, findings: TextFindings) -> None:
    """Report what is wrong with the fields; the name has to be `directory_name` unless that is None."""
    fields = frontmatter.fields
    if fields is None:
        return
    absent = [known for known in _KNOWN if fields.get(known) is None and known not in frontmatter.unread]
    for required, code in (("name", "SE150"), ("description", "SE165")):
        if required in absent:
            findings.add(code, (1, 1), f"{required}: missing", f"add a line `{required}: ...` to the frontmatter")
    for entry in fields.entries:
        _check_field(entry, absent, directory_name, findings)


def text_of(frontmatter: Frontmatter, field: str) -> str | None:
    """Return the trimmed text of a field that says something, else None."""
    node = frontmatter.fields.get(field) if frontmatter.fields else None
    return node.text.strip() or None if isinstance(node, Scalar) else None


def is_safe_name(name: str) -> bool:
    """Tell whether a name can be a part of a path, valid or not."""
    return len(name) <= LONGEST_NAME and name[0] != "-" and name.replace("-", "").isalnum()


def _check_field(entry: Entry, absent: list[str], directory_name: str | None, findings: TextFindings) -> None:
    match entry.key.text:
        case "name":
            _check_name(entry.value, directory_name, findings)
        case "description":
            _check_description(entry.value, findings)
        case "license":
            _expect_text("license", "SE172", entry.value, findings)
        case "compatibility":
            _check_compatibility(entry.value, findings)
        case "metadata":
            _check_metadata(entry.value, findings)
        case "allowed-tools":
            _check_allowed_tools(entry.value, findings)
        case _:
            _report_unknown(entry.key, absent, findings)


def _place(node: Node) -> Place:
    return node.line, node.column


def _described(node: Node) -> str:
    """Say what YAML makes of a node that should be text."""
    if isinstance(node, Scalar):
        return f"{quoted(node.text)}, which is {_KINDS[node.kind]} to YAML" if node.text else "nothing"
    return "a list" if isinstance(node, YamlList) else "a map"


def _expect_text(field: str, code: str, node: Node, findings: TextFindings) -> bool:
    """Tell whether a node is text; report a list or map with `code`, other values as a warning."""
    if not isinstance(node, Scalar):
        findings.add(code, _place(node), f"{field}: expected text, found {_described(node)}")
        return False
    if node.kind != "str":
        hint = "put it in quotes" if node.text else "give it a value, or take the field out"
        findings.add("SE182", _place(node), f"{field}: expected text, found {_described(node)}", hint)
    return True


# name


def _check_name(node: Node, directory_name: str | None, findings: TextFindings) -> None:
    if not isinstance(node, Scalar):
        findings.add("SE151", _place(node), f"name: expected text, found {_described(node)}")
        return
    name = node.text.strip()
    if not name:
        findings.add("SE154", _place(node), "name: empty")
        return
    _check_name_type(node, name, findings)
    if name != node.text and node.style in ("single", "double"):
        findings.add("SE155", _place(node), "name: blanks around it", "take them out")
    if len(name) > LONGEST_NAME:
        message = f"name: {len(name)} characters, at most {LONGEST_NAME} are allowed"
        findings.add("SE156", _place(node), message)
    composed = name if name.isascii() else _check_letters(name, _place(node), findings)
    if not _PLAIN_NAME.fullmatch(composed):
        _check_name_form(composed, _place(node), findings)
    if directory_name is not None and composed != _composed(directory_name):
        message = f"name: {quoted(name)} is not the name of its folder, {quoted(directory_name)}"
        findings.add("SE161", _place(node), message, "rename one of them")


def _check_name_type(node: Scalar, name: str, findings: TextFindings) -> None:
    if node.kind != "str":
        message = f"name: expected text, found {_described(node)}"
        findings.add("SE152", _place(node), message, f'put it in quotes: `name: "{name}"`')
    elif node.style == "plain" and _BOOLEAN_OF_YAML_1_1.fullmatch(name):
        message = f"name: {quoted(name)} is a boolean to readers of YAML 1.1"
        findings.add("SE153", _place(node), message, f'put it in quotes: `name: "{name}"`')


def _composed(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize  # slow to load, and hardly ever needed

    return normalize("NFC", text)


def _check_letters(name: str, place: Place, findings: TextFindings) -> str:
    """Check a name beyond ASCII; return its composed form."""
    from unicodedata import normalize

    composed = normalize("NFC", name)
    compatible = normalize("NFKC", composed)
    if compatible != composed:
        message = f"name: {quoted(name)} has look-alikes of other characters, readers take it for {quoted(compatible)}"
        findings.add("SE162", place, message, f"write {quoted(compatible)}")
    elif composed.replace("-", "").isalnum() and composed == composed.lower():
        message = f"name: {quoted(name)} has letters other than a to z"
        findings.add("SE163", place, message, "use a to z, 0 to 9 and hyphens: some agents refuse others")
    return composed


def _check_name_form(name: str, place: Place, findings: TextFindings) -> None:
    if name != name.lower():
        findings.add("SE157", place, f"name: {quoted(name)} has upper-case letters", f"write {quoted(name.lower())}")
    strange = [quoted(character) for character in dict.fromkeys(name) if character != "-" and not character.isalnum()]
    if strange:
        message = f"name: {quoted(name)} contains {', '.join(strange[:5])}"
        findings.add("SE158", place, message, "use lower-case letters, digits and hyphens")
    if name[0] == "-" or name[-1] == "-":
        findings.add("SE159", place, f"name: {quoted(name)} begins or ends with a hyphen")
    if "--" in name:
        findings.add("SE160", place, f"name: {quoted(name)} has two hyphens in a row")


# description


def _check_description(node: Node, findings: TextFindings) -> None:
    if not isinstance(node, Scalar):
        findings.add("SE166", _place(node), f"description: expected text, found {_described(node)}")
        return
    description = node.text.strip()
    if not description:
        findings.add("SE167", _place(node), "description: empty", "say what the skill does and when to use it")
    elif node.kind != "str" or (node.style == "plain" and _BOOLEAN_OF_YAML_1_1.fullmatch(description)):
        what = _described(node) if node.kind != "str" else f"{quoted(description)}, a boolean to readers of YAML 1.1"
        findings.add("SE152", _place(node), f"description: expected text, found {what}", "put it in quotes")
    else:
        _check_description_text(description, _place(node), findings)


def _check_description_text(description: str, place: Place, findings: TextFindings) -> None:
    if len(description) > LONGEST_DESCRIPTION:
        message = f"description: {len(description)} characters, at most {LONGEST_DESCRIPTION} are allowed"
        findings.add("SE168", place, message, "shorten it; details belong below the frontmatter")
    elif len(description) * 2 > LONGEST_DESCRIPTION and _utf_16_units(description) > LONGEST_DESCRIPTION:
        message = f"description: {_utf_16_units(description)} UTF-16 units, some agents refuse more than "
        findings.add("SE169", place, f"{message}{LONGEST_DESCRIPTION}", "shorten it")
    if tag := _TAG.search(description):
        message = f"description: {quoted(tag[0])} looks like a tag"
        findings.add("SE170", place, message, "write it without angle brackets: some agents refuse them")
    if control := _CONTROL.search(description):
        message = f"description: contains the control character U+{ord(control[0]):04X}"
        findings.add("SE171", place, message, "take the escape out")


def _utf_16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


# The optional fields


def _check_compatibility(node: Node, findings: TextFindings) -> None:
    if isinstance(node, Scalar) and not node.text.strip():
        findings.add("SE174", _place(node), "compatibility: empty", "say what the skill needs, or take the field out")
    elif _expect_text("compatibility", "SE173", node, findings) and isinstance(node, Scalar):
        length = len(node.text.strip())
        if length > LONGEST_COMPATIBILITY:
            message = f"compatibility: {length} characters, at most {LONGEST_COMPATIBILITY} are allowed"
            findings.add("SE174", _place(node), message)


def _check_metadata(node: Node, findings: TextFindings) -> None:
    if isinstance(node, Scalar) and node.kind == "null":
        findings.add("SE177", _place(node), "metadata: empty", "give it entries, or take the field out")
    elif not isinstance(node, YamlMap):
        what = _described(node) if isinstance(node, YamlList) else "text"
        findings.add("SE175", _place(node), f"metadata: expected a map, found {what}", "write `key: value` lines")
    else:
        for entry in node.entries:
            _check_metadata_entry(entry, findings)


def _check_metadata_entry(entry: Entry, findings: TextFindings) -> None:
    key, value = entry.key, entry.value
    if key.kind != "str":
        message = f"metadata: expected text as key, found {_described(key)}"
        findings.add("SE176", _place(key), message, "put it in quotes")
    if not isinstance(value, Scalar) or value.kind != "str":
        message = f"metadata.{visible(key.text[:40])}: expected text, found {_described(value)}"
        hint = "put it in quotes" if isinstance(value, Scalar) else "the specification maps text to text"
        findings.add("SE176", _place(value), message, hint)


def _check_allowed_tools(node: Node, findings: TextFindings) -> None:
    if isinstance(node, YamlMap):
        findings.add("SE179", _place(node), "allowed-tools: expected text, found a map", _TOOLS_HINT)
    elif isinstance(node, YamlList) or node.kind != "str":
        findings.add("SE178", _place(node), f"allowed-tools: expected text, found {_described(node)}", _TOOLS_HINT)
    elif "," in _IN_PARENTHESES.sub("", node.text):
        findings.add("SE178", _place(node), "allowed-tools: commas between the tools", _TOOLS_HINT)


_TOOLS_HINT = "write the tools with blanks between them, `allowed-tools: Read Grep`: some agents read nothing else"
_IN_PARENTHESES = re.compile(r"\([^()]*\)")


# Other fields


def _report_unknown(key: Scalar, absent: list[str], findings: TextFindings) -> None:
    meant = near_miss(key.text, absent)
    if meant:
        findings.add("SE181", _place(key), f"unknown field {quoted(key.text)}", f"did you mean `{meant}`?")
        return
    reader = ", but Claude Code reads it" if key.text in _CLAUDE_CODE else ""
    message = f"{quoted(key.text)} is no field of the specification{reader}"
    findings.add("SE180", _place(key), message, "other readers ignore it; entries of your own belong below `metadata`")
