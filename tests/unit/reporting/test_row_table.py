"""The table of a report's rows on a terminal."""

from __future__ import annotations

import io

from fakes.stored_runs import row

from evalkit.reporting.console import make_console
from evalkit.reporting.page import Page
from evalkit.reporting.row_table import print_rows


def printed(monkeypatch, **changes):
    monkeypatch.setenv("COLUMNS", "200")
    stream = io.StringIO()
    print_rows(Page(make_console(stream)), [row(**changes)])
    return stream.getvalue()


def test_an_interval_over_clusters_stands_beside_the_plain_one(monkeypatch):
    assert "4 clusters: 10.0 to 90.0 %" in printed(monkeypatch, interval_clustered=(0.1, 0.9), clusters=4)
    assert "cluster" not in printed(monkeypatch)
