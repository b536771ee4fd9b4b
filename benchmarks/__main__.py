"""All speed benchmarks, one after the other: python -m benchmarks"""

from __future__ import annotations

import subprocess
import sys

SPEED = (
    *("import_web", "import_wiki", "replay", "online", "wolf"),
    *("vectors", "frontier", "lab", "serve"),
)


def main() -> None:
    for name in SPEED:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)


if __name__ == "__main__":
    main()
