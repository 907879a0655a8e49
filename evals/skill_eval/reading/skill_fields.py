"""The rules on the fields of a SKILL.md: https://agentskills.io/specification, and what readers make of it."""

import re

from evals.skill_eval.reading.frontmatter import Frontmatter
from evals.skill_eval.reading.problems import Place
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.text_findings import TextFindings
from evals.skill_eval.reading.yaml_nodes import Entry, Node, Scalar, YamlList

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
PLAIN_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"

_KNOWN = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_BOOLEANS_OF_YAML_1_1 = ("y", "n", "yes", "no", "on", "off")
_TAG = r"</?[A-Za-z][^<>]*>"
_CONTROL = "[\0-\x08\x0b-\x1f\x7f-\x9f]"
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


def described(node: Node) -> str:
    """Say what YAML makes of a node that should be text."""
    if isinstance(node, Scalar):
        return f"{quoted(node.text)}, which is {_KINDS[node.kind]} to YAML" if node.text else "nothing"
    return "a list" if isinstance(node, YamlList) else "a map"


def expect_text(field: str, code: str, node: Node, findings: TextFindings) -> bool:
    """Tell whether a node is text; report a list or map with `code`, other values as a warning."""
    if not isinstance(node, Scalar):
        findings.add(code, node.place, f"{field}: expected text, found {described(node)}")
        return False
    if node.kind != "str":
        hint = "put it in quotes" if node.text else "give it a value, or take the field out"
        findings.add("SE182", node.place, f"{field}: expected text, found {described(node)}", hint)
    return True


def _check_field(entry: Entry, absent: list[str], directory_name: str | None, findings: TextFindings) -> None:
    match entry.key.text:
        case "name":
            _check_name(entry.value, directory_name, findings)
        case "description":
            _check_description(entry.value, findings)
        case "license":
            expect_text("license", "SE172", entry.value, findings)
        case _:
            from evals.skill_eval.reading.optional_fields import check_optional_field

            check_optional_field(entry, absent, findings)


# name


def _check_name(node: Node, directory_name: str | None, findings: TextFindings) -> None:
    if not isinstance(node, Scalar):
        findings.add("SE151", node.place, f"name: expected text, found {described(node)}")
        return
    name = node.text.strip()
    if not name:
        findings.add("SE154", node.place, "name: empty")
        return
    _check_name_type(node, name, findings)
    if name != node.text and node.style in ("single", "double"):
        findings.add("SE155", node.place, "name: blanks around it", "take them out")
    if len(name) > LONGEST_NAME:
        message = f"name: {len(name)} characters, at most {LONGEST_NAME} are allowed"
        findings.add("SE156", node.place, message)
    composed = name if re.fullmatch(PLAIN_NAME, name) else _odd_name(name, node.place, findings)
    if directory_name is not None and composed != _composed(directory_name):
        message = f"name: {quoted(name)} is not the name of its folder, {quoted(directory_name)}"
        findings.add("SE161", node.place, message, "rename one of them")


def _check_name_type(node: Scalar, name: str, findings: TextFindings) -> None:
    if node.kind != "str":
        message = f"name: expected text, found {described(node)}"
        findings.add("SE152", node.place, message, f'put it in quotes: `name: "{name}"`')
    elif node.style == "plain" and name.casefold() in _BOOLEANS_OF_YAML_1_1:
        message = f"name: {quoted(name)} is a boolean to readers of YAML 1.1"
        findings.add("SE153", node.place, message, f'put it in quotes: `name: "{name}"`')


def _odd_name(name: str, place: Place, findings: TextFindings) -> str:
    from evals.skill_eval.reading.odd_names import check_odd_name

    return check_odd_name(name, place, findings)


def _composed(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize  # slow to load, and hardly ever needed

    return normalize("NFC", text)


# description


def _check_description(node: Node, findings: TextFindings) -> None:
    if not isinstance(node, Scalar):
        findings.add("SE166", node.place, f"description: expected text, found {described(node)}")
        return
    description = node.text.strip()
    if not description:
        findings.add("SE167", node.place, "description: empty", "say what the skill does and when to use it")
    elif node.kind != "str" or (node.style == "plain" and description.casefold() in _BOOLEANS_OF_YAML_1_1):
        what = described(node) if node.kind != "str" else f"{quoted(description)}, a boolean to readers of YAML 1.1"
        findings.add("SE152", node.place, f"description: expected text, found {what}", "put it in quotes")
    else:
        _check_description_text(description, node.place, findings)


def _check_description_text(description: str, place: Place, findings: TextFindings) -> None:
    if len(description) > LONGEST_DESCRIPTION:
        message = f"description: {len(description)} characters, at most {LONGEST_DESCRIPTION} are allowed"
        findings.add("SE168", place, message, "shorten it; details belong below the frontmatter")
    elif len(description) * 2 > LONGEST_DESCRIPTION and _utf_16_units(description) > LONGEST_DESCRIPTION:
        message = f"description: {_utf_16_units(description)} UTF-16 units, some agents refuse more than "
        findings.add("SE169", place, f"{message}{LONGEST_DESCRIPTION}", "shorten it")
    if tag := re.search(_TAG, description):
        message = f"description: {quoted(tag[0])} looks like a tag"
        findings.add("SE170", place, message, "write it without angle brackets: some agents refuse them")
    if control := re.search(_CONTROL, description):
        message = f"description: contains the control character U+{ord(control[0]):04X}"
        findings.add("SE171", place, message, "take the escape out")


def _utf_16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
