"""Options that the commands of `evalkit label` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from evalkit.labelling.draw import Request

RunOrSuite = Annotated[
    str,
    typer.Argument(
        metavar="RUN|SUITE|COMPARISON",
        help="A run's id, its folder, or `latest`; or a suite's folder; or a comparison's folder, whose pairs are labelled.",
    ),
]
NumberOption = Annotated[
    int,
    typer.Option("--n", min=1, metavar="N", help="Labels wanted per capability and criterion; of pairs per criterion."),
]
DesignName = Literal["random", "by-verdict", "flips", "planted"]
DesignOption = Annotated[
    DesignName,
    typer.Option(
        "--design",
        help="random: a sample of all answers. by-verdict: half passed, half failed by the run's judge or classifier; of pairs as "
        "many won, lost, tied and dependent on the order. flips: answers on which the judge disagreed with itself, or a classifier "
        "was unsure; pairs that depend on the order. planted: answers with a known fault.",
    ),
]
CapabilityOption = Annotated[
    list[str] | None, typer.Option("--capability", metavar="NAME", help="Only this capability; repeatable.")
]
CriterionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--criterion",
        metavar="ID",
        help="Only this criterion, or all of a rubric or classifier scorer of this name; repeatable. `overall` asks for the "
        "conjunction. Default: all but that; of pairs that too.",
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, metavar="N", help="Seed of the draw: the same seed draws the same answers.")
]
DevOption = Annotated[
    float,
    typer.Option(
        "--dev",
        min=0,
        max=1,
        metavar="SHARE",
        help="Share of cases whose labels may be read while a rubric is edited; the others decide on trust.",
    ),
]
LabelsOption = Annotated[
    Path | None, typer.Option("--labels", metavar="FILE", help="The file of labels. Default: the suite's labels.jsonl.")
]
SheetOutputsOption = Annotated[
    str | None, typer.Option("--outputs", metavar="NAME|PATH", help="Of a suite: whose outputs. A run knows its own.")
]
NotBlindOption = Annotated[
    bool, typer.Option("--not-blind", help="The labeller has seen verdicts; such labels never decide on trust.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawOptions:
    """Which answers are drawn to be labelled."""

    n: NumberOption = 60
    design: DesignOption = "random"
    capability: CapabilityOption = None
    criterion: CriterionOption = None
    seed: SeedOption = 1
    dev: DevOption = 0.3

    def request(self) -> Request:
        """Return what is drawn."""
        from evalkit.labelling.draw import Request

        return Request(
            n=self.n,
            design=self.design,
            seed=self.seed,
            capabilities=tuple(self.capability or ()),
            criteria=tuple(self.criterion or ()),
            dev=self.dev,
        )
