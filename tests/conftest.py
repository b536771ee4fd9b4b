"""A small web, generated, recorded and compiled once for all tests."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import settings

from checks import Recording
from wolfspider.records import Link
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.labels import read_labels
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic

CACHE = tempfile.mkdtemp(prefix="wolfspider-tests-")
os.environ["XDG_CACHE_HOME"] = CACHE  # not the user's; processes that tests start see it, too
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)

# Also under nohup, and in the background of a script: processes of tests inherit what is ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("wolfspider", deadline=None)  # machines have slow moments
settings.load_profile("wolfspider")


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """300 pages on 10 hosts; every page can be reached from the start."""
    folder = tmp_path_factory.mktemp("recording")
    warc, labels = folder / "web.warc.gz", folder / "labels.tsv"
    web = Synthetic(pages=300, hosts=10, topics=6, links=12, words=60, seed=5)
    summary = web.write(warc, labels)
    with Compiler(folder / "web", [warc.name]) as compiler:
        for capture in WarcFile(warc):
            compiler.add(capture)
        compiler.finish(read_labels(labels))
    return Recording(folder / "web", summary.start, Topic.of(summary.topics[0]))


@pytest.fixture(scope="session")
def recorded_web(recording: Recording) -> RecordedWeb:
    return RecordedWeb(recording.folder)


@pytest.fixture(scope="session")
def seeds(recording: Recording) -> list[Link]:
    return [seed_link(recording.start)]
