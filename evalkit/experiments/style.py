"""Style: does the judge's verdict follow the manner of a text? The same contents, rewritten elsewhere in another family's style.

Self-preference that lives in style shows here without a second judge. Rewrites are supplied as outputs; one that does not say the same,
as far as code can tell, is left out and counted. Rewriting may change verdicts whatever the style, so a control in a third style can
be supplied, and the two are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from evalkit.experiments.paired import Pair, paired_rows
from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.same_content import CONTENT_CHECK_VERSION, content_changes
from evalkit.experiments.subject import Judged, Subject
from evalkit.judging.requests import Measurement, requests_for
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.pipeline.scored import exclusion_of
from evalkit.records.base import Json
from evalkit.records.experiments import Experiment, PairedRow
from evalkit.records.outputs import Output
from evalkit.text.normalise import is_blank

ORIGINAL, STYLE, CONTROL = "original", "style", "control"
SHOWN = 20
"""Rewrites left out that a note names."""


@dataclass
class Style:
    """One style experiment: `questions` to be planned or answered, then `result`."""

    subject: Subject
    rewrites: str
    """Name or path of the rewritten outputs."""
    control: str | None
    """The same in a third style."""
    round: int
    """Sample index of the fresh verdicts."""
    questions: Questions = field(init=False)
    asked: list[tuple[Measurement, dict[str, int]]] = field(default_factory=list)
    """Per case and judge use the place of each version's judgement."""
    left_out: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Version -> case and why it is left out."""
    folders: dict[str, OutputsFolder] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the rewrites and gather the requests. Raises as `Subject.judged` and `open_outputs`."""
        self.questions = Questions(self.subject)
        names = {STYLE: self.rewrites, **({CONTROL: self.control} if self.control else {})}
        self.folders = {version: open_outputs(self.subject.loaded.folder, name) for version, name in names.items()}
        self.left_out = {version: [] for version in names}
        checked: dict[str, dict[str, Output]] = {}
        for judged in self.subject.judged():
            if judged.case.id not in checked:
                checked[judged.case.id] = dict(self._rewritten(judged))
            if checked[judged.case.id]:
                self._ask(judged, checked[judged.case.id])

    def _rewritten(self, judged: Judged) -> Iterator[tuple[str, Output]]:
        for version, folder in self.folders.items():
            rewrite = folder.last_attempt(judged.case.id)
            why = _unusable(judged, rewrite)
            if why or rewrite is None:
                self.left_out[version].append((judged.case.id, why))
            else:
                yield version, judged.output.model_copy(update={"text": rewrite.text})

    def _ask(self, judged: Judged, rewritten: dict[str, Output]) -> None:
        measurement, places = judged.column.measurement, {}
        for version, output in {ORIGINAL: judged.output, **rewritten}.items():
            requests = requests_for(measurement, judged.case, output, [self.round])
            (places[version],) = self.questions.ask(judged.column, requests)
        self.asked.append((measurement, places))

    def result(self) -> Experiment:
        """Return the change of the pass rate per criterion: style, control, and style against control. After `answer`."""
        rows: list[PairedRow] = []
        cases: list[dict[str, Json]] = []
        for variant, before, after in (
            (STYLE, ORIGINAL, STYLE),
            (CONTROL, ORIGINAL, CONTROL),
            ("style against control", CONTROL, STYLE),
        ):
            found, changed = paired_rows(self._pairs(before, after), variant)
            rows += found
            cases += changed
        settings: dict[str, object] = {"round": self.round, "content_check": CONTENT_CHECK_VERSION}
        for version, folder in self.folders.items():
            settings[version] = {"name": folder.name, "sha256": folder.sha256}
        return concluded("style", [self.questions], settings).model_copy(
            update={"paired": tuple(rows), "cases": tuple(cases), "notes": tuple(self._notes())}
        )

    def _pairs(self, before: str, after: str) -> list[Pair]:
        ends = self.questions.judgements
        return [
            Pair(measurement, ends[places[before]], ends[places[after]])
            for measurement, places in self.asked
            if before in places and after in places
        ]

    def _notes(self) -> Iterator[str]:
        for version, cases in self.left_out.items():
            if cases:
                reasons = ", ".join(f"{count} {why}" for why, count in sorted(Counter(why for _, why in cases).items()))
                named = ", ".join(case for case, _ in cases[:SHOWN])
                yield f"{version}: {len(cases)} rewrites left out ({reasons}): {named}{' ...' if len(cases) > SHOWN else ''}"
        if self.control is None:
            yield "no control: what rewriting does by itself is part of the change; give one in a third style with --control"


def _unusable(judged: Judged, rewrite: Output | None) -> str:
    """Return why a rewrite cannot stand for its original; empty where it can."""
    if rewrite is None or exclusion_of(rewrite) is not None or is_blank(rewrite.text or ""):
        return "no rewrite"
    if rewrite.text == judged.output.text:
        return "not rewritten"
    changed = content_changes(judged.output, rewrite, [document.id for document in judged.case.context])
    return f"says something else ({', '.join(changed)})" if changed else ""
