"""JUnit XML, as GitLab, Jenkins and the usual GitHub actions read it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from xml.etree import ElementTree

from evals.skill_eval.reporting.escape import escape_block, escape_line

_ILLEGAL_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Verdict(StrEnum):
    """How a case ended; all but PASSED are also the names of the elements that say so."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """One `testcase`.

    `kind` is a word for the type of a failure, `message` one line, `details` any text below it.
    `seconds` is None where nothing was timed. `output` is what a reader may want to see besides.
    """

    classname: str
    name: str
    verdict: Verdict = Verdict.PASSED
    kind: str = ""
    message: str = ""
    details: str = ""
    file: str | None = None
    line: int | None = None
    seconds: float | None = None
    output: str = ""


@dataclass(frozen=True, slots=True)
class JUnitSuite:
    """One `testsuite`, its cases in order."""

    name: str
    cases: tuple[JUnitCase, ...]


def junit(name: str, suites: Iterable[JUnitSuite]) -> str:
    """Return the document as ASCII text.

    Readers drop the second of two cases with one classname and name, so a repeated pair is numbered.
    They show the content of an element but not always its message, so the message stands in both.
    """
    suites = tuple(suites)
    taken: set[tuple[str, str]] = set()
    root = _element("testsuites", name=name, **_totals(case for suite in suites for case in suite.cases))
    for suite in suites:
        branch = _element("testsuite", name=suite.name, **_totals(suite.cases))
        branch.extend(_case(case, _free_name(case, taken)) for case in suite.cases)
        root.append(branch)
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return document.decode("ascii")


def _totals(cases: Iterable[JUnitCase]) -> dict[str, str]:
    cases = tuple(cases)
    verdicts = [case.verdict for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(verdicts.count(Verdict.FAILURE)),
        "errors": str(verdicts.count(Verdict.ERROR)),
        "skipped": str(verdicts.count(Verdict.SKIPPED)),
        "time": _seconds(sum(case.seconds or 0.0 for case in cases)),
    }


def _free_name(case: JUnitCase, taken: set[tuple[str, str]]) -> str:
    name, count = case.name, 1
    while (case.classname, name) in taken:
        count += 1
        name = f"{case.name} ({count})"
    taken.add((case.classname, name))
    return name


def _case(case: JUnitCase, name: str) -> ElementTree.Element:
    attributes = {
        "file": case.file,
        "line": None if case.line is None else str(case.line),
        "time": _seconds(case.seconds or 0.0),
    }
    element = _element("testcase", classname=case.classname, name=name, **attributes)
    element.extend(_children(case))
    return element


def _children(case: JUnitCase) -> Iterator[ElementTree.Element]:
    if case.verdict is not Verdict.PASSED:
        child = _element(str(case.verdict), message=case.message, type=case.kind or None)
        child.text = _block("\n".join(filter(None, (case.message, case.details))))
        yield child
    if case.output:
        output = _element("system-out")
        output.text = _block(case.output)
        yield output


def _element(tag: str, **attributes: str | None) -> ElementTree.Element:
    shown = {key: _legal(escape_line(value)) for key, value in attributes.items() if value is not None}
    return ElementTree.Element(tag, shown)


def _block(text: str) -> str:
    return _legal(escape_block(text))


def _legal(text: str) -> str:
    return _ILLEGAL_IN_XML.sub("", text)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
