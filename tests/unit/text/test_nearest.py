from __future__ import annotations

from evalkit.text.nearest import nearest


def test_the_nearest_name_is_suggested_or_all_are_listed():
    assert nearest("golen", ["golden", "suite"], "formats") == "did you mean 'golden'?"
    assert nearest("xyz", ["golden", "suite"], "formats") == "known formats: golden, suite"
    assert nearest("xyz", [], "formats") == "there are no formats"
