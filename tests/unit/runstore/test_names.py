from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import UsageError
from evalkit.runstore.names import check_run_id, default_run_id

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize("run_id", ["demo", "v1.2_final-3", "_x", "0", "a" * 100, "console"])
def test_a_plain_name_is_taken_as_it_is(run_id):
    assert check_run_id(run_id) == run_id


@pytest.mark.parametrize(
    "run_id",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "/abs",
        "-x",
        ".hidden",
        "a b",
        "é",
        "x\n",
        "x.",
        "a" * 101,
        "a\0b",
        "C:x",
        "~",
    ],
)
def test_a_name_that_is_no_single_safe_path_component_is_refused_with_the_rule(run_id):
    with pytest.raises(UsageError, match="expected 1 to 100 characters"):
        check_run_id(run_id)


@pytest.mark.parametrize("run_id", ["con", "NUL", "com1", "Lpt9.txt", "aux.json"])
def test_device_names_of_windows_are_refused_everywhere(run_id):
    with pytest.raises(UsageError, match="device"):
        check_run_id(run_id)


@pytest.mark.parametrize("run_id", ["latest", "Latest"])
def test_latest_is_reserved(run_id):
    with pytest.raises(UsageError, match="reserved"):
        check_run_id(run_id)


def test_two_runs_of_one_second_have_different_names():
    assert len({default_run_id("shop", "candidate", NOW) for _ in range(50)}) == 50


def test_a_default_name_says_suite_outputs_and_utc_time():
    assert default_run_id("shop", "candidate", NOW).startswith("shop-candidate-20260102-030405-")


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_default_name_is_safe_whatever_suite_and_outputs_are_called(suite, outputs):
    name = default_run_id(suite, outputs, NOW)
    assert check_run_id(name) == name
