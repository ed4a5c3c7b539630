"""A generator that never answers, and starts a child that never ends either."""

import subprocess
import sys
import time


def main() -> None:
    """Wait for longer than anybody else."""
    print("waiting for a model that does not answer", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-c", "import time; time.sleep(3600)"], check=False)
    time.sleep(3600)


if __name__ == "__main__":
    main()
