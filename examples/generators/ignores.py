"""A generator that ignores its feedback: the same text at every attempt."""

import json
import sys


def main() -> None:
    """Answer one turn."""
    json.load(sys.stdin)
    json.dump({"text": "Every purchase can be returned within 90 days, no questions asked."}, sys.stdout)


if __name__ == "__main__":
    main()
