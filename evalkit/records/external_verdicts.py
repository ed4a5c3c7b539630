"""A verdict that was made elsewhere (`external-verdicts/1`): good for agreement, stability and position figures, never for a gate.

Nothing about it was checked by evalkit: it is never cached, never trusted, and what is made of it says `checked: false`.
"""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.cases import Identifier
from evalkit.records.rubrics import Mode


class ExternalVerdict(Record):
    """One line of a file of verdicts made elsewhere."""

    schema_version: Literal["external-verdicts/1"] = "external-verdicts/1"
    """Version of this format."""
    judge: Identifier
    """Who judged, as figures are to be grouped."""
    case_id: Identifier
    """What was judged; for pairs the two candidates are part of the identity too."""
    criterion: Identifier = "overall"
    """What was asked; `overall` for a single verdict."""
    mode: Mode
    """How it was asked."""
    candidates: tuple[Identifier, ...] = ()
    """Whose answers were judged; of a pair exactly two: A is the first named here, whatever was shown first."""
    first_shown: Identifier | None = None
    """Of a pair: the candidate whose answer the judge saw first."""
    sample: Annotated[int, Field(ge=0)] = 0
    """Which repetition of the same question this is."""
    verdict: Identifier | None = None
    """`pass`, `fail` or another label; of a pair `A`, `B` or `tie`; null where there is none."""
    unreadable: bool = False
    """True where the judge replied, but its reply could not be read; the verdict is null then."""

    @property
    def winner(self) -> str | None:
        """Of a pair: the winning candidate, `tie`, or None; the same whichever candidate stands first in the line."""
        return {"A": self.candidates[0], "B": self.candidates[1], "tie": TIE}.get(self.verdict or "")


TIE = "tie"
"""What `ExternalVerdict.winner` says where nobody won; no candidate may be called so."""
