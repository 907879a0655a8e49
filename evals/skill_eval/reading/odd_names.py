"""The rules on names of skills that are not plainly lower-case words with hyphens."""

import re

from evals.skill_eval.reading.problems import Place
from evals.skill_eval.reading.quoting import quoted
from evals.skill_eval.reading.skill_fields import PLAIN_NAME
from evals.skill_eval.reading.text_findings import TextFindings


def check_odd_name(name: str, place: Place, findings: TextFindings) -> str:
    """Report what is wrong with a name; return its composed form."""
    composed = name if name.isascii() else _check_letters(name, place, findings)
    if not re.fullmatch(PLAIN_NAME, composed):
        _check_form(composed, place, findings)
    return composed


def _check_letters(name: str, place: Place, findings: TextFindings) -> str:
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


def _check_form(name: str, place: Place, findings: TextFindings) -> None:
    if name != name.lower():
        findings.add("SE157", place, f"name: {quoted(name)} has upper-case letters", _better(name))
    strange = [quoted(character) for character in dict.fromkeys(name) if character != "-" and not character.isalnum()]
    if strange:
        message = f"name: {quoted(name)} contains {', '.join(strange[:5])}"
        findings.add("SE158", place, message, _better(name))
    if name[0] == "-" or name[-1] == "-":
        findings.add("SE159", place, f"name: {quoted(name)} begins or ends with a hyphen")
    if "--" in name:
        findings.add("SE160", place, f"name: {quoted(name)} has two hyphens in a row")


def _better(name: str) -> str:
    words = re.findall(r"[^\W_]+", name.lower())
    return f"write {quoted('-'.join(words))}" if words else "use lower-case letters, digits and hyphens"
