"""The triage prompt: its parts in order, its words from the same scales as its schema."""

from __future__ import annotations

from fakes.triage import ANSWER, EVIDENCE, NOTES, TRIAGE_CASE, TRIAGE_FORM, TRIAGE_OUTPUT, grounded

from evalkit.judging import triage_prompt
from evalkit.judging.materials import material_for
from evalkit.judging.modes import MODES
from evalkit.judging.requests import Measurement
from evalkit.records.judges import JudgeConfig
from evalkit.validation.triage_form import SCOPES, TriageForm


def prompt_of(form: TriageForm = TRIAGE_FORM) -> tuple[str, str]:
    material = material_for(MODES["triage"], form, TRIAGE_CASE, TRIAGE_OUTPUT)
    system, user = MODES["triage"].messages(form, material)
    return system["content"], user["content"]


def test_the_parts_stand_in_order() -> None:
    _, user = prompt_of()
    places = [
        user.index(part)
        for part in ("Is it clean?", NOTES, '"clarity": "SI1"', ANSWER, "S1:", "Work in this", '{"type"')
    ]
    assert places == sorted(places)
    assert user.endswith(TRIAGE_FORM.schema_text)


def test_the_constitution_stands_in_the_system_message_and_nowhere_else() -> None:
    words = "A clarity grade does not say what a naked eye sees."
    system, user = prompt_of(TriageForm(grounded(constitution=words)))
    assert system.endswith(words)
    assert words not in user


def test_scopes_and_owners_are_named_as_in_the_schema() -> None:
    _, user = prompt_of()
    for word in (*SCOPES, "lab", "shop", "house", "nobody"):
        assert f'"{word}":' in user


def test_the_structured_evidence_is_what_paths_lead_into() -> None:
    assert material_for(MODES["triage"], TRIAGE_FORM, TRIAGE_CASE, TRIAGE_OUTPUT).evidence == EVIDENCE


def test_handoff_and_channels_are_asked_where_the_rubric_has_them() -> None:
    rubric = grounded(channels={"tone": "Like an expert?"})
    assert '"tone": Like an expert?' in triage_prompt.closing(TriageForm(rubric))
    assert triage_prompt.HANDOFF in triage_prompt.closing(TriageForm(rubric))
    without = rubric.model_copy(update={"criteria": rubric.criteria[:3], "channels": {}})
    assert triage_prompt.HANDOFF not in triage_prompt.closing(TriageForm(without))
    assert "beside the table" not in triage_prompt.closing(TriageForm(without))


def test_examples_of_the_rubric_are_shown() -> None:
    rubric = grounded()
    first = rubric.criteria[0].model_copy(update={"example_pass": "It says SI1.", "example_fail": "You see nothing."})
    shown = triage_prompt.closing(TriageForm(rubric.model_copy(update={"criteria": (first, *rubric.criteria[1:])})))
    assert "Example that passes: It says SI1." in shown
    assert "Example that fails: You see nothing." in shown


def test_another_constitution_is_another_measurement() -> None:
    judge = JudgeConfig(client="openai", model="m")
    one, other = (Measurement("honesty", grounded(constitution=text), judge) for text in ("A.", "B."))
    assert one.config_hash != other.config_hash
