"""Watches on a recorded changing web: the clock, what is found, and the measures of table 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tiny_news import DAY, HOUR
from wolfspider.errors import BadInput
from wolfspider.text import terms
from wolfspider.urls import fingerprint
from wolfspider.watching.changes import RecordedChanges
from wolfspider.watching.clusters import Clusters
from wolfspider.watching.measures import measure
from wolfspider.watching.recrawl import BreadthFirstRecrawl
from wolfspider.watching.simulation import Log, simulate
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture

A, B, C = (f"http://n.test/{name}" for name in ("", "b", "c"))
BEGIN = 1_000_000_000.0


def capture(url: str, hours: float, text: str, *links: str, status: int = 200) -> Capture:
    body = f"<p>{text} " + " ".join(f"<a href={link}>more</a>" for link in links)
    return Capture(url, BEGIN + hours * HOUR, status, "text/html", body=body.encode())


CAPTURES = [
    capture(A, 0, "front page of the wolf news", B),
    capture(B, 0, "spiders hunt at night"),
    capture(A, 30, "front page, now with cats", B, C),
    capture(C, 30, "cats sleep all day"),
    capture(B, 40, "", status=404),
    capture(C, 50, "cats sleep at night, too"),
]


def recorded(folder: Path, captures: list[Capture]) -> RecordedChanges:
    with Compiler(folder, ["test"], changing=True) as compiler:
        for each in captures:
            compiler.add(each)
        compiler.finish(())
    return RecordedChanges(folder, clusters=2)


@pytest.fixture
def web(tmp_path: Path) -> RecordedChanges:
    return recorded(tmp_path / "web", CAPTURES)


def test_an_address_holds_what_it_held_then(web: RecordedChanges) -> None:
    front = web.address(A)
    early, late = web.at(front, BEGIN + HOUR), web.at(front, BEGIN + 31 * HOUR)
    assert early is not None
    assert late is not None
    assert early.links.tolist() == [fingerprint(B)]
    assert set(late.links.tolist()) == {fingerprint(B), fingerprint(C)}
    assert early.document != late.document
    assert (early.published, late.published) == (BEGIN, BEGIN + 30 * HOUR)
    assert web.at(web.address(B), BEGIN + 41 * HOUR) is None  # gone
    assert web.at(web.address(C), BEGIN) is None  # not there yet
    assert web.at(front, BEGIN + HOUR) is early


def test_lifetimes(web: RecordedChanges) -> None:
    since, until = web.lifetimes
    spans = sorted(zip((since - BEGIN) / HOUR, (until - BEGIN) / HOUR, strict=True))
    assert spans == [(0, 30), (0, 40), (30, 50), (30, np.inf), (50, np.inf)]


def test_equal_text_in_a_row_is_one_document(tmp_path: Path) -> None:
    captures = [
        capture(A, 0, "wolves"),
        capture(B, 0, "wolves"),  # at another address it is another document
        capture(A, 10, "wolves"),
        capture(A, 20, "spiders"),
        capture(A, 30, "wolves"),  # it returns
        capture(A, 40, "", status=404),
        capture(A, 50, "wolves"),
        capture(A, 60, "wolves"),
    ]
    web = recorded(tmp_path / "web", captures)
    since, until = ((each - BEGIN) / HOUR for each in web.lifetimes)
    seen = [web.at(web.address(A), BEGIN + hours * HOUR) for hours in (5, 15, 25, 35, 55, 65)]
    pages = [page for page in seen if page is not None]
    spans = [(since[page.document - 1], until[page.document - 1]) for page in pages]
    assert spans == [(0, 20), (0, 20), (20, 30), (30, 40), (50, np.inf), (50, np.inf)]
    assert [(page.published - BEGIN) / HOUR for page in pages] == [0, 0, 20, 30, 50, 50]
    there = web.at(web.address(B), BEGIN)
    assert there is not None
    assert {page.document for page in [*pages, there]} == {1, 2, 3, 4, 5}
    assert len(since) == len(until) == 5
    texts = [web.page_of(page.document).raw_text.split()[0] for page in pages]
    assert texts == [b"wolves", b"wolves", b"spiders", b"wolves", b"wolves", b"wolves"]
    assert web.page_of(there.document).url == B


def test_what_never_showed_is_no_document(tmp_path: Path) -> None:
    """Of two captures at one moment only the later one can be met."""
    captures = [capture(A, 0, "wolves"), capture(A, 9, "spiders"), capture(A, 9, "wolves")]
    since, until = recorded(tmp_path / "web", captures).lifetimes
    assert (since.tolist(), until.tolist()) == ([BEGIN], [np.inf])


def test_the_last_window_ends_with_the_watch(web: RecordedChanges) -> None:
    log = Log(BEGIN, BEGIN + 4 * HOUR)
    for hours in (0.5, 2.5, 3.5, 4.5):  # the last one ends too late
        log.times.append(BEGIN + hours * HOUR)
        log.addresses.append(round(hours * 2))
        log.sent_at.append(BEGIN + hours * HOUR)
        log.documents.append(1)
        log.relevant.append(True)
    found = measure(log, web)
    assert ((found.windows - BEGIN) / HOUR).tolist() == [3, 4]
    assert found.curves["downloaded"].tolist() == [2, 1]
    assert [found.totals[n] for n in ("downloaded", "sent", "relevant", "found_urls")] == [3] * 4
    for hours, ends in ((3, [3]), (2, [2]), (6, [3, 6]), (5, [3, 5])):
        windows = measure(Log(BEGIN, BEGIN + hours * HOUR), web).windows
        assert ((windows - BEGIN) / HOUR).tolist() == ends


def test_a_watch_finds_what_is_new_as_time_goes_on(web: RecordedChanges) -> None:
    log = Log(BEGIN, BEGIN + 2.5 * DAY)
    hours = list(simulate(BreadthFirstRecrawl(seeds=[web.address(A)]), web, log, cost=60.0))
    assert len(log.times) == 2.5 * 24 * 60
    assert len(hours) == 60
    sent_at, documents, relevant = log.sent()
    assert relevant.all()
    assert len(np.unique(documents)) == len(documents) == 5
    # a minute's cost for each download, so each is found within a few minutes
    found = np.sort((sent_at - BEGIN) / HOUR)
    assert np.allclose(found, [0, 0, 30, 30, 50], atol=0.1)


def test_measures_by_hand(web: RecordedChanges) -> None:
    log = Log(BEGIN, BEGIN + 60 * HOUR)
    for _ in simulate(BreadthFirstRecrawl(seeds=[web.address(A)]), web, log, cost=60.0):
        pass
    measured = measure(log, web, window=20 * HOUR)
    totals = measured.totals
    assert totals["downloaded"] == 3600
    assert (totals["sent"], totals["relevant"], totals["found_urls"]) == (5, 5, 3)
    assert totals["relative_found_urls"] == 3 / 3600
    assert measured.curves["relevant"].tolist() == [2, 2, 1]
    assert np.allclose(measured.curves["download_efficiency"] * 1200, [2, 2, 1], rtol=0.01)
    # found by then and still so: after 20 h 2 of 2, after 40 h 2 of 4, after 60 h 2 of 5
    assert np.allclose(measured.curves["freshness"], [1, 2 / 4, 2 / 5])
    # hours since they were replaced: A 10, B 0; then A 30, B 20, C 10
    assert np.allclose(measured.curves["age_hours"], [0, 10 / 4, 60 / 5])
    assert totals["freshness"] == pytest.approx((1 + 0.5 + 0.4) / 3)
    assert totals["delay_hours"] < 0.1


def test_bad_input(web: RecordedChanges, tmp_path: Path) -> None:
    watcher = BreadthFirstRecrawl(seeds=[web.address(A)])
    with pytest.raises(BadInput, match="a download costs 0 seconds"):
        next(simulate(watcher, web, Log(BEGIN, BEGIN + DAY), cost=0))
    with pytest.raises(BadInput, match="the watch ends before it begins"):
        next(simulate(watcher, web, Log(BEGIN, BEGIN)))
    with pytest.raises(BadInput, match="is not in"):
        web.address("http://elsewhere.test/")
    for changing, message in ((False, "one state only"), (True, "at one moment")):
        folder = tmp_path / f"still-{changing}"
        with Compiler(folder, ["test"], changing=changing) as compiler:
            compiler.add(CAPTURES[0])
            compiler.finish(())
        with pytest.raises(BadInput, match=message):
            RecordedChanges(folder)


def test_texts_of_one_kind_are_in_one_cluster() -> None:
    kinds = ("wolf spider hunts prey", "stock market falls bank", "rain wind storm cloud")
    texts = [f"{kind} number {n}" for kind in kinds for n in range(8)]
    clusters = Clusters.fit([terms(text) for text in texts], 3)
    states = np.array([clusters.of(terms(text)) for text in texts])
    best = states.argmax(axis=1).reshape(3, 8)
    assert all(len(set(row)) == 1 for row in best.tolist())
    assert len({row[0] for row in best.tolist()}) == 3
    assert ((states >= 0) & (states < 1)).all()
    again = Clusters.restored(clusters.state())
    assert np.array_equal(again.of(terms(texts[0])), states[0])
    assert not clusters.of(terms("")).any()


def test_states_by_hand() -> None:
    """P(c | d) = Σ P(w | d) P(c | w), with one general class beside two clusters."""
    texts = ["wolf wolf", "wolf wolf", "bank bank", "bank bank"]
    clusters = Clusters.fit([terms(text) for text in texts], 2)
    # Σ P(w | d): wolf 2 in its cluster, 0 in the other, 1 in general; so P(c | wolf) = 2/3
    state = np.sort(clusters.of(terms("wolf bank unknown unknown")))
    assert np.allclose(state, np.tanh([2 / 3 / 4, 2 / 3 / 4]))


def test_too_few_words() -> None:
    with pytest.raises(BadInput, match="no words in common"):
        Clusters.fit([terms("")], 3)
    with pytest.raises(ValueError, match="clusters is 0"):
        Clusters.fit([terms("wolf")], 0)
