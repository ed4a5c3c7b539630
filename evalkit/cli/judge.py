"""`evalkit judge`: commands about the judge itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.options import JsonOption, JudgeOption, examples

app = typer.Typer(no_args_is_help=True, help="Commands about the judge itself.", rich_markup_mode=None)


@app.callback()
def _judge() -> None:
    """Commands about the judge itself."""


@app.command(epilog=examples("evalkit judge ping --judge judge.yaml"))
def ping(
    suite: Annotated[Path | None, typer.Argument(metavar="[SUITE]", help="A suite, whose judge is asked.")] = None,
    *,
    judge: JudgeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make one small call and say what answered.

    Also how fast it was, what it cost, and whether it kept to a reply schema.
    """
    from evalkit.cli import streams
    from evalkit.pipeline.ping import ping_judge

    config, found = ping_judge(suite, judge)
    if as_json:
        streams.print_json({"client": config.client, "asked_for": config.model, **asdict(found)})
        return
    from evalkit.reporting import figures
    from evalkit.reporting.escape import one_line

    page = streams.out()
    page.line(one_line(f"{found.model or 'an unnamed model'} answered; asked for {config.model}"), style="bold")
    usage = "unknown" if found.input_tokens is None else f"{found.input_tokens} in, {found.output_tokens} out"
    page.line(f"{found.latency_ms:,.0f} ms; tokens {usage}; {figures.dollars(found.cost_usd)}")
    page.line(f"reply schema: {found.response_format}; finish reason: {one_line(str(found.finish_reason))}")
    page.block(found.text or "(no text)")
