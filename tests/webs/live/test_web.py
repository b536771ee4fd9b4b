"""The live web as a crawl meets it: `LiveWeb.fetch` against servers that misbehave.

The names give the rows of FAULTS.md; what the parts do alone is in the files beside.
"""

from __future__ import annotations

import asyncio
import math
import os
import resource
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trustme

from checks import WebCheck, check_the_same_answer_comes_twice, web_checks
from hostile import (
    Hostile,
    Misdeed,
    answer,
    broken,
    echo,
    hostile_thread,
    linked,
    moved,
    once,
    page_with,
    reset,
    reset_in_body,
    rules,
    slowly,
)
from wolfspider.errors import BadInput
from wolfspider.records import PageFlag, Response
from wolfspider.webs.live.errors import KINDS
from wolfspider.webs.live.limits import Limits
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.settings import LiveSettings
from wolfspider.webs.live.web import REFUSALS, LiveWeb

PACE = Pace(delay=0.0, address_delay=0.0, first_backoff=0.05, longest_backoff=0.1, jitter=0.0)
LIMITS = Limits(
    connect=5.0,
    first_byte=2.0,
    total=10.0,
    min_rate=100.0,
    rate_window=1.0,
    header=16 << 10,
    body=1 << 20,
    inflated=4 << 20,
)
START = "http://a.test/"

Served = Mapping[str, bytes | Misdeed]
Story = Callable[[LiveWeb, Hostile], Awaitable[Any]]


def settings(server: Hostile, **more: Any) -> LiveSettings:
    """All hosts are this server, nothing is waited for, and nothing is tried twice."""
    usual = LiveSettings(
        connect_to=server.host_and_port(), pace=PACE, limits=LIMITS, tries=1, most_redirects=5
    )
    return replace(usual, **more)


def play(story: Story, served: Served, **more: Any) -> Any:
    """Run a story on a live web whose robots.txt is asked for again soon when it fails."""

    async def run() -> Any:
        async with Hostile() as server:
            server.web = dict(served)
            async with LiveWeb([START], settings(server, **more)) as web:
                web.robots.first_retry = 0.05
                return await asyncio.wait_for(story(web, server), 120)

    return asyncio.run(run())


def fetched(served: Served, *urls: str, **more: Any) -> tuple[list[Response], Hostile]:
    """What came of these addresses, one after the other, and the server that was asked."""

    async def story(web: LiveWeb, server: Hostile) -> tuple[list[Response], Hostile]:
        return [await web.fetch(url) for url in urls], server

    found: tuple[list[Response], Hostile] = play(story, served, **more)
    for response in found[0]:
        assert_sound(response)
    return found


def each_host(paths: list[str], **more: Any) -> dict[str, Response]:
    """What came of each of these misdeeds, done at once and by hosts of their own."""

    async def story(web: LiveWeb, server: Hostile) -> dict[str, Response]:
        urls = [f"http://host{number}.test{path}" for number, path in enumerate(paths)]
        responses = await asyncio.gather(*map(web.fetch, urls))
        beside = await web.fetch("http://good.test/")
        assert (beside.status, beside.error) == (200, "")
        return dict(zip(paths, responses, strict=True))

    found: dict[str, Response] = play(story, {"good.test/": page_with()}, **more)
    for response in found.values():
        assert_sound(response)
    return found


def assert_sound(response: Response) -> None:
    """What holds for every response, however it went."""
    kind = response.error
    assert kind in ("", *KINDS, *REFUSALS) or kind == f"status {response.status}"
    assert bool(kind) != (response.page is not None)
    assert not response.refused or not response.exchanges
    for exchange in response.exchanges:
        assert len(exchange.body) <= LIMITS.body


def kinds(responses: list[Response]) -> list[str]:
    return [response.error for response in responses]


def links(response: Response) -> list[str]:
    assert response.page is not None, (response.error, response.detail)
    return response.page.links.urls()


# -- the contract --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    [check for check in web_checks() if check is not check_the_same_answer_comes_twice],
)
def test_the_live_web_keeps_the_contract(check: WebCheck) -> None:
    with hostile_thread() as server, asyncio.Runner() as runner:
        server.web = {
            "a.test/": page_with("/b", "http://b.test/"),
            "a.test/b": page_with("/"),
            "b.test/?q=1": page_with(),
        }

        async def opened() -> LiveWeb:
            return LiveWeb([START], settings(server))

        web = runner.run(opened())
        try:
            known = [START, "http://a.test/b", "http://b.test/?q=1"]
            check(web, known, "http://a.test/unknown", runner.run)
        finally:
            runner.run(web.aclose())


def test_row_56_an_address_is_asked_for_once() -> None:
    """Where the contract says that the same answer comes twice, the live web says `seen`."""
    [one, two], server = fetched({"a.test/": page_with()}, START, START)
    assert (one.status, one.error) == (200, "")
    assert (two.error, two.refused) == ("seen", True)
    assert server.asked == ["a.test/robots.txt", "a.test/"]


def test_row_56_two_that_redirect_to_one_page_at_once_ask_for_it_once() -> None:
    served: Served = {
        "a.test/": moved("http://c.test/"),
        "b.test/": moved("http://c.test/"),
        "c.test/": slowly(page_with(), 0.3),
    }

    async def story(web: LiveWeb, server: Hostile) -> tuple[list[Response], int]:
        found = await asyncio.gather(web.fetch(START), web.fetch("http://b.test/"))
        return list(found), server.asked.count("c.test/")

    responses, times = play(story, served)
    assert sorted(kinds(responses)) == ["", "seen"]
    assert times == 1


# -- who may be asked ----------------------------------------------------------------------


def test_public_hosts_are_not_asked_without_a_contact() -> None:
    with pytest.raises(BadInput, match=r"a\.test is not asked without a contact: give --contact"):
        LiveWeb([START])
    with pytest.raises(BadInput, match="give --contact"):
        LiveWeb(["http://localhost/", "http://a.test/"], LiveSettings(allow_hosts=("localhost",)))


def inside_and_out(contact: str) -> tuple[list[Response], Hostile]:
    """A page of an allowed inside host that links and redirects to places it may not name."""

    async def run() -> tuple[list[Response], Hostile]:
        async with Hostile() as server:
            port = server.port
            inside = [f"http://127.0.0.1:{port}/secret", f"http://[::ffff:127.0.0.1]:{port}/"]
            inside += [f"http://2130706433:{port}/", f"http://0x7f.1:{port}/"]
            inside += ["http://169.254.169.254/latest/meta-data/"]
            site = f"localhost:{port}"
            server.web = {
                f"{site}/": page_with("/jump", "http://public.example/", *inside),
                f"{site}/jump": moved(inside[0]),
                f"{site}/metadata": moved(inside[-1]),
            }
            given = LiveSettings(
                contact=contact, allow_hosts=("localhost",), pace=PACE, limits=LIMITS, tries=1
            )
            async with LiveWeb([f"http://{site}/"], given) as web:
                web.robots.first_retry = 0.05
                first = await web.fetch(f"http://{site}/")
                hops = [await web.fetch(f"http://{site}/{path}") for path in ("jump", "metadata")]
                followed = [url for url in links(first) if site not in url and "public" not in url]
                return [first, *hops, *[await web.fetch(url) for url in followed]], server

    return asyncio.run(run())


def test_rows_29_and_30_links_and_redirects_to_inside_addresses_get_nowhere() -> None:
    [first, *others], server = inside_and_out("https://example.org/crawler")
    assert first.status == 200
    assert len(others) >= 4
    assert {response.error for response in others} <= {"given up", "not allowed"}
    assert {name.partition("/")[0] for name in server.asked} == {f"localhost:{server.port}"}


def test_without_a_contact_links_to_public_hosts_are_not_followed() -> None:
    [first, *others], _ = inside_and_out("")
    assert [url for url in links(first) if "localhost" not in url] == []
    assert {response.error for response in others} == {"no contact"}


# -- robots.txt ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure",
    [broken("500 Oops"), broken("429 Too Many Requests"), reset],
    ids=["500", "429", "reset"],
)
def test_rows_15_and_16_without_readable_rules_no_page_is_asked_for(failure: Misdeed) -> None:
    served: Served = {"a.test/robots.txt": failure, "a.test/": page_with(), "b.test/": page_with()}
    responses, server = fetched(served, START, "http://a.test/2", "http://b.test/")
    assert kinds(responses) == ["given up", "given up", ""]
    assert responses[0].detail.startswith("http://a.test/robots.txt could not be read 3 times")
    assert responses[0].refused
    assert server.times(START, "http://a.test/robots.txt") == [0, 3]


CUT = answer(b"User-agent: *\nAllow: /\n", length=200)


@pytest.mark.parametrize("cut", [CUT, reset_in_body], ids=["closed", "reset"])
def test_row_15_half_a_robots_txt_is_none(cut: bytes | Misdeed) -> None:
    """The half that did not come may forbid everything."""

    async def close(request: Any) -> bool:
        await request.send(CUT)
        return False

    served: Served = {
        "a.test/robots.txt": close if isinstance(cut, bytes) else cut,
        "a.test/": page_with(),
    }
    [response], server = fetched(served, START)
    assert response.error == "given up"
    assert server.times(START) == [0]


def test_row_15_a_host_whose_rules_come_late_is_let_in_by_them() -> None:
    served: Served = {
        "a.test/robots.txt": once(
            answer(status="503 Busy"), rules("User-agent: wolfspider\nDisallow: /no")
        ),
        "a.test/": page_with(),
        "a.test/no": page_with(),
    }
    responses, server = fetched(served, START, "http://a.test/no")
    assert kinds(responses) == ["", "robots"]
    assert server.times(START, "http://a.test/no") == [1, 0]


def test_row_16_no_robots_txt_is_no_refusal() -> None:
    served: Served = {
        "a.test/robots.txt": broken("401 Unauthorized"),
        "a.test/": page_with(),
        "b.test/": page_with("/b"),
    }
    assert kinds(fetched(served, START, "http://b.test/")[0]) == ["", ""]


def test_row_17_rules_at_the_end_of_five_redirects_are_for_the_host_asked_first() -> None:
    served: dict[str, bytes | Misdeed] = {
        f"r{n}.test/robots.txt": moved(f"http://r{n + 1}.test/robots.txt") for n in range(6)
    }
    served["r6.test/robots.txt"] = rules("User-agent: *\nDisallow: /no")
    served |= {"r0.test/no": page_with("/0"), "r1.test/no": page_with("/1")}
    served |= {"r1.test/yes": page_with("/2"), "loop.test/": page_with("/3")}
    served["loop.test/robots.txt"] = moved("/robots.txt")
    urls = ["http://r1.test/no", "http://r1.test/yes", "http://r0.test/no", "http://loop.test/"]
    responses, server = fetched(served, *urls)
    assert kinds(responses) == ["robots", "", "", ""]
    assert server.times(*urls) == [0, 1, 1, 1]


def test_row_18_of_a_huge_robots_txt_the_beginning_counts() -> None:
    async def huge(request: Any) -> bool:
        begin = b"User-agent: *\nDisallow: /no\n"
        await request.send(answer(begin, length=50 << 20))
        while True:
            await request.send(b"# more and more\n" * 4096)

    served: Served = {"a.test/robots.txt": huge, "a.test/": page_with(), "a.test/no": page_with()}
    responses, server = fetched(served, START, "http://a.test/no")
    assert kinds(responses) == ["", "robots"]
    assert server.times("http://a.test/robots.txt") == [1]


@pytest.mark.parametrize("kind", ["image/png", "application/octet-stream", "text/html", "x"])
def test_row_18_rules_of_any_type_are_obeyed(kind: str) -> None:
    body = b"\xef\xbb\xbf\x00\xff junk\rUser-agent: wolfspider\rDisallow: /\r"
    text = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
    served: Served = {"a.test/robots.txt": text % (kind.encode(), len(body)) + body}
    [response], server = fetched(served, START)
    assert (response.error, response.refused) == ("robots", True)
    assert server.times(START) == [0]


def test_rows_11_and_19_rules_that_changed_are_obeyed_after_a_day_by_the_monotonic_clock() -> None:
    served: Served = {
        "a.test/robots.txt": once(rules(""), rules("User-agent: *\nDisallow: /no")),
        "a.test/no": page_with("/1"),
        "a.test/no/2": page_with("/2"),
        "a.test/no/3": page_with("/3"),
    }

    async def story(web: LiveWeb, server: Hostile) -> list[Response]:
        found = [await web.fetch("http://a.test/no")]
        web.robots.wall = web.politeness.wall = lambda: 4e9  # somebody sets the clock
        found.append(await web.fetch("http://a.test/no/2"))
        clock = web.robots.clock
        web.robots.clock = lambda: clock() + 86401
        return [*found, await web.fetch("http://a.test/no/3")]

    assert kinds(play(story, served)) == ["", "", "robots"]


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("0", 0, 0), ("7", 6, 7), ("1e9", 59, 60), ("nan", 0, 0), ("-5", 0, 0), ("inf", 59, 60)],
)
def test_row_20_crawl_delay_is_kept_within_a_minute(asked: str, least: float, most: float) -> None:
    served: Served = {
        "a.test/robots.txt": rules(f"User-agent: *\nCrawl-delay: {asked}"),
        "a.test/": page_with(),
    }

    async def story(web: LiveWeb, server: Hostile) -> float:
        await web.robots.allows(START)  # so that the page itself need not wait
        web.politeness.restore({"hosts": {}})
        assert not (await web.fetch(START)).error
        return web.politeness.wait("a.test")

    wait = play(story, served)
    assert math.floor(least) - 3 <= wait <= most


def test_row_20_requests_are_a_crawl_delay_apart() -> None:
    served: Served = {
        "a.test/robots.txt": rules("User-agent: *\nCrawl-delay: 0.3"),
        "a.test/1": page_with("/a"),
        "a.test/2": page_with("/b"),
    }
    _, server = fetched(served, "http://a.test/1", "http://a.test/2")
    one, two = [each for each in server.requests if each.host == "a.test"][-2:]
    assert two.began - one.ended >= 0.25


# -- noindex and nofollow ------------------------------------------------------------------


def test_row_21_nofollow_and_noindex_are_obeyed_wherever_they_stand() -> None:
    meta = "<meta name=robots content='noindex, nofollow'>"
    rel = b"<a rel=nofollow href=/no>no</a> <a href=/yes>yes</a>"
    served: Served = {
        "a.test/header": page_with("/x", fields=("X-Robots-Tag: none",)),
        "a.test/meta": answer(linked("/x", head=meta)),
        "a.test/rel": answer(rel),
        "a.test/other": page_with("/x", fields=("X-Robots-Tag: otherbot: none",)),
    }
    paths = ["header", "meta", "rel", "other"]
    responses, _ = fetched(served, *[START + path for path in paths])
    both = PageFlag.NOINDEX | PageFlag.NOFOLLOW
    assert [r.page.flags for r in responses if r.page] == [both, both, 0, 0]
    assert list(map(links, responses)) == [[], [], ["http://a.test/yes"], ["http://a.test/x"]]


# -- pace ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("Retry-After: 100", 90, 111),
        ("Retry-After: 1e99", 0, 1),
        ("Retry-After: 999999999", 3500, 3961),
        ("Retry-After: Wed, 21 Oct 2099 07:28:00 GMT", 3500, 3961),
        ("Retry-After: soon", 0, 1),
        ("X: no header", 0, 1),
    ],
)
@pytest.mark.parametrize("status", ["429 Too Many", "503 Busy"])
def test_rows_22_and_23_a_host_is_left_alone_as_long_as_it_asks(
    status: str, header: str, least: float, most: float
) -> None:
    served: Served = {"a.test/": broken(status, header), "b.test/": page_with()}

    async def story(web: LiveWeb, server: Hostile) -> float:
        response = await web.fetch(START)
        assert response.error == f"status {status[:3]}"
        wait = web.politeness.wait("a.test")
        assert ("a.test" in web.busy) == (wait > 0)
        assert not (await web.fetch("http://b.test/")).error
        return wait

    assert least <= play(story, served) <= most


def test_a_few_broken_pages_do_not_cost_the_host() -> None:
    pace = replace(PACE, first_backoff=0.01, give_up_after=4)
    bad = {f"a.test/{n}": broken("500 Oops") for n in range(3)}
    served: Served = bad | {"a.test/well": page_with()}
    urls = [START + name for name in ("0", "1", "2", "well")]
    responses, server = fetched(served, *urls, pace=pace, tries=3)
    assert kinds(responses) == ["status 500", "status 500", "status 500", ""]
    assert server.counted()[START + "1"] == 3


def test_row_23_waits_grow_and_the_host_is_given_up() -> None:
    pace = replace(PACE, first_backoff=0.1, longest_backoff=10.0, give_up_after=4)
    served: Served = {"a.test/": broken("429 Too Many")}
    responses, server = fetched(served, START, START + "2", pace=pace, tries=9)
    assert kinds(responses) == ["given up", "given up"]
    assert "4 failures in a row, the last: status 429" in responses[0].detail
    asked = server.requests[1:]
    assert len(asked) == 4
    gaps = [two.began - one.ended for one, two in pairwise(asked)]
    assert all(gap >= least for gap, least in zip(gaps, (0.09, 0.18, 0.36), strict=True))


def test_row_24_hosts_at_one_address_take_turns() -> None:
    """Every port is a host of its own; all are at 127.0.0.1."""

    async def run() -> list[float]:
        async with AsyncExitStack() as stack:
            servers = [await stack.enter_async_context(Hostile()) for _ in range(5)]
            for server in servers:
                server.web = {f"127.0.0.1:{server.port}/": page_with(str(server.port))}
            given = LiveSettings(
                allow_hosts=("127.0.0.1",), pace=replace(PACE, address_delay=0.1), limits=LIMITS
            )
            urls = [server.url("/") for server in servers]
            web = await stack.enter_async_context(LiveWeb(urls, given))
            assert kinds(await asyncio.gather(*map(web.fetch, urls))) == [""] * 5
            return sorted(each.began for server in servers for each in server.requests)

    began = asyncio.run(run())
    assert len(began) == 10  # a robots.txt and a page each
    assert began[-1] - began[0] >= 9 * 0.1 - 0.1
    assert min(b - a for a, b in pairwise(began)) >= 0.02


@pytest.mark.parametrize("connections", [1, 2])
def test_a_host_is_never_asked_more_often_at_once_than_it_may_and_rests_between(
    connections: int,
) -> None:
    pace = replace(PACE, delay=0.1, connections_per_host=connections)
    served = {f"a.test/{n}": slowly(page_with(str(n)), 0.15) for n in range(6)}

    async def story(web: LiveWeb, server: Hostile) -> Hostile:
        await asyncio.gather(*[web.fetch(f"http://a.test/{n}") for n in range(6)])
        return server

    server = play(story, served, pace=pace)
    assert len(server.asked) == 7
    assert server.most_at_once("a.test") <= connections
    began = [each.began for each in server.requests]
    assert min(b - a for a, b in pairwise(began)) >= 0.08


# -- redirects -----------------------------------------------------------------------------


def test_row_25_circles_and_long_ways_of_redirects_end() -> None:
    served: dict[str, bytes | Misdeed] = {
        f"a.test/long{n}": moved(f"/long{n + 1}") for n in range(20)
    }
    served |= {"a.test/one": moved("/two"), "a.test/two": moved("/one")}
    urls = [START + path for path in ("long0", "one", "loop", "self")]
    responses, server = fetched(served, *urls)
    assert kinds(responses) == ["redirects"] * 4
    assert "more than 5 times" in responses[0].detail
    assert [len(response.exchanges) for response in responses] == [6, 2, 1, 1]
    assert server.times(START + "self") == [1]


async def wants_cookie(request: Any) -> bool:
    """The page to who brings the cookie, the cookie and the same address to all others."""
    good = b"Cookie: seen=1" in request.head
    await request.send(page_with("/x") if good else moved(request.target, "Set-Cookie: seen=1"))
    return True


def test_row_25_a_page_that_sets_a_cookie_and_redirects_to_itself_is_fetched_once() -> None:
    served: Served = {
        "a.test/": wants_cookie,
        "a.test/endless": moved("/endless", "Set-Cookie: a=b"),
    }
    responses, server = fetched(served, START, START, START + "endless", cookies=True)
    assert kinds(responses) == ["", "seen", "redirects"]
    assert links(responses[0]) == ["http://a.test/x"]
    assert server.times(START) == [2]
    [response], _ = fetched(served, START, cookies=False)
    assert response.error == "redirects"


@pytest.mark.parametrize(
    "value",
    ['a="\xfc"', 'a="\\012X: y"', "a=b\x00c", "=;;=", "a" * 9000],
)
def test_row_25_odd_cookies_do_not_stop_a_crawl(value: str) -> None:
    odd = moved("/", "Set-Cookie: @").replace(b"@", value.encode("latin-1"))
    [response], _ = fetched({"a.test/": odd}, START, cookies=True)
    assert response.error in ("redirects", "bad answer")


def test_row_26_every_hop_is_checked_like_a_link() -> None:
    served: Served = {
        "a.test/robots.txt": rules("User-agent: *\nDisallow: /no"),
        "a.test/out": moved("http://b.test/"),
        "a.test/forbidden": moved("/no"),
        "a.test/trap": moved("/x/x/x/x/x"),
        "b.test/": page_with(),
        "a.test/no": page_with(),
    }
    urls = [START + path for path in ("out", "forbidden", "trap")]
    responses, server = fetched(served, *urls, stay_on="host")
    assert kinds(responses) == ["out of scope", "robots", "trap"]
    assert server.times("http://b.test/", "http://b.test/robots.txt", START + "no") == [0, 0, 0]


def test_row_27_only_web_addresses_are_redirected_to() -> None:
    served: dict[str, bytes | Misdeed] = {
        f"a.test/{n}": moved(to)
        for n, to in enumerate(["file:///etc/passwd", "data:text/html,x", "gopher://b/", "http://"])
    }
    responses, server = fetched(served, *[START + str(n) for n in range(4)])
    assert kinds(responses) == ["redirects"] * 4
    assert "file:///etc/passwd" in responses[0].detail
    assert len(server.asked) == 5


def test_row_28_cookies_and_passwords_do_not_go_to_another_host() -> None:
    served: Served = {
        "a.test/": moved("http://user:secret@b.test/echo", "Set-Cookie: key=secret"),
        "b.test/echo": echo,
    }
    [response], _ = fetched(served, START, cookies=True)
    assert response.url == "http://b.test/echo"
    sent = response.exchanges[-1].body
    assert b"Host: b.test" in sent
    assert b"secret" not in sent
    assert b"Cookie" not in sent
    assert b"Authorization" not in sent
    assert b"Referer" not in sent


# -- TLS -----------------------------------------------------------------------------------


def test_row_32_a_host_without_a_good_certificate_is_not_asked(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "trusted.pem")

    async def fetch(names: list[str], authorities: str) -> tuple[Response, Hostile]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*names).configure_cert(context)
        async with Hostile(context) as server:
            server.web = {f"localhost:{server.port}/": page_with()}
            given = LiveSettings(
                allow_hosts=("localhost",), authorities=authorities, pace=PACE, limits=LIMITS
            )
            url = server.url("/", "localhost")
            async with LiveWeb([url], given) as web:
                web.robots.first_retry = 0.05
                return await web.fetch(url), server

    trusted = str(tmp_path / "trusted.pem")
    response, _ = asyncio.run(fetch(["localhost"], trusted))
    assert (response.status, response.error) == (200, "")
    for names, authorities, why in (
        (["localhost"], "", "issuer certificate (20); if you know who signed it: --authorities F"),
        (["other.test"], trusted, "subject name matches target hostname 'localhost')"),
    ):
        response, server = asyncio.run(fetch(names, authorities))
        assert response.error == "given up"
        assert "times in a row (the certificate is not to be trusted: " in response.detail
        assert why in response.detail
        assert server.asked == []


@pytest.mark.parametrize("name", ["empty", "text", "key", "spoilt"])
def test_authorities_without_a_certificate_are_refused(tmp_path: Path, name: str) -> None:
    texts = {
        "text": b"Dear Sir or Madam",
        "key": trustme.CA().private_key_pem.bytes(),
        "spoilt": trustme.CA().cert_pem.bytes().replace(b"MII", b"..."),
    }
    (tmp_path / "authorities.pem").write_bytes(texts.get(name, b""))
    with pytest.raises(BadInput, match=r"pem holds no certificate that can be read; give a PEM f"):
        LiveSettings(authorities=str(tmp_path / "authorities.pem"))


# -- answers -------------------------------------------------------------------------------


def test_row_33_bodies_that_never_end_are_cut() -> None:
    found = each_host(["/endless", "/endless-chunks", "/trickle", "/silent", "/trickled-header"])
    ends = {path: r.exchanges[-1].truncated or r.error for path, r in found.items()}
    assert ends == {
        "/endless": "length",
        "/endless-chunks": "length",
        "/trickle": "time",
        "/silent": "timeout",
        "/trickled-header": "timeout",
    }
    assert found["/trickle"].page is not None


def test_row_34_headers_that_never_end_are_errors() -> None:
    found = each_host(["/endless-header", "/header-line-bomb"])
    assert {response.error for response in found.values()} == {"too large"}


def test_row_35_bombs_are_pages_of_bounded_size() -> None:
    paths = ["/gzip-bomb", "/br-bomb", "/zstd-bomb", "/nested-bomb", "/many-codings"]
    for response in each_host([*paths, "/many-members"]).values():
        assert response.error in ("", "parsing", "not wanted")
        if response.page is not None:
            assert len(response.page.raw_text) <= LIMITS.inflated


def test_row_36_damaged_bodies_are_marked_and_tried_a_bounded_number_of_times() -> None:
    served: Served = {"a.test/reset": reset_in_body, "a.test/": page_with()}
    urls = [START + path for path in ("reset", "short", "cut-chunks", "bad-chunk", "cut-gzip", "")]
    responses, server = fetched(served, *urls, tries=2)
    truncated = [response.exchanges[-1].truncated for response in responses]
    assert truncated == ["disconnect", "disconnect", "disconnect", "unspecified", "", ""]
    assert server.times(*urls) == [2, 2, 2, 1, 1, 1]
    assert links(responses[0]) == ["http://a.test/next"]  # half a page is better than none


def test_row_37_what_is_not_http_harms_nobody() -> None:
    paths = ["/no-status", "/status-2000", "/status-99", "/cr-in-header", "/nul-in-header"]
    paths += ["/folded-header", "/bare-lf", "/binary-header", "/two-lengths", "/negative-length"]
    for path, response in each_host([*paths, "/switch", "/nothing", "/half-header"]).items():
        for exchange in response.exchanges:
            assert all("\r" not in value and "\n" not in value for _, value in exchange.headers)
        assert response.error in ("", "bad answer", "reset", f"status {response.status}"), path


def test_row_38_old_and_odd_answers_are_tolerated() -> None:
    found = each_host(["/http-0.9", "/1xx-flood", "/204-body", "/304-body", "/early-hints"])
    assert {path: response.error for path, response in found.items()} == {
        "/http-0.9": "bad answer",
        "/1xx-flood": "too large",
        "/204-body": "",
        "/304-body": "status 304",
        "/early-hints": "",
    }
    assert found["/204-body"].exchanges[-1].body == b""


def typed(body: bytes, kind: str) -> bytes:
    return answer(body).replace(b"text/html", kind.encode())


def test_row_40_what_is_no_page_is_skipped() -> None:
    pdf = b"%PDF-1.7 <a href=/x>link</a>"
    served: Served = {
        "a.test/lies": answer(pdf),
        "a.test/pdf": typed(pdf, "application/pdf"),
        "a.test/png": typed(b"\x89PNG" + bytes(1000), "image/png"),
        "a.test/text": typed(b"<a href=/x>link</a>", "text/plain"),
        "a.test/huge": answer(b"", length=1 << 40),
    }
    urls = [START + path for path in ("lies", "pdf", "png", "text", "huge")]
    responses, _ = fetched(served, *urls)
    assert kinds(responses) == ["", "not wanted", "not wanted", "", "not wanted"]
    assert [links(response) for response in responses if response.page] == [[], []]
    assert all(not response.exchanges[-1].body for response in responses[1:3])


def test_row_41_deep_and_large_pages_are_read_within_bounds() -> None:
    served: Served = {
        "a.test/deep": answer(b"<div>" * 100_000 + b"<a href=/x>x</a>"),
        "a.test/links": answer(b"<a href=/x>x</a>" * 50_000),
        "a.test/words": answer(b"<p>" + b"a" * (1 << 19) + b"!" * (1 << 18)),
        "a.test/": page_with("/y"),
    }
    responses, _ = fetched(served, *[START + path for path in ("deep", "links", "words", "")])
    assert all(response.error in ("", "parsing") for response in responses)
    assert links(responses[-1]) == ["http://a.test/y"]


def test_row_44_links_are_read_as_browsers_do_and_bad_ones_left_out() -> None:
    odd = ["http://user:word@b.test/u#frag", "HTTP://B.TEST:80/./a/../c", "javascript:alert(1)"]
    odd += ["http://раypal.test/", "http://b.test:99999/", "//b.test\\d", "http://[::1", "mailto:x"]
    body = "<meta charset=utf-8>" + "".join(f"<a href='{url}'>x</a>" for url in odd)
    [response], _ = fetched({"a.test/": answer(body.encode())}, START)
    assert links(response) == [
        "http://b.test/u",
        "http://b.test/c",
        "http://xn--ypal-43d9g.test/",
        "http://b.test/d",
    ]


def test_row_47_a_copy_is_told() -> None:
    same = page_with("/x")
    served: Served = {"a.test/": same, "b.test/": same, "c.test/": page_with("/y")}
    responses, _ = fetched(served, START, "http://b.test/", "http://c.test/")
    assert [response.copied for response in responses] == [False, True, False]


# -- sitemaps ------------------------------------------------------------------------------


def sitemap(*urls: str, head: str = "", kind: str = "urlset", item: str = "url") -> bytes:
    rows = "".join(f"<{item}><loc>{url}</loc></{item}>" for url in urls)
    text = (
        f'<?xml version="1.0"?>{head}<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    )
    return typed(f"{text}{rows}</{kind}>".encode(), "application/xml")


LAUGHS = "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>" + "".join(
    f"<!ENTITY {chr(c)} '{f'&{chr(c - 1)};' * 9}'>" for c in range(ord("c"), ord("m"))
)
XXE = "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"


def test_rows_42_and_43_sitemaps_of_robots_txt_are_links_of_the_first_page() -> None:
    index = "http://a.test/index.xml"
    served: Served = {
        "a.test/robots.txt": rules("Sitemap: http://a.test/index.xml\nSitemap: /bomb.xml"),
        "a.test/": page_with("/1"),
        "a.test/1": page_with("/2"),
        "a.test/index.xml": sitemap(index, START + "s.xml", kind="sitemapindex", item="sitemap"),
        "a.test/s.xml": sitemap(START + "new", "http://b.test/also"),
        "a.test/bomb.xml": sitemap("&l;", head=LAUGHS + "]>"),
        "a.test/xxe.xml": sitemap("http://a.test/&f;", head=XXE),
    }
    paths = ["", "1", "index.xml", "s.xml", "bomb.xml", "xxe.xml"]
    responses, _ = fetched(served, *[START + path for path in paths])
    assert kinds(responses) == [""] * 6
    assert list(map(links, responses)) == [
        [START + "1", index, START + "bomb.xml"],
        [START + "2"],
        [START + "s.xml"],
        [START + "new", "http://b.test/also"],
        [],
        [],
    ]
    assert links(fetched(served, START, sitemaps=False)[0][0]) == [START + "1"]


# -- when something is short ---------------------------------------------------------------


@contextmanager
def no_more_files() -> Iterator[None]:
    """This process may open nothing more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
    fillers: list[int] = []
    try:
        with suppress(OSError):
            while True:
                fillers.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for filler in fillers:
            os.close(filler)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize("known", [True, False])
def test_row_10_a_request_waits_until_there_are_files_again(known: bool) -> None:
    async def run() -> Response:
        with hostile_thread() as server:
            server.web = {"a.test/": page_with("/x"), "b.test/": page_with("/y")}
            async with LiveWeb([START], settings(server)) as web:
                web.robots.first_retry = 0.05
                await web.fetch(START)
                if known:
                    await web.robots.allows("http://b.test/")
                    await web.client.aclose()  # no connection is left
                with no_more_files():
                    waiting = asyncio.create_task(web.fetch("http://b.test/"))
                    await asyncio.sleep(0.5)
                return await asyncio.wait_for(waiting, 60)

    response = asyncio.run(run())
    assert (response.status, response.error) == (200, "")


# -- over a restart ------------------------------------------------------------------------


def test_row_22_a_host_that_asked_for_peace_has_it_over_a_restart() -> None:
    served: Served = {
        "a.test/": broken("503 Busy", "Retry-After: 1000"),
        "b.test/": page_with("/x"),
    }

    async def story(web: LiveWeb, server: Hostile) -> list[Response]:
        await web.fetch(START)
        first = await web.fetch("http://b.test/")
        web.settle(first)
        async with LiveWeb([START], settings(server)) as again:
            again.restore(web.state())
            assert again.politeness.wait("a.test") > 900
            assert "a.test" in again.busy
            return [first, await again.fetch("http://b.test/")]

    assert kinds(play(story, served)) == ["", "seen"]
