"""A suite with all it names: look-up, paths, checks between the parts, the judge, and the hash."""

from __future__ import annotations

import pytest

from evalkit.errors import InputError, UsageError
from evalkit.loading.suites import load_suite
from evalkit.records.judges import JudgeConfig

SUITE = """\
name: s
capabilities:
  - name: faith
    judge: [{rubric: mine}]
  - name: words
    scorers: [{scorer: lexicon, lexicon: banned}, {scorer: exact_match}]
"""
RUBRIC = """\
id: mine
version: 1.0
criteria:
  - {id: C1, question: Is it?, pass_condition: It is.}
"""
LEXICON = "id: banned\nversion: 1\nterms: [{term: flawless}]\n"


@pytest.fixture
def project(tmp_path):
    """Write files into suites/s of a project and return the suite's folder."""

    def write(suite: str = SUITE, rubric: str = RUBRIC, lexicon: str = LEXICON, **files: str):
        folder = tmp_path / "project" / "suites" / "s"
        texts = {
            "suite.yaml": suite,
            "rubrics/mine.yaml": rubric,
            "lexicons/banned.yaml": lexicon,
            "golden.jsonl": "{}",
            **files,
        }
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return write


def faults(folder, judge=None) -> list:
    with pytest.raises(InputError) as caught:
        load_suite(folder, judge)
    return list(caught.value.faults)


def problem(folder, judge=None) -> str:
    [fault] = faults(folder, judge)
    return fault.problem


def test_a_suite_is_its_folder_or_its_file(project):
    folder = project()
    for path in (folder, folder / "suite.yaml"):
        loaded = load_suite(path)
        assert (loaded.folder, loaded.file) == (folder, folder / "suite.yaml")
        assert loaded.rubrics["mine"].version == "1.0"
        assert loaded.lexicons["banned"].terms[0].term == "flawless"
        assert loaded.judge == JudgeConfig()


def test_a_missing_suite_says_how_to_get_one(tmp_path):
    with pytest.raises(InputError, match="evalkit init"):
        load_suite(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        load_suite(tmp_path / "none")


def test_the_suites_folder_comes_before_what_the_package_ships(project):
    suite = SUITE.replace("mine", "faithfulness")
    assert load_suite(project(suite)).rubrics["faithfulness"].claims == "plain"
    own = RUBRIC.replace("id: mine", "id: faithfulness")
    for name in ("rubrics/faithfulness.yaml", "faithfulness.yaml"):
        assert load_suite(project(suite, **{name: own})).rubrics["faithfulness"].claims == "none"


def test_an_unknown_rubric_names_line_and_what_there_is(project):
    [fault] = faults(project(SUITE.replace("mine", "none")))
    assert (fault.line, fault.field) == (4, "capabilities.0.judge.0.rubric")
    assert "there is no rubric 'none'; known: " in fault.problem
    assert "faithfulness" in fault.problem


@pytest.mark.parametrize("name", ["../../../secret.yaml", "/etc/hostname.yaml", "rubrics/../../../../secret.yaml"])
@pytest.mark.parametrize("kind", ["mine", "banned"])
def test_a_path_may_not_leave_the_suites_folder(project, tmp_path, name, kind):
    (tmp_path / "secret.yaml").write_text("top: secret\n", encoding="utf-8")
    found = problem(project(SUITE.replace(kind, name)))
    assert "leads out of the suite's folder, to /" in found
    assert "top" not in found


def test_a_symlink_is_resolved_before_it_is_judged(project, tmp_path):
    folder = project()
    secret = tmp_path / "secret.yaml"
    secret.write_text(RUBRIC, encoding="utf-8")
    (folder / "rubrics" / "mine.yaml").unlink()
    (folder / "rubrics" / "mine.yaml").symlink_to(secret)
    assert f"to {secret.resolve()}" in problem(folder)


def test_a_path_into_the_projects_rubrics_is_allowed(project, tmp_path):
    folder = project(SUITE.replace("mine", "../../rubrics/shared.yaml"))
    shared = tmp_path / "project" / "rubrics"
    shared.mkdir()
    (shared / "shared.yaml").write_text(RUBRIC, encoding="utf-8")
    assert load_suite(folder).rubrics["../../rubrics/shared.yaml"].id == "mine"


@pytest.mark.parametrize("name", ["a\\0b", "x" * 5000, "..", "file:///etc/passwd"])
def test_odd_names_are_only_names(project, name):
    assert faults(project(SUITE.replace("rubric: mine", f'rubric: "{name}"')))


def test_a_constitution_is_replaced_by_its_text(project):
    folder = project(rubric=RUBRIC + "constitution: ../tone.md\n", **{"tone.md": "\ufeffBe kind.\n{{name}}\n"})
    assert load_suite(folder).rubrics["mine"].constitution == "Be kind.\n{{name}}\n"


@pytest.mark.parametrize("name", ["../../../../secret.md", "/etc/hostname"])
def test_a_constitution_may_not_come_from_elsewhere(project, name):
    assert "leads out" in problem(project(rubric=RUBRIC + f"constitution: {name}\n"))


def test_a_missing_constitution_and_golden_set_are_named(project):
    assert "does not exist" in problem(project(rubric=RUBRIC + "constitution: none.md\n"))
    assert "there is no file 'none.jsonl'" in problem(project(SUITE + "golden: none.jsonl\n"))
    assert "leads out" in problem(project(SUITE + "golden: ../../../golden.jsonl\n"))


def test_the_faults_of_all_files_come_at_once(project):
    folder = project(
        SUITE + "version: [1]\njudge: judge.yaml\n",
        rubric=RUBRIC.replace("question", "qestion"),
        lexicon=LEXICON.replace("terms", "term"),
        **{"judge.yaml": "client: openai\nsamples: 0\n"},
    )
    files = [fault.file.rpartition("/")[2] for fault in faults(folder)]
    assert set(files) == {"suite.yaml", "mine.yaml", "banned.yaml", "judge.yaml"}


@pytest.mark.parametrize(
    ("change", "field", "expected"),
    [
        (("name: words", "name: faith"), "capabilities.1.name", "stands twice"),
        (("    judge: [{rubric: mine}]\n", ""), "capabilities.0", "nothing measures"),
        (
            ("{rubric: mine}", "{rubric: mine, mode: pairwise}"),
            "capabilities.0.judge.0.mode",
            "is for mode pointwise, not pairwise",
        ),
        (("{rubric: mine}", "{rubric: mine, mode: solo}"), "capabilities.0.judge.0.mode", "expected 'pointwise'"),
        (("{rubric: mine}", "{rubric: mine}, {rubric: mine}"), "capabilities.0.judge.1", "stands twice"),
        (
            ("{scorer: exact_match}", "{scorer: exact_match}, {scorer: exact_match}"),
            "capabilities.1.scorers.2",
            "stands twice",
        ),
        (("  - name: words\n", "  - name: words\n    cases: {}\n"), "capabilities.1.cases", "selects no case"),
    ],
)
def test_what_does_not_fit_together_is_named_with_its_field(project, change, field, expected):
    [fault] = faults(project(SUITE.replace(*change)))
    assert fault.field == field
    assert expected in fault.problem


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("capability: fiath, criterion: C1, min: 0.9", "no capability 'fiath' is measured"),
        ("capability: faith, criterion: C1", "has no threshold"),
        ("capability: faith, criterion: C1, min: 0.9, max: 0.1", "min 0.9 is above max 0.1"),
        ("capability: faith, scorer: exact_match, criterion: C1, min: 0.9", "'exact_match' does not measure 'faith'"),
        ("capability: faith, criterion: C1, min: .nan", "not a finite number"),
        ('capability: faith, criterion: C1, min: "0.8"', "expected a number, got text"),
        ("capability: faith, criterion: C1, min: true", "expected a number, got true"),
    ],
)
def test_a_gate_that_could_not_decide_is_refused(project, gate, expected):
    assert expected in problem(project(SUITE + f"gates: [{{{gate}}}]\n"))


def test_a_gate_without_threshold_may_ask_for_no_regression(project):
    assert load_suite(project(SUITE + "gates: [{capability: faith, scorer: mine, criterion: C1, on: no_regression}]\n"))


PAIRS = RUBRIC.replace("version: 1.0", "version: 1.0\nmode: pairwise")


@pytest.mark.parametrize("gate", ["", "scorer: mine, "])
def test_a_gate_on_a_pairwise_rubric_is_refused(project, gate):
    told = problem(project(SUITE + f"gates: [{{capability: faith, {gate}criterion: C1, min: 0.5}}]\n", PAIRS))
    assert "pairwise rows never gate" in told


def test_beside_a_pairwise_rubric_code_may_gate(project):
    both = SUITE.replace("judge: [{rubric: mine}]", "judge: [{rubric: mine}]\n    scorers: [{scorer: exact_match}]")
    assert load_suite(project(both + "gates: [{capability: faith, criterion: exact_match, min: 0.5}]\n", PAIRS))


def test_a_gate_names_a_scorer_as_its_rows_do(project):
    named = SUITE.replace("{scorer: exact_match}]", "{scorer: exact_match, name: word}]")
    gate = "gates: [{{capability: words, scorer: {}, criterion: exact_match, min: 0.5}}]\n"
    assert load_suite(project(named + gate.format("word")))
    assert "does not measure" in problem(project(named + gate.format("exact_match")))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("id: C1", "id: overall"), "reserved"),
        (
            ("pass_condition: It is.}", "pass_condition: It is.}\n  - {id: C1, question: q, pass_condition: p}"),
            "stands twice",
        ),
        (("pass_condition: It is.", "pass_condition: '  '"), "must not be empty"),
        (("pass_condition: It is.", "pass_condition: p, claims_rule: all_supported"), "needs a claims table"),
        (("pass_condition: It is.", "pass_condition: p, critical: false"), "no critical criterion"),
        (("version: 1.0", "version: 1.0\nchannels: {C1: tone?}"), "bears a criterion's name"),
        (("pass_condition: It is.", "pass_condition: p, claims_rule: all_covered"), "none of mode pointwise"),
        (("version: 1.0", "version: 1.0\nmode: reference\nclaims: plain"), "facts instead of claims"),
    ],
)
def test_a_rubric_that_could_not_be_judged_is_refused(project, change, expected):
    assert expected in problem(project(rubric=RUBRIC.replace(*change)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("pass_condition: It is.", "pass_condition: p, claims_rule: citations_support"), "none of mode reference"),
        (("id: C1", "id: Coverage"), "is reserved"),
        (("id: C1", "id: C1, evidence_from: context"), "shown no sources"),
    ],
)
def test_a_reference_rubric_has_the_rules_and_rows_of_its_mode(project, change, expected):
    rubric = RUBRIC.replace(*change).replace("version: 1.0", "version: 1.0\nmode: reference")
    assert expected in problem(project(rubric=rubric))


def test_two_rubrics_of_one_id_are_refused(project):
    suite = SUITE.replace("{rubric: mine}", "{rubric: mine}, {rubric: other}")
    assert "share the id 'mine'" in problem(project(suite, **{"rubrics/other.yaml": RUBRIC}))


# the judge


def with_judge(project, text: str):
    return project(SUITE + "judge: judge.yaml\n", **{"judge.yaml": text})


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("client: openai\n", "model", "is missing"),
        ("client: replay\nmodel: m\n", "replay", "is missing"),
        ("client: litellm\nmodel: m\nmax_cost: 0\n", "max_cost", "needs `prices`"),
        ("client: openai\nmodel: m\nbase_url: ftp://x/v1\n", "base_url", "not a plain http(s) URL"),
        (
            "client: openai\nmodel: m\nparams: {extra: {drop_params: true}}\n",
            "params.extra.drop_params",
            "not an extra parameter",
        ),
        ('structured_output: "false"\n', "structured_output", "expected true or false"),
        ("modle: m\n", "modle", "unknown field"),
    ],
)
def test_a_judge_that_could_not_be_asked_is_refused(project, text, field, expected):
    [fault] = faults(with_judge(project, text))
    assert (fault.field, fault.line) == (field, fault.line)
    assert expected in fault.problem


@pytest.mark.parametrize(
    "text",
    [
        "api_key: sk-CANARY\n",
        "client: openai\nmodel: m\napi_key_env: sk-CANARY-123\n",
        "client: openai\nmodel: m\nparams: {extra: {Authorization: Bearer CANARY}}\n",
        "client: openai\nmodel: m\nparams: {extra: {headers: [{x-api-key: CANARY}]}}\n",
        "client: openai\nmodel: m\nbase_url: https://user:CANARY@host/v1\n",
        "client: openai\nmodel: m\nbase_url: https://host/v1?key=CANARY\n",
        "access_token: CANARY\n",
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(project, text):
    with pytest.raises(InputError) as caught:
        load_suite(with_judge(project, text))
    assert "keys come from the environment" in str(caught.value)
    assert "CANARY" not in str(caught.value)


def test_a_judge_of_the_command_line_takes_the_suites_place_from_anywhere(project, tmp_path):
    folder = with_judge(project, "client: floor\n")
    other = tmp_path / "other.yaml"
    other.write_text(
        "client: openai\nmodel: 4.0\napi_key_env: MY_KEY\nbase_url: http://127.0.0.1:8000/v1/\n", encoding="utf-8"
    )
    assert load_suite(folder, other).judge.model == "4.0"
    assert load_suite(folder).judge.client == "floor"
    assert "does not exist" in problem(folder, tmp_path / "none.yaml")


def test_a_suites_own_judge_may_not_stand_elsewhere(project):
    assert "leads out" in problem(project(SUITE + "judge: ../../../judge.yaml\n"))


def test_settings_of_the_command_line_are_put_in_and_checked(project):
    loaded = load_suite(
        with_judge(project, "client: openai\nmodel: m\nparams: {seed: 3}\nprices: {input: 1, output: 2}\n")
    )
    changed = loaded.with_judge({"max_cost": 0.5, "samples": 3}).judge
    assert (changed.max_cost, changed.samples, changed.params.seed, changed.model) == (0.5, 3, 3, "m")
    with pytest.raises(UsageError, match="samples"):
        loaded.with_judge({"samples": 0})
    unpriced = load_suite(with_judge(project, "client: openai\nmodel: m\n"))
    with pytest.raises(UsageError, match="prices"):
        unpriced.with_judge({"max_cost": 1.0})


# the hash


def test_the_hash_covers_what_makes_a_measurement_and_nothing_else(project):
    base = load_suite(project()).sha256
    assert load_suite(project()).sha256 == base
    tail = "gates: [{capability: faith, criterion: C1, min: 1}]\nbudgets: {judge_error: 0.5}\ntrust: {tpr: 0.5}\njudge: judge.yaml\n"
    assert load_suite(project(SUITE + tail, **{"judge.yaml": "samples: 2\n"})).sha256 == base
    assert load_suite(project("# a comment\n" + SUITE)).sha256 == base
    for changed in (
        project(SUITE + 'version: "2"\n'),
        project(SUITE.replace("scorer: exact_match", "scorer: exact_match, numeric: true")),
        project(SUITE + "policy: [{scorer: latency_limit, max_ms: 1}]\n"),
        project(rubric=RUBRIC.replace("It is.", "It is so.")),
        project(lexicon=LEXICON.replace("flawless", "perfect")),
    ):
        assert load_suite(changed).sha256 != base


def test_the_hash_covers_a_constitutions_text(project):
    rubric = RUBRIC + "constitution: ../tone.md\n"
    one, other = (load_suite(project(rubric=rubric, **{"tone.md": text})).sha256 for text in ("Be kind.", "Be brief."))
    assert one != other
