"""`evalkit` and `python -m evalkit`: nothing is imported outside of `main`, so that Ctrl-C while modules are read ends in one line too."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""`evalkit.cli.exits.Exit.INTERRUPTED`, which cannot be had where reading it was interrupted."""


def main() -> None:
    """Run the command line and leave with its exit status."""
    try:
        from evalkit.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        _tell()
        sys.exit(INTERRUPTED)


def _tell() -> None:
    """Say that it was interrupted, under `--json` on stdout too."""
    message = "interrupted"
    print(f"evalkit: {message}", file=sys.stderr)
    if "--json" in sys.argv[1:]:
        import json

        fields = {
            "kind": "interrupted",
            "message": message,
            "faults": [],
            "total_faults": 0,
            "exit_status": INTERRUPTED,
        }
        print(json.dumps({"error": fields}))


if __name__ == "__main__":
    main()
