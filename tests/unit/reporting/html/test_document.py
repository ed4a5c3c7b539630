from __future__ import annotations

import base64
import hashlib
import re

from fakes.pages import material, spoiled

from evalkit.reporting.html.document import javascript_class, report_html
from evalkit.runstore.files import UNSHOWN

HOSTILE = "</script><script>alert(1)</script>\u202e"


def test_the_policy_names_the_hashes_of_the_files_own_style_and_script_and_nothing_else():
    text = report_html(material())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    policy = policy.replace("&#39;", "'")
    for name in ("style", "script"):
        (inner,) = re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy.replace("http-equiv", "")


def test_the_page_names_nothing_outside_itself():
    text = report_html(material())
    addresses = re.findall(r'(?:src|href|action|data|poster|srcset)="([^"]*)"', text)
    assert all(address.startswith("#") or address == "data:," for address in addresses)
    assert "url(" not in text
    assert "@import" not in text


def test_the_same_material_gives_the_same_page():
    assert report_html(material()) == report_html(material())


def test_hostile_text_stays_text():
    text = report_html(spoiled(material(), HOSTILE))
    assert text.count("<script") == 3
    assert "\u202e" not in text
    assert "alert(1)" in text


def test_there_is_no_combined_score():
    text = report_html(material()).lower()
    for word in ("overall score", "total score", "combined score", "average score"):
        assert word not in text


def test_the_scripts_class_of_unshown_characters_is_ours_with_the_controls():
    pattern = javascript_class(UNSHOWN.pattern)
    assert pattern.startswith(r"[\u{0}-\u{8}\u{b}-\u{1f}\u{7f}-\u{9f}\u{ad}")
    assert r"\u{200b}-\u{200f}" in pattern
    assert pattern.isascii()
