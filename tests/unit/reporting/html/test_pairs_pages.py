"""The page of a comparison of candidates: its list, its cases, its first screen."""

from __future__ import annotations

from fakes.compared import comparison, line, order, pair_row, pairs_material

from evalkit.records.comparisons import Compared
from evalkit.records.judges import FLOOR_NAME
from evalkit.reporting.html.document import pairs_html
from evalkit.reporting.html.pairs_material import pair_cases, pairs_details, pairs_index
from evalkit.reporting.html.pairs_screen import pairs_screen

OVERALL = ("tone", "new against old", "overall")


def screen(**changes):
    made = pairs_material(**changes)
    return pairs_screen(made, pair_cases(made))


def test_each_case_says_what_came_of_its_pair():
    found = {one.case_id: one.outcomes[OVERALL] for one in pair_cases(pairs_material())}
    assert found == {"c1": "first wins", "c2": "depends on the order", "c3": "no verdict", "c4": "tie"}


def test_conflicts_and_missing_verdicts_are_walked_first():
    made = pairs_material()
    found = pair_cases(made)
    index = pairs_index(found, made)
    assert [found[number].case_id for number in index["worst"]][:2] == ["c2", "c3"]
    assert [index["outcomes"][number] for number in index["mend"]] == ["depends on the order", "no verdict"]


def test_a_case_names_candidates_and_never_only_letters():
    made = pairs_material()
    by_id = {one["id"]: one for one in pairs_details(pair_cases(made), made)}
    (pair,) = by_id["c2"]["pairs"]
    assert pair["answers"][0] == [("same", "You have 30 "), ("changed", "days"), ("same", ".")]
    shown = [(one["shown"][0], one["criteria"][-1]["prefers"]) for one in pair["orders"]]
    assert shown == [("new", "new"), ("old", "old")]
    assert pair["orders"][0]["criteria"][0]["quotes"] == [["30 days", "the answer shown first"]]
    (broken,) = by_id["c3"]["pairs"]
    assert broken["orders"][1]["criteria"] == []
    assert broken["orders"][1]["refused"] == ["parse: is no JSON"] * 2
    assert by_id["c4"]["pairs"][0]["in_code"] == "identical"


def test_texts_that_are_gone_are_none():
    made = pairs_material(cases={}, outputs={})
    first = next(iter(pairs_details(pair_cases(made), made)))
    assert first["pairs"][0]["answers"] == [None, None]
    assert first["asked"] == []


def test_nobody_is_ahead_while_the_interval_holds_zero():
    assert screen()["ahead"] == [("new and old: no winner shown", "20 won, 8 tied, 12 lost of 40 pairs (tone)")]
    ahead = screen(comparison=comparison(pair_row(net_interval=(0.02, 0.4))))["ahead"]
    assert ahead[0][0] == "new ahead of old"
    behind = screen(comparison=comparison(pair_row(net_interval=(0.02, 0.4), net_clustered=(-0.4, -0.1), clusters=9)))
    assert behind["ahead"][0][0] == "old ahead of new"


def test_the_page_gives_a_net_win_the_interval_of_the_terminal():
    made = comparison(pair_row(net=0.0125, net_interval=(-0.07, 0.097), net_clustered=(-0.11, 0.135), clusters=9))
    (shown,) = screen(comparison=made)["rows"]
    assert (shown.net, shown.limits) == ("+1.2", "-11.0 to +13.5 over 9 clusters")
    assert "as if cases shared nothing: -7.0 to 9.7" in shown.note
    (none,) = screen(comparison=comparison(pair_row(net_clustered=None, clusters=1)))["rows"]
    assert none.limits == "no interval over 1 cluster"


def test_rows_part_the_pairs_to_scale():
    first, second = screen()["rows"]
    assert (first.name, second.name) == ("tone / overall", "tone / P1")
    assert [part.place for part in first.parts] == [
        (0.0, 120.0),
        (120.0, 30.0),
        (150.0, 12.0),
        (162.0, 6.0),
        (168.0, 72.0),
    ]
    assert first.counts == ("20", "5", "2", "1", "12")
    assert (first.net, first.limits, first.note) == ("+20.0", "-8.0 to +45.0", "excluded: judge_error:parse 2")


def test_a_row_without_a_decided_pair_is_named():
    found = screen(comparison=comparison(pair_row(n=0, net=None, net_interval=None)))
    assert found["rows"] == []
    assert found["without_data"] == ["tone / overall: judge_error:parse 2"]


def test_of_three_candidates_a_row_says_which_two_it_is_about():
    three = tuple(Compared(name=name, outputs_sha256="d" * 64) for name in ("new", "old", "third"))
    assert screen(comparison=comparison(candidates=three))["rows"][0].name == "new against old: tone / overall"


def test_the_floor_is_said_to_be_a_floor():
    floor = comparison().judges[0].model_copy(update={"judge": FLOOR_NAME})
    assert any("floor" in alarm for alarm in screen(comparison=comparison(judges=(floor,)))["alarms"])
    assert not screen()["alarms"]


def test_the_matrix_draws_areas_to_scale():
    lines = [line(f"c{number}", order("ab", "A"), order("ba", "B")) for number in range(4)]
    lines.append(line("c9", order("ab", "A"), order("ba", "A")))
    matrix = screen(pairs=lines)["matrices"][-1]
    assert matrix.title == "new against old: tone / overall"
    assert matrix.sides == ("new", "tie", "old")
    assert matrix.rows[0] == ("new", (("4", 22.0), ("0", 0.0), ("1", 11.0)))


def test_hostile_names_and_reasons_stay_text():
    hostile = "</script><script>alert(1)</script>"
    made = pairs_material(
        pairs=(line("c1", order("ab", "A", rationale=hostile), order("ba", "B"), first=hostile),),
        comparison=comparison(pair_row(first=hostile, reading=hostile)),
    )
    text = pairs_html(made)
    assert text.count("<script") == 3
    assert "&lt;/script&gt;" in text
