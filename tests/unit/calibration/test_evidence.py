"""What experiments say for trust: met, failed, or undecided with what would decide it."""

from __future__ import annotations

import pytest
from fakes import stored_runs

from evalkit.aggregation.measured import by_another, newest
from evalkit.calibration.evidence import independence, padding, self_agreement
from evalkit.records.experiments import AgreementRow, Experiment, ExperimentJudge, FamilyRow, PairedRow

KEY = ("faithfulness", "faithfulness", "F1")
NAMED = {"capability": KEY[0], "rubric": KEY[1], "criterion": KEY[2]}
HEADER = stored_runs.report().judges[0].model_copy(update={"judge": "j", "snapshots": ("s1",)})


def experiment(kind="stability", **fields):
    judge = ExperimentJudge(
        capability="faithfulness", judge="j", judge_config_hash=stored_runs.JUDGE_HASH, snapshots=("s1",)
    )
    given = {"made_at": "2026-11-30T00:00:00+00:00", "evalkit_version": "0", "suite": "shop", "judges": (judge,)}
    return Experiment(kind=kind, **{**given, **fields})


def agreement(n, interval, pairwise=0.95):
    empty = dict.fromkeys(("all_equal", "all_equal_interval", "alpha", "alpha_interval", "ac1", "worst_case"))
    empty |= {"unreadable_pairwise": None, "unreadable_items": n, "unreadable_equal": n}
    return AgreementRow(
        **NAMED,
        judge="j",
        runs=2,
        items=n,
        n=n,
        excluded={},
        equal={},
        flipped=0,
        pairwise=pairwise,
        pairwise_interval=interval,
        **empty,
    )


def paired(n, gained, lost):
    empty = dict.fromkeys(("difference", "interval", "p", "changed", "changed_interval"))
    return PairedRow(
        **NAMED,
        variant="padding",
        cases=n,
        n=n,
        excluded={},
        passed_original=n,
        passed_perturbed=n,
        gained=gained,
        lost=lost,
        **empty,
    )


def family(n, interval):
    counts = dict.fromkeys(("own_home", "own_foreign", "other_home", "other_foreign"), 0)
    return FamilyRow(**NAMED, cases=n, n=n, excluded={}, difference=0.0, interval=interval, **counts)


@pytest.mark.parametrize(
    ("n", "interval", "state"),
    [
        (80, (0.92, 0.99), "met"),
        (80, (0.85, 0.95), "undecided"),
        (80, (0.5, 0.7), "failed"),
        (49, (0.95, 1.0), "undecided"),
        (80, None, "undecided"),
    ],
)
def test_self_agreement_is_held_by_its_lower_bound(n, interval, state):
    found = experiment(agreement=(agreement(n, interval),))
    assert self_agreement(found, 0.9, KEY).state == state


def test_without_a_floor_or_a_measurement_self_agreement_says_what_to_do():
    assert "budgets.self_agreement" in self_agreement(None, None, KEY).remedy
    assert self_agreement(None, 0.9, KEY).remedy == "evalkit stability SUITE"
    assert self_agreement(experiment(), 0.9, KEY).state == "undecided"


@pytest.mark.parametrize(
    ("n", "gained", "lost", "state"),
    [
        (200, 1, 1, "met"),
        (200, 30, 0, "failed"),
        (200, 0, 30, "failed"),
        (60, 3, 0, "undecided"),
        (40, 0, 0, "undecided"),
    ],
)
def test_padding_is_an_equivalence_test(n, gained, lost, state):
    found = experiment("verbosity", paired=(paired(n, gained, lost),))
    assert padding(found, 0.05, KEY).state == state


def test_padding_that_was_not_measured_names_its_command():
    assert padding(None, 0.05, KEY).remedy == "evalkit bias verbosity SUITE"


@pytest.mark.parametrize(
    ("differs", "row", "state"),
    [
        ("true", None, "met"),
        ("false", None, "undecided"),
        ("unknown", None, "undecided"),
        ("false", family(80, (-0.02, 0.03)), "met"),
        ("false", family(80, (-0.02, 0.09)), "undecided"),
        ("false", family(40, (-0.02, 0.03)), "undecided"),
        ("false", family(80, (0.06, 0.2)), "failed"),
    ],
)
def test_independence_is_another_family_or_no_favour_for_its_own(differs, row, state):
    found = experiment("family", family=(row,)) if row else None
    assert independence(differs, "why", found, 0.05, KEY).state == state


def test_a_favour_that_was_measured_without_a_figure_says_so_instead_of_asking_to_measure_it():
    def said(**fields):
        return independence("false", "same family", experiment("family", **fields), 0.05, KEY)

    obstacle = said(notes=("not identifiable: both judges are of one family (gpt)",))
    assert obstacle.figures.endswith("was measured: not identifiable: both judges are of one family (gpt)")
    other = said(family=(family(80, (-0.02, 0.03)).model_copy(update={"criterion": "F9"}),))
    assert other.figures.endswith("evalkit bias family was measured, but not on this criterion")
    empty = said(family=(family(0, None).model_copy(update={"reading": "insufficient"}),))
    assert empty.figures.endswith("was measured over 0 cases and has no interval: insufficient")
    assert {one.state for one in (obstacle, other, empty)} == {"undecided"}
    assert all(one.remedy.endswith(("--second-judge FILE", "on more cases")) for one in (obstacle, other, empty))
    elsewhere = independence(
        "false", "same family", None, 0.05, KEY, other="measured under another snapshot (a) than the run's (b)"
    )
    assert elsewhere.figures.endswith("evalkit bias family was measured under another snapshot (a) than the run's (b)")


def test_an_experiment_speaks_for_the_configuration_and_snapshot_it_was_made_under():
    fitting = experiment()
    judge = fitting.judges[0]
    others = [
        experiment("drift"),
        experiment(completeness="incomplete"),
        experiment(selection={"case": ["c1"]}),
        experiment(checked=False),
        experiment(judges=(judge.model_copy(update={"judge_config_hash": "d" * 64}),)),
        experiment(judges=(judge.model_copy(update={"snapshots": ("s2",)}),)),
        experiment(judges=(judge.model_copy(update={"role": "second"}),)),
    ]
    assert newest(others, "stability", HEADER) is None
    assert newest([*others, fitting], "stability", HEADER) is fitting
    assert newest([experiment(selection={"limit": 60})], "stability", HEADER) is not None


@pytest.mark.parametrize(("n", "kept"), [(50, 0.09), (49, None)])
def test_a_judge_of_another_family_is_independent_and_the_measured_favour_is_kept_for_later_runs(n, kept):
    measured = experiment("family", family=(family(n, (0.06, 0.09)),))
    found = independence("true", "families differ", measured, 0.05, KEY)
    assert (found.state, found.observed, found.remedy) == ("met", kept, "")


@pytest.mark.parametrize(
    ("experiments", "runs", "speaks"),
    [(("jev-1",), ("jev-1",), True), (("jev-2",), ("jev-1",), False), (("jev-1",), (), False), ((), ("jev-1",), True)],
)
def test_an_experiment_on_a_cascade_speaks_where_its_classifier_answered_the_run_too(experiments, runs, speaks):
    found = experiment()
    judge = found.judges[0].model_copy(update={"classifier_snapshots": experiments})
    header = HEADER.model_copy(update={"classifier_snapshots": runs})
    one = found.model_copy(update={"judges": (judge,)})
    assert (newest([one], "stability", header) is one) is speaks


def test_an_experiment_speaks_for_one_snapshot_only():
    mixed = HEADER.model_copy(update={"snapshots": ("s1", "s2")})
    both = experiment(judges=(experiment().judges[0].model_copy(update={"snapshots": ("s1", "s2")}),))
    assert newest([experiment()], "stability", HEADER) is not None
    assert newest([experiment(), both], "stability", mixed) is None, (
        "of a mixed run nobody knows whose verdicts they are"
    )
    assert newest([both], "stability", HEADER) is None


def test_a_measurement_under_another_snapshot_is_said_to_be_one():
    other = experiment(judges=(experiment().judges[0].model_copy(update={"snapshots": ("s0",)}),))
    said = by_another([other], "stability", HEADER)
    assert said == "measured under another snapshot (s0) than the run's (s1)"
    assert self_agreement(None, 0.9, KEY, said).figures == said
    assert by_another([experiment(), other], "stability", HEADER) == by_another([], "stability", HEADER) == ""
