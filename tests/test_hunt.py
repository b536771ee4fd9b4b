"""Whole hunts on a hostile web of many hosts; the names give the rows of FAULTS.md.

Each hunt must end by itself, and what is on disk must agree with what the server was asked for.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from command_line import COMMAND, start
from hostile import (
    ANSWERS,
    MISDEEDS,
    Hostile,
    Misdeed,
    Request,
    answer,
    bare,
    broken,
    hostile_thread,
    linked,
    missing,
    moved,
    page_with,
    reset,
    rules,
    slowly,
)
from warcs import checked_records
from wolfspider.asked import Asked
from wolfspider.errors import BadInput
from wolfspider.hunt import Hunt
from wolfspider.records import Verdict, Visit
from wolfspider.store import HuntReader
from wolfspider.store.rebuilding import rebuild
from wolfspider.tally import Tally
from wolfspider.webs.live.budgets import Shares
from wolfspider.webs.live.limits import Limits
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.settings import LiveSettings
from wolfspider.webs.live.web import LiveWeb

PACE = Pace(delay=0.0, address_delay=0.0, first_backoff=0.05, longest_backoff=0.1, jitter=0.0)
LIMITS = Limits(
    connect=5.0, first_byte=3.0, total=10.0, min_rate=100.0, rate_window=1.0, body=1 << 20
)
LIVE = LiveSettings(pace=PACE, limits=LIMITS, tries=2)
START = "http://a.test/"
TOPIC = "wolf spider"
WOLVES = "A wolf spider is a spider. The wolf spider hunts. "

Served = dict[str, bytes | Misdeed]


@dataclass
class Hunted:
    """A hunt that has ended."""

    server: Hostile
    folder: Path
    visits: list[Visit]
    result: dict[str, Any]

    @property
    def stopped(self) -> str:
        return str(self.result["stopped"])

    @property
    def pages(self) -> list[str]:
        """What came without an error."""
        return sorted(visit.page.url for visit in self.visits if not visit.failed)

    @property
    def errors(self) -> dict[str, str]:
        return {v.link.url: v.response.error for v in self.visits if v.failed}

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / "hunt.db")) as db:
            return db.execute(query).fetchall()


@asynccontextmanager
async def serving(served: Served) -> AsyncIterator[Hostile]:
    async with Hostile() as server:
        server.web = served
        yield server


def asking(server: Hostile, *seeds: str, live: LiveSettings = LIVE, **more: Any) -> Asked:
    live = replace(live, connect_to=server.host_and_port())
    usual: dict[str, Any] = {"topic": TOPIC, "seeds": seeds or (START,), "pages": None}
    return Asked(**usual | more, live=live)


async def hunting(
    asked: Asked,
    folder: Path,
    server: Hostile,
    *,
    resumed: bool = False,
    stop_after: int = 0,
    patience: float = 120.0,
) -> Hunted:
    """Hunt, or go on with a hunt, and check what holds for every one that has ended."""
    opening = Hunt.resume(asked, folder) if resumed else Hunt.begin(asked, folder)
    async with asyncio.timeout(patience), opening as hunt:
        assert isinstance(hunt.web, LiveWeb)
        hunt.web.robots.first_retry = 0.05
        if resumed:
            async for _ in hunt.recall():
                pass
        visits = []
        async for visit in hunt.visits():
            visits.append(visit)
            if len(visits) == stop_after:
                hunt.interrupt()
        hunted = Hunted(server, folder, visits, hunt.finish())
    assert_whole(hunted)
    return hunted


def assert_whole(hunted: Hunted) -> None:
    """The database, the WARC files and the server agree."""
    assert hunted.rows("PRAGMA integrity_check") == [("ok",)]
    records = [
        record
        for path in sorted(hunted.folder.glob("*.warc.gz"))
        for record in checked_records(path)
        if record[0] != "warcinfo"
    ]
    assert records == hunted.rows("SELECT kind, url FROM captures ORDER BY id")
    answered = Counter(url for _, url in records)
    asked = hunted.server.counted()
    assert not answered - asked


def hunt(served: Served, folder: Path, *seeds: str, **more: Any) -> Hunted:
    async def run() -> Hunted:
        async with serving(served) as server:
            return await hunting(asking(server, *seeds, **more), folder, server)

    return asyncio.run(run())


# -- the end -------------------------------------------------------------------------------


def town(hosts: int, pages: int, seconds: float = 0.0) -> Served:
    """Hosts whose pages link to each other and to all other hosts, each with a forbidden one."""
    served: Served = {}
    others = [f"http://h{n}.test/" for n in range(hosts)]
    for n in range(hosts):
        served[f"h{n}.test/robots.txt"] = rules("User-agent: *\nDisallow: /no")
        for page in range(pages):
            body = answer(linked(*others, f"/{(page + 1) % pages}", "/no", title=f"{n} {page}"))
            path = f"h{n}.test/{page or ''}"
            served[path] = slowly(body, seconds) if seconds else body
        served[f"h{n}.test/0"] = moved("/")
    return served


@pytest.mark.parametrize(("at_once", "connections"), [(64, 1), (64, 3), (1, 1)])
def test_row_56_a_hunt_ends_by_itself_with_every_page_once(
    tmp_path: Path, at_once: int, connections: int
) -> None:
    served = town(20, 5)
    served["h7.test/robots.txt"] = broken("503 Busy")
    served["h8.test/robots.txt"] = reset
    pace = replace(PACE, connections_per_host=connections)
    live = replace(LIVE, at_once=at_once, pace=pace)
    hunted = hunt(served, tmp_path, "http://h0.test/", live=live)
    assert "links to hosts that do not answer" in hunted.stopped or (
        hunted.stopped == "nothing left to follow"
    )
    good = [n for n in range(20) if n not in (7, 8)]
    wanted = sorted(f"http://h{n}.test/{page or ''}" for n in good for page in range(5))
    assert hunted.pages == wanted
    asked = hunted.server.counted()
    assert [asked[url] for url in wanted] == [1] * len(wanted)
    assert max(hunted.server.most_at_once(f"h{n}.test") for n in good) <= connections
    assert not [url for url in asked if url.endswith("/no") or "h7." in url or "h8." in url]
    assert Counter(hunted.errors.values())["robots"] == len(good)
    assert hunted.result["pages"] == len(wanted) + len(good)  # and the redirects that were seen


def test_row_55_with_half_the_hosts_down_all_pages_of_the_others_come(tmp_path: Path) -> None:
    """Every port is a host of its own; on half of them nobody listens any more."""

    async def run() -> tuple[Hunted, list[str]]:
        async with AsyncExitStack() as stack:
            servers = [await stack.enter_async_context(Hostile()) for _ in range(6)]
            down = [Hostile() for _ in range(6)]
            for server in down:
                async with server:
                    pass
            homes = [server.url("/") for server in (*servers, *down)]
            for server in servers:
                name = f"127.0.0.1:{server.port}"
                server.web = {
                    f"{name}/": page_with("/1", name, *homes, "http://nowhere.invalid/"),
                    f"{name}/1": page_with("/2", name),
                    f"{name}/2": page_with(name, "/2"),
                }
            live = replace(LIVE, allow_hosts=("127.0.0.1",), contact="https://example.org/x")
            asked = Asked(TOPIC, (homes[-1], homes[0]), pages=None, live=live)
            servers[0].counted = lambda: Counter(  # type: ignore[method-assign]
                f"http://{each}" for server in servers for each in server.asked
            )
            hunted = await hunting(asked, tmp_path, servers[0])
            return hunted, [server.url(path) for server in servers for path in ("/", "/1", "/2")]

    hunted, wanted = asyncio.run(run())
    assert hunted.pages == sorted(wanted)
    assert set(hunted.errors.values()) <= {"given up", "closed", "dns", "timeout", "status 404"}


def test_row_22_a_host_that_asks_for_an_hour_stalls_nobody(tmp_path: Path) -> None:
    served = town(4, 5)
    served["h0.test/"] = broken("503 Busy", "Retry-After: 3600")
    seeds = ("http://h0.test/", "http://h1.test/")
    hunted = hunt(served, tmp_path, *seeds, pages=15)
    assert hunted.stopped == "budget of 15 pages used up"
    assert hunted.server.times("http://h0.test/") == [1]


@pytest.mark.parametrize("path", ["/", "/robots.txt"])
def test_row_22_many_hosts_that_ask_for_an_hour_stall_nobody(tmp_path: Path, path: str) -> None:
    """More of them than there may be fetches at once."""
    served = town(1, 10)
    resting = [f"http://r{n}.test/" for n in range(8)]
    for url in resting:
        served[url[7:-1] + path] = broken("503 Busy", "Retry-After: 3600")

    async def run() -> Hunted:
        async with serving(served) as server:
            live = replace(LIVE, at_once=4)
            asked = asking(server, *resting, "http://h0.test/", live=live, pages=10)
            return await hunting(asked, tmp_path, server, patience=6)

    hunted = asyncio.run(run())
    assert hunted.stopped == "budget of 10 pages used up"
    assert len([url for url in hunted.pages if "h0.test" in url]) == 10


# -- budgets -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "stopped"),
    [
        ({"pages": 7}, "budget of 7 pages used up"),
        ({"relevant": 3}, "3 relevant pages found, as asked for"),
        ({"bytes": 5000}, "budget of 5,000 bytes used up"),
        ({"minutes": 0.02}, "the 0.02 minutes are over"),
    ],
)
def test_every_budget_ends_a_hunt_with_its_reason(
    tmp_path: Path, budget: dict[str, Any], stopped: str
) -> None:
    async def endless(request: Request) -> bool:
        number = int(request.target[1:] or 0)
        title = f"Wolf spider {number}"
        await asyncio.sleep(0.01)
        await request.send(answer(linked(f"/{number + 1}", title=title, words=WOLVES)))
        return True

    hunted = hunt({"a.test/*": endless, "a.test/robots.txt": rules("")}, tmp_path, **budget)
    assert hunted.stopped == stopped
    assert hunted.rows("SELECT value FROM hunt WHERE name = 'stopped'") == [(json.dumps(stopped),)]
    if "pages" in budget:
        assert hunted.result["pages"] == sum(hunted.server.counted().values()) == 7
    if "relevant" in budget:
        assert hunted.result["relevant"] == 3
    if "bytes" in budget:
        last = hunted.visits[-1].response.exchanges[-1]
        before = hunted.result["bytes"] - len(last.head) - len(last.body)
        assert before < 5000 <= hunted.result["bytes"]


def test_without_a_contact_nothing_is_begun(tmp_path: Path) -> None:
    async def run() -> None:
        async with Hunt.begin(Asked(TOPIC, (START,)), tmp_path / "hunt"):
            pass

    with pytest.raises(BadInput, match=r"a\.test is not asked without a contact: give --contact"):
        asyncio.run(run())
    assert not (tmp_path / "hunt").exists()


# -- stopping and going on -----------------------------------------------------------------


@pytest.mark.parametrize("stop_after", [1, 20])
def test_row_12_an_interrupted_hunt_goes_on_and_loses_nothing(
    tmp_path: Path, stop_after: int
) -> None:
    async def run() -> tuple[Hunted, Hunted]:
        async with serving(town(6, 6, seconds=0.02)) as server:
            asked = asking(server, "http://h0.test/")
            one = await hunting(asked, tmp_path, server, stop_after=stop_after)
            return one, await hunting(asked, tmp_path, server, resumed=True)

    one, two = asyncio.run(run())
    assert one.stopped == "interrupted"
    assert two.stopped == "nothing left to follow"
    wanted = sorted(f"http://h{n}.test/{page or ''}" for n in range(6) for page in range(6))
    assert sorted(one.pages + two.pages) == wanted
    again = [url for url, times in two.server.counted().items() if times > 1]
    assert len(again) <= 6  # those that were under way: one for each host
    assert two.rows("SELECT count(*), count(DISTINCT link) FROM pages")[0][0] == len(
        one.visits + two.visits
    )


def test_row_12_an_interruption_while_the_visits_are_read_back_counts(tmp_path: Path) -> None:
    async def run() -> str:
        async with serving(town(3, 4)) as server:
            asked = asking(server, "http://h0.test/")
            await hunting(asked, tmp_path, server, stop_after=3)
            async with asyncio.timeout(60), Hunt.resume(asked, tmp_path) as hunt:
                hunt.interrupt()  # Ctrl-C at "reading back"
                async for _ in hunt.recall():
                    pass
                async for _ in hunt.visits():
                    pass
                return hunt.stopped

    assert asyncio.run(run()) == "interrupted"


def test_a_hunt_that_is_killed_soon_has_kept_what_it_knew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> list[int]:
        async with serving(town(3, 6)) as server:
            await killed(asking(server, "http://h0.test/", pages=9), tmp_path, 5)
        with HuntReader(tmp_path) as reader:
            return [step for (step,) in reader.db.execute("SELECT step FROM checkpoints")]

    monkeypatch.setattr("wolfspider.hunt.CHECKPOINT_EARLY", 0.0)
    monkeypatch.setattr("wolfspider.hunt.CHECKPOINT_SHARE", math.inf)  # however slow the disk is
    assert asyncio.run(run()) == [0, 1]  # and the next one in its time


def test_row_22_an_hour_of_peace_survives_a_restart(tmp_path: Path) -> None:
    async def run() -> tuple[int, int]:
        served = town(3, 6, seconds=0.05)
        served["h1.test/"] = broken("429 Too Many", "Retry-After: 3600")
        async with serving(served) as server:
            asked = asking(server, "http://h1.test/", "http://h0.test/", pages=9)
            await hunting(asked, tmp_path, server, stop_after=4)
            before = server.times("http://h1.test/")[0]
            await hunting(asked, tmp_path, server, resumed=True)
            return before, server.times("http://h1.test/")[0]

    assert asyncio.run(run()) == (1, 1)


async def killed(asked: Asked, folder: Path, after: int) -> None:
    """A hunt that ends without a last checkpoint, as after kill -9."""
    async with Hunt.begin(asked, folder) as hunt:
        count = 0
        async for _ in hunt.visits():
            count += 1
            if count == after:
                return


def test_row_22_an_hour_of_peace_survives_a_kill(tmp_path: Path) -> None:
    async def run() -> int:
        served = town(3, 6, seconds=0.05)
        served["h1.test/"] = broken("429 Too Many", "Retry-After: 3600")
        async with serving(served) as server:
            asked = asking(server, "http://h1.test/", "http://h0.test/", pages=9)
            await killed(asked, tmp_path, 4)
            await hunting(asked, tmp_path, server, resumed=True)
            return server.times("http://h1.test/")[0]

    assert asyncio.run(run()) == 1


def test_row_45_a_kill_does_not_give_a_site_its_share_again(tmp_path: Path) -> None:
    async def run() -> int:
        served: Served = {"a.test/robots.txt": rules(""), "a.test/*": maze(lambda n: f"/{n}")}
        async with serving(served) as server:
            asked = asking(server, live=replace(LIVE, shares=Shares(per_host=10)))
            await killed(asked, tmp_path, 8)
            await hunting(asked, tmp_path, server, resumed=True)
            return server.counted().total()

    assert asyncio.run(run()) <= 11  # and what was under way


def test_where_a_seed_redirected_to_is_in_scope_after_a_kill_too(tmp_path: Path) -> None:
    async def run() -> Hunted:
        served: Served = {f"www.b.test/{n}": page_with(f"/{n + 1}") for n in range(1, 9)}
        served |= {"a.test/": moved("http://www.b.test/1"), "*": missing()}
        async with serving(served) as server:
            asked = asking(server, live=replace(LIVE, stay_on="host"))
            await killed(asked, tmp_path, 3)
            return await hunting(asked, tmp_path, server, resumed=True)

    good = "SELECT count(DISTINCT url) FROM pages WHERE error = ''"
    assert asyncio.run(run()).rows(good) == [(8,)]


def test_a_sitemap_that_is_the_only_way_on_outlives_a_kill(tmp_path: Path) -> None:
    sitemap = b"<urlset><url><loc>http://a.test/hidden</loc></url></urlset>"

    async def run() -> list[str]:
        served: Served = {
            "a.test/robots.txt": rules("Sitemap: http://a.test/map.xml"),
            "a.test/map.xml": bare(sitemap, "Content-Type: text/xml", "Connection: close"),
            "a.test/": page_with(),
            "a.test/hidden": page_with(),
        }
        async with serving(served) as server:
            asked = asking(server)
            await killed(asked, tmp_path, 1)
            return (await hunting(asked, tmp_path, server, resumed=True)).pages

    assert asyncio.run(run()) == ["http://a.test/hidden", "http://a.test/map.xml"]


def test_a_dead_https_leaves_http_of_the_same_host_alone(tmp_path: Path) -> None:
    served: Served = {f"a.test/{n}": page_with(f"/{n + 1}", "https://a.test/") for n in range(5)}
    served |= {"a.test/": page_with("/0", "https://a.test/s"), "*": missing()}
    hunted = hunt(served, tmp_path)
    assert len(hunted.pages) == 6
    assert hunted.stopped == "nothing left to follow"


def test_a_damaged_record_after_the_last_checkpoint_is_passed_over(tmp_path: Path) -> None:
    async def run() -> Hunted:
        async with serving(town(2, 6)) as server:
            asked = asking(server, "http://h0.test/")
            await killed(asked, tmp_path, 5)
            with closing(sqlite3.connect(tmp_path / "hunt.db")) as db:
                found = "SELECT offset FROM captures WHERE status = 200 ORDER BY id DESC"
                (offset,) = db.execute(found).fetchone()
            with (tmp_path / "00001.warc.gz").open("r+b") as file:
                file.seek(offset + 40)
                file.write(bytes(20))
            opening = Hunt.resume(asked, tmp_path)
            async with opening as hunt:
                async for _ in hunt.recall():
                    pass
                assert hunt.damaged == 1
                return Hunted(server, tmp_path, [v async for v in hunt.visits()], hunt.finish())

    assert asyncio.run(asyncio.wait_for(run(), 60)).stopped == "nothing left to follow"


def test_a_hunt_that_gets_no_page_says_why(tmp_path: Path) -> None:
    forbidden: Served = {"a.test/robots.txt": rules("User-agent: *\nDisallow: /")}
    hunted = hunt(forbidden, tmp_path / "forbidden")
    rule = "a rule in http://a.test/robots.txt forbids it"
    assert hunted.stopped == f"no page could be had: {rule}"
    hunted = hunt({"*": missing()}, tmp_path / "missing")
    assert hunted.stopped == "no page could be had: http://a.test/: status 404"


def test_a_rebuilt_hunt_knows_what_was_no_page(tmp_path: Path) -> None:
    served: Served = {
        "a.test/": page_with("/loop", "/picture", "/gone"),
        "a.test/loop": moved("/loop"),
        "a.test/picture": answer(b"abc").replace(b"text/html", b"image/png"),
        "a.test/robots.txt": missing(),
        "*": missing(),
    }
    hunted = hunt(served, tmp_path)
    query = "SELECT url, error FROM pages WHERE NOT refused ORDER BY url"
    before = hunted.rows(query)
    assert {error for _, error in before} == {"", "redirects", "not wanted", "status 404"}
    for _ in rebuild(tmp_path, lambda page: Verdict(0.0, False)):
        pass
    assert hunted.rows(query) == before


def test_seeds_that_could_not_be_had_are_tried_once_more(tmp_path: Path) -> None:
    async def run() -> Hunted:
        served: Served = {"*": missing()}
        async with serving(served) as server:
            asked = asking(server, "http://a.test/", "http://b.test/")
            in_vain = await hunting(asked, tmp_path, server)
            assert in_vain.stopped == "no page could be had: http://a.test/: status 404"
            served["a.test/"] = page_with("/more")
            return await hunting(asked, tmp_path, server, resumed=True)

    hunted = asyncio.run(run())
    assert [visit.link.url for visit in hunted.visits if not visit.failed] == ["http://a.test/"]
    assert hunted.stopped == "nothing left to follow"
    with HuntReader(tmp_path) as reader:
        assert Tally.of(reader).pages == 5  # both in vain, both again, and one more


def test_minutes_end_the_hunt_of_one_who_takes_his_time(tmp_path: Path) -> None:
    async def run() -> str:
        async with serving(town(2, 5)) as server:
            asked = asking(server, "http://h0.test/", minutes=0.02)
            async with asyncio.timeout(60), Hunt.begin(asked, tmp_path) as hunt:
                async for _ in hunt.visits():
                    await asyncio.sleep(0.5)
                return hunt.stopped

    assert asyncio.run(run()) == "the 0.02 minutes are over"


def test_row_7_a_hunt_that_runs_is_not_resumed_beside(tmp_path: Path) -> None:
    async def run() -> None:
        async with serving(town(1, 2)) as server:
            asked = asking(server, "http://h0.test/")
            async with Hunt.begin(asked, tmp_path), Hunt.resume(asked, tmp_path):
                pass

    with pytest.raises(BadInput, match=r"another wolfspider .* is writing to"):
        asyncio.run(run())


def command(server: Hostile, folder: Path, *more: str) -> list[str]:
    given = ["hunt", "--topic", TOPIC, "--seed", "http://h0.test/", "--json", "-o", str(folder)]
    given += ["--connect-to", server.host_and_port(), "--delay", "0", "--address-delay", "0"]
    return [*given, *more]


def wait_for(server: Hostile, requests: int, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while len(server.asked) < requests:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("signals", "codes"),
    [
        ([signal.SIGTERM], {143}),
        ([signal.SIGINT, signal.SIGINT], {130}),
    ],
)
def test_row_12_signals_leave_whole_files_and_a_hunt_that_goes_on(
    tmp_path: Path, signals: list[signal.Signals], codes: set[int]
) -> None:
    with hostile_thread() as server:
        server.web = town(6, 3, seconds=0.1)
        process = start(*command(server, tmp_path / "hunt"))
        wait_for(server, 15, process)
        for number in signals:
            process.send_signal(number)
            time.sleep(0.01)
        _, err = process.communicate(timeout=60)
        assert process.returncode in codes, err
        assert "Traceback" not in err
        done = subprocess.run(
            [*COMMAND, "resume", tmp_path / "hunt", "--json"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        hunted = Hunted(server, tmp_path / "hunt", [], result)
        assert_whole(hunted)
    assert hunted.stopped == "nothing left to follow"
    good = "SELECT count(*), count(DISTINCT url) FROM pages WHERE error = ''"
    assert hunted.rows(good) == [(18, 18)]


# -- when something is short ---------------------------------------------------------------


def test_row_10_with_few_files_a_hunt_takes_longer_and_loses_nothing(tmp_path: Path) -> None:
    """Of the 21, the wolf's word vectors take three, as long as it hunts."""
    with hostile_thread() as server:
        server.web = town(40, 1, seconds=0.05)
        limited = ["prlimit", "--nofile=21:21", *COMMAND, *command(server, tmp_path / "hunt")]
        done = subprocess.run(limited, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0, done.stderr
        hunted = Hunted(server, tmp_path / "hunt", [], json.loads(done.stdout))
        assert_whole(hunted)
    assert hunted.rows("SELECT count(DISTINCT url) FROM pages WHERE error = ''") == [(40,)]


def peak_memory(arguments: list[str]) -> int:
    """Bytes that a command took at most."""
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss * 1024


def test_row_9_waiting_links_take_little_memory(tmp_path: Path) -> None:
    """100,000 links to as many pages that nobody fetches cost less than 300 bytes each."""
    each = 2000

    async def more(request: Request) -> bool:
        if request.target == "/robots.txt":
            await request.send(rules(""))
            return True
        number = int(request.target[1:] or 0)
        new = (f"http://h{n % 50}.test/{number * each + n}" for n in range(1, each))
        await request.send(page_with(f"http://h0.test/{number * each + 1}", *new))
        return True

    with hostile_thread() as server:
        server.web = {"*": more}
        few = peak_memory(command(server, tmp_path / "few", "--pages", "1"))
        many = peak_memory(command(server, tmp_path / "many", "--pages", "51"))
    with HuntReader(tmp_path / "many") as reader:
        waiting = reader.facts()["waiting"]
    assert waiting > 90_000
    assert many - few < 300 * waiting + (32 << 20)


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")
def test_row_4_a_full_disk_ends_a_hunt_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with hostile_thread() as server:
        server.web = town(10, 10)
        program = " ".join([sys.executable, "-c", '"from wolfspider.cli import main; main()"'])
        first = " ".join(f"'{word}'" for word in command(server, disk / "hunt"))
        script = f"""
            mount -t tmpfs -o size=400k none {disk} || exit 77
            {program} {first}; echo "code $?" >&2
            mount -o remount,size=64m {disk}
            {program} resume {disk}/hunt --json || exit 1
            cp -r {disk}/hunt {tmp_path}/hunt
        """
        done = subprocess.run(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", script],
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        if done.returncode == 77 or "unshare" in done.stderr:
            pytest.skip("this machine does not let us mount")
        assert done.returncode == 0, done.stderr
        assert "code 0" not in done.stderr
        assert "Traceback" not in done.stderr
        assert "what was written before is safe" in done.stderr
        hunted = Hunted(server, tmp_path / "hunt", [], json.loads(done.stdout))
        assert_whole(hunted)
    assert hunted.rows("SELECT count(DISTINCT url) FROM pages WHERE error = ''") == [(100,)]


# -- hostile content -----------------------------------------------------------------------


def test_rows_33_to_38_a_web_of_misdeeds_is_hunted_to_its_end(tmp_path: Path) -> None:
    paths = [*ANSWERS, *MISDEEDS]
    left_out = ["/big", "/redirect", "/late", "/drops-second"]
    left_out += ["/br", "/br-bomb"]  # warcio and the brotli of today do not get on
    paths = [path for path in paths if path not in left_out]
    evil = [f"http://evil{number}.test{path}" for number, path in enumerate(paths)]
    good = [f"http://good.test/{number}" for number in range(20)]
    served: Served = {"a.test/": page_with(*evil, *good)}
    served |= {url.removeprefix("http://"): page_with(url) for url in good}
    small = replace(LIVE, limits=replace(LIMITS, first_byte=2.0, total=6.0), tries=1)
    hunted = hunt(served, tmp_path, live=small)
    assert set(good) <= set(hunted.pages)
    assert {v.link.url for v in hunted.visits} >= {*evil, *good}
    assert hunted.stopped == "nothing left to follow"
    marked = hunted.rows("SELECT DISTINCT truncated FROM captures")
    assert {word for (word,) in marked} == {"", "length", "time", "disconnect", "unspecified"}
    with gzip.open(tmp_path / "00001.warc.gz") as file:
        heads = [part.partition(b"\r\n\r\n")[0] for part in file.read().split(b"\r\nWARC/1.1\r\n")]
    assert not [head for head in heads if head.count(b"WARC-Type:") > 1]


def test_row_21_what_pages_ask_of_robots_is_obeyed_and_kept(tmp_path: Path) -> None:
    meta = "<meta name=robots content=noindex>"
    served: Served = {
        "a.test/": page_with("/meta", "/header"),
        "a.test/meta": answer(linked("/followed", head=meta, words=WOLVES)),
        "a.test/header": answer(linked("/not", words=WOLVES), "X-Robots-Tag: nofollow"),
        "a.test/followed": answer(b"<a rel=nofollow href=/not>x</a>" + WOLVES.encode()),
        "a.test/not": page_with(words=WOLVES),
    }
    hunted = hunt(served, tmp_path)
    assert hunted.rows("SELECT url, flags, relevance >= 0.5 FROM pages ORDER BY url") == [
        (START, 0, 0),
        (START + "followed", 0, 1),
        (START + "header", 2, 1),
        (START + "meta", 1, 0),
    ]


def test_rows_25_to_27_refusals_are_kept_with_their_reasons(tmp_path: Path) -> None:
    served: Served = {
        "a.test/robots.txt": rules("User-agent: *\nDisallow: /no"),
        "a.test/": page_with("/out", "/file", "/loop", "/hidden", "/no"),
        "a.test/out": moved("http://b.test/"),
        "a.test/file": moved("file:///etc/passwd"),
        "a.test/hidden": moved("/no"),
    }
    hunted = hunt(served, tmp_path, live=replace(LIVE, stay_on="host"))
    kept = hunted.rows("SELECT link, error, refused, detail != '' FROM pages WHERE error != ''")
    assert sorted(kept) == [
        (START + "file", "redirects", 0, 1),
        (START + "hidden", "robots", 0, 1),
        (START + "loop", "redirects", 0, 1),
        (START + "no", "robots", 1, 1),
        (START + "out", "out of scope", 0, 1),
    ]
    assert hunted.result["pages"] == 5
    assert hunted.result["refused"] == 1
    assert not [each for each in hunted.server.asked if each.startswith("b.test")]


def sitemap(kind: str, item: str, *urls: str) -> bytes:
    rows = "".join(f"<{item}><loc>{url}</loc></{item}>" for url in urls)
    body = f'<?xml version="1.0"?><{kind}>{rows}</{kind}>'.encode()
    return answer(body).replace(b"text/html", b"application/xml")


def test_row_43_circles_of_sitemaps_end_and_their_pages_are_found(tmp_path: Path) -> None:
    one, two, leaf = START + "one.xml", START + "two.xml", START + "leaf.xml"
    bomb = gzip.compress(b"<urlset><url><loc>http://a.test/z</loc></url>" + bytes(30 << 20))
    served: Served = {
        "a.test/robots.txt": rules(f"Sitemap: {one}\nSitemap: /bomb.xml.gz"),
        "a.test/": page_with(),
        "a.test/one.xml": sitemap("sitemapindex", "sitemap", one, two),
        "a.test/two.xml": sitemap("sitemapindex", "sitemap", one, leaf),
        "a.test/leaf.xml": sitemap("urlset", "url", START + "found"),
        "a.test/found": page_with("/more"),
        "a.test/bomb.xml.gz": answer(bomb).replace(b"text/html", b"application/gzip"),
    }
    hunted = hunt(served, tmp_path)
    assert hunted.stopped == "nothing left to follow"
    assert {START + "found", leaf, one, two} <= set(hunted.pages)
    assert set(hunted.server.counted().values()) == {1}


def maze(*links: Callable[[int], str]) -> Misdeed:
    """Every page leads to new ones."""
    numbers = iter(range(1_000_000))

    async def lead_on(request: Request) -> bool:
        new = [link(next(numbers)) for link in links for _ in range(5)]
        await request.send(page_with(*new, words=WOLVES))
        return True

    return lead_on


def test_rows_45_and_48_endless_sites_get_their_share_and_others_are_read(tmp_path: Path) -> None:
    served: Served = {
        "a.test/": page_with("http://maze.test/", "http://good.test/0"),
        "maze.test/*": maze(
            lambda n: f"/calendar?year={2020 + n}&month=5",
            lambda n: f"/p/{n}/",
            lambda n: f"/shop?color={n}&size={n % 7}&sort={n % 3}",
            lambda n: f"/s?sid=abcdef0123456789{n}",
            lambda n: "/a" * (n % 30 + 1),
        ),
        "maze.test/robots.txt": rules(""),
    }
    served |= {f"good.test/{n}": page_with(f"/{n + 1}") for n in range(30)}
    hunted = hunt(served, tmp_path, live=replace(LIVE, shares=Shares(per_site=40)))
    assert hunted.stopped == "nothing left to follow"
    assert {f"http://good.test/{n}" for n in range(30)} <= set(hunted.pages)
    asked = [url for url in hunted.server.counted() if "maze.test" in url]
    assert 0 < len(asked) <= 40
    assert not [url for url in asked if "sid=" in url or "/a/a/a" in url or "year=2099" in url]
    assert {"share"} <= set(hunted.errors.values())


def test_row_46_endless_subdomains_get_the_share_of_their_domain(tmp_path: Path) -> None:
    served: Served = {
        "a.example/": page_with("http://x.maze.example/", "http://good.example/"),
        "a.example/robots.txt": rules(""),
        "good.example/": page_with(),
        "good.example/robots.txt": rules(""),
        "*": maze(lambda n: f"http://w{n}.maze.example/"),
    }
    hunted = hunt(
        served, tmp_path, "http://a.example/", live=replace(LIVE, shares=Shares(hosts_per_site=12))
    )
    assert hunted.stopped == "nothing left to follow"
    assert "http://good.example/" in hunted.pages
    pages = [url for url in hunted.server.counted() if "maze.example" in url]
    assert 0 < len(pages) <= 12


def test_row_46_hosts_beyond_the_share_are_not_even_asked_for_their_rules(tmp_path: Path) -> None:
    served: Served = {
        "a.example/": page_with(*[f"http://w{n}.maze.example/" for n in range(60)]),
        "*": page_with(),
    }
    live = replace(LIVE, shares=Shares(hosts_per_site=5))
    hunted = hunt(served, tmp_path, "http://a.example/", live=live)
    asked = {each.partition("/")[0] for each in hunted.server.asked if "maze.example" in each}
    assert len(asked) <= 5


def test_rows_47_and_48_a_copy_is_a_revisit_record_and_no_find(tmp_path: Path) -> None:
    same = page_with("/", words=WOLVES)  # also for pages that are not there
    served: Served = {f"a.test/{n}": same for n in range(5)}
    served["a.test/"] = page_with(*[f"/{n}" for n in range(5)])
    hunted = hunt(served, tmp_path)
    assert hunted.result["pages"] == 6
    assert hunted.result["relevant"] == 1
    kinds = hunted.rows("SELECT kind, count(*) FROM captures GROUP BY kind ORDER BY kind")
    assert kinds == [("response", 2), ("revisit", 4)]
    assert hunted.rows("SELECT count(*) FROM pages WHERE copy_of != ''") == [(4,)]


def test_rows_51_and_52_names_and_titles_do_no_harm(tmp_path: Path) -> None:
    titles = ["\x1b]0;pwned\x07", "=cmd|' /C calc'!A0", "\u202eevil", "<script>alert(1)</script>"]
    odd = ["/..%2f..%2fetc%2fpasswd", "/%00", "/" + "long" * 200, "/CON", "/%1b[31m", "/=1+1"]
    served: Served = {"h0.test/": answer(linked(*odd, title=titles[0], words=WOLVES))}
    served |= {
        f"h0.test{path}": answer(linked(title=titles[n % 4], words=WOLVES + "!" * n))
        for n, path in enumerate(odd)
    }
    with hostile_thread() as server:
        server.web = served
        arguments = command(server, tmp_path / "hunt")
        arguments.remove("--json")
        done = subprocess.run(
            [*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False
        )
    assert done.returncode == 0, done.stderr
    assert "most relevant pages" in done.stdout
    for character in "\x1b\x07\u202e":
        assert character not in done.stdout + done.stderr
    names = {path.name.rstrip("0123456789").partition("-")[0] for path in tmp_path.rglob("*")}
    files = {"hunt.db", "hunt.toml", "learned.npz", "lock", "00001.warc.gz", "checkpoint"}
    assert names == {"hunt", *files}


@pytest.mark.parametrize("policy", ["best-first", "shark-search", "fish-search", "pagerank"])
def test_row_54_pages_without_words_have_a_place_in_every_order(
    tmp_path: Path, policy: str
) -> None:
    bodies = [b"", b"\0" * 100, b"<a href=/x></a>", b"<a href=/y><img></a>", b"\xff\xfe\xff"]
    served: Served = {f"a.test/{n}": answer(body) for n, body in enumerate(bodies)}
    served["a.test/"] = answer("".join(f"<a href=/{n}></a>" for n in range(5)).encode())
    hunted = hunt(served, tmp_path, policy=policy)
    assert hunted.stopped == "nothing left to follow"
    assert len(hunted.pages) == 6
    assert set(hunted.errors) == {START + "x", START + "y"}
