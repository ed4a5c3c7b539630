"""Cached outputs: which folder is meant, attempts, doubles, reading again, and what was never asked for."""

from __future__ import annotations

import hashlib
import json
import tracemalloc

import pytest

from evalkit.errors import InputError, UsageError
from evalkit.loading import outputs as module
from evalkit.loading.outputs import open_outputs


def lines(*outputs) -> bytes:
    return b"".join(json.dumps(output).encode() + b"\n" for output in outputs)


@pytest.fixture
def suite(tmp_path):
    def write(**candidates: bytes):
        for name, content in candidates.items():
            folder = tmp_path / "suite" / "outputs" / name
            folder.mkdir(parents=True)
            (folder / "outputs.jsonl").write_bytes(content)
        return tmp_path / "suite"

    return write


@pytest.fixture(params=["kept", "read again"])
def size(request, monkeypatch):
    if request.param == "read again":
        monkeypatch.setattr(module, "KEPT_BYTES", 0)


ONE = lines({"case_id": "a", "text": "x"})


def test_the_only_folder_is_the_default(suite):
    assert open_outputs(suite(model_x=ONE), None).name == "model_x"


def test_candidate_is_the_default_among_several(suite):
    assert open_outputs(suite(baseline=ONE, candidate=ONE), None).name == "candidate"


def test_without_a_default_the_names_are_listed(suite):
    with pytest.raises(UsageError, match="outputs of model_x, model_y"):
        open_outputs(suite(model_x=ONE, model_y=ONE), None)


@pytest.mark.parametrize("name", ["baselin", "../suite", "", "a\0b", "x" * 5000])
def test_an_unknown_name_lists_what_exists(suite, name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="outputs of baseline, candidate"):
        open_outputs(suite(baseline=ONE, candidate=ONE), name)


def test_a_suite_without_outputs_says_where_they_belong(tmp_path):
    with pytest.raises(UsageError, match=r"outputs/NAME/outputs\.jsonl"):
        open_outputs(tmp_path, None)


def test_a_path_may_be_a_folder_or_a_file_anywhere(suite, tmp_path):
    elsewhere = tmp_path / "elsewhere" / "run7"
    elsewhere.mkdir(parents=True)
    (elsewhere / "outputs.jsonl").write_bytes(ONE)
    (elsewhere / "other.jsonl").write_bytes(ONE)
    folder = suite(candidate=ONE)
    assert open_outputs(folder, str(elsewhere)).name == "run7"
    assert open_outputs(folder, str(elsewhere / "outputs.jsonl")).name == "run7"
    assert open_outputs(folder, str(elsewhere / "other.jsonl")).name == "other"


def test_a_name_may_not_lead_out_of_the_suite_through_a_symlink(suite, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "outputs.jsonl").write_bytes(ONE)
    folder = suite(candidate=ONE)
    (folder / "outputs" / "linked").symlink_to(elsewhere)
    with pytest.raises(InputError, match=r"leads out of the suite's folder, to .*elsewhere"):
        open_outputs(folder, "linked")
    assert open_outputs(folder, str(folder / "outputs" / "linked")).sha256


def test_candidate_yaml_is_read_and_named_after_the_folder(suite):
    folder = suite(candidate=ONE)
    assert open_outputs(folder, None).candidate.name == "candidate"
    (folder / "outputs/candidate/candidate.yaml").write_text("model: 4.0\ngenerated_at: 2024-05-01\n", encoding="utf-8")
    candidate = open_outputs(folder, None).candidate
    assert (candidate.name, candidate.model, candidate.generated_at) == ("candidate", "4.0", "2024-05-01")


def test_faults_of_candidate_yaml_and_of_the_lines_come_together(suite):
    folder = suite(candidate=lines({"case_id": 1}))
    (folder / "outputs/candidate/candidate.yaml").write_text("modle: x\nschema_version: 7\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        open_outputs(folder, None)
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [
        (2, "schema_version"),
        (1, "modle"),
        (1, "case_id"),
    ]


@pytest.mark.usefixtures("size")
def test_all_attempts_are_given_by_their_number_whatever_the_order(suite):
    tries = [{"case_id": "a", "attempt": n, "text": f"try {n}"} for n in (2, 4, 1, 3)]
    folder = open_outputs(suite(only=lines(*tries, {"case_id": "b", "text": "y"})), None)
    assert [output.text for output in folder.attempts("a")] == ["try 1", "try 2", "try 3", "try 4"]
    assert [output.attempt for output in folder.attempts("b")] == [1]
    assert folder.attempts("none") == []
    assert folder.unused() == (0, ())


@pytest.mark.usefixtures("size")
def test_the_last_attempt_is_given_whatever_the_order(suite):
    attempts = [{"case_id": "a", "attempt": n, "text": f"try {n}"} for n in (2, 10**30, 1)]
    folder = open_outputs(suite(candidate=lines(*attempts, {"case_id": "b", "text": "y"})), None)
    assert folder.last_attempt("a").text == f"try {10**30}"
    assert folder.last_attempt("b").text == "y"
    assert folder.last_attempt("none") is None
    assert folder.earlier_attempts == 2


@pytest.mark.usefixtures("size")
def test_lines_are_found_again_in_any_order(suite):
    texts = {f"c{n}": f"text {n} \ud835 \u00e9" for n in range(50)}
    content = b"\xef\xbb\xbf" + lines(*({"case_id": name, "text": text} for name, text in texts.items())).replace(
        b"\n", b"\r\n\n"
    )
    folder = open_outputs(suite(candidate=content), None)
    for name in [*texts, *reversed(texts), "c7", "c7"]:
        assert folder.last_attempt(name).text == texts[name]
    assert folder.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("attempts", "first", "second"),
    [([1, 1], 1, 2), ([1, 2, 1], 1, 3), ([1, 2, 2], 2, 3), ([3, 1, 2, 1], 2, 4), ([2, 1, 3, 2], 1, 4)],
)
def test_one_attempt_twice_names_both_lines(suite, attempts, first, second):
    with pytest.raises(InputError) as caught:
        open_outputs(suite(candidate=lines(*({"case_id": "a", "attempt": n} for n in attempts))), None)
    [found] = caught.value.faults
    assert found.line == second
    assert f"on lines {first} and {second}" in found.problem


def test_twins_and_white_space_in_case_ids_are_refused(suite):
    with pytest.raises(InputError) as caught:
        open_outputs(
            suite(candidate=lines({"case_id": "caf\u00e9"}, {"case_id": "cafe\u0301"}, {"case_id": "a "})), None
        )
    assert [fault.line for fault in caught.value.faults] == [2, 3]


def test_case_ids_that_were_never_asked_for_are_counted_and_the_first_twenty_named(suite):
    folder = open_outputs(suite(candidate=lines(*({"case_id": f"c{n:02}"} for n in range(30)))), None)
    for n in (0, 2):
        folder.last_attempt(f"c{n:02}")
    count, ids = folder.unused()
    assert (count, len(ids), ids[:2]) == (28, 20, ("c01", "c03"))


def test_an_empty_file_has_no_outputs_and_is_no_fault(suite):
    folder = open_outputs(suite(candidate=b""), None)
    assert folder.last_attempt("a") is None
    assert folder.unused() == (0, ())


@pytest.mark.parametrize("content", [b'{"case_id": ', lines({"case_id": "b"}), b""])
def test_a_file_that_changes_meanwhile_is_named(suite, monkeypatch, content):
    monkeypatch.setattr(module, "KEPT_BYTES", 0)
    folder = open_outputs(suite(candidate=ONE), None)
    folder.path.write_bytes(content)
    with pytest.raises(InputError, match="changed while it was being read"):
        folder.last_attempt("a")


def test_negative_and_textual_amounts_are_faults(suite):
    outputs = lines(
        {"case_id": "a", "cost_usd": -1, "latency_ms": "12"}, {"case_id": "b", "usage": {"input_tokens": None}}
    )
    with pytest.raises(InputError) as caught:
        open_outputs(suite(candidate=outputs), None)
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [(1, "latency_ms"), (1, "cost_usd")]


def test_memory_grows_by_ids_and_offsets_only(suite, monkeypatch):
    monkeypatch.setattr(module, "KEPT_BYTES", 0)
    folder = suite(candidate=lines(*({"case_id": f"case-{n:06}", "text": "word " * 200} for n in range(10_000))))
    open_outputs(folder, None)
    tracemalloc.start()
    outputs = open_outputs(folder, None)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outputs.last_attempt("case-009999") is not None
    assert kept < 10_000 * 400
