"""The files of a run folder, by name."""

REPORT = "report.json"
MANIFEST = "manifest.json"
FAILURES = "failures.jsonl"
VERDICTS = "verdicts.jsonl"
SCORES = "scores.jsonl"
MARKDOWN = "report.md"
HTML = "report.html"
