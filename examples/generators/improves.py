"""A generator that reads its feedback: the first candidate invents, the next one keeps to the sources.

One JSON object on stdin: {"request": {"id", "input", "context"}, "feedback": null or text, "attempt": 1}; one on stdout.
"""

import json
import sys


def ticket(order: dict, *, mended: bool) -> str:
    """Return a ticket; the amount is left out until somebody says so."""
    return json.dumps({"order": order["order"], **({"amount": order["amount"]} if mended else {})})


def answer(request: dict, *, mended: bool) -> str:
    """Return the first sentence of each source with its citation, and a claim of its own until somebody objects."""
    said = [f"{document['text'].split('.')[0]} [{document['id']}]." for document in request.get("context", [])]
    return " ".join(said if mended else [*said, "Enterprise plans have 45 days."])


def main() -> None:
    """Answer one turn."""
    turn = json.load(sys.stdin)
    request, mended = turn["request"], turn["feedback"] is not None
    asked = request["input"]
    text = ticket(asked, mended=mended) if isinstance(asked, dict) else answer(request, mended=mended)
    json.dump({"text": text, "cost_usd": 0.0}, sys.stdout)


if __name__ == "__main__":
    main()
