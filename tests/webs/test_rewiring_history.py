"""A changing web, rewired: versions and degrees stay, neighbours do not, nobody leads astray."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings import gone, moved, page, read
from wolfspider.lab.describe.clustering import both_ways, clustering
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.graph import Graph
from wolfspider.webs.history import History
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.rewiring import rewire
from wolfspider.webs.rewiring_history import TimedLinks, _blocks, exchanged
from wolfspider.webs.synthetic.news import NewsSite

SITE = NewsSite(days=2, articles_per_day=60, sections=4, words=30, listed=10, vanishing=0.0)
NEVER = np.inf


def compiled(folder: Path, captures: list[Capture]) -> RecordedWeb:
    with Compiler(folder, ["made"], changing=True) as compiler:
        for capture in captures:
            compiler.add(capture)
        compiler.finish()
    return RecordedWeb(folder)


def made(web: RecordedWeb, folder: Path, seed: int = 0) -> RecordedWeb:
    for _ in rewire(web, folder, seed):
        pass
    return RecordedWeb(folder)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    return compiled(tmp_path_factory.mktemp("web") / "news", list(SITE.captures()))


@pytest.fixture(scope="module")
def other(web: RecordedWeb, tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    return made(web, tmp_path_factory.mktemp("web") / "rewired")


def versions(web: RecordedWeb) -> Iterator[tuple[str, list[str]]]:
    """Address and links of each version."""
    history = History(web.folder)
    for number in range(len(history)):
        found = history.page(number)
        yield found.url, found.links.urls()


def pairs(web: RecordedWeb) -> set[tuple[str, str]]:
    return {(url, link) for url, links in versions(web) for link in links}


def test_every_version_keeps_how_many_links_it_has(web: RecordedWeb, other: RecordedWeb) -> None:
    before, after = list(versions(web)), list(versions(other))
    assert [(url, len(links)) for url, links in before] == [(u, len(found)) for u, found in after]
    assert all(len(set(links)) == len(links) for _, links in after)
    assert other.about["versions"] == web.about["versions"] == len(before)


def test_every_address_keeps_how_many_link_to_it(web: RecordedWeb, other: RecordedWeb) -> None:
    before, after = pairs(web), pairs(other)
    assert Counter(link for _, link in before) == Counter(link for _, link in after)
    assert Counter(url for url, _ in before) == Counter(url for url, _ in after)
    assert {url for url, link in before if url == link} == {u for u, link in after if u == link}
    assert len(before & after) < 0.6 * len(before)  # templates link to some pages from everywhere


def test_neighbours_are_linked_less(web: RecordedWeb, other: RecordedWeb) -> None:
    found = [clustering(both_ways(Graph(each))).average or 0.0 for each in (web, other)]
    assert found[1] < 0.75 * found[0]


def test_every_link_leads_to_what_is_there_at_the_time(
    web: RecordedWeb, other: RecordedWeb
) -> None:
    """Nothing vanishes here, so every link of every version works when the version appears."""
    dates = np.load(web.folder / "history" / "moments.npy")
    since = dict(zip(dates["answer"].tolist(), dates["date"].tolist(), strict=True))
    for each in (web, other):
        history = History(each.folder)
        answers = {
            (link, since[number])
            for number, (_, links) in enumerate(versions(each))
            for link in links
        }
        assert all(history.fetch(link, date).status == 200 for link, date in sorted(answers)[::7])


def test_text_and_dates_stay(web: RecordedWeb, other: RecordedWeb) -> None:
    for name in ("pages.bin", "texts.bin", "moments.npy", "moment_keys.npy", "redirects.npy"):
        before, after = (each.folder / "history" / name for each in (web, other))
        assert before.read_bytes() == after.read_bytes()
    assert other.about["dates"] == web.about["dates"]
    assert other.about["labels"] == web.about["labels"]


def test_links_take_their_words_along(web: RecordedWeb, other: RecordedWeb) -> None:
    def told(web: RecordedWeb) -> set[tuple[str, str]]:
        history, found = History(web.folder), set[tuple[str, str]]()
        for number in range(len(history)):
            links = history.page(number).links
            found.update(zip(links.urls(), links.anchors(), strict=True))
        return found

    assert told(other) <= told(web)


def test_the_last_state_is_that_of_the_history(other: RecordedWeb) -> None:
    history = History(other.folder)
    starts, targets = other.graph
    assert other.about["links"] == len(targets)
    for number in range(len(other)):
        found = history.fetch(other.url(number), SITE.end)
        assert found.page is not None
        urls = [url for url in found.page.links.urls() if url != found.url]
        assert other.page(number).links.urls() == urls
        ends = targets[starts[number] : starts[number + 1]]
        assert [other.url(int(page)) for page in ends] == urls


def test_the_same_seed_gives_the_same_web(
    web: RecordedWeb, other: RecordedWeb, tmp_path: Path
) -> None:
    again, third = made(web, tmp_path / "again"), made(web, tmp_path / "third", 1)
    assert again.digest == other.digest
    assert len({web.digest, again.digest, third.digest}) == 3


def test_redirects_and_lost_pages_are_no_trouble(tmp_path: Path) -> None:
    """The first link of a and that of d lead to the same; the last one appeared too late for a."""
    a, b, c, d = (f"http://a.test/{name}" for name in "abcd")
    days = [f"2005-01-0{day}T00:00:00Z" for day in range(1, 5)]
    records = [
        page(a, f"<a href='{b}'>bee</a> <a href='{c}'>cee</a>", days[0]),
        page(b, "<p>no links", days[0]),
        moved(c, b, days[0]),
        page(d, f"<a href='{b}'>bee</a>", days[1]),
        gone(b, days[2]),
        page(c, f"<a href='{a}'>a</a>", days[3]),
    ]
    found, _ = read(tmp_path / "some.warc", b"".join(records))
    web = compiled(tmp_path / "web", found)
    other = made(web, tmp_path / "rewired")
    assert [(u, len(links)) for u, links in versions(other)] == [(a, 2), (b, 0), (d, 1), (c, 1)]
    assert Counter(link for _, link in pairs(other)) == {a: 1, b: 2, c: 1}
    assert [other.url(number) for number in range(len(other))] == [a, d, c]


def links(
    ends: list[tuple[int, int]], since: list[float], born: list[float], died: list[float]
) -> TimedLinks:
    source, target = np.array(ends, np.int64).reshape(-1, 2).T
    zeros = np.zeros(len(ends), np.int64)
    return TimedLinks(source, target, np.array(since), zeros, zeros, np.array(born), np.array(died))


def outcomes(found: TimedLinks) -> set[tuple[int, ...]]:
    return {tuple(exchanged(found, seed).tolist()) for seed in range(20)}


def test_two_links_exchange_their_ends() -> None:
    ends = [(0, 1), (2, 3)]
    assert outcomes(links(ends, [5, 5], [0, 0, 0, 0], [NEVER] * 4)) == {(0, 1), (1, 0)}


def test_no_link_leads_to_what_is_not_there_yet() -> None:
    ends = [(0, 1), (2, 3)]
    assert outcomes(links(ends, [5, 9], [0, 0, 0, 9], [NEVER] * 4)) == {(0, 1)}
    # The first link led to something still later: it has no better claim than before.
    assert outcomes(links(ends, [5, 9], [0, 9, 0, 9], [NEVER] * 4)) == {(0, 1), (1, 0)}


def test_no_link_leads_to_what_is_gone() -> None:
    ends = [(0, 1), (2, 3)]
    assert outcomes(links(ends, [5, 9], [0, 0, 0, 0], [NEVER, 7, NEVER, NEVER])) == {(0, 1)}


def test_no_link_leads_to_its_own_page_or_twice_to_another() -> None:
    assert outcomes(links([(0, 1), (1, 2)], [0, 0], [0] * 3, [NEVER] * 3)) == {(0, 1)}
    ends = [(0, 1), (0, 2), (3, 1)]
    assert outcomes(links(ends, [0] * 3, [0] * 4, [NEVER] * 4)) == {(0, 1, 2)}


def test_links_of_one_moment_are_in_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wolfspider.webs.rewiring_history._BLOCK", 3)
    since = np.array([1.0, 1, 2, 2, 2, 3, 4, 4, 5])
    assert _blocks(since).tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]


@given(st.data())
def test_any_history_keeps_its_degrees(data: st.DataObject) -> None:
    numbers = st.integers(0, 15)
    ends = sorted(data.draw(st.sets(st.tuples(numbers, numbers), max_size=60)))
    dates = st.lists(st.integers(0, 9).map(float), min_size=len(ends), max_size=len(ends))
    ages = st.lists(st.integers(0, 9).map(float), min_size=16, max_size=16)
    born = data.draw(ages)
    found = links(ends, data.draw(dates), born, [date + 3 for date in born])
    order = exchanged(found, data.draw(st.integers(0, 99)))
    assert sorted(order.tolist()) == list(range(len(ends)))
    target = found.target[order]
    assert len(set(zip(found.source.tolist(), target.tolist(), strict=True))) == len(ends)
    own = found.source == found.target
    assert (target[own] == found.target[own]).all()
    assert (found.source[~own] != target[~own]).all()
    assert (found.born[target] <= np.maximum(found.since, found.born[found.target])).all()
    assert (found.died[target] >= np.minimum(found.since, found.died[found.target])).all()
