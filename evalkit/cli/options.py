"""Arguments and options that several commands share, so that they mean and say the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.models import OptionInfo

if TYPE_CHECKING:
    from evalkit.pipeline.request import RunRequest
    from evalkit.runstore.own_files import OwnKind


def own_file(kind: OwnKind) -> Callable[[Path | None], Path | None]:
    """Return the callback of an option that names a file to write.

    It raises before anything is read or bought: UsageError for `-`, which would become a file of that name, and for a file that is there
    and of another kind; NamedFileError where its folder does not exist.
    """

    def named_file(value: Path | None) -> Path | None:
        if value is not None:
            from evalkit.errors import UsageError
            from evalkit.runstore.own_files import require_own

            if str(value) == "-":
                raise UsageError("-: this is not written to stdout; name a file")
            require_own(value, kind)
        return value

    return named_file


def page_option(kind: OwnKind) -> OptionInfo:
    """Return the option of a comparison's page, which is known by its command."""
    words = "Write the comparison as a page that works offline."
    option: OptionInfo = typer.Option("--html", metavar="FILE", callback=own_file(kind), help=words)
    return option


RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, its folder, or `latest`.")]
SuiteArgument = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite's folder, or its suite.yaml.")]
OutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--outputs",
        metavar="NAME|PATH",
        help="A folder under the suite's outputs/, or a path. Repeat it for several candidates. "
        "Default: the only folder, or `candidate`.",
    ),
]
OneOutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--outputs",
        metavar="NAME|PATH",
        help="A folder under the suite's outputs/, or a path; one candidate. Default: the only folder, or `candidate`.",
    ),
]
MovedSuiteOption = Annotated[
    Path | None,
    typer.Option("--suite", metavar="SUITE", help="Where the suite is now, if it has moved since the run."),
]
JudgeOption = Annotated[
    Path | None, typer.Option("--judge", metavar="FILE", help="A judge.yaml instead of the suite's.")
]
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder in which run folders stand.")]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        envvar="EVALKIT_CACHE_DIR",
        show_envvar=True,
        help="The folder of the verdict cache. Default: .evalkit/cache.",
    ),
]
CaseOption = Annotated[
    list[str] | None, typer.Option("--case", metavar="ID", help="Only this case; repeatable. Makes the run partial.")
]
TagOption = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="Only cases with this tag; repeatable. Makes the run partial."),
]
LimitOption = Annotated[
    int | None,
    typer.Option("--limit", min=1, metavar="N", help="Only the first N selected cases. Makes the run partial."),
]
SamplesOption = Annotated[
    int | None,
    typer.Option("--samples", min=1, max=25, metavar="N", help="Verdicts per case, instead of judge.yaml's."),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, metavar="USD", help="Stop buying at this cost; needs prices in judge.yaml."),
]
PeopleLabelsOption = Annotated[Path, typer.Option("--labels", metavar="FILE", help="People's labels (labels/1).")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout; notes and progress on stderr.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="No progress and no notes on stderr.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOptions:
    """Which cases of a suite take part; see `option_groups`."""

    case: CaseOption = None
    tag: TagOption = None
    limit: LimitOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintOptions:
    """How a command that takes its time says what it found."""

    as_json: JsonOption = False
    quiet: QuietOption = False


def requested(
    suite: Path,
    only: CaseOptions,
    *,
    outputs: Sequence[str] | None,
    judge: Path | None = None,
    out: Path = Path("runs"),
    cache: Path | None = None,
    max_cost: float | None = None,
    samples: int | None = None,
) -> RunRequest:
    """Return what the options that commands share with `run` ask for."""
    from evalkit.pipeline.request import RunRequest

    return RunRequest(
        suite=suite,
        outputs=tuple(outputs or ()),
        judge=judge,
        out=out,
        cache=cache,
        cases=tuple(only.case or ()),
        tags=tuple(only.tag or ()),
        limit=only.limit,
        max_cost=max_cost,
        samples=samples,
    )


def examples(*lines: str) -> str:
    """Return the end of a command's help: examples whose lines stay lines."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)
