"""Walking through a run's review queue: what is open, what was decided, and which later run confirmed it.

A resolution is on the disk before the next item is shown, so the same command goes on where it stopped. `fine` needs no later run:
the reviewed one confirms it. A fix is confirmed by a run that was made afterwards, judged the same case, was measured for this kind
of item, and has it no more; a fix of the label by the reviewed run itself, once it was calibrated again. Whether a gate is right now
nobody can read off a queue, so there the reviewer's word counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from evalkit.errors import UsageError
from evalkit.pipeline.review_queue import queue_of
from evalkit.records.review import Resolution, ResolutionKind, ReviewItem, ReviewKind
from evalkit.runstore.experiments import stored_experiments
from evalkit.runstore.reader import StoredRun
from evalkit.runstore.reviews import keep_resolutions, read_resolutions, read_source


class Review:
    """The queue of one run and one reviewer."""

    def __init__(self, run: StoredRun, reviewer: str = "") -> None:
        """Make the queue anew and read what was decided. Raises RunStoreError."""
        self.run = run
        self.items: Sequence[ReviewItem] = queue_of(run)
        self.resolutions = read_resolutions(run.folder)
        self._reviewer = reviewer
        self._history = [item for item in self.items if item.id in self.resolutions]
        self._skipped: set[str] = set()
        self._again: ReviewItem | None = None

    @property
    def open(self) -> list[ReviewItem]:
        """Items that nobody has decided on."""
        return [item for item in self.items if item.id not in self.resolutions]

    @property
    def current(self) -> ReviewItem | None:
        """The item to be looked at: one that was gone back to, or the first that is open and was not passed over."""
        return self._again or next((item for item in self.open if item.id not in self._skipped), None)

    @property
    def resolution(self) -> Resolution | None:
        """What was decided on the current item before; None but after going back."""
        return None if self._again is None else self.resolutions.get(self._again.id)

    def resolve(self, item: ReviewItem, resolution: ResolutionKind, note: str = "") -> Resolution:
        """Write what was decided on an item, in the place of what was decided before. Raises RunStoreError."""
        decided = Resolution(
            item=item.id,
            kind=item.kind,
            case_id=item.case_id,
            capability=item.capability,
            rubric=item.rubric,
            criterion=item.criterion,
            resolution=resolution,
            note=note,
            reviewer=self._reviewer,
            resolved_at=datetime.now(UTC).isoformat(timespec="seconds"),
            confirmed_by=self.run.name if resolution == "fine" else None,
        )
        keep_resolutions(self.run.folder, [decided])
        self.resolutions[item.id] = decided
        self._history = [*(one for one in self._history if one.id != item.id), item]
        self._again = None
        return decided

    def pass_over(self) -> None:
        """Leave the current item open and go on; the next session shows it again."""
        if self.current is not None:
            self._skipped.add(self.current.id)
        self._again = None

    def back(self) -> bool:
        """Go back to the item that was decided last, then to the one before; False where there is none."""
        if not self._history:
            return False
        self._again = self._history.pop()
        return True

    def item(self, name: str) -> ReviewItem:
        """Return an item by its id. Raises UsageError where the queue has none of that name."""
        found = next((item for item in self.items if item.id == name), None)
        if found is None:
            raise UsageError(
                f"no item {name[:40]!r} in the queue of {self.run.name}; list them with: evalkit review RUN --json"
            )
        return found


class Confirmation(NamedTuple):
    """What a later run says of the fixes that were waiting."""

    confirmed: tuple[Resolution, ...]
    still_there: tuple[Resolution, ...]
    unmeasured: tuple[tuple[Resolution, str], ...]
    """Resolutions that this run cannot speak about, with why."""


def confirm(review: Review, by: StoredRun) -> Confirmation:
    """Ask a run whether the fixes that wait for one have worked; write those that it confirms.

    Raises UsageError for a run of another suite, RunStoreError.
    """
    if by.manifest.suite != review.run.manifest.suite:
        raise UsageError(f"{by.name} is a run of suite {by.manifest.suite!r}, not of {review.run.manifest.suite!r}")
    waiting = [one for one in review.resolutions.values() if one.confirmed_by is None]
    places = {item.place for item in (review.items if by.folder == review.run.folder else queue_of(by))}
    judged = {(one.case_id, one.capability) for one in by.judgements() if one.verdict is not None}
    confirmed, still_there, unmeasured = [], [], []
    for one in waiting:
        why = _cannot_say(one, review.run, by, judged)
        if why:
            unmeasured.append((one, why))
        elif one.place in places and one.resolution != "fix_gate":
            still_there.append(one)
        else:
            confirmed.append(one.model_copy(update={"confirmed_by": by.name}))
    keep_resolutions(review.run.folder, confirmed)
    review.resolutions |= {one.item: one for one in confirmed}
    return Confirmation(tuple(confirmed), tuple(still_there), tuple(unmeasured))


def _cannot_say(one: Resolution, reviewed: StoredRun, by: StoredRun, judged: set[tuple[str, str]]) -> str:
    """Return why a run says nothing about a fix; empty where it does."""
    finished = by.manifest.finished_at
    later = finished is not None and datetime.fromisoformat(finished) >= datetime.fromisoformat(one.resolved_at)
    relabelled = one.resolution == "fix_label" and by.folder == reviewed.folder
    if not (later or relabelled):
        return "the run was made before the decision"
    if any((use.capability, use.scorer) == (one.capability, one.rubric) for use in reviewed.manifest.classifiers):
        place = one.case_id, one.capability, one.rubric
        answered = any((line.case_id, line.capability, line.scorer) == place for line in by.classified())
        if not answered:
            return "the run's classifier gave no answer on this case"
        return _not_measured(one.kind, by) if one.kind == "disagreement" and one.resolution != "fix_gate" else ""
    if (one.case_id, one.capability) not in judged:
        return "the run has no verdict on this case"
    return "" if one.resolution == "fix_gate" else _not_measured(one.kind, by)


def _not_measured(kind: ReviewKind, by: StoredRun) -> str:
    if kind in {"uncertain", "disagreement"} and read_source(by.folder, kind) is None:
        return f"the run was not measured for {kind}"
    if kind == "flip" and not _repeated(by):
        return "nobody asked this run's judge twice; measure with: evalkit stability SUITE"
    return ""


def _repeated(by: StoredRun) -> bool:
    """Tell whether the verdicts of a run were asked for more than once: by its own samples, or by stability."""
    if any(use.samples > 1 for use in by.report.judges):
        return True
    own = {use.judge_config_hash for use in by.manifest.judges}
    for _, experiment in stored_experiments(by.folder.parent, by.manifest.suite, "stability"):
        uses = {judge.judge_config_hash for judge in experiment.judges}
        if uses & own and by.manifest.outputs_sha256 in experiment.outputs_sha256:
            return True
    return False
