"""The lab: 200 runs of 1,000 pages on two processes, from the command to the last number.

python -m benchmarks.lab
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import compile_web, recording, report

POLICIES = "breadth-first,best-first,best-n-first:n=256,oracle"
TOPICS, REPEATS = 10, 5
AIM = 180  # seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        web = recording(folder)
        compile_web(web, folder / "web")
        tasks = ("tasks", folder / "web", "--all-labels", "--most", TOPICS, "--away", 3)
        _lab(*tasks, "-o", folder / "tasks.toml", "-q")
        begin = time.perf_counter()
        run = ("run", folder / "tasks.toml", "--policies", POLICIES, "--repeat", REPEATS)
        result = json.loads(_lab(*run, "--jobs", 2, "-o", folder / "results", "--json", "-q"))
        seconds = time.perf_counter() - begin
    report("lab", "s", value=round(seconds, 1), runs=result["runs"], aim=AIM, web=web.name)


def _lab(*arguments: object) -> str:
    command = [sys.executable, "-c", "from wolfspider.cli import main; main()", "lab"]
    done = subprocess.run([*command, *map(str, arguments)], check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


if __name__ == "__main__":
    main()
