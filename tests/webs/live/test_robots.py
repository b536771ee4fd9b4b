"""robots.txt by RFC 9309: whose rules, which rule, and what if there are none to be had."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.webs.live.robots import Permission, Robots, RobotsAnswer
from wolfspider.webs.live.robots_rules import (
    LONGEST_CRAWL_DELAY,
    MOST_BYTES,
    MOST_SITEMAPS,
    Rules,
    clamped_delay,
    read_rules,
)

SUITE = Path(__file__).resolve().parents[4] / "shared/suites/crawler-commons/robots"
SITE = "http://site.example"
DAY = 86400.0

# file, user agent: paths allowed, paths forbidden, crawl delay, sitemaps
_AMAZON = "http://www.amazon.com/sitemap"
_NEWSWEEK = ("http://www.newsweek.com/sitemap_index.xml",)
_ASPX = ("/login.aspx", "/register.aspx?a=1", "/profile/me", "/a/output/print", "/search.aspx")
SAYS: list[tuple[str, str, tuple[str, ...], tuple[str, ...], float | None, tuple[str, ...]]] = [
    ("astore.amazon.com-robots.txt", "wolfspider", ("/", "/a"), (), 5.0, ()),
    ("crawl-delay-group-merging.txt", "wolfspider", ("/", "/private/"), (), 30.0, ()),
    ("crawl-delay-group-merging.txt", "mybot", ("/", "/login/"), ("/private/",), 10.0, ()),
    ("crawl-delay-group-merging.txt", "yourbot", ("/",), ("/private/", "/login/"), None, ()),
    ("directive-typos-robots.txt", "bot1", ("/desallow/",), ("/dissalow/",), None, ()),
    ("directive-typos-robots.txt", "bot2", ("/",), ("/useragent/", "/useg-agent/"), None, ()),
    ("directive-typos-robots.txt", "bot3", ("/useg-agent/",), (), None, ()),
    ("directive-typos-robots.txt", "bot4", ("/",), ("/useragent-no-colon/",), None, ()),
    ("dos-line-endings.txt", "wolfspider", ("/",), (), 1.0, ()),
    ("extended-standard-robots.txt", "bot1", ("/",), (), None, ()),
    ("extended-standard-robots.txt", "wolfspider", ("/",), (), None, ()),
    ("extension-robots.txt", "wolfspider", ("/private/",), (), None, (f"{SITE}/sitemap.xml",)),
    (
        "extension-robots.txt",
        "mybot",
        ("/secret/",),
        ("/private/",),
        None,
        (f"{SITE}/sitemap.xml",),
    ),
    ("extensions-group-merging.txt", "wolfspider", ("/llms.txt",), ("/", "/a"), None, ()),
    ("extensions-group-merging.txt", "mybot", ("/",), ("/private/", "/login/"), None, ()),
    ("extensions-group-merging.txt", "yourbot", ("/",), ("/private/", "/login/"), None, ()),
    (
        "format-errors-robots.txt",
        "bot1",
        ("/",),
        ("/whitespace-before-colon/", "/no-colon/"),
        None,
        (f"{SITE}/sitemap.xml",),
    ),
    (
        "format-errors-robots.txt",
        "bot2",
        ("/no-colon/",),
        ("/no-colon-useragent/",),
        None,
        (f"{SITE}/sitemap.xml",),
    ),
    (
        "format-errors-robots.txt",
        "bot3",
        ("/whitespace-before-colon",),
        ("/", "/a"),
        None,
        (f"{SITE}/sitemap.xml",),
    ),
    (
        "malformed-path.txt",
        "wolfspider",
        ("/wiki/Main",),
        (
            "/wiki/Wikipedia_talk:Mediation_Committee/",
            "/wiki/Wikipedia_talk%3AMediation_Committee/",
            "/wiki/Wikipedia_talk%3Mediation_Committee/",
        ),
        None,
        (),
    ),
    ("many-user-agents.txt", "wolfspider", ("/",), ("/icons/", "/bot-trap/x", "/g/"), None, ()),
    ("many-user-agents.txt", "GetRight", (), ("/", "/about"), None, ()),
    ("many-user-agents.txt", "Harvest", (), ("/", "/about"), None, ()),
    ("merge-rules.txt", "wolfspider", ("/ckh/bar", "/x"), ("/foo/bar", "/tmp/bar"), None, ()),
    ("merge-rules.txt", "wget", ("/foo/bar", "/x"), ("/tmp/bar",), None, ()),
    ("merge-rules.txt", "curl", (), ("/", "/x"), None, ()),
    ("precedence-of-rules.txt", "testy", ("/", "/foo/bar"), ("/foo", "/foo/baz"), None, ()),
    ("precedence-of-rules.txt", "wget", ("/foo", "/index.html"), ("/bar",), None, ()),
    (
        "relative-sitemap-robots.txt",
        "wolfspider",
        ("/",),
        ("/cache/", "/files/a"),
        None,
        (f"{SITE}/sitemap.xml",),
    ),
    (
        "rfc9309-example-longest-match-robots.txt",
        "foobot",
        ("/example/page/", "/example/page/a.gif"),
        ("/example/page/disallowed.gif",),
        None,
        (),
    ),
    ("rfc9309-example-rule-group-merging.txt", "ExampleBot", ("/",), ("/foo", "/baz"), None, ()),
    ("rfc9309-example-rule-group-merging.txt", "BazBot", ("/foo",), ("/baz",), None, ()),
    ("rfc9309-example-rule-group-merging.txt", "wolfspider", ("/baz",), ("/foo",), None, ()),
    (
        "rfc9309-example-simple-robots.txt",
        "wolfspider",
        ("/publications/", "/a.gif?x", "/page.html"),
        ("/a.gif", "/example/page.html"),
        None,
        (),
    ),
    (
        "rfc9309-example-simple-robots.txt",
        "foobot",
        ("/example/page.html", "/example/allowed.gif"),
        ("/", "/publications/"),
        None,
        (),
    ),
    (
        "rfc9309-example-simple-robots.txt",
        "barbot",
        ("/", "/a.gif"),
        ("/example/page.html",),
        None,
        (),
    ),
    ("rfc9309-example-simple-robots.txt", "quxbot", ("/", "/a.gif", "/example/"), (), None, ()),
    ("robots-with-utf16be-bom.txt", "wolfspider", ("/", "/Login.aspx"), _ASPX, None, _NEWSWEEK),
    ("robots-with-utf16le-bom.txt", "wolfspider", ("/", "/Login.aspx"), _ASPX, None, _NEWSWEEK),
    ("robots-with-utf8-bom.txt", "wolfspider", ("/", "/Login.aspx"), _ASPX, None, _NEWSWEEK),
    (
        "sitemap-robots-dedup.txt",
        "wolfspider",
        ("/",),
        (),
        None,
        ("http://example.org/sitemap.xml",),
    ),
    (
        "sitemap-robots.txt",
        "wolfspider",
        ("/",),
        (),
        None,
        ("http://domain.com/sitemap.xml", "http://domain.com/dir/MixedCased-sitemap.xml"),
    ),
    ("twitter.com-robots.txt", "wolfspider", ("/a",), ("/s?q=1", "/a/with_friends"), None, ()),
    ("twitter.com-robots.txt", "Slurp", ("/a",), ("/s?q=1",), 1.0, ()),
    ("twitter.com-robots.txt", "msnbot", ("/a",), ("/s?q=1",), 10.0, ()),
    (
        "wildcards.txt",
        "wolfspider",
        ("/", "/wishlist/universal-a", "/gp/wishlist/ipad-install1"),
        ("/gp/cart/x", "/wishlist/abc", "/deep/down/gcrnsts", "/gp/registry/wishlist/1/reserve"),
        None,
        (
            f"{_AMAZON}-manual-index.xml",
            f"{_AMAZON}_vendor_videos_us.xml",
            f"{_AMAZON}_vod_index.xml",
            f"{_AMAZON}s.f3053414d236e84.SitemapIndex_0.xml.gz",
            f"{_AMAZON}s.1946f6b8171de60.SitemapIndex_0.xml.gz",
            f"{_AMAZON}s.bbb7d657c7e29fa.SitemapIndex_0.xml.gz",
            f"{_AMAZON}s.11aafed315ee654.SitemapIndex_0.xml.gz",
            f"{_AMAZON}s.c21f969b5f03d33.SitemapIndex_0.xml.gz",
        ),
    ),
    (
        "www.flot.com-robots.txt",
        "wolfspider",
        ("/", "/images/"),
        ("/bitrix/", "/admin/a", "/img/"),
        None,
        ("http://flot.com/sitemap_index.xml",),
    ),
]


@pytest.mark.parametrize(
    ("name", "agent", "allowed", "forbidden", "delay", "sitemaps"),
    SAYS,
    ids=[f"{says[0]}-{says[1]}" for says in SAYS],
)
def test_file_says(
    name: str,
    agent: str,
    allowed: tuple[str, ...],
    forbidden: tuple[str, ...],
    delay: float | None,
    sitemaps: tuple[str, ...],
) -> None:
    if not SUITE.is_dir():
        pytest.skip("crawler-commons is not in the folder shared/suites beside the project")
    found = read_rules((SUITE / name).read_bytes(), f"{SITE}/robots.txt", agent)
    assert [path for path in allowed if not found.allow(SITE + path)] == []
    assert [path for path in forbidden if found.allow(SITE + path)] == []
    assert (found.crawl_delay, found.sitemaps) == (delay, sitemaps)


def test_every_file_of_the_suite_is_read() -> None:
    if not SUITE.is_dir():
        pytest.skip("crawler-commons is not in the folder shared/suites beside the project")
    assert {path.name for path in SUITE.glob("*.txt")} == {says[0] for says in SAYS}


def rules(text: str | bytes, agent: str = "wolfspider") -> Rules:
    body = text if isinstance(text, bytes) else text.encode()
    return read_rules(body, f"{SITE}/robots.txt", agent)


@pytest.mark.parametrize(
    "line", ["Wolfspider", "WOLFSPIDER/2.0", "wolfspider (all of them)", "wolfspider*"]
)
def test_product_token_is_ours_whatever_stands_around_it(line: str) -> None:
    found = rules(f"User-agent: {line}\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n")
    assert not found.allow(f"{SITE}/a")
    assert found.allow(f"{SITE}/b")


@pytest.mark.parametrize("other", ["wolf", "wolfspider-news", "spider", "mywolfspider", ""])
def test_group_of_another_crawler_is_not_ours(other: str) -> None:
    assert rules(f"User-agent: {other}\nDisallow: /\n").lines == ()


def test_robots_txt_itself_is_always_allowed() -> None:
    assert rules("User-agent: *\nDisallow: /\n").allow(f"{SITE}/robots.txt")


# -- FAULTS 18: 50 MB, binary, HTML, BOM, CR


def test_faults_18_lines_may_end_in_cr_alone() -> None:
    found = rules(b"\xef\xbb\xbfUser-agent: *\rDisallow: /a\rDisallow: /b\r")
    assert found.lines == ("Disallow: /a", "Disallow: /b")


def test_faults_18_only_500_kib_are_read_and_half_a_line_is_no_rule() -> None:
    head = b"User-agent: *\nDisallow: /first\n"
    filler = b"#" * (MOST_BYTES - len(head) - 12) + b"\n"
    found = rules(head + filler + b"Disallow: /private\nDisallow: /late\n" + b"x" * 50_000_000)
    assert found.lines == ("Disallow: /first",)
    assert "longer than 500 KiB" in found.notes[0]


def test_faults_18_web_page_instead_of_rules_allows_everything_and_says_so() -> None:
    found = rules("<!DOCTYPE html>\n<p>User-agent: *</p>\n<p>Disallow: /</p>")
    assert found.allow(f"{SITE}/a")
    assert "web page" in found.notes[0]


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_faults_18_garbage_never_raises_and_never_hides_our_group(a: bytes, b: bytes) -> None:
    text = a.replace(b"\xff\xfe", b"").replace(b"\xfe\xff", b"")
    found = rules(text + b"\nUser-agent: wolfspider\nDisallow: /secret\n" + b)
    assert "Disallow: /secret" in found.lines
    found.allow(f"{SITE}/secret")


@given(st.text(max_size=60), st.text(alphabet="/ab*$%?#", max_size=20))
def test_no_value_smuggles_in_another_line(value: str, path: str) -> None:
    lines = rules(f"User-agent: *\nDisallow: /{value}\n").lines
    assert all(len(line.splitlines()) == 1 for line in lines)
    rules(f"User-agent: *\nDisallow: {value}\nAllow: {path}\n").allow(f"{SITE}/{path}")


def test_sitemaps_are_counted_out() -> None:
    many = "".join(f"Sitemap: /s{i}.xml\n" for i in range(3 * MOST_SITEMAPS))
    assert len(rules(many + "Sitemap: file:///etc/passwd\n").sitemaps) == MOST_SITEMAPS


# -- FAULTS 20: Crawl-delay 0, 1e9, NaN


@pytest.mark.parametrize(
    ("value", "delay", "note"),
    [
        ("0", 0.0, ""),
        ("1.5", 1.5, ""),
        ("1e9", 60.0, "Crawl-delay 1e9 is taken as 60 s"),
        ("inf", 60.0, "Crawl-delay inf is taken as 60 s"),
        ("nan", None, "'nan' is not a number of seconds"),
        ("-3", None, "'-3' is not a number of seconds"),
        ("1,5", None, "'1,5' is not a number of seconds"),
        ("", None, "'' is not a number of seconds"),
    ],
)
def test_faults_20_crawl_delay_is_clamped_and_said(
    value: str, delay: float | None, note: str
) -> None:
    found = rules(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /a")
    assert found.crawl_delay == delay
    assert note in "".join(found.notes)
    assert bool(note) == bool(found.notes)
    assert not found.allow(f"{SITE}/a")


@given(st.floats() | st.text(max_size=20))
def test_faults_20_any_crawl_delay_is_within_a_minute(value: float | str) -> None:
    delay = clamped_delay(str(value))
    assert delay is None or 0 <= delay <= LONGEST_CRAWL_DELAY


# -- fetching


class Clock:
    """Two clocks that a test turns: one for timers, one on the wall."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.wall_now = 1_800_000_000.0

    def pass_(self, seconds: float) -> None:
        self.now += seconds
        self.wall_now += seconds


class Sites:
    """Answers by URL; everything else is a 404. Remembers what was asked."""

    def __init__(self, answers: dict[str, RobotsAnswer] | None = None) -> None:
        self.answers = answers or {}
        self.asked: list[str] = []
        self.clock = Clock()
        self.robots = self.fresh()

    def fresh(self, **options: Any) -> Robots:
        clock = self.clock
        return Robots(self.fetch, clock=lambda: clock.now, wall=lambda: clock.wall_now, **options)

    async def fetch(self, url: str) -> RobotsAnswer:
        self.asked.append(url)
        await asyncio.sleep(0)
        return self.answers.get(url, RobotsAnswer(404))

    def allows(self, url: str) -> Permission:
        return asyncio.run(self.robots.allows(url))


FORBIDS_A = RobotsAnswer(200, b"User-agent: *\nDisallow: /a\nCrawl-delay: 3\nSitemap: /s.xml\n")
ROBOTS = f"{SITE}/robots.txt"


def test_rules_are_fetched_once_and_cached_for_a_day() -> None:
    sites = Sites({ROBOTS: FORBIDS_A})
    assert sites.allows(f"{SITE}/b").allowed
    sites.clock.pass_(DAY - 1)
    forbidden = sites.allows(f"{SITE}/a?x=1")
    assert forbidden.answer == "disallowed"
    assert ROBOTS in forbidden.why
    assert sites.asked == [ROBOTS]


def test_faults_19_rules_that_change_are_seen_after_a_day() -> None:
    sites = Sites()
    assert sites.allows(f"{SITE}/a").allowed
    sites.answers[ROBOTS] = FORBIDS_A
    sites.clock.pass_(DAY)
    assert not sites.allows(f"{SITE}/a").allowed
    assert sites.asked == [ROBOTS, ROBOTS]


def test_scheme_host_and_port_make_an_origin() -> None:
    sites = Sites({"https://site.example/robots.txt": FORBIDS_A})
    assert sites.allows("http://site.example/a").allowed
    assert sites.allows("https://site.example:8443/a").allowed
    assert not sites.allows("https://site.example/a").allowed
    assert len(sites.asked) == 3


def test_crawl_delay_and_sitemaps_are_known_after_the_first_question() -> None:
    sites = Sites({ROBOTS: FORBIDS_A})
    assert sites.robots.rules(SITE + "/") is None
    sites.allows(f"{SITE}/")
    found = sites.robots.rules(f"{SITE}/x")
    assert found is not None
    assert (found.crawl_delay, found.sitemaps) == (3.0, (f"{SITE}/s.xml",))


def test_many_who_ask_at_once_share_one_fetch() -> None:
    sites = Sites({ROBOTS: FORBIDS_A})

    async def ask() -> list[Permission]:
        return await asyncio.gather(*(sites.robots.allows(f"{SITE}/{i}") for i in range(50)))

    assert all(permission.allowed for permission in asyncio.run(ask()))
    assert sites.asked == [ROBOTS]


def test_one_who_stops_waiting_does_not_stop_the_others() -> None:
    sites = Sites({ROBOTS: FORBIDS_A})

    async def ask() -> Permission:
        first = asyncio.create_task(sites.robots.allows(f"{SITE}/b"))
        second = asyncio.create_task(sites.robots.allows(f"{SITE}/b"))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(ask()).allowed
    assert sites.asked == [ROBOTS]


def test_closing_ends_what_is_being_fetched() -> None:
    ended = []

    async def hang(url: str) -> RobotsAnswer:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(url)
        return RobotsAnswer()

    async def close() -> None:
        robots = Robots(hang)
        asking = asyncio.create_task(robots.allows(f"{SITE}/"))
        await asyncio.sleep(0.01)
        await robots.close()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(close())
    assert ended == [ROBOTS]


# -- FAULTS 15 and 16: what is not an answer, and what is one


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_faults_16_a_missing_robots_txt_allows_everything(status: int) -> None:
    permission = Sites({ROBOTS: RobotsAnswer(status, b"User-agent: *\nDisallow: /")}).allows(
        SITE + "/"
    )
    assert permission.allowed
    assert str(status) in permission.why


UNREACHABLE = [
    RobotsAnswer(500),
    RobotsAnswer(503, b"User-agent: *\nAllow: /"),
    RobotsAnswer(429),
    RobotsAnswer(304),
    RobotsAnswer(101),
    RobotsAnswer(0),
    RobotsAnswer(error="timeout: no answer in 30 s"),
    RobotsAnswer(error="dns: no such host"),
    RobotsAnswer(200, b"User-ag", error="connection reset"),
]


@pytest.mark.parametrize("answer", UNREACHABLE, ids=repr)
def test_faults_15_16_an_unreachable_robots_txt_allows_nothing(answer: RobotsAnswer) -> None:
    sites = Sites({ROBOTS: answer})
    permission = sites.allows(f"{SITE}/")
    assert (permission.answer, permission.wait) == ("later", 60.0)
    assert (answer.error or str(answer.status)) in permission.why


def test_faults_15_it_is_asked_again_with_growing_delay_then_once_a_day() -> None:
    sites = Sites({ROBOTS: RobotsAnswer(500)})
    seen = []
    for _ in range(7):
        permission = sites.allows(f"{SITE}/")
        assert sites.allows(f"{SITE}/") == permission  # nobody asks in between
        seen.append((permission.answer, permission.wait))
        sites.clock.pass_(permission.wait)
    assert seen[:4] == [("later", 60.0), ("later", 120.0), ("later", 240.0), ("later", 480.0)]
    assert seen[4:] == [("disallowed", DAY)] * 3
    assert len(sites.asked) == 7


def test_faults_15_a_host_that_comes_back_is_let_in_by_its_rules() -> None:
    sites = Sites({ROBOTS: RobotsAnswer(error="timeout")})
    sites.allows(f"{SITE}/")
    sites.answers[ROBOTS] = FORBIDS_A
    sites.clock.pass_(60)
    assert sites.allows(f"{SITE}/b").allowed
    assert not sites.allows(f"{SITE}/a").allowed


def test_faults_15_old_rules_do_not_stand_in_for_new_ones() -> None:
    sites = Sites({ROBOTS: FORBIDS_A})
    assert sites.allows(f"{SITE}/b").allowed
    sites.answers[ROBOTS] = RobotsAnswer(502)
    sites.clock.pass_(DAY)
    assert sites.allows(f"{SITE}/b").answer == "later"


def test_faults_22_retry_after_of_robots_txt_is_kept() -> None:
    sites = Sites({ROBOTS: RobotsAnswer(503, retry_after="900")})
    assert sites.allows(f"{SITE}/").wait == 900.0


# -- FAULTS 17: redirects


def chain(length: int, end: RobotsAnswer = FORBIDS_A) -> dict[str, RobotsAnswer]:
    """A robots.txt behind so many redirects, each on another host."""
    places = [ROBOTS, *(f"http://hop{i}.example/r.txt" for i in range(length))]
    answers = {
        place: RobotsAnswer((301, 302, 303, 307, 308)[i % 5], location=places[i + 1])
        for i, place in enumerate(places[:-1])
    }
    return answers | {places[-1]: end}


def test_faults_17_five_redirects_are_followed_across_hosts() -> None:
    sites = Sites(chain(5))
    assert not sites.allows(f"{SITE}/a").allowed
    assert sites.allows("http://hop4.example/a").allowed  # the rules are those of the first host
    assert len(sites.asked) == 7


def test_faults_17_a_sixth_redirect_means_no_rules() -> None:
    sites = Sites(chain(6))
    permission = sites.allows(f"{SITE}/a")
    assert permission.allowed
    assert "more than 5 times" in permission.why
    assert len(sites.asked) == 6


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("/robots.txt", "circle"),
        (f"{SITE}/robots.txt#again", "circle"),
        ("", "nowhere"),
        ("file:///etc/passwd", "nowhere"),
        ("http://[", "nowhere"),
    ],
)
def test_faults_17_a_redirect_that_leads_nowhere_means_no_rules(location: str, why: str) -> None:
    sites = Sites({ROBOTS: RobotsAnswer(301, location=location)})
    permission = sites.allows(f"{SITE}/")
    assert permission.allowed
    assert why in permission.why
    assert sites.asked == [ROBOTS]


def test_faults_17_an_error_behind_a_redirect_fails_closed() -> None:
    refused = Sites(chain(2, RobotsAnswer(error="closed"))).allows(f"{SITE}/")
    assert refused.answer == "later"
    assert "(connection refused)" in refused.why  # other things than links that are refused


def test_sitemaps_are_relative_to_where_the_rules_were_found() -> None:
    sites = Sites(chain(1))
    sites.allows(f"{SITE}/")
    found = sites.robots.rules(f"{SITE}/")
    assert found is not None
    assert found.sitemaps == ("http://hop0.example/s.xml",)


# -- over a restart


def restarted(sites: Sites) -> None:
    state = json.loads(json.dumps(sites.robots.state()))
    sites.clock.now = 5.0  # another process, another monotonic clock
    sites.robots = sites.fresh()
    sites.robots.restore(state)


def test_rules_survive_a_restart_and_go_on_ageing() -> None:
    sites = Sites({ROBOTS: FORBIDS_A})
    sites.allows(f"{SITE}/")
    before = sites.robots.rules(f"{SITE}/")
    sites.clock.pass_(DAY / 2)
    restarted(sites)
    assert sites.robots.rules(f"{SITE}/") == before
    assert not sites.allows(f"{SITE}/a").allowed
    assert len(sites.asked) == 1
    sites.clock.pass_(DAY / 2)
    sites.allows(f"{SITE}/a")
    assert len(sites.asked) == 2


def test_faults_15_failures_survive_a_restart() -> None:
    sites = Sites({ROBOTS: RobotsAnswer(500)})
    sites.clock.pass_(sites.allows(f"{SITE}/").wait)
    sites.allows(f"{SITE}/")
    restarted(sites)
    assert sites.allows(f"{SITE}/").wait == pytest.approx(120.0)
    assert len(sites.asked) == 2


@pytest.mark.parametrize("jump", [-10 * 365 * DAY, 10 * 365 * DAY])
def test_faults_11_a_clock_jump_does_not_make_rules_last(jump: float) -> None:
    sites = Sites({ROBOTS: FORBIDS_A})
    sites.allows(f"{SITE}/")
    sites.clock.wall_now += jump
    sites.clock.pass_(60)
    assert not sites.allows(f"{SITE}/a").allowed  # timers do not look at the wall
    assert len(sites.asked) == 1
    state = sites.robots.state()
    sites.clock.wall_now += jump
    sites.robots.restore(state)
    sites.clock.pass_(DAY)
    sites.allows(f"{SITE}/a")
    assert len(sites.asked) == 2


def test_memory_is_bounded_and_the_forgotten_are_asked_again() -> None:
    big = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % i for i in range(1000))
    hosts = [f"http://h{i}.example" for i in range(20)]
    sites = Sites({f"{host}/robots.txt": RobotsAnswer(200, big) for host in hosts})
    sites.robots = sites.fresh(memory=5_000_000)
    for host in hosts:
        assert not sites.allows(f"{host}/1").allowed
    assert len(sites.robots.state()["origins"]) < 10
    assert not sites.allows(f"{hosts[0]}/1").allowed
    assert len(sites.asked) == 21
    assert not sites.allows(f"{hosts[-1]}/1").allowed
    assert len(sites.asked) == 21
