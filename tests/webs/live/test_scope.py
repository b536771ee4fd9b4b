"""Where a crawl may go, which URLs are traps, and how much any one place may cost."""

from __future__ import annotations

import calendar
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.urls import canonical, host, site
from wolfspider.webs.live.budgets import Budgets, Shares
from wolfspider.webs.live.scope import Scope
from wolfspider.webs.live.traps import Traps

NOW = calendar.timegm((2026, 11, 15, 0, 0, 0))
TRAPS = Traps(wall=lambda: NOW)
ROOT = "http://site.example"


# -- scope


@pytest.mark.parametrize(
    ("stay_on", "inside", "outside"),
    [
        ("anywhere", ["http://other.org/", "https://docs.site.co.uk/a/b"], []),
        (
            "domain",
            ["https://docs.site.co.uk/", "http://site.co.uk:8080/", "http://x.y.site.co.uk/a"],
            ["http://other.co.uk/", "http://co.uk/", "http://notsite.co.uk/"],
        ),
        (
            "host",
            ["https://docs.site.co.uk/", "http://docs.site.co.uk/x"],
            ["http://site.co.uk/", "http://docs.site.co.uk:8080/", "http://a.docs.site.co.uk/"],
        ),
        (
            "prefix",
            [
                "https://docs.site.co.uk/en/",
                "http://docs.site.co.uk/en/a/b?c=d",
                "https://docs.site.co.uk/en",
            ],
            [
                "https://docs.site.co.uk/",
                "https://docs.site.co.uk/english/",
                "https://docs.site.co.uk/de/?next=/en/",
                "https://site.co.uk/en/",
            ],
        ),
    ],
)
def test_crawl_stays_where_it_was_told(stay_on: str, inside: list[str], outside: list[str]) -> None:
    scope = Scope(["https://docs.site.co.uk/en/index.html"], stay_on=stay_on)
    assert [url for url in inside if scope.refusal(url)] == []
    assert [url for url in outside if not scope.refusal(url)] == []


@pytest.mark.parametrize(
    ("seed", "inside", "outside"),
    [
        ("http://a.org", "http://a.org/x", "http://b.org/"),
        ("http://a.org/docs", "http://a.org/docs/x", "http://a.org/docsy"),
        ("http://a.org/docs/", "http://a.org/docs/x", "http://a.org/x"),
        ("http://a.org/docs/a.html?x=/y/z", "http://a.org/docs/b.html", "http://a.org/b.html"),
    ],
)
def test_prefix_is_the_folder_of_the_seed(seed: str, inside: str, outside: str) -> None:
    scope = Scope([seed], stay_on="prefix")
    assert scope.refusal(inside) is None
    assert scope.refusal(outside) == "it is not on the prefix of a seed"


def test_where_a_seed_redirected_to_is_home_too_and_stays_so_over_a_restart() -> None:
    scope = Scope(["http://a.org/"], stay_on="host")
    assert scope.refusal("http://www.a.org/")
    scope.add("http://www.a.org/welcome")
    later = Scope(["http://a.org/"], stay_on="host")
    later.restore(scope.state())
    assert later.refusal("http://www.a.org/") is None
    assert later.refusal("http://a.org/") is None


def test_one_pattern_to_include_must_be_found_and_none_to_exclude() -> None:
    scope = Scope(include=["/news/", "/blog/"], exclude=[r"\.pdf$", "print="])
    assert scope.refusal(f"{ROOT}/news/1") is None
    assert scope.refusal(f"{ROOT}/about") == "it has none of the patterns to include"
    assert scope.refusal(f"{ROOT}/blog/a.pdf") == r"it has the excluded pattern '\\.pdf$'"


def test_what_cannot_be_a_scope_is_named() -> None:
    with pytest.raises(BadInput, match="cannot stay on 'planet'; choose one of anywhere, domain"):
        Scope(stay_on="planet")
    with pytest.raises(BadInput, match=r"'\(' is not a regular expression"):
        Scope(exclude=["("])
    with pytest.raises(BadInput, match="not a web address: 'nowhere'"):
        Scope(["nowhere"])


# -- traps

INNOCENT = [
    "/",
    "/a/b/a/b",
    "/a/a/b",
    "/wiki/Web_crawler",
    "/2026/11/15/news",
    "/2028/12/planned",
    "/1851/09/18/archives/first-issue.html",
    "/forum/2048/2",
    "/item/2999/12",
    "/list?start=203105&count=50",
    "/list?page=2&sort=date",
    "/events?year=2027&month=1",
    "/events?date=2026-12-24",
    "/?year=3000",
    "/?sid=politics",
    "/?session=morning",
    "/(S(short))/a",
]


@pytest.mark.parametrize("path", INNOCENT)
def test_faults_45_ordinary_urls_are_no_traps(path: str) -> None:
    assert TRAPS.refusal(ROOT + path) is None


CAUGHT = [
    ("/a/b/a/b/a/b", "its path repeats itself more than 2 times"),
    ("/x/a/a/a", "its path repeats itself more than 2 times"),
    ("/a/b/c/a/b/c/a/b/c/d.html", "its path repeats itself more than 2 times"),
    ("/a/////b", "its path repeats itself more than 2 times"),
    ("/" + "/".join(map(str, range(21))), "its path is deeper than 20 segments"),
    ("/" + "a" * 2000, "its URL is longer than 2000 characters"),
    ("/?q=" + "a" * 1000, "its query is longer than 1000 characters"),
    ("/?" + "&".join(f"p{i}=1" for i in range(17)), "it has more than 16 parameters"),
    ("/cal/2031/05/12", "it is a calendar page of the year 2031"),
    ("/cal/2031/5/1/", "it is a calendar page of the year 2031"),
    ("/cal/2031/5", "it is a calendar page of the year 2031"),
    ("/en/Calendar/month/1951-7", "it is a calendar page of the year 1951"),
    ("/?PHPSESSID=1", "its parameter PHPSESSID is a session id"),
    ("/2029-01", "it is a calendar page of the year 2029"),
    ("/cal?month=5&year=2031", "it is a calendar page of the year 2031"),
    ("/cal?year=1234&month=5", "it is a calendar page of the year 1234"),
    ("/cal?view=day&date=2031-05-12", "it is a calendar page of the year 2031"),
    ("/cal?day=20310512", "it is a calendar page of the year 2031"),
    ("/cal?month=2031-05", "it is a calendar page of the year 2031"),
    ("/?session=0a1b2c3d4e5f6a7b8c9d", "its parameter session is a session id"),
    ("/?a=1&CFTOKEN=ab12cd34ef56ab12cd34", "its parameter CFTOKEN is a session id"),
    ("/(S(lit3py55t21z5v55vlm25s55))/orders.aspx", "its path carries a session id"),
    ("/a;phpsessid=1/b", "its path carries a session id"),
]


@pytest.mark.parametrize(("path", "reason"), CAUGHT, ids=[path[:40] for path, _ in CAUGHT])
def test_faults_45_trap_is_named(path: str, reason: str) -> None:
    assert TRAPS.refusal(ROOT + path) == reason


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from(["a", "b", "/", "?", "=", "&", "2031", "-05"])).map("".join)
)
def test_faults_44_45_any_canonical_url_has_an_answer(text: str) -> None:
    url = canonical("/" + text, ROOT + "/")
    if url is not None:
        TRAPS.refusal(url)
        Scope([ROOT], stay_on="prefix").refusal(url)
        assert Budgets().take(url) is None


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.integers(3, 5))
def test_faults_45_any_row_of_segments_may_come_twice_but_not_thrice(
    row: list[str], times: int
) -> None:
    assert TRAPS.refusal(f"{ROOT}/x/{'/'.join(row * times)}/y") is not None


def test_faults_45_an_endless_calendar_ends() -> None:
    months = [f"{ROOT}/cal?year={y}&month={m}" for y, m in product(range(1000, 4000), range(12))]
    assert sum(TRAPS.refusal(url) is None for url in months) == 12 * 203


# -- budgets

SMALL = Shares(
    per_site=60, per_host=30, per_prefix=20, hosts_per_site=5, facets_per_path=8, filters_per_path=6
)


def taken(budgets: Budgets, urls: list[str]) -> list[str]:
    return [url for url in urls if budgets.take(url) is None]


def test_faults_45_a_host_gets_its_share_and_says_so() -> None:
    budgets = Budgets(SMALL)
    urls = [f"{ROOT}/{i}/" for i in range(100)]
    assert taken(budgets, urls) == urls[:30]
    assert budgets.take(f"{ROOT}/new/") == "site.example has had its share of pages (30)"
    assert budgets.take("http://other.example/") is None


def test_faults_45_a_folder_gets_its_share_and_others_go_on() -> None:
    budgets = Budgets(SMALL)
    assert len(taken(budgets, [f"{ROOT}/cal/day/{i}/x" for i in range(100)])) == 20
    refusal = budgets.take(f"{ROOT}/cal/day/late")
    assert refusal == "site.example/cal/day/ has had its share of pages (20)"
    assert budgets.take(f"{ROOT}/cal/week/1") is None
    assert budgets.take(f"{ROOT}/news/1") is None


def test_faults_45_facets_end_but_numbered_pages_go_on() -> None:
    names = ["color", "size", "brand", "price", "sort"]
    combos = [
        f"{ROOT}/shop?" + "&".join(f"{n}=1" for n, on in zip(names, which, strict=True) if on)
        for which in product((True, False), repeat=5)
        if any(which)
    ]
    budgets = Budgets(SMALL)
    assert len(taken(budgets, combos)) == 6
    assert (
        budgets.take(combos[-1]) == "site.example/shop has had its share of sets of parameters (6)"
    )
    values = [f"{ROOT}/find?a={i}&b={i}&c={i}" for i in range(50)]
    assert len(taken(Budgets(SMALL), values)) == 8
    assert len(taken(Budgets(SMALL), [f"{ROOT}/index.php?id={i}" for i in range(20)])) == 20


def test_faults_46_endless_subdomains_share_the_budget_of_their_domain() -> None:
    budgets = Budgets(SMALL)
    urls = [f"http://h{i}.trap.co.uk/" for i in range(1000)]
    assert taken(budgets, urls) == urls[:5]
    assert budgets.take(urls[900]) == "trap.co.uk has had its share of hosts (5)"
    pages = [f"http://h{i}.trap.co.uk/{n}/" for n in range(100) for i in range(5)]
    assert len(taken(budgets, pages)) == 55
    assert budgets.take("http://h0.trap.co.uk/x/") == "trap.co.uk has had its share of pages (60)"
    assert budgets.take("http://other.co.uk/") is None


class Crowded(Budgets):
    """So few counters that everything is shared with something."""

    width = 64


places = st.tuples(
    st.sampled_from(["a.x.org", "b.x.org", "c.x.org", "y.org", "z.net"]),
    st.sampled_from(["/", "/p/", "/p/q/", "/p/q/r/"]),
    st.sampled_from(["", "?a=1", "?b=2", "?a=1&b=2&c=3"]),
    st.integers(0, 9),
)


@given(st.lists(places, max_size=150), st.sampled_from([Budgets, Crowded]))
def test_faults_45_46_no_share_is_ever_exceeded(
    links: list[tuple[str, str, str, int]], kind: type[Budgets]
) -> None:
    shares = Shares(per_site=12, per_host=8, per_prefix=5, facets_per_path=2)
    urls = taken(kind(shares), [f"http://{h}{path}{n}{query}" for h, path, query, n in links])
    hosts = Counter(map(host, urls))
    sites = Counter(site(host(url)) for url in urls)
    facets: Counter[str] = Counter()
    prefixes: Counter[tuple[str, ...]] = Counter()
    for url in urls:
        page, _, query = url.partition("?")
        prefixes[tuple(page.split("/")[2:-1][:3])] += 1
        facets[page] += query.count("=") >= 3
    assert max(hosts.values(), default=0) <= 8
    assert max(sites.values(), default=0) <= 12
    assert max(prefixes.values(), default=0) <= 5
    assert max(facets.values(), default=0) <= 2


def test_what_is_refused_is_not_counted() -> None:
    budgets = Budgets(Shares(per_site=3, per_prefix=1))
    assert len(taken(budgets, [f"{ROOT}/a/{i}" for i in range(10)])) == 1
    assert budgets.take(f"{ROOT}/b/1") is None
    assert budgets.take(f"{ROOT}/c/1") is None
    assert budgets.take(f"{ROOT}/d/1") == "site.example has had its share of pages (3)"


def test_twenty_thousand_places_do_not_disturb_each_other() -> None:
    budgets = Budgets(Shares(per_host=20, per_prefix=10, filters_per_path=4))
    urls = [f"http://h{i % 4_000}.s{i % 2_000}.net/{i}/?q={i}" for i in range(20_000)]
    assert len(taken(budgets, urls)) == 20_000
    assert budgets._counts.nbytes == 16 << 20


def test_counts_survive_a_restart() -> None:
    budgets = Budgets(SMALL)
    taken(budgets, [f"{ROOT}/{i}/" for i in range(20)])
    state = budgets.state()
    assert len(state["cells"]) < 500
    later = Budgets(SMALL)
    later.restore({name: np.array(values.tolist()) for name, values in state.items()})
    assert len(taken(later, [f"{ROOT}/more{i}/" for i in range(20)])) == 10
