"""Comparisons of a suite are found again, the newest first, and those of another suite in the same folder are not."""

from __future__ import annotations

import pytest
from fakes.compared import comparison

from evalkit.errors import RunStoreError
from evalkit.records.comparisons import ComparisonPurchases
from evalkit.runstore.comparisons import comparison_folder, stored_comparisons, write_comparison


def written(out, name, made_at, suite="shop"):
    purchases = made_at and ComparisonPurchases(
        made_at=made_at, evalkit_version="0.1.0", suite=suite, requests=2, in_code=0, cached=0, bought=2, failed=0,
        not_bought=0, cost_usd=None, identities={},
    )  # fmt: skip
    folder = comparison_folder(out, "shop", name)
    write_comparison(folder, comparison(suite={"name": suite}), (), "# compare\n", purchases or None)
    return folder


def test_the_newest_comes_first_and_verdicts_made_elsewhere_last(tmp_path):
    written(tmp_path, "a", "")
    written(tmp_path, "b", "2026-01-01T00:00:00+00:00")
    written(tmp_path, "c", "2026-03-01T00:00:00+00:00")
    written(tmp_path, "d", "2026-02-01T00:00:00+00:00")
    assert [stored.folder.name for stored in stored_comparisons(tmp_path, "shop")] == ["c", "d", "b", "a"]


def test_a_suite_without_comparisons_and_another_suites_give_none(tmp_path):
    assert stored_comparisons(tmp_path, "shop") == []
    written(tmp_path, "a", "2026-01-01T00:00:00+00:00", suite="shop*")
    assert stored_comparisons(tmp_path, "shop") == []


def test_what_is_being_written_is_no_comparison_yet(tmp_path):
    folder = written(tmp_path, "a", "2026-01-01T00:00:00+00:00")
    folder.rename(folder.with_name(".a.1.partial"))
    assert stored_comparisons(tmp_path, "shop") == []


def test_a_damaged_one_is_named(tmp_path):
    folder = written(tmp_path, "a", "2026-01-01T00:00:00+00:00")
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunStoreError, match=r"manifest\.json"):
        stored_comparisons(tmp_path, "shop")
