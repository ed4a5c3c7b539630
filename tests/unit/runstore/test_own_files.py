"""Which files an output option may replace: those that evalkit wrote, of its own kind, and none that the command reads."""

from __future__ import annotations

import pytest

from evalkit.errors import UsageError
from evalkit.runstore.own_files import require_own, write_own


def page(command):
    mark = f'<meta name="generator" content="evalkit {command}">'
    return f'\n<!doctype html>\n<html lang="en">\n{mark}\n<title>shop: a to b: evalkit</title>\n<style>p{{}}</style>'


HEADS = {
    **{command: page(command) for command in ("render", "diff", "compare")},
    "junit": '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="evalkit">\n',
    "summary": "## shop, run nightly: gate PASSED\n\n| state |",
    "recording": '{"key": "ab", "label": "c1", "reply": {}}\n',
    "specification": "schema_version: 1\nname: shop\ncriteria:\n- id: a\nterms:\n  max_attempts: 3\n",
    "replies": '{"key":"ab","sha256":"cd","stored":{}}\n',
}
STRANGE = {
    "golden": '{"schema_version": 1, "id": "c1"}\n',
    "suite": "schema_version: 1\nname: shop\ncapabilities:\n- name: a\n",
    "report": '{\n  "schema_version": 1,\n  "suite": {}\n}\n',
    "page that quotes one of ours": page("nothing").replace("shop", '<meta name="generator" content="evalkit diff">'),
    "page of another": "<!doctype html><title>shop</title><style>p:after{content: ': evalkit</title>'}</style>",
    "notes": "## what we found\n",
    "bytes": "\x00\x01",
}


@pytest.mark.parametrize("kind", HEADS)
def test_a_file_that_does_not_exist_or_is_empty_or_of_the_kind_is_written(tmp_path, kind):
    file = tmp_path / "file"
    for before in (None, "", HEADS[kind]):
        if before is not None:
            file.write_text(before, encoding="utf-8")
        write_own(file, "new", kind)
        assert file.read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("other", [*HEADS, *STRANGE])
def test_any_other_file_is_left_as_it_is(tmp_path, kind, other):
    if other == kind:
        return
    file, held = tmp_path / "file", {**HEADS, **STRANGE}[other]
    file.write_text(held, encoding="utf-8")
    with pytest.raises(UsageError, match=r"is there already and is no .*; name another file"):
        write_own(file, "new", kind)
    assert file.read_text(encoding="utf-8") == held


def test_what_a_link_leads_to_is_looked_at(tmp_path):
    (tmp_path / "golden.jsonl").write_text(STRANGE["golden"], encoding="utf-8")
    (tmp_path / "page.html").symlink_to(tmp_path / "golden.jsonl")
    with pytest.raises(UsageError):
        require_own(tmp_path / "page.html", "render")


def test_a_file_that_the_command_reads_is_left_even_where_it_is_of_the_kind(tmp_path):
    file = tmp_path / "spec.yaml"
    file.write_text(HEADS["specification"], encoding="utf-8")
    with pytest.raises(UsageError, match="is read by this command"):
        write_own(file, "new", "specification", [tmp_path / "missing", tmp_path / "." / "spec.yaml"])
    assert file.read_text(encoding="utf-8") == HEADS["specification"]


@pytest.mark.parametrize("before", [None, page("render")])
def test_a_run_s_folder_takes_no_page_but_that_run_s_own(tmp_path, before):
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
        for file in ("report.json", "manifest.json"):
            (tmp_path / name / file).write_text("{}", encoding="utf-8")
    file = tmp_path / "other" / "report.html"
    if before is not None:
        file.write_text(before, encoding="utf-8")
    with pytest.raises(UsageError, match="takes no page but that run's own"):
        write_own(file, "new", "render", run=tmp_path / "mine")
    for kind in ("diff", "compare"):
        with pytest.raises(UsageError):
            require_own(file, kind)
    assert file.exists() == (before is not None)
    write_own(file, "new", "render", run=tmp_path / "." / "other")
    assert file.read_text(encoding="utf-8") == "new"
