from __future__ import annotations

from fakes.small_suites import case, right, write_suite
from fakes.stored_runs import manifest

from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import open_outputs
from evalkit.pipeline.read_back import read_back


def suite_and_manifest(tmp_path, **changes):
    """Write a suite of two cases and return the manifest of a run over it."""
    folder = write_suite(
        tmp_path / "shop", golden=[case("a"), case("b")], outputs={"candidate": [right("a"), right("b")]}
    )
    fields = {
        "suite_path": str(folder / "suite.yaml"),
        "outputs_path": str(folder / "outputs" / "candidate" / "outputs.jsonl"),
        "golden_sha256": GoldenSet(folder / "golden.jsonl").sha256,
        "outputs_sha256": open_outputs(folder, "candidate").sha256,
    }
    return folder, manifest(**{**fields, **changes})


def test_cases_and_outputs_that_are_asked_for_are_read_and_no_others(tmp_path):
    _, made = suite_and_manifest(tmp_path)
    found = read_back(made, {"b"}, None)
    assert (list(found.cases), list(found.outputs), found.notes) == (["b"], ["b"], ())


def test_a_file_that_has_changed_since_the_run_is_not_shown_and_is_named(tmp_path):
    _, made = suite_and_manifest(tmp_path, golden_sha256="0" * 64, outputs_sha256="0" * 64)
    found = read_back(made, {"a"}, None)
    assert (found.cases, found.outputs) == ({}, {})
    assert "golden.jsonl has changed since this run" in found.notes[0]
    assert "outputs.jsonl has changed since this run" in found.notes[1]


def test_a_suite_that_moved_is_found_where_it_is_said_to_be(tmp_path):
    folder, made = suite_and_manifest(tmp_path)
    moved = folder.rename(tmp_path / "moved")
    lost = read_back(made, {"a"}, None)
    assert (lost.cases, lost.outputs, len(lost.notes)) == ({}, {}, 2)
    for place in (moved, moved / "suite.yaml"):
        found = read_back(made, {"a"}, place)
        assert (list(found.cases), list(found.outputs), found.notes) == (["a"], ["a"], ())


def test_another_suite_is_named_as_such_and_none_of_its_texts_are_shown(tmp_path):
    folder, made = suite_and_manifest(tmp_path)
    other = folder.rename(tmp_path / "other")
    settings = (other / "suite.yaml").read_text("utf-8")
    (other / "suite.yaml").write_text(settings.replace("name: shop", "name: bakery", 1), encoding="utf-8")
    found = read_back(made, {"a"}, other)
    assert (found.cases, found.outputs) == ({}, {})
    for note in found.notes:
        assert "is 'bakery', and the run is of 'shop': its texts are not those of the run" in note
    assert len(found.notes) == 2


def test_a_manifest_that_names_no_files_gives_no_texts_and_says_so(tmp_path):
    _, made = suite_and_manifest(tmp_path, suite_path="", outputs_path="")
    found = read_back(made, {"a"}, None)
    assert (found.cases, found.outputs) == ({}, {})
    assert "does not say where its suite is" in found.notes[0]
    assert "does not say where its outputs are" in found.notes[1]
