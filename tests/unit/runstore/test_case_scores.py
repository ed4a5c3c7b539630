from __future__ import annotations

import pytest
from fakes.stored_runs import scores

from evalkit.errors import RunStoreError
from evalkit.runstore.case_scores import read_scores


def written(folder, *lines):
    path = folder / "scores.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def lines_of(made):
    return [line.model_dump_json() for line in (made.table, *made.rows)]


def test_what_was_written_is_read_back(tmp_path):
    made = scores("pfA", ".pp")
    assert read_scores(written(tmp_path, *lines_of(made))) == made


def test_an_empty_file_is_no_table(tmp_path):
    with pytest.raises(RunStoreError, match="its first line names the cases"):
        read_scores(written(tmp_path))


def test_a_row_that_is_missing_is_noticed_by_the_next_one(tmp_path):
    table, _, second = lines_of(scores("pfA", ".pp"))
    with pytest.raises(RunStoreError, match=r"scores\.jsonl:2: row: 1 stands where row 0 belongs"):
        read_scores(written(tmp_path, table, second))


def test_a_row_with_a_case_too_few_is_refused(tmp_path):
    table, first = lines_of(scores("pfA"))
    with pytest.raises(RunStoreError, match=r"scores\.jsonl:2: codes: 2 for 3 cases"):
        read_scores(written(tmp_path, table, first.replace("pfA", "pf")))
