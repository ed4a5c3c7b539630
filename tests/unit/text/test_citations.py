from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.citations import parse_citations

NUMBERED = ["1", "2"]
NAMED = ["billing/refunds", "plans/team"]


def read(
    text: str, documents: list[str] | None = None, field: list[str] | None = None
) -> tuple[list[str], list[str], list[str]]:
    cited = parse_citations(text, field, NAMED if documents is None else documents)
    return list(cited.resolved), list(cited.unresolved), list(cited.malformed)


@pytest.mark.parametrize(
    ("text", "resolved", "unresolved", "malformed"),
    [
        ("The fee is 12 [1].", ["1"], [], []),
        ("The fee is 12 [doc:2].", ["2"], [], []),
        ("The fee is 12 [9].", [], ["9"], []),
        ("The fee is 12 [0].", [], ["0"], []),
        ("The fee is 12.", [], [], []),
        ("The fee is 12 [1, 2].", ["1", "2"], [], []),
        ("The fee is 12 [1-3].", ["1", "2"], ["3"], []),
        ("The fee is 12 [1\u20132].", ["1", "2"], [], []),
        ("The fee is 12 [1][2]", ["1", "2"], [], []),
        ("The fee is 12 [ 1 ]", ["1"], [], []),
        ("days[1] and days[1]", ["1"], [], []),
        ("The fee is 12 [99999999999999999999].", [], ["99999999999999999999"], []),
        ("The fee is 12 [^1].", [], [], ["[^1]"]),
        ("The fee is 12\u3010 1\u2020source\u3011", [], [], ["\u3010 1\u2020source\u3011"]),
        ("The fee is 12 [01]", [], [], ["[01]"]),
        ("The fee is 12 [1; 2]", [], [], ["[1; 2]"]),
        ("The fee is 12 [2-1]", [], [], ["[2-1]"]),
        ("The fee is 12 [1-1000000]", [], [], ["[1-1000000]"]),
        ("The fee is 12 [\u00b9]", [], [], ["[\u00b9]"]),
        ("The fee is 12 [Source 1]", [], [], ["[Source 1]"]),
        ("The fee is 12 [1, p. 3]", [], [], ["[1, p. 3]"]),
        ("The fee is 12 [citation needed].", [], [], ["[citation needed]"]),
    ],
)
def test_numbers_lists_and_ranges_are_read_and_drifted_formats_are_reported(
    text: str, resolved: list[str], unresolved: list[str], malformed: list[str]
) -> None:
    assert read(text, NUMBERED) == (resolved, unresolved, malformed)


@pytest.mark.parametrize(
    ("text", "resolved", "unresolved", "malformed"),
    [
        ("Within 30 days [billing/refunds].", ["billing/refunds"], [], []),
        ("Within 30 days [doc:billing/refunds, plans/team].", ["billing/refunds", "plans/team"], [], []),
        ("Within 30 days [doc: plans/team].", ["plans/team"], [], []),
        ("Within 30 days [2].", ["plans/team"], [], []),
        ("Within 30 days [billing/refund].", [], ["billing/refund"], []),
        ("Within 30 days [Billing/Refunds].", [], ["Billing/Refunds"], []),
        ("Within 30 days [doc:nope].", [], ["nope"], []),
        ("Within 30 days [doc:x y].", [], [], ["[doc:x y]"]),
        ("Within 30 days [billing/refunds, section 2].", [], [], ["[billing/refunds, section 2]"]),
        ("Within 30 days [source: billing/refunds].", [], [], ["[source: billing/refunds]"]),
        ("Within 30 days (billing/refunds).", [], [], ["(billing/refunds)"]),
        ("Within 30 days (doc:billing/refunds).", [], [], ["(doc:billing/refunds)"]),
        ("Within 30 days (1).", [], [], ["(1)"]),
        ("Within 30 days (1, 2).", [], [], ["(1, 2)"]),
        ("Within 30 days \uff3b1\uff3d.", [], [], ["\uff3b1\uff3d"]),
    ],
)
def test_ids_resolve_by_name_or_position_and_other_brackets_are_drift(
    text: str, resolved: list[str], unresolved: list[str], malformed: list[str]
) -> None:
    assert read(text) == (resolved, unresolved, malformed)


@pytest.mark.parametrize(
    "text",
    [
        "This is [optional].",
        "He wrote [sic] and [...].",
        "Bring a card and/or cash [and/or], [n/a].",
        "- [x] done\n- [ ] open",
        "See [our guide](https://example.org/9).",
        "See [docs/api](https://example.org).",
        "![1](picture.png)",
        "At [12:30] sharp, in [0.5, 1.5].",
        "Dear [CUSTOMER_NAME],",
        "On [March 3, 2024] it changed.",
        "(1) Restart, (2) reinstall.",
        "Wait thirty (30) days, see section (2).",
        "Call f(1).",
        "\u3010\u6ce8\u610f\u3011 Mind the step.",
        "see [\n1\n]",
        "[] [ ] [",
    ],
)
def test_brackets_of_prose_are_no_citations(text: str) -> None:
    assert read(text) == ([], [], [])


@pytest.mark.parametrize(
    "text",
    [
        "Use `arr[7]` here [1].",
        "```py\nx = a[9]\n```\nSee [1].",
        "~~~\nb[8]\n~~~ [1]",
        "text ``` and then [1] with a stray fence",
        "``x[9]`` [1]",
        "```\nnever closed\n[1]",
        "[1](https://example.org/9)",
    ],
)
def test_code_hides_its_brackets_and_nothing_else(text: str) -> None:
    assert read(text, NUMBERED) == (["1"], [], [])


@pytest.mark.parametrize("text", ["matrix [[1]]", r"\[1\]"])
def test_doubled_and_escaped_brackets_are_drift(text: str) -> None:
    resolved, unresolved, malformed = read(text, NUMBERED)
    assert (resolved, unresolved) == ([], [])
    assert len(malformed) == 1


def test_a_documents_own_number_wins_over_its_position() -> None:
    assert read("[1] [2]", ["2", "7"]) == (["2"], [], [])
    assert read("[1]", ["2", "1"]) == (["1"], [], [])


def test_unknown_words_count_as_ids_only_where_the_cases_ids_are_built_like_them() -> None:
    assert read("[Q3] [doc9] [doc-9] [later]", ["doc1", "doc2"]) == ([], ["Q3", "doc9", "doc-9"], [])
    assert read("[kb-9] [plans/team]", ["kb-1", "kb-2"]) == ([], ["kb-9"], [])
    assert read("[refunds] [Refunds] [plans] [a/b]", ["refunds", "terms"]) == (["refunds"], ["Refunds", "a/b"], [])


def test_an_id_may_hold_commas_spaces_and_300_characters() -> None:
    long = "a" * 300
    assert read(f"[Terms, part 2] [{long}]", ["Terms, part 2", long])[0] == ["Terms, part 2", long]


def test_a_document_called_x_is_cited_in_prose_and_is_a_check_box_in_a_list() -> None:
    assert read("As said [x].", ["x"]) == (["x"], [], [])
    assert read("- [x] As said.", ["x"]) == ([], [], [])


def test_composed_and_decomposed_accents_name_the_same_document() -> None:
    assert read("[caf\u00e9]", ["cafe\u0301"]) == (["cafe\u0301"], [], [])


def test_the_citations_field_counts_beside_the_text() -> None:
    assert read("As said [1].", field=["plans/team", "nope", "[1]", "doc:billing/refunds", " "]) == (
        ["billing/refunds", "plans/team"],
        ["nope"],
        [" "],
    )
    assert read("As said.", field=[]) == ([], [], [])


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[1" * 50_000,
        "(1)" * 50_000,
        "[x]" * 50_000,
        "`" * 3 + "a`" * 50_000,
        "[a/b]" * 50_000,
        "[" + "a," * 50_000 + "]",
    ],
)
def test_hostile_texts_cost_linear_time(text: str) -> None:
    start = time.process_time()
    read(text, NAMED * 100)
    assert time.process_time() - start < 20  # some tens of times what it takes; what is not linear takes minutes


@given(
    st.text(alphabet="[]()`~\\^0123, -:/docx\n\u3010\u3011!", max_size=80),
    st.lists(st.sampled_from(["1", "a/b", "x", "d1"]), max_size=3),
)
def test_any_text_is_read_and_what_is_resolved_is_a_document(text: str, documents: list[str]) -> None:
    cited = parse_citations(text, None, documents)
    assert set(cited.resolved) <= set(documents)
    assert not set(cited.unresolved) & set(documents)
