from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

from evalkit.errors import InputError
from evalkit.records.suites import ScorerUse
from evalkit.scoring.catalogue import build_scorer
from evalkit.scoring.settings import Resources


def score(folder: Path, body: str, **settings: Any) -> Any:
    (folder / "checks.py").write_text(f"def check(case, output):\n    {body}\n", encoding="utf-8")
    return build("checks.py:check", folder, **settings).score(case("a"), output("Hi."))[0]


def test_the_function_sees_case_and_output_as_plain_json(tmp_path: Path) -> None:
    body = "return {'value': 1, 'metadata': {'text': output['text'], 'documents': [d['id'] for d in case['context']]}}"
    result = score(tmp_path, body)
    assert (result.value, result.passed, result.metadata) == (1.0, True, {"text": "Hi.", "documents": ["a"]})


def test_none_is_not_applicable(tmp_path: Path) -> None:
    assert outcome(score(tmp_path, "return None")) == "not_applicable"


def test_a_rate_takes_0_or_1_and_a_mean_any_finite_number(tmp_path: Path) -> None:
    assert score(tmp_path, "return {'value': False, 'reason': 'rude'}")[:3] == (0.0, False, "rude")
    assert outcome(score(tmp_path, "return {'value': 0.5}")) == "scorer_error"
    assert outcome(score(tmp_path, "return {'value': 1, 'passed': False}")) == "scorer_error"
    assert score(tmp_path, "return {'value': 0.5}", estimate="mean")[:2] == (0.5, None)
    assert score(tmp_path, "return {'value': 0.5, 'passed': True}", estimate="mean")[:2] == (0.5, True)


@pytest.mark.parametrize(
    "body",
    [
        "return 1", "return True", "return {'value': 10**400}", "return {}", "return {'value': 'high'}", "return {'value': float('nan')}", "return {'value': 1, 'pased': True}",
        "return {'value': 1, 'reason': 5}", "return {'value': 1, 'metadata': [1]}", "return {'value': 1, 'metadata': {'x': object()}}",
        "return {'value': 1, 'metadata': {'x': float('inf')}}", "return {'value': 1, 'passed': 1}", "yield 1", "return {1: 2}",
    ],
)  # fmt: skip
def test_a_return_that_is_no_score_is_an_error_of_its_case(tmp_path: Path, body: str) -> None:
    result = score(tmp_path, body)
    assert outcome(result) == "scorer_error"
    assert result.detail.startswith("bad return: ")


@pytest.mark.parametrize(
    "body",
    [
        "raise RuntimeError('boom')", "return 1 / 0", "import sys; sys.exit(3)", "return check(case, output)",
        "import pytest; pytest.fail('no')", "raise GeneratorExit", "raise type('Stop', (BaseException,), {})('x')",
    ],
)  # fmt: skip
def test_an_exception_is_an_error_of_its_case_and_names_the_line(tmp_path: Path, body: str) -> None:
    result = score(tmp_path, body)
    assert outcome(result) == "scorer_error"
    assert "(line 2 of checks.py)" in result.detail


def test_a_failing_case_does_not_fail_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "def check(case, output):\n    case['context'].clear()\n    return {'value': len(output['text']) == 2}\n"
    )
    scorer = build("checks.py:check", tmp_path)
    the_case = case("a")
    assert outcome(scorer.score(the_case, output(None))[0]) == "scorer_error"
    assert outcome(scorer.score(the_case, output("ok"))[0]) is True
    assert len(the_case.context) == 1


def test_what_the_users_code_changes_later_does_not_change_a_score(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "seen = []\ndef check(case, output):\n    seen.append(1)\n    return {'value': 1, 'metadata': {'seen': seen}}\n"
    )
    scorer = build("checks.py:check", tmp_path)
    first, second = (scorer.score(case(), output())[0] for _ in range(2))
    assert (first.metadata, second.metadata) == ({"seen": [1]}, {"seen": [1, 1]})


def test_what_it_prints_stays_out_of_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score(tmp_path, "print('hello'); return {'value': 1}")
    assert capsys.readouterr() == ("", "hello\n")


def test_the_signature_holds_the_files_hash_and_every_setting(tmp_path: Path) -> None:
    source = b"def check(case, output):\n    return None\n"
    (tmp_path / "checks.py").write_bytes(source)
    scorer = build("checks.py:check", tmp_path, criterion="polite")
    assert scorer.signature.settings == {
        "criterion": "polite",
        "estimate": "rate",
        "sha256": hashlib.sha256(source).hexdigest(),
    }
    assert (scorer.signature.scorer, scorer.criteria[0].id) == ("checks.py:check", "polite")


def test_a_suite_must_opt_in(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text("raise SystemExit('was run')\n")
    with pytest.raises(InputError, match="allow_custom_scorers: true"):
        build_scorer(ScorerUse(scorer="checks.py:check"), Resources(folder=tmp_path))


@pytest.mark.parametrize("how", ["../outside.py", "link.py", "folder/../../outside.py"])
def test_a_file_outside_the_suites_folder_is_refused_with_its_real_path(tmp_path: Path, how: str) -> None:
    suite = tmp_path / "suite"
    (suite / "folder").mkdir(parents=True)
    outside = tmp_path / "outside.py"
    outside.write_text("def check(case, output):\n    return None\n")
    (suite / "link.py").symlink_to(outside)
    with pytest.raises(InputError, match=r"outside\.py lies outside"):
        build(f"{how}:check", suite)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("def check(:\n", "SyntaxError"), ("import nowhere_to_be_found\n", "ModuleNotFoundError"), ("x = 1\n", "has no function 'check'"),
        ("check = 5\n", "has no function"), ("async def check(case, output): pass\n", "asynchronous"), ("import sys\nsys.exit()\n", "line 2"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_an_input_error(tmp_path: Path, source: str, complaint: str) -> None:
    (tmp_path / "checks.py").write_text(source)
    with pytest.raises(InputError, match=complaint):
        build("checks.py:check", tmp_path)


@pytest.mark.parametrize("name", ["missing.py:check", ":check", "\0.py:check", "a" * 5000 + ".py:check"])
def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        build(name, tmp_path)


def test_dataclasses_with_annotations_work_in_the_users_file(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass R:\n    x: int\n"
        "def check(case, output):\n    return {'value': R(1).x}\n"
    )
    assert outcome(build("checks.py:check", tmp_path).score(case(), output())[0]) is True


def test_half_a_surrogate_pair_reaches_the_function_as_it_is_stored(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "def check(case, output):\n    return {'value': output['text'] == '\\ud835', 'reason': output['text']}\n"
    )
    assert build("checks.py:check", tmp_path).score(case(), output().model_copy(update={"text": "\ud835"}))[0][:3] == (
        1.0,
        True,
        "\ud835",
    )


def test_an_interruption_by_the_user_is_no_error_of_a_case(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        score(tmp_path, "raise KeyboardInterrupt")


@pytest.mark.parametrize("body", ["raise SystemExit('bye')", "class Stop(BaseException): ...\nraise Stop('bye')"])
def test_a_file_that_stops_while_it_is_loaded_is_an_input_error(tmp_path: Path, body: str) -> None:
    (tmp_path / "checks.py").write_text(body, encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot be loaded: .*bye"):
        build("checks.py:check", tmp_path)
