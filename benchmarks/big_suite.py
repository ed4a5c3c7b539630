"""100,000 cases that code alone decides: a context of about 1.2 KB, an answer of 25 or of 220 words, citations."""

from __future__ import annotations

import json
import random
from pathlib import Path

WORDS = (  # noqa: SIM905 - forty words read better as a text
    "refund window invoice plan seat workspace owner request card bank transfer month year renewal contract region audit log "
    "token limit webhook retry file storage export import mobile offline support level credit status page policy session"
).split()
SEED = 20260101


def sentence(random_words: random.Random, words: int) -> str:
    """Return a sentence of so many words."""
    return " ".join(random_words.choices(WORDS, k=words)).capitalize() + "."


def write_big_suite(folder: Path, cases: int, answer_words: int) -> None:
    """Write suite, golden set and one candidate; the same seed gives the same files."""
    outputs = folder / "outputs" / "candidate"
    outputs.mkdir(parents=True)
    (folder / "suite.yaml").write_text(
        "name: big\ncapabilities:\n  - name: answer\n    scorers:\n      - {scorer: exact_match, strip_citations: true}\n      - {scorer: token_f1, strip_citations: true}\n"
        "      - {scorer: citations}\n",
        encoding="utf-8",
    )
    chance = random.Random(SEED)
    with (
        (folder / "golden.jsonl").open("w", encoding="utf-8") as golden,
        (outputs / "outputs.jsonl").open("w", encoding="utf-8") as answers,
    ):
        for number in range(cases):
            case_id = f"case-{number:06d}"
            right = sentence(chance, answer_words)
            context = [{"id": f"doc/{name}", "text": sentence(chance, 90)} for name in ("a", "b")]
            case = {
                "id": case_id,
                "capabilities": ["answer"],
                "input": f"What holds for order {number}?",
                "context": context,
                "expected": {"answers": [right], "sources": ["doc/a"]},
            }
            golden.write(json.dumps(case) + "\n")
            said = right if chance.random() < 0.8 else sentence(chance, answer_words)
            answers.write(json.dumps({"case_id": case_id, "text": f"{said} [doc/a]", "citations": ["doc/a"]}) + "\n")
