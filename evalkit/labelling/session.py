"""One person who labels one answer after the other: what comes next, what was given, what can be taken back.

Every label is on the disk before the next question. Labels of the same person that stood there already are not asked again, so the
same command goes on where it stopped; those of another wording of the criterion are, for that was another question. Going back never removes a label; only another one takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalkit.labelling.given import item_of, label_of, now
from evalkit.labelling.importing import check_labeller
from evalkit.labelling.label_file import Incoming, merge
from evalkit.labelling.wanted import Wanted
from evalkit.records.labels import ItemKey, Label, item_key
from evalkit.records.sheets import SKIP, SheetRow


def _key(row: SheetRow) -> ItemKey:
    return item_key(item_of(row))


class Session:
    """The rows of a draw and one labeller."""

    def __init__(self, wanted: Wanted, labeller: str, *, blind: bool = True) -> None:
        """Take up the work of a labeller. Raises UsageError for a name that no label can bear."""
        check_labeller(labeller)
        self._rows: Sequence[SheetRow] = wanted.rows
        self._file: Path = wanted.labels_file
        self._labeller = labeller
        self._blind = blind
        self._named = wanted.named
        given = {item_key(label.item): label for label in wanted.known if label.labeller == labeller}
        self._labels = {
            row.row: given[_key(row)]
            for row in wanted.rows
            if _key(row) in given and given[_key(row)].asked_sha256 in {None, row.asked_sha256}
        }
        self._history = [row for row in wanted.rows if row.row in self._labels]
        self._again: SheetRow | None = None

    @property
    def total(self) -> int:
        """Labels that are wanted."""
        return len(self._rows)

    @property
    def done(self) -> int:
        """Labels of this labeller that are on the disk, skipped ones included."""
        return len(self._labels)

    @property
    def current(self) -> SheetRow | None:
        """The row to be labelled: one that was gone back to, or the first without a label; None where all have one."""
        return self._again or next((row for row in self._rows if row.row not in self._labels), None)

    @property
    def label(self) -> Label | None:
        """The label that the current row has already; None but after going back."""
        return None if self._again is None else self._labels.get(self._again.row)

    def give(self, choice: str, note: str = "") -> Label:
        """Write the label of the current row and go on.

        `choice` is one of the row's choices or `skip`. Raises ValueError for another choice and where no row is left; RunStoreError
        and InputError as `merge`, and then the row is still the current one.
        """
        row = self.current
        if row is None or choice not in {*row.choices, SKIP}:
            raise ValueError(f"{choice!r} is no label of the current row")
        label = label_of(
            row, choice, self._named, labeller=self._labeller, blind=self._blind, labelled_at=now(), note=note
        )
        merge(self._file, [Incoming(label, str(self._file))], replace=True)
        self._labels[row.row] = label
        self._history.append(row)
        self._again = None
        return label

    def back(self) -> bool:
        """Go back to the row that was labelled last, then to the one before; False where there is none."""
        if not self._history:
            return False
        self._again = self._history.pop()
        return True
