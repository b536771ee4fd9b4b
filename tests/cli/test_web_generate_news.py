"""`web generate-news` and what follows it."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from command_line import Run, start
from wolfspider.webs.history import History
from wolfspider.webs.serving.index import Index
from wolfspider.webs.synthetic.news import NewsSite

SIZES = ("--days", "1", "--articles", "25", "--sections", "2")
SITE = NewsSite(days=1, articles_per_day=25, sections=2)


def test_a_site_is_a_changing_web_that_can_be_served(run: Run, tmp_path: Path) -> None:
    done = run("web", "generate-news", "-o", tmp_path / "news", *SIZES, "--json")
    assert done.code == 0, done.err
    assert f"front page: {SITE.front}\n" in done.err
    assert "left out" not in done.err
    about = done.json
    assert about["dates"] == [SITE.begin, SITE.end]
    assert about["versions"] > about["pages"] > 25
    history = History(tmp_path / "news")
    noon = SITE.begin + 43200
    found = [history.fetch(SITE.front, at).page for at in (SITE.begin, noon, SITE.end)]
    assert len({page.text for page in found if page}) == 3
    moments = Index.of(tmp_path / "news").moments
    rows = [moments.row(SITE.front, at) for at in (SITE.begin, noon)]
    assert 0 <= rows[0] < rows[1]
    assert moments.row(f"{SITE.front}robots.txt", SITE.begin) >= 0


def test_what_is_kept_can_be_imported_again(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "news"
    made = run("web", "generate-news", "-o", folder, *SIZES, "--keep-warc", "--json").json
    labels = folder.with_name("news.labels.tsv")
    again = run(
        *("web", "import", folder.with_name("news.warc.gz"), "-o", tmp_path / "again"),
        *("--all-captures", "--labels", labels, "--skip-unknown-labels", "--json"),
    )
    assert again.code == 0, again.err
    for key in ("pages", "links", "versions", "labels", "dates"):
        assert again.json[key] == made[key], key
    (tmp_path / "third.warc.gz").touch()
    refused = run("web", "generate-news", "-o", tmp_path / "third", *SIZES, "--keep-warc")
    assert refused.code == 2
    assert "third.warc.gz exists already" in refused.err


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--days", "0", "days is 0; it must lie between 1 and 366"),
        ("--articles", "-3", "the number of articles a day is -3; it must lie between"),
        ("--every", "0", "the number of minutes between captures is 0; it must lie between"),
        ("--start", "yesterday", "does not match the format '%Y-%m-%d'"),
    ],
)
def test_sizes_are_checked(
    run: Run, tmp_path: Path, option: str, value: str, sentence: str
) -> None:
    done = run("web", "generate-news", "-o", tmp_path / "news", option, value)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_nothing(tmp_path: Path, number: int, code: int) -> None:
    folder = tmp_path / "webs" / "news"
    process = start("web", "generate-news", "-o", folder, "--keep-warc", "--json")
    _wait_for(folder.with_name(".news.partial") / "spooled_pages.bin", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, ""), err
    assert "Traceback" not in err
    assert not list(tmp_path.rglob("*.*"))


def _wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Until a file has something in it."""
    end = time.monotonic() + 20
    while not (path.exists() and path.stat().st_size):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


def test_its_rewired_twin_has_a_history(run: Run, tmp_path: Path) -> None:
    made = run("web", "generate-news", "-o", tmp_path / "news", *SIZES, "--json").json
    done = run("web", "rewire", tmp_path / "news", "-o", tmp_path / "twin", "--json")
    assert done.code == 0, done.err
    for key in ("pages", "versions", "labels", "dates"):
        assert done.json[key] == made[key]
    assert done.json["digest"] != made["digest"]
    assert len(History(tmp_path / "twin")) == made["versions"]
