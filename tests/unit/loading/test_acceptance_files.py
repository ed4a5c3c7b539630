"""A specification is read whole, every fault at once, and comes back from its own text as the same value."""

from __future__ import annotations

import pytest
import yaml
from fakes.acceptance import FAITHFUL, SHORT, SUITE, TERMS, spec_fields, write_spec
from jsonschema import Draft202012Validator

from evalkit.acceptance.compile import compile_suite
from evalkit.acceptance.criteria import build_criteria
from evalkit.errors import InputError
from evalkit.loading.acceptance_files import load_spec, spec_text
from evalkit.loading.schemas import format_schema
from evalkit.loading.suites import load_suite

FLOOR = {"client": "floor"}


def faults(tmp_path, *criteria, **fields):
    """Return the faults of a specification, or of building it."""
    with pytest.raises(InputError) as raised:
        build_criteria(load_spec(write_spec(tmp_path, *criteria, **fields)))
    return str(raised.value)


def test_a_specification_needs_no_file_beside_it(tmp_path):
    loaded = load_spec(write_spec(tmp_path, SHORT, FAITHFUL, judge=FLOOR))
    assert loaded.spec.rubrics["faithfulness"].criteria[0].id == "F1"
    assert loaded.judge is not None
    assert load_spec(SUITE / "lenient.yaml").judge == loaded.judge


@pytest.mark.parametrize("missing", ["on_skipped", "require_trust", "threshold"])
def test_what_is_a_decision_has_no_default(tmp_path, missing):
    terms = {name: value for name, value in TERMS.items() if name != missing}
    assert f"terms.{missing}: is missing" in faults(tmp_path, SHORT, terms=terms)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"strategy": None}, "strategy: expected an object"),
        ({"strategy": {"scorer": "length_limits"}}, "did you mean 'length_limit'?"),
        ({"strategy": {"scorer": "length_limit", "max": "x"}}, "expected a whole number"),
        (
            {"strategy": {"scorer": "length_limit", "rubric": "faithfulness", "criterion": "F1"}},
            "exactly one of them decides",
        ),
        ({"strategy": {"max": 8}}, "exactly one of them decides"),
        ({"strategy": {"rubric": "faithfulness"}}, "without the `criterion` of it"),
        ({"strategy": {"rubric": "faithfulness", "criterion": "F1", "max": 8}}, "a rubric has no settings (max)"),
        ({"strategy": {"rubric": "faithfulness", "criterion": "F9"}}, "has no criterion 'F9'"),
        ({"strategy": {"rubric": "faithfulnes", "criterion": "F1"}}, "there is no rubric 'faithfulnes'"),
        ({"strategy": {"rubric": "../../secret.yaml", "criterion": "F1"}}, "leads out of the suite's folder"),
        ({"strategy": {"scorer": "token_f1"}}, "has no pass rule"),
        ({"strategy": {"scorer": "retrieval", "k": [1]}}, "name one"),
        ({"strategy": {"scorer": "length_limit", "criterion": "x", "max": 8}}, "has no criterion 'x'"),
        ({"strategy": {"scorer": "lexicon", "lexicon": "none"}}, "there is no lexicon 'none'"),
        ({"description": None}, "has no description"),
        ({"description": " "}, "has no description"),
        ({"required": None}, "required: expected true or false"),
        ({"weight": -1.0}, "weight: expected at least 0"),
        ({"weight": 0.0}, "no criterion has a weight above 0"),
        ({"cases": {}}, "selects no case"),
        ({"wieght": 1.0}, "did you mean 'weight'?"),
    ],
)
def test_what_a_criterion_can_have_wrong(tmp_path, change, said):
    assert said in faults(tmp_path, {**SHORT, **change}, judge=FLOOR)


def test_a_strategy_that_is_left_out_is_never_a_default_judgment(tmp_path):
    bare = {name: value for name, value in SHORT.items() if name != "strategy"}
    assert "criteria.0.strategy: is missing" in faults(tmp_path, bare, judge=FLOOR)


def test_a_judged_criterion_without_a_judge_is_an_error(tmp_path):
    assert "nothing is judged by default" in faults(tmp_path, FAITHFUL)


def test_a_description_that_differs_from_the_pass_condition_is_two_definitions(tmp_path):
    said = faults(tmp_path, {**FAITHFUL, "description": "Be nice."}, judge=FLOOR)
    assert "differs from the pass condition" in said


def test_names_are_unique_and_all_faults_come_at_once(tmp_path):
    said = faults(tmp_path, SHORT, SHORT, {**FAITHFUL, "strategy": {"rubric": "nothing", "criterion": "F1"}})
    assert "stands twice" in said
    assert "there is no rubric 'nothing'" in said


def test_faults_of_a_rubric_that_is_written_out_name_its_place(tmp_path):
    criteria = [
        {"id": "O1", "question": "q", "pass_condition": " "},
        {"id": "O1", "question": "q", "pass_condition": "p"},
    ]
    own = {"own": {"id": "own", "version": "1", "criteria": criteria}}
    said = faults(tmp_path, SHORT, rubrics=own)
    assert "rubrics.own.criteria.0.pass_condition: must not be empty" in said
    assert "rubrics.own.criteria.1.id" in said


def test_rubrics_that_compare_candidates_accept_nobody(tmp_path):
    pair = {
        "id": "p",
        "version": "1",
        "mode": "pairwise",
        "criteria": [{"id": "P1", "question": "q", "pass_condition": "p"}],
    }
    strategy = {"rubric": "p", "criterion": "P1"}
    assert "is for mode pairwise" in faults(
        tmp_path, {**FAITHFUL, "strategy": strategy}, rubrics={"p": pair}, judge=FLOOR
    )


@pytest.mark.parametrize(
    "judge", [{"client": "openai", "model": "m", "api_key": "sk-very-secret"}, {"cliend": "sk-very-secret"}]
)
def test_no_value_of_a_judge_is_repeated(tmp_path, judge):
    said = faults(tmp_path, FAITHFUL, judge=judge)
    assert "judge." in said
    assert "very-secret" not in said


@pytest.mark.parametrize("judge", ["../judge.yaml", "nothing.yaml"])
def test_a_judge_stands_beside_the_specification(tmp_path, judge):
    assert "judge: " in faults(tmp_path / "in", FAITHFUL, judge=judge)


def test_an_accepting_judge_is_asked_without_a_classifier_before_it(tmp_path):
    cascade = {"client": "openai", "model": "m", "cascade": {"classifier": "c.yaml"}}
    assert "judge.cascade: cannot be used here" in faults(tmp_path, FAITHFUL, judge=cascade)


def test_a_policy_condition_that_nothing_could_break_is_refused(tmp_path):
    assert "nothing could break it" in faults(tmp_path, SHORT, policy=[{"scorer": "token_f1"}])


def test_a_specification_reads_back_as_it_was_written(tmp_path):
    odd = {**SHORT, "name": "no", "description": "1.0: 'yes' \u202e # \U0001f600\n- x", "weight": 0.5}
    loaded = load_spec(write_spec(tmp_path, odd, FAITHFUL, judge=FLOOR, version="1.0"))
    (tmp_path / "again.yaml").write_text(spec_text(loaded.spec), encoding="utf-8")
    again = load_spec(tmp_path / "again.yaml")
    assert again.spec == loaded.spec
    assert again.sha256 == loaded.sha256


def test_the_hash_covers_criteria_and_terms_and_leaves_the_judge_out(tmp_path):
    def sha(name, *criteria, **fields):
        return load_spec(write_spec(tmp_path / name, *criteria, **fields)).sha256

    first = sha("a", SHORT)
    assert sha("b", SHORT) == first
    assert sha("c", SHORT, judge=FLOOR) == first
    assert sha("d", {**SHORT, "weight": 2.0}) != first
    assert sha("e", SHORT, terms={**TERMS, "threshold": 0.5}) != first


def test_the_shipped_specifications_fit_the_published_schema():
    validator = Draft202012Validator(format_schema("acceptance"))
    validator.validate(yaml.safe_load((SUITE / "lenient.yaml").read_text(encoding="utf-8")))
    validator.validate(yaml.safe_load(spec_text(compile_suite(load_suite(SUITE)).spec)))
    assert not validator.is_valid(spec_fields(SHORT, terms={"threshold": 1.0}))


def test_what_cannot_accept_is_left_out_by_name(tmp_path):
    text = (SUITE / "suite.yaml").read_text(encoding="utf-8")
    for file in ("judge.yaml", "golden.jsonl"):
        (tmp_path / file).write_bytes((SUITE / file).read_bytes())
    more = text.replace("      - {scorer: json_schema}", "      - {scorer: json_schema}\n      - {scorer: token_f1}")
    (tmp_path / "suite.yaml").write_text(more, encoding="utf-8")
    loaded = compile_suite(load_suite(tmp_path))
    assert loaded.notes == ("ticket/token_f1 has no pass rule and takes no part",)
    assert [criterion.name for criterion in loaded.spec.criteria][-1] == "ticket/json_schema"
