"""The whole file: templates filled, style and script written in, and a content security policy that allows exactly these two.

The policy names the hashes of the file's own style and script and forbids everything else: no request, no frame, no form, no
inline handler, and no text can become markup (trusted types). Cases are data in elements that never run.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.records.base import Json
from evalkit.reporting.escape import one_line
from evalkit.reporting.html import case_index
from evalkit.reporting.html.case_detail import criteria_asked, details
from evalkit.reporting.html.case_index import entries
from evalkit.reporting.html.diff_material import DiffMaterial, changed_cases, diff_details, diff_index
from evalkit.reporting.html.diff_screen import diff_screen
from evalkit.reporting.html.first_screen import first_screen
from evalkit.reporting.html.material import PageMaterial, unlisted
from evalkit.reporting.html.packing import blocks, pack
from evalkit.reporting.html.pairs_material import PairsMaterial, pair_cases, pairs_details, pairs_index
from evalkit.reporting.html.pairs_screen import pairs_screen
from evalkit.runstore.files import UNSHOWN

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
SCRIPTS = ("text.js", "data.js", "address.js", "list.js", "case.js", "page.js")
"""The page's script, in the order in which its parts build on each other."""
STYLES = ("paper.css", "rows.css", "cases.css", "print.css")
TEXT_LIMIT = 600
"""Characters of one untrusted text on the first screen."""


def report_html(material: PageMaterial) -> str:
    """Return report.html. The same material gives the same text."""
    found = entries(material)
    index = {
        **case_index.packed(found, material.report),
        "criteria": criteria_asked(material),
        "notes": list(material.texts.notes),
        "unlisted": unlisted(material),
    }
    return _filled("report.html.jinja", "case.js", index, details(material), first_screen(material, found))


def diff_html(material: DiffMaterial) -> str:
    """Return the page of a comparison of two runs. The same material gives the same text."""
    found = changed_cases(material.diff)
    details_of = diff_details(found, material)
    return _filled("diff.html.jinja", "pair.js", diff_index(found, material), details_of, diff_screen(material, found))


def pairs_html(material: PairsMaterial) -> str:
    """Return the page of a comparison of candidates, pair by pair. The same material gives the same text."""
    found = pair_cases(material)
    index, details_of = pairs_index(found, material), pairs_details(found, material)
    return _filled("compare.html.jinja", "orders.js", index, details_of, pairs_screen(material, found))


def _filled(template: str, case_script: str, index: Json, cases: Iterable[Json], screen: Mapping[str, Json]) -> str:
    """Return a whole file. What is marked as markup here is the package's own text, or base64."""
    from markupsafe import Markup

    style = _joined(STYLES)
    script = _joined([case_script if name == "case.js" else name for name in SCRIPTS])
    shown = {**index, "unshown": javascript_class(UNSHOWN.pattern)}
    return (
        _environment()
        .get_template(template)
        .render(
            policy=policy(style, script),
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            index=Markup(pack(shown)),  # noqa: S704
            blocks=(Markup(block) for block in blocks(cases)),  # noqa: S704
            **screen,
        )
    )


def policy(style: str, script: str) -> str:
    """Return the content security policy of a file with this style and this script and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def javascript_class(pattern: str) -> str:
    r"""Return a character class of ours as the `u` flag of JavaScript reads it, C0 controls but tab and line feed included."""
    inner = re.sub(r"[^\[\]\-]", lambda found: f"\\u{{{ord(found.group()):x}}}", pattern)
    return inner.replace("[", r"[\u{0}-\u{8}\u{b}-\u{1f}", 1)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _joined(names: Iterable[str]) -> str:
    return "\n".join((HERE / "static" / name).read_text(encoding="utf-8") for name in names)


@cache
def _environment() -> Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _harmless(value: Any) -> Any:
    """Make every text that a template prints visible and short; escaping of markup comes after it."""
    return value if not isinstance(value, str) or hasattr(value, "__html__") else _cut(value)


def _cut(text: str) -> str:
    return one_line(text, TEXT_LIMIT)
