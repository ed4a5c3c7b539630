"""`evalkit trust`: what a suite's judges have earned, criterion by criterion."""

from __future__ import annotations

from evalkit.cli.options import JsonOption, JudgeOption, SuiteArgument, examples

EXAMPLES = examples(
    "evalkit calibrate nightly --labels suites/support_rag/labels.jsonl",
    "evalkit trust suites/support_rag",
)


def trust(suite: SuiteArgument, *, judge: JudgeOption = None, as_json: JsonOption = False) -> None:
    """Show which criteria of which judge may gate.

    Reads trust.json in the suite's folder, which `evalkit calibrate` writes: per criterion TRUSTED, NOT TRUSTED or UNDECIDED with
    what is missing. Where the suite's judge is configured otherwise now, or asks for more, says what has changed.
    """
    from evalkit.cli import streams
    from evalkit.pipeline.standing import standing_of

    found = standing_of(suite, judge)
    if as_json:
        rows = [
            {**row.model_dump(mode="json"), "changed": list(changes), "raised": list(raised)}
            for (row, changes), raised in zip(found.rows, found.raised, strict=True)
        ]
        streams.print_json({"suite": found.ledger.suite, "rows": rows})
        return
    from evalkit.reporting.trust_view import print_ledger

    print_ledger(streams.out(), found.ledger, found.rows, found.raised)
