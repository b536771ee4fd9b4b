"""What the benchmarks share: clocks, memory, lines of JSON and the web they run on."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from wolfspider.policies import Spec, train, trains
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.labels import read_labels
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic

RECORDINGS = Path(__file__).resolve().parents[2] / "shared" / "webs"


@dataclass(frozen=True, slots=True)
class Recording:
    """A WARC with its labels, where to start and what to look for."""

    name: str
    warc: Path
    labels: Path
    start: str
    topic: str


def recording(scratch: Path) -> Recording:
    """Wikipedia for Schools, or a generated web of its size where that is not at hand."""
    warc, labels = RECORDINGS / "wpcd.warc.gz", RECORDINGS / "wpcd.labels.tsv"
    if warc.exists():
        start = "http://schools-wikipedia.org/wp/e/Earth.htm"
        return Recording("wpcd", warc, labels, start, "astronomy planets stars")
    warc, labels = scratch / "generated.warc.gz", scratch / "generated.labels.tsv"
    made = Synthetic(pages=5000, hosts=20, topics=12, words=1500, seed=1).write(warc, labels)
    name = "generated: the recording wpcd is not beside the project"
    return Recording(name, warc, labels, made.start, made.topics[0])


def compile_web(web: Recording, folder: Path) -> Path:
    """The whole import, as `wolfspider web import` does it."""
    with Compiler(folder, [web.warc.name]) as compiler:
        for capture in WarcFile(web.warc):
            compiler.add(capture)
        compiler.finish(read_labels(web.labels))
    return folder


def model_for(policy: str, web: RecordedWeb, label: str) -> Model | None:
    """What a policy that is trained learns from every other page; None for other policies."""
    spec = Spec.parse(policy)
    if not trains(spec.name):
        return None
    targets = np.zeros(len(web), bool)
    targets[web.label(label)] = True
    return train(spec, Map(web, np.arange(len(web)) % 2 == 0, targets))


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds of one piece of work, on the wall and of this process."""

    wall: float
    cpu: float


def clocked(work: Callable[[], object]) -> Clock:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Clock(time.perf_counter() - wall, time.process_time() - cpu)


def rates(count: float, clocks: Iterable[Clock]) -> dict[str, float]:
    """Median rates: by the wall as `value`, by the time of the process as `cpu_value`."""
    clocks = list(clocks)
    return {
        "value": round(count / median(clock.wall for clock in clocks), 1),
        "cpu_value": round(count / median(clock.cpu for clock in clocks), 1),
    }


def report(benchmark: str, unit: str, **facts: Any) -> None:
    """Print one result; `value` is among the facts."""
    print(json.dumps({"benchmark": benchmark, "unit": unit, **facts}), flush=True)


def apart(module: str, *arguments: str) -> dict[str, Any]:
    """What a process of its own prints as its last line: its memory is nobody else's."""
    command = [sys.executable, "-m", module, *arguments]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def peak_memory() -> int:
    """The most bytes that this process has held at once."""
    with suppress(OSError):  # rusage, which every system has, also counts who started us
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def memory() -> int:
    """Bytes that this process holds now; where the system does not tell, the most it has held.

    What was freed goes back to the system first: it is the garbage of whoever made the data.
    """
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # other systems have no malloc_trim
        ctypes.CDLL(None).malloc_trim(0)
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return peak_memory()
    return pages * os.sysconf("SC_PAGE_SIZE")
