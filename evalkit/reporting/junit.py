"""JUnit XML: a test case per gate and policy condition; a failed one is a failure, a refused one an error, with the cases behind it.

Written with the standard library (docs/decisions/junit-xml.md). XML 1.0 has no form for most control characters, not even escaped;
`visible` has made them text before they get here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from xml.etree import ElementTree as ET

from evalkit.reporting import wording
from evalkit.reporting.escape import one_line
from evalkit.reporting.gated_cases import GatedRun, behind

CASES_SHOWN = 50
TAGS = {"failed": "failure", "refused": "error"}


def junit_xml(runs: Sequence[GatedRun]) -> str:
    """Return one document with a testsuite per run."""
    root = ET.Element("testsuites", name="evalkit")
    for run in runs:
        _suite(root, run)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(root: ET.Element, run: GatedRun) -> None:
    found, failures = run
    states = [result.state for result in found.results]
    suite = ET.SubElement(
        root,
        "testsuite",
        name=_text(f"{found.suite} {found.run}"),
        tests=str(len(states)),
        failures=str(states.count("failed")),
        errors=str(states.count("refused")),
        skipped="0",
    )
    for result in found.results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_text(f"{found.suite}.{result.kind}"),
            name=_text(f"{result.name}: {result.demand}"),
        )
        if result.state != "passed":
            said = ET.SubElement(case, TAGS[result.state], message=_text(result.reason), type=result.state)
            lines = islice(behind(result, failures), CASES_SHOWN)
            said.text = "\n".join(_text(f"{line.get('case_id')}: {wording.why(line)}") for line in lines)


def _text(text: str) -> str:
    """Return a text that XML 1.0 can hold: U+FFFE and U+FFFF are no characters of it either."""
    return one_line(text, 400).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
