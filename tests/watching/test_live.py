"""Watches of a loopback news site under a clock that the test moves."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hostile import Request, answer, broken, moved, reset
from live_news import FEED, HOUR, NOON, A, Clock, News, Rounds, lines, newsroom, rows, rss, watching
from warcs import checked_records
from wolfspider.cli.watch_live import print_end
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.records import Exchange
from wolfspider.urls import fingerprint
from wolfspider.watching import live, live_reading, live_topics
from wolfspider.watching.changes import RecordedChanges
from wolfspider.watching.folder import FolderFailed, WatchFolder
from wolfspider.watching.folder_asked import read_asked
from wolfspider.watching.folder_records import Download
from wolfspider.watching.live import Watch
from wolfspider.watching.live_asked import WatchAsked
from wolfspider.watching.records import NOWHERE, Sent, Snapshot
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.live.budgets import Shares
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.settings import LiveSettings
from wolfspider.webs.live.web import LiveWeb

Story = Callable[[Rounds, News, Clock], Awaitable[None]]


def run(
    folder: Path,
    news: News,
    story: Story,
    *,
    policy: str = "breadth-first-recrawl",
    changes: bool = False,
    clock: Clock | None = None,
) -> None:
    clock = clock or Clock()

    async def go() -> None:
        async with (
            newsroom(news) as server,
            watching(server, folder, clock, policy=policy, changes=changes) as rounds,
        ):
            await story(rounds, news, clock)

    asyncio.run(go())


def test_an_article_with_a_date_is_news_for_a_day(tmp_path: Path) -> None:
    news = News()
    news.publish("/old", NOON - 25 * HOUR)
    news.publish("/fresh", NOON - 23 * HOUR)

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        assert await rounds.news() == [("/fresh", "new", "meta")]
        news.publish("/next", NOON + 0.5 * HOUR)
        clock.now += HOUR
        assert await rounds.news() == [("/next", "new", "meta")]
        assert await rounds.news() == []

    run(tmp_path / "w", news, story)
    assert lines(tmp_path / "w")[0] == {
        "url": f"{A}fresh",
        "title": "About /fresh",
        "published": "2026-11-14T13:00:00Z",
        "found": "2026-11-15T12:00:00Z",
        "source": "meta",
        "kind": "new",
    }


def test_without_a_date_only_what_appears_while_we_watch_is_news(tmp_path: Path) -> None:
    news = News()
    news.publish("/there-before")

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        assert await rounds.news() == []
        clock.now += HOUR
        news.publish("/appeared")
        assert await rounds.news() == [("/appeared", "new", "first link")]
        clock.now += 25 * HOUR  # nobody looked for longer than a day: it may be old
        news.publish("/meanwhile")
        assert await rounds.news() == []

    run(tmp_path / "w", news, story)


def test_the_front_rolls_over_and_nothing_comes_twice(tmp_path: Path) -> None:
    news = News()

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()
        for number in range(12):  # the front shows eight
            news.publish(f"/{number}")
            clock.now += 600
            assert [path for path, *_ in await rounds.news()] == [f"/{number}"]

    run(tmp_path / "w", news, story)
    assert [line["url"] for line in lines(tmp_path / "w")] == [f"{A}{n}" for n in range(12)]


def test_what_has_not_changed_is_answered_304_and_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    news = News()
    news.publish("/one")

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()

        def parse(*_: object) -> None:
            raise AssertionError("an answer without a body was parsed")

        monkeypatch.setattr(rounds.watch.web, "read", parse)
        again = await rounds.round()
        assert [(each.status, each.error) for each in again] == [(304, ""), (304, "")]

    run(tmp_path / "w", news, story)
    assert news.status_of("/one") == [200, 304]
    assert rows(tmp_path / "w", "SELECT kind, status FROM captures ORDER BY id")[:4] == [
        ("response", 200),
        ("response", 200),
        ("revisit", 304),
        ("revisit", 304),
    ]
    checked = checked_records(tmp_path / "w" / "00001.warc.gz")
    assert [kind for kind, _ in checked][:5] == ["warcinfo", *["response"] * 2, *["revisit"] * 2]


def test_a_feed_shows_the_way_and_cannot_make_an_old_page_new(tmp_path: Path) -> None:
    news = News(head=FEED)
    for path, date in (("/dated", NOON - 100 * HOUR), ("/undated", None), ("/late", None)):
        news.publish(path, date)
    news.shown.clear()  # the front page is of no help
    news.pages["/feed.xml"] = rss(("/dated", NOON), ("/undated", NOON))

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        assert await rounds.news() == []
        assert [p for p, _ in news.log][1:] == ["/", "/feed.xml", "/dated", "/undated"]
        clock.now += HOUR
        entries = (("/late", None), ("/dated", NOON), ("/undated", NOON))
        news.pages["/feed.xml"] = rss(*entries)
        assert await rounds.news() == [("/late", "new", "first link")]

    run(tmp_path / "w", news, story)


def test_a_feed_is_a_link_of_the_page_that_named_it_first(tmp_path: Path) -> None:
    news = News(head=FEED)
    news.publish("/one", NOON, more=FEED)
    news.pages["/feed.xml"] = rss()

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()

    run(tmp_path / "w", news, story)
    feed = fingerprint(f"{A}feed.xml")
    with WatchFolder.open(tmp_path / "w") as folder:
        front, one = (folder.held(fingerprint(f"{A}{path}")) for path in ("", "one"))
    assert front is not None
    assert one is not None
    assert feed in front.links
    assert feed not in one.links


def test_robots_txt_is_obeyed_and_asked_again_after_a_day(tmp_path: Path) -> None:
    news = News(robots="User-agent: *\nDisallow: /private/\n")
    news.publish("/open")
    news.publish("/private/letter")

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()
        assert news.status_of("/private/letter") == []
        assert news.status_of("/robots.txt") == [200]
        before = rounds.watch.web.robots.clock
        rounds.watch.web.robots.clock = lambda: before() + 24 * HOUR + 1
        news.robots = "User-agent: *\nDisallow: /open\n"
        asked = news.status_of("/open")
        await rounds.round(2)
        assert len(news.status_of("/robots.txt")) == 2
        assert news.status_of("/open") == asked
        assert news.status_of("/private/letter") == [200]

    run(tmp_path / "w", news, story)


def test_changes_are_told_to_those_who_ask(tmp_path: Path) -> None:
    for changes in (False, True):
        news = News()
        news.publish("/one", NOON - HOUR)

        async def story(rounds: Rounds, news: News, clock: Clock, changes: bool = changes) -> None:
            assert await rounds.news() == [("/one", "new", "meta")]
            clock.now += 60
            news.shown.clear()
            news.publish("/one", NOON - HOUR, text="It was all different.")
            found = await rounds.news()
            assert found == ([("/one", "changed", "text")] if changes else [])

        run(tmp_path / f"{changes}", news, story, changes=changes)


def test_one_text_at_two_addresses_is_one_document_and_noindex_is_none(tmp_path: Path) -> None:
    news = News()
    news.publish("/one", NOON, text="The same.")
    news.publish("/two", NOON, text="The same.")
    news.pages["/two"] = news.pages["/one"]
    news.publish("/hidden", NOON, more="<meta name=robots content=noindex>")

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        assert len(await rounds.news()) == 1

    run(tmp_path / "w", news, story)


def test_a_seed_is_no_news(tmp_path: Path) -> None:
    news = News(head="<meta name=date content=2026-11-15T11:00:00Z>")

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        assert await rounds.news() == []

    run(tmp_path / "w", news, story)


def test_a_host_that_wants_rest_is_remembered_over_a_kill(tmp_path: Path) -> None:
    """Retry-After is on disk while the request still waits for its next try."""
    folder, clock = tmp_path / "w", Clock()

    async def go() -> None:
        async with newsroom(News()) as server:
            server.web["news.test/"] = broken("429 Too Many Requests", "Retry-After: 500")
            async with watching(server, folder, clock, tries=2) as rounds:
                watching_on = asyncio.ensure_future(anext(rounds.downloads))
                while not rows(folder, "SELECT name FROM hosts"):
                    await asyncio.sleep(0.05)
                rounds.watch.interrupt()
                with pytest.raises(StopAsyncIteration):
                    await watching_on

    asyncio.run(go())
    ((name, value),) = rows(folder, "SELECT name, value FROM hosts")
    assert name == "news.test"
    assert 400 < json.loads(value)["left"] <= 550


def test_a_share_counts_addresses_and_not_downloads(tmp_path: Path) -> None:
    news = News()
    for path in ("/one", "/two"):
        news.publish(path)

    async def go() -> list[tuple[int, str]]:
        async with newsroom(news) as server:
            settings = LiveSettings(
                connect_to=server.host_and_port(),
                pace=Pace(delay=0.0, address_delay=0.0),
                shares=Shares(per_host=2),
            )
            async with LiveWeb([A], settings) as web:
                asked = [A, A, f"{A}one", A, f"{A}one", f"{A}two"]
                answers = [await web.fetch_again(url, lambda _: {}) for url in asked]
                return [(each.status, each.error) for each in answers]

    assert asyncio.run(go()) == [*[(200, "")] * 5, (0, "share")]


def test_only_a_validator_that_fits_into_a_header_is_sent_back() -> None:
    assert live_reading._validator('W/"abc"') == 'W/"abc"'
    for value in ("ü", "a\tb", "x" * 1001):
        assert live_reading._validator(value) == ""


def test_foragers_and_change_rate_watch_too(tmp_path: Path) -> None:
    for policy in ("foragers:fleet=wlrl:steps=3", "change-rate"):
        news = News(every=6, most=5)

        async def story(rounds: Rounds, news: News, clock: Clock) -> None:
            found = 0
            async for download in rounds.downloads:
                clock.now += 60
                found += len(download.documents)
                if found == 5:
                    return

        run(tmp_path / policy.partition(":")[0], news, story, policy=policy)
        urls = [line["url"] for line in lines(tmp_path / policy.partition(":")[0])]
        assert sorted(urls) == [f"{A}story/{number}" for number in range(1, 6)]


def test_what_texts_are_about_is_learned_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_topics, "SAMPLE", 7)
    news = News()
    for number, text in enumerate(["wolf spider web", "stock market bank"] * 3):
        news.publish(f"/{number}", NOON, text=f"{text} {'and more ' * number}")

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()
        assert rounds.watch.topics.clusters is None  # the seventh page is not committed yet
        await rounds.round(1)
        assert rounds.watch.topics.clusters is not None

    run(tmp_path / "w", news, story)
    with WatchFolder.open(tmp_path / "w") as folder:
        about = [folder.held(fingerprint(f"{A}{n}")) for n in range(5)]
        state = folder.last_checkpoint()
    assert all(each is not None and len(each.about) == 50 for each in about)
    assert any(each is not None and each.about.any() for each in about)
    assert state is not None
    assert state["topics"]["shares"].shape[1] == 50

    async def later(rounds: Rounds, news: News, clock: Clock) -> None:
        assert rounds.watch.topics.clusters is not None
        first = state["topics"]["shares"]
        np.testing.assert_array_equal(rounds.watch.topics.clusters.shares, first)

    run(tmp_path / "w", news, later)


def test_what_was_not_committed_is_cut_off_and_found_again(tmp_path: Path) -> None:
    news = News()
    news.publish("/one", NOON)
    folder = tmp_path / "w"

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        assert await rounds.news() == [("/one", "new", "meta")]

    run(folder, news, story)
    sizes = {p.name: p.stat().st_size for p in folder.glob("*.warc.gz")}
    for name in ("documents.jsonl", *sizes):
        with (folder / name).open("ab") as file:
            file.write(b'{"url": "half a li')

    async def later(rounds: Rounds, news: News, clock: Clock) -> None:
        clock.now += HOUR
        news.publish("/two", NOON)
        found = [*await rounds.news(), *await rounds.news()]
        assert found == [("/two", "new", "meta")]

    run(folder, news, later)
    assert [line["url"] for line in lines(folder)] == [f"{A}one", f"{A}two"]
    checked_records(folder / "00001.warc.gz")


def test_a_document_whose_line_was_written_and_not_committed_is_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    news = News()
    news.publish("/one", NOON)
    folder, fsync = tmp_path / "w", os.fsync

    def fails(number: int) -> None:
        if os.readlink(f"/proc/self/fd/{number}").endswith("documents.jsonl"):
            raise OSError(5, "Input/output error")
        fsync(number)

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        assert await rounds.news() == [("/one", "new", "meta")]
        with pytest.raises(FolderFailed, match="watch --resume"):
            await rounds.round(1)
        assert len(lines(folder)) == 1
        assert rows(folder, "SELECT * FROM documents") == []

    monkeypatch.setattr("os.fsync", fails)
    run(folder, news, story)
    monkeypatch.undo()

    async def later(rounds: Rounds, news: News, clock: Clock) -> None:
        assert lines(folder) == []
        assert [*await rounds.news(), *await rounds.news()] == [("/one", "new", "meta")]

    run(folder, news, later)
    assert [line["url"] for line in lines(folder)] == [f"{A}one"]


def test_the_recording_of_a_watch_is_a_changing_web(tmp_path: Path) -> None:
    news = News()
    news.publish("/one", NOON)
    folder = tmp_path / "w"

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()
        await rounds.round()  # nothing new: revisits
        await asyncio.sleep(1.1)  # importers tell versions apart by the second
        news.publish("/two", NOON)
        await rounds.round()
        del news.pages["/one"]
        await rounds.round()

    run(folder, news, story)
    with Compiler(tmp_path / "web", ["a watch"], changing=True) as compiler:
        for path in sorted(folder.glob("*.warc.gz")):
            for capture in WarcFile(path):
                compiler.add(capture)
        compiler.finish()
    changes = RecordedChanges(tmp_path / "web")
    front, one, two = (fingerprint(f"{A}{path}") for path in ("", "one", "two"))
    assert len(changes.history) == 4  # two fronts, two articles: revisits are no versions
    first, last = changes.at(front, changes.begin), changes.at(front, changes.end)
    assert first is not None
    assert last is not None
    assert set(first.links.tolist()) == {one}
    assert set(last.links.tolist()) == {one, two}
    found = changes.at(two, changes.end)
    assert found is not None
    assert changes.at(two, changes.begin) is None
    assert changes.at(one, changes.end) is None  # gone
    assert changes.lifetimes[0][found.document - 1] > changes.begin + 1


def test_an_address_that_moved_is_dated_by_what_led_to_it(tmp_path: Path) -> None:
    """And conditions are those of the page at the end, not of the way there."""
    news = News()

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()
        news.publish("/short")
        news.pages["/long"] = news.pages.pop("/short")
        clock.now += HOUR
        assert await rounds.news() == [("/long", "new", "first link")]
        await rounds.round()
        assert news.status_of("/long") == [200, 304]

    folder = tmp_path / "w"
    clock = Clock()

    async def go() -> None:
        async def short(request: Request) -> bool:
            await request.send(moved("/long"))
            return True

        async with newsroom(news) as server:
            server.web["news.test/short"] = short
            async with watching(server, folder, clock) as rounds:
                await story(rounds, news, clock)

    asyncio.run(go())


def test_a_full_disk_is_told_and_nothing_is_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WatchFolder.create(tmp_path / "w", WatchAsked((A,)).values()) as folder:
        folder.begin([A], NOON)
        head = b"HTTP/1.1 200 OK\r\n\r\n"
        exchange = Exchange(A, 200, head, (), b"<p>Hi", at=NOON)
        download = Download(fingerprint(A), NOON, 200, "", exchanges=(exchange,))
        folder.keep(download)

        def full(_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fdatasync", full)
        with pytest.raises(FolderFailed, match="No space left on device; what was written"):
            folder.keep(download)
        monkeypatch.undo()
    assert rows(tmp_path / "w", "SELECT count(*) FROM downloads") == [(1,)]
    with WatchFolder.open(tmp_path / "w") as folder:
        assert folder.downloads == 1
    checked_records(tmp_path / "w" / "00001.warc.gz")


def test_one_process_at_a_time_and_sentences_for_bad_folders(tmp_path: Path) -> None:
    asked = WatchAsked((A,)).values()
    with WatchFolder.create(tmp_path / "w", asked):
        with pytest.raises(BadInput, match="another wolfspider"):
            WatchFolder.open(tmp_path / "w")
        with pytest.raises(BadInput, match="already holds a watch"):
            WatchFolder.create(tmp_path / "w", asked)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(BadInput, match="is not empty"):
        WatchFolder.create(tmp_path / "other", asked)
    with pytest.raises(BadInput, match="holds no watch"):
        WatchFolder.open(tmp_path / "other")
    data = bytearray((tmp_path / "w" / "watch.db").read_bytes())
    data[20:2000] = bytes(1980)
    (tmp_path / "w" / "watch.db").write_bytes(data)
    with pytest.raises(DamagedFile, match="is damaged"):
        WatchFolder.open(tmp_path / "w")


def test_what_was_asked_survives_the_way_to_disk(tmp_path: Path) -> None:
    asked = WatchAsked((A,), policy="change-rate:plan=60", seconds=90.0, changes=True)
    with WatchFolder.create(tmp_path / "w", asked.values()):
        pass
    assert WatchAsked.of(read_asked(tmp_path / "w")) == asked


def test_an_undated_entry_of_a_feed_is_shown_until_its_page_has_come(tmp_path: Path) -> None:
    news = News(head=FEED)
    news.pages["/feed.xml"] = rss()

    async def story(rounds: Rounds, news: News, clock: Clock) -> None:
        await rounds.round()
        clock.now += HOUR
        news.pages["/feed.xml"] = rss(("/late", None))
        assert await rounds.news() == []
        assert news.status_of("/late") == [404]
        clock.now += HOUR
        news.publish("/late")
        news.shown.clear()
        news.pages["/feed.xml"] = rss(("/late", None), ("/old", NOON - 100 * HOUR))
        assert await rounds.news() == [("/late", "new", "first link")]
        await rounds.round()
        assert news.status_of("/late") == [404, 200]

    run(tmp_path / "w", news, story)


def test_what_appeared_more_than_a_day_ago_is_not_shown_again(tmp_path: Path) -> None:
    one, two, three, four = (fingerprint(f"{A}{n}") for n in range(4))
    with WatchFolder.create(tmp_path / "w", WatchAsked((A,)).values()) as folder:
        for at, address, again in ((NOON, one, True), (NOON + 1, two, True), (NOON + 2, three, 0)):
            links = ((address, f"{A}{address}"),)
            folder.keep(Download(four, at, 200, "", links=links, again=bool(again)))
        asked = np.array([one, two, three, four, 5], np.uint64)
        assert folder.appeared(asked, NOON + 1, again=False) == {two}
        assert folder.appeared(asked, NOON, again=True) == {one, two, 5}


def test_half_a_page_is_asked_for_again_and_is_no_change(tmp_path: Path) -> None:
    begun, rest = b"<title>One</title><p>It began so", b" and ended so.<p><a href=/more>more</a>"
    halves = {"/one": [False, True, False], "/two": [True, False, False]}  # by round
    asked: list[tuple[str, bool]] = []

    async def serve(request: Request) -> bool:
        half = halves[request.target].pop(0)
        asked.append((request.target, b"if-none-match" in request.head.lower()))
        body, size = begun + request.target.encode() + rest, len(begun) + len(rest) + 4
        await request.send(answer(body[: 40 if half else size], 'ETag: "x"', length=size))
        return not half

    news, clock = News(), Clock()
    news.publish("/one")
    news.publish("/two")

    async def go() -> None:
        async with newsroom(news) as server:
            server.web["news.test/one"] = server.web["news.test/two"] = serve
            async with watching(server, tmp_path / "w", clock, changes=True) as rounds:
                for _ in range(3):
                    downloads = await rounds.round()
                    assert not any(each.documents for each in downloads)
                    clock.now += HOUR

    asyncio.run(go())
    assert sorted(asked) == [
        *[("/one", False), ("/one", False), ("/one", True)],  # whole, then cut off, then whole
        *[("/two", False), ("/two", False), ("/two", True)],  # cut off first
    ]
    (row,) = rows(tmp_path / "w", f"SELECT appeared FROM addresses WHERE url = '{A}more'")
    assert row == (None,)


class Told:
    """A watcher that asks for these addresses in turn, and remembers what it was told."""

    def __init__(self, *addresses: int) -> None:
        self.addresses, self.told = list(addresses), list[Snapshot | None]()

    def next(self, now: float) -> int | None:
        return self.addresses[0]

    def learn(self, address: int, page: Snapshot | None, now: float) -> list[Sent]:
        self.addresses = self.addresses[1:] or [address]
        self.told.append(page)
        return []

    def state(self) -> dict[str, object]:
        return {"none": NOWHERE}

    def restore(self, state: object) -> None: ...


def test_a_watch_gives_up_when_every_seed_was_asked_for(tmp_path: Path) -> None:
    dead, gone, front = f"{A}dead", f"{A}gone", A

    async def go(name: str, *seeds: str) -> tuple[list[int], str]:
        async with newsroom(News()) as server:
            pace = Pace(delay=0.0, address_delay=0.0)
            settings = LiveSettings(connect_to=server.host_and_port(), pace=pace, tries=1)
            asked = WatchAsked(seeds, live=settings)
            async with Watch.begin(asked, tmp_path / name, Clock()) as watch:
                first, second = (fingerprint(seed) for seed in seeds)
                watch.watcher = Told(first, first, first, second)
                found = []
                async with aclosing(watch.downloads()) as downloads:
                    async for each in downloads:
                        found.append(each.status)
                        if each.status == 200:
                            break
                return found, watch.stopped

    assert asyncio.run(go("one", dead, front)) == ([404, 404, 404, 200], "")
    found, stopped = asyncio.run(go("two", dead, gone))
    assert found == [404] * 4
    assert stopped.startswith("no page could be had: ")


def test_hosts_that_are_left_alone_are_named_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def go() -> dict[str, Any]:
        async with newsroom(News()) as server:
            settings = LiveSettings(connect_to=server.host_and_port())
            asked = WatchAsked((A,), live=settings)
            async with Watch.begin(asked, tmp_path / "w", Clock()) as watch:
                watch.web.politeness.give_up("news.test", "status 500", 3600.0)
                watch.interrupt("the time is over")
                return watch.finish()

    result = asyncio.run(go())
    assert result["left_alone"] == {"news.test": "status 500"}
    print_end(result)
    assert "news.test is left alone for now: status 500\n" in capsys.readouterr().err


def test_an_outage_is_no_change_and_404_is_one(tmp_path: Path) -> None:
    news = News()
    news.publish("/one")
    front, one, short = (fingerprint(f"{A}{path}") for path in ("", "one", "short"))
    told = Told(front, one, short, one, short, one, one, front)

    async def go() -> None:
        async with newsroom(news) as server:

            async def lead(request: Request) -> bool:
                await request.send(moved("/one"))
                return True

            news.shown.append("/short")
            server.web["news.test/short"] = lead
            async with watching(server, tmp_path / "w", Clock()) as rounds:
                rounds.watch.watcher = told
                await rounds.round(3)
                server.web["news.test/one"] = reset  # from the fourth download on
                await rounds.round(2)
                del news.pages["/one"], server.web["news.test/one"]
                await rounds.round(1)
                server.web["news.test/one"] = reset
                await rounds.round(2)

    asyncio.run(go())
    documents = [None if page is None else page.document for page in told.told]
    text = documents[1]
    assert text is not None
    assert documents[1:7] == [text, text, text, text, None, None]
    errors = [error for (error,) in rows(tmp_path / "w", "SELECT error FROM downloads")]
    assert [bool(error) for error in errors[:7]] == [False] * 3 + [True] * 4


def test_an_entry_that_redirects_is_downloaded_once(tmp_path: Path) -> None:
    news = News(head=FEED)
    news.publish("/long", NOON)
    news.shown.clear()
    news.pages["/feed.xml"] = rss(("/short", NOON))
    asked: list[str] = []

    async def short(request: Request) -> bool:
        asked.append(request.target)
        await request.send(moved("/long"))
        return True

    async def go() -> None:
        async with newsroom(news) as server:
            server.web["news.test/short"] = short
            async with watching(server, tmp_path / "w", Clock()) as rounds:
                for _ in range(3):
                    await rounds.round()

    asyncio.run(go())
    assert asked == ["/short"]


def test_checkpoints_take_a_twentieth_of_the_time_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, kept = SimpleNamespace(now=100.0), list[float]()

    async def story(rounds: Rounds, news: News, _: Clock) -> None:
        watch = rounds.watch

        def checkpoint(state: object) -> None:
            kept.append(clock.now)
            clock.now += 3.0

        with monkeypatch.context() as patch:
            patch.setattr(live, "time", SimpleNamespace(monotonic=lambda: clock.now))
            patch.setattr(watch.folder, "checkpoint", checkpoint)
            for now in (100.0, 131.0, 159.0, 160.0):
                clock.now = now
                watch._checkpoint()

    run(tmp_path / "w", News(), story)
    assert kept == [100.0, 160.0]  # 3 seconds are 5% of 60


def test_a_folder_that_cannot_be_opened_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, connect = WatchAsked((A,)).values(), sqlite3.connect
    opened: list[sqlite3.Connection] = []

    def remember(path: Path, **more: object) -> sqlite3.Connection:
        opened.append(connect(path, timeout=30, isolation_level=None))
        return opened[-1]

    with WatchFolder.create(tmp_path / "w", asked) as folder:
        folder._write(lambda: setattr(folder, "_lines", 5))  # more than there are
    monkeypatch.setattr(sqlite3, "connect", remember)
    for _ in range(2):
        with pytest.raises(DamagedFile, match="has 0 of 5 bytes"):
            WatchFolder.open(tmp_path / "w")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wolfspider.watching.folder_asked.write_asked", full)
    with pytest.raises(BadInput, match="No space left"):
        WatchFolder.create(tmp_path / "x", asked)
    assert len(opened) == 3
    for db in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            db.execute("SELECT 1")
    assert not (tmp_path / "x").exists()
