"""WARC → web folder: pages a second on one core, and whether memory grows with the pages.

    python -m benchmarks.import_web [--repeats 3]

Each import runs in a process of its own. Memory is flat when importing all records needs
little more than importing half of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from itertools import islice
from pathlib import Path

from benchmarks.measure import Clock, apart, clocked, peak_memory, rates, recording, report
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.recorded import RecordedWeb

AIM_SPEED = 300  # pages/s
AIM_GROWTH = 1.25  # memory for all records ÷ memory for half of them


def import_some(records: int | None) -> None:
    """Import the first records of the recording, or all; prints what that took."""
    with tempfile.TemporaryDirectory() as scratch:
        web = recording(Path(scratch))
        folder = Path(scratch, "web")
        before = peak_memory()

        def work() -> None:
            with Compiler(folder, [web.warc.name]) as compiler:
                for capture in islice(WarcFile(web.warc), records):
                    compiler.add(capture)
                compiler.finish()

        clock = clocked(work)
        facts = {
            "web": web.name,
            "pages": len(RecordedWeb(folder)),
            "wall": clock.wall,
            "cpu": clock.cpu,
            "before": before,
            "peak": peak_memory(),
        }
    print(json.dumps(facts))


def run(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        web = recording(Path(scratch))
        records = sum(1 for _ in WarcFile(web.warc))
    half = apart("benchmarks.import_web", "--records", str(records // 2))
    runs = [apart("benchmarks.import_web", "--all") for _ in range(repeats)]
    clocks = [Clock(run["wall"], run["cpu"]) for run in runs]
    web_name, pages = runs[0]["web"], runs[0]["pages"]
    speed = rates(pages, clocks)
    report("import", "pages/s", **speed, aim=AIM_SPEED, web=web_name, pages=pages, repeats=repeats)
    growth = runs[0]["peak"] / half["peak"]
    report(
        "import memory, all records ÷ half of them",
        "ratio",
        value=round(growth, 3),
        aim=AIM_GROWTH,
        web=web_name,
        megabytes=[round(run["peak"] / 1e6, 1) for run in (half, runs[0])],
        megabytes_before=round(half["before"] / 1e6, 1),
        pages=[half["pages"], pages],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--records", type=int, help="import so many, in this process, once")
    parser.add_argument("--all", action="store_true", help="import all, in this process, once")
    given = parser.parse_args()
    if given.all or given.records:
        import_some(given.records)
    else:
        run(given.repeats)


if __name__ == "__main__":
    main()
