"""A generator that writes something, but no output: a log line, half an object, and an exit status of 0."""

import sys


def main() -> None:
    """Write what nobody can read."""
    sys.stdin.read()
    sys.stdout.write('INFO ready\n{"text": "Within 30 days", ')


if __name__ == "__main__":
    main()
