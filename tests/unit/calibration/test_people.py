"""What people say together: majorities, ties, skips, and labels that were not blind."""

from __future__ import annotations

from fakes.labels import label_of

from evalkit.calibration.people import labelled_items, unsaid


def only(*labels, labellers=()):
    (one,) = labelled_items(labels, labellers)
    return one


def test_one_labellers_word_is_what_people_say():
    assert only(label_of("c", "pass")).label == "pass"


def test_two_who_differ_decide_nothing():
    one = only(label_of("c", "pass"), label_of("c", "fail", labeller="bob"))
    assert (one.label, one.reason) == (None, "labellers_disagree")


def test_two_of_three_decide():
    said = [label_of("c", label, labeller=name) for name, label in (("a", "A"), ("b", "tie"), ("c", "A"))]
    assert only(*said).label == "A"


def test_three_who_all_differ_decide_nothing():
    said = [label_of("c", label, labeller=name) for name, label in (("a", "A"), ("b", "tie"), ("c", "B"))]
    assert only(*said).reason == "labellers_disagree"


def test_a_skip_is_no_vote():
    assert only(label_of("c", None), label_of("c", "fail", labeller="bob")).label == "fail"
    assert only(label_of("c", None)).reason == "skipped"


def test_only_the_standards_labels_decide_but_everybodys_are_kept():
    one = only(label_of("c", "pass"), label_of("c", "fail", labeller="bob"), labellers=("bob",))
    assert (one.label, len(one.labels)) == ("fail", 2)


def test_an_item_without_a_label_of_the_standard_is_none():
    assert labelled_items([label_of("c", "pass")], ("bob",)) == []


def test_a_test_label_that_was_not_blind_does_not_count_and_a_dev_label_does():
    assert only(label_of("c", "pass", blind=False)).reason == "not_blind"
    assert only(label_of("c", "pass", blind=False, split="dev")).label == "pass"


def test_an_item_that_was_drawn_by_chance_stays_so_whatever_else_it_was_picked_for():
    both = only(label_of("c", "pass", design="flips"), label_of("c", "pass", labeller="bob", inclusion_probability=0.1))
    assert (both.sample, both.drawn.inclusion_probability) == ("drawn", 0.1)
    assert only(label_of("c", "pass", design="planted")).sample == "planted"
    assert only(label_of("c", "pass", design="flips")).sample == "flips"


NEW, OLD = "a" * 64, "b" * 64
ASKED = {("r", "F1"): NEW}


def worded(label, asked, labeller="ann"):
    return label_of(
        "c", label, rubric="r", criterion="F1", output_sha256="d" * 64, asked_sha256=asked, labeller=labeller
    )


def under(*labels):
    (one,) = labelled_items(labels, (), ASKED)
    return one


def test_a_label_under_another_wording_does_not_count():
    assert (under(worded("pass", NEW)).label, under(worded("pass", None)).label) == ("pass", "pass")
    one = under(worded("pass", OLD))
    assert (one.label, one.reason, one.labels) == (None, "other_wording", ())


def test_of_two_labellers_the_one_who_read_the_same_question_decides():
    one = under(worded("pass", OLD), worded("fail", NEW, "bob"))
    assert (one.label, len(one.labels)) == ("fail", 1)


def test_labels_that_do_not_say_what_they_answer_are_counted():
    assert unsaid([worded("pass", None), worded("pass", OLD), label_of("c", "pass")], ASKED) == 1
