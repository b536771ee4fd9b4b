"""Every installed policy keeps the contract, and each does what its paper says."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

import checks
from checks import (
    JUDGE,
    HandMade,
    PolicyCheck,
    Recording,
    choice,
    digest,
    drain,
    follow,
    model_for,
    policy_checks,
    through_disk,
)
from wolfspider.crawl import replay
from wolfspider.judges import TargetJudge
from wolfspider.pages import parse_html
from wolfspider.policies import describe, make
from wolfspider.policies.best_first import BestFirst
from wolfspider.policies.best_n_first import BestNFirst
from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.policies.depth_first import DepthFirst
from wolfspider.policies.fish_search import FishSearch
from wolfspider.policies.inheritance import Inheritance
from wolfspider.policies.pagerank import PageRank
from wolfspider.policies.random_order import RandomOrder
from wolfspider.policies.random_walk import RandomWalk
from wolfspider.policies.shark_search import SharkSearch
from wolfspider.protocols import Judge, Policy, Web
from wolfspider.records import BAGS, Link, Links, Page, Verdict, Visit
from wolfspider.text import term_ids, terms
from wolfspider.topics import Topic
from wolfspider.urls import fingerprints, seed_link
from wolfspider.webs.recorded import RecordedWeb

GIVES_UP = ("fish-search", "shark-search")  # and everything with a buffer
BUFFER = ":buffer=20"
VARIANTS = (
    "best-first:on=link",
    "best-first:on=both",
    "best-n-first:n=7",
    "best-n-first:n=1",
    "rl-future:text=full-page",
    "pagerank:every=3",
    "random-walk:jump=1",
    "shark-search:n=5",
)
PLAIN = [each["name"] for each in describe()]
BOUNDED = [each["name"] + BUFFER for each in describe() if "buffer" in each["settings"]]
SPECS = [*PLAIN, *BOUNDED, *VARIANTS]


def gives_up(spec: str) -> bool:
    return spec.split(":")[0] in GIVES_UP or BUFFER in spec


CASES = [
    pytest.param(spec, check, id=f"{spec}-{check.__name__.removeprefix('check_')}")
    for spec in SPECS
    for check in policy_checks(gives_up=gives_up(spec))
]


@pytest.mark.parametrize(("spec", "check"), CASES)
def test_contract(
    spec: str,
    check: PolicyCheck,
    recorded_web: RecordedWeb,
    recording: Recording,
    seeds: list[Link],
) -> None:
    def maker() -> Policy:
        return make(spec, topic=recording.topic, seed=1, model=model_for(spec, recorded_web))

    check(maker, recorded_web, seeds)


def digests(recording: Recording, hash_seed: int) -> dict[str, str]:
    words = " ".join(recording.topic.keywords)
    program = [sys.executable, checks.__file__, str(recording.folder), recording.start, words]
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [*program, *SPECS], env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_crawls_do_not_depend_on_hashing(recording: Recording) -> None:
    one, other = digests(recording, 1), digests(recording, 2)
    assert one == other
    assert list(one) == SPECS


# -- worked examples -----------------------------------------------------------------------

TOPIC = Topic.of("solar eclipse")
PAGE = "solar solar eclipse moon"  # cosine with the topic: (2 + 1) / √(2 · 6)
SIMILAR = 3 / math.sqrt(12)


def page(words: str, *targets: str) -> str:
    """A page whose links have no words of their own."""
    return f"<p>{words}</p>" + "".join(f'<a href="{target}"></a>' for target in targets)


def visited(policy: Policy, web: Web, *starts: str, judge: Judge = JUDGE) -> list[str]:
    """The paths of a whole crawl."""
    links = [seed_link(url) for url in starts]
    visits = replay(web, policy, judge, links)
    return [visit.link.url.split("/", 3)[3] for visit in visits]


def learn(policy: Policy, url: str, html: str, *, relevant: bool = True) -> None:
    verdict = Verdict(float(relevant), relevant)
    policy.learn(Visit(seed_link(url), parse_html(html.encode(), url), verdict))


def scores(policy: Policy) -> dict[str, float]:
    """What waits, best first."""
    return {link.url: link.score for link in drain(policy)}


def wordy(rows: Mapping[str, Mapping[str, str]]) -> Links:
    """Links with given words: `{url: {"anchor": "…", "context": "…"}}`."""
    bags = [term_ids(words.get(name, "")) for words in rows.values() for name in BAGS]
    count = len(rows)
    return Links.pack(
        fingerprints(list(rows)),
        [f"{url}\n".encode() for url in rows],
        ["a.example"],
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        np.cumsum([0, *map(len, bags)]),
        np.concatenate(bags),
    )


def test_breadth_first_follows_links_as_found_across_hosts() -> None:
    web = HandMade(
        {
            "http://a.example/": page("", "/1", "http://b.example/2", "/3"),
            "http://a.example/1": page("", "http://b.example/4", "/3", "/5"),
            "http://b.example/2": page("", "/6"),
        }
    )
    assert visited(BreadthFirst(), web, "http://a.example/") == ["", *"123456"]


def test_a_link_knows_where_it_was_found_and_how_deep() -> None:
    web = HandMade(
        {
            "http://a.example/": page("", "/1"),
            "http://a.example/1": '<a href="/x">no</a> <a href="/2">the second</a>',
        }
    )
    home = seed_link("http://a.example/")
    judge = TargetJudge.of(["http://a.example/1"])
    found = [visit.link for visit in replay(web, BreadthFirst(), judge, [home])]
    assert [link.depth for link in found] == [0, 1, 2, 2]
    assert [link.source for link in found] == ["", home.url, *["http://a.example/1"] * 2]
    assert [link.relevance for link in found] == [0.0, 0.0, 1.0, 1.0]
    assert (found[3].position, found[3].anchor) == (1, "the second")


def test_breadth_first_goes_level_by_level(recorded_web: RecordedWeb, seeds: list[Link]) -> None:
    visits = list(replay(recorded_web, BreadthFirst(), JUDGE, seeds))
    order = dict.fromkeys(seed.url for seed in seeds)
    for visit in visits:
        order |= dict.fromkeys(url for url in visit.page.links.urls() if url not in order)
    assert [visit.link.url for visit in visits] == list(order)


def test_depth_first_is_the_textbook_recursion(
    recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    visits = list(replay(recorded_web, DepthFirst(), JUDGE, seeds))
    links = {visit.link.url: visit.page.links.urls() for visit in visits}
    order: dict[str, None] = {}

    def descend(url: str) -> None:
        order[url] = None
        for target in links[url]:
            if target not in order:
                descend(target)

    descend(seeds[0].url)
    assert [visit.link.url for visit in visits] == list(order)


def test_best_first_scores_links_by_the_cosine_of_their_page() -> None:
    policy = BestFirst(topic=TOPIC)
    learn(policy, "http://a.example/", page(PAGE, "/1", "/2"))
    learn(policy, "http://a.example/far", page("moon tide", "/3"))
    assert scores(policy) == {
        "http://a.example/1": pytest.approx(SIMILAR),
        "http://a.example/2": pytest.approx(SIMILAR),
        "http://a.example/3": 0.0,
    }


def test_best_first_can_compare_the_words_of_the_links() -> None:
    links = wordy({"http://a.example/1": {"anchor": "solar", "context": "moon tide sea"}})
    visit = Visit(seed_link("http://a.example/"), Page("http://a.example/"), Verdict(0.25, False))
    alone = 1 / math.sqrt(4 * 2)  # one of four words is one of two keywords
    on_link = BestFirst(topic=TOPIC, on="link").score(links, visit)
    on_both = BestFirst(topic=TOPIC, on="both").score(links, visit)
    assert on_link == pytest.approx([alone])
    assert on_both == pytest.approx([alone + 0.25])


@pytest.mark.parametrize("spec", ["best-first", "best-n-first:n=1"])
def test_a_link_found_again_takes_a_higher_score_but_never_a_lower_one(spec: str) -> None:
    policy = make(spec, topic=TOPIC)
    learn(policy, "http://a.example/poor", page("solar moon", "/x", "/y"))
    learn(policy, "http://a.example/rich", page(PAGE, "/x"))
    learn(policy, "http://a.example/none", page("moon", "/x", "/y"))
    best = policy.next()
    assert best is not None
    assert (best.url, best.source) == ("http://a.example/x", "http://a.example/rich")
    assert best.score == pytest.approx(SIMILAR)
    assert scores(policy) == {"http://a.example/y": pytest.approx(0.5)}


def test_best_n_first_finishes_its_batch_before_it_looks_at_better_links() -> None:
    policy = BestNFirst(topic=TOPIC, n=2)
    learn(policy, "http://a.example/", page("solar moon", "/1", "/2", "/3"))
    first = choice(policy)
    learn(policy, first.url, page(PAGE, "/better"))
    second = choice(policy)
    assert {first.url, second.url} == {"http://a.example/1", "http://a.example/2"}
    learn(policy, second.url, page("solar eclipse", "/best"))
    third, fourth = choice(policy), choice(policy)
    assert {third.url, fourth.url} == {"http://a.example/best", "http://a.example/better"}
    assert choice(policy).url == "http://a.example/3"


def test_best_n_first_follows_a_batch_in_random_order() -> None:
    def order(seed: int) -> tuple[str, ...]:
        policy = BestNFirst(topic=TOPIC, n=4, seed=seed)
        learn(policy, "http://a.example/", page(PAGE, "/1", "/2", "/3"))
        return tuple(scores(policy))

    orders = {order(seed) for seed in range(60)}
    assert len(orders) == 6  # all of 3!


def test_best_n_first_skips_busy_hosts_within_its_batch() -> None:
    policy = BestNFirst(topic=TOPIC, n=3)
    policy.start([seed_link(f"http://{name}.example/") for name in "abc"])
    link = policy.next({"a.example", "c.example"})
    assert link is not None
    assert link.host == "b.example"
    assert policy.next({"a.example", "c.example"}) is None
    assert len(policy) == 2


def test_fish_search_scores_by_position_and_relevance() -> None:
    targets = [f"/{n}" for n in range(20)]
    for relevant, most, share in ((True, 15, 1.0), (False, 10, 0.5)):
        policy = FishSearch(width=10, alpha=1.5)
        learn(policy, "http://a.example/", page("", *targets), relevant=relevant)
        assert list(scores(policy).values()) == [share] * most + [0.0] * (20 - most)


CHAIN = HandMade({f"http://a.example/{n}": page(PAGE[:0], f"/{n + 1}") for n in range(9)})


def test_fish_search_gives_up_a_chain_without_relevant_pages() -> None:
    nothing = TargetJudge.of([])
    found = visited(FishSearch(depth=3), CHAIN, "http://a.example/0", judge=nothing)
    assert found == ["0", "1", "2", "3"]


def test_fish_search_takes_a_new_breath_at_a_relevant_page() -> None:
    judge = TargetJudge.of(["http://a.example/2"])
    found = visited(FishSearch(depth=3), CHAIN, "http://a.example/0", judge=judge)
    assert found == ["0", "1", "2", "3", "4", "5", "6"]


def test_a_seed_keeps_its_depth_when_a_poor_page_links_to_it() -> None:
    web = HandMade(
        {
            "http://a.example/poor": page("", "/seed"),
            "http://a.example/seed": page("", "/1"),
            "http://a.example/1": page("", "/2"),
            "http://a.example/2": page("", "/3"),
        }
    )
    starts = ("http://a.example/poor", "http://a.example/seed")
    for policy in (FishSearch(depth=2), SharkSearch(topic=TOPIC, depth=2)):
        assert visited(policy, web, *starts, judge=TargetJudge.of([])) == ["poor", "seed", "1", "2"]


def test_shark_search_scores_by_anchor_context_and_inheritance() -> None:
    policy = SharkSearch(topic=TOPIC, r=0.1, beta=0.8, delta=0.5)
    words = {
        "http://a.example/anchor": {"anchor": "solar moon", "context": "tide"},
        "http://a.example/context": {"anchor": "moon", "context": "eclipse tide sea"},
        "http://a.example/none": {"anchor": "moon", "context": "tide"},
    }
    found = Page("http://a.example/", terms=terms(PAGE), links=wordy(words))
    policy.learn(Visit(seed_link("http://a.example/"), found))
    inherited = 0.5 * SIMILAR
    expected = {
        "http://a.example/anchor": 0.9 * (0.8 * 0.5 + 0.2 * 1) + 0.1 * inherited,
        "http://a.example/context": 0.9 * (0.2 / math.sqrt(3 * 2)) + 0.1 * inherited,
        "http://a.example/none": 0.1 * inherited,
    }
    assert scores(policy) == pytest.approx(expected)
    learn(policy, "http://a.example/none", page("moon tide", "/grandchild"))
    assert scores(policy) == pytest.approx({"http://a.example/grandchild": 0.1 * inherited / 2})


def test_shark_search_ends_a_path_without_similar_pages() -> None:
    policy = SharkSearch(topic=TOPIC, depth=2)
    assert visited(policy, CHAIN, "http://a.example/0") == ["0", "1", "2"]


def test_inheritance_keeps_the_larger_depth_and_the_larger_score() -> None:
    inheritance = Inheritance()
    links = np.arange(1, 1001, dtype=np.uint64)
    inheritance.give(links, 3, np.linspace(0, 1, 1000))
    inheritance.give(links[::2], 1, 0.5)
    restored = Inheritance()
    restored.restore(through_disk(inheritance.state()))
    for kept in (inheritance, restored):
        assert kept.of(1, (9, 9.0)) == (3, 0.5)
        assert kept.of(2, (9, 9.0)) == pytest.approx((3, 1 / 999))
        assert kept.of(999, (9, 9.0)) == pytest.approx((3, 998 / 999))
        assert kept.of(1001, (9, 9.0)) == (9, 9.0)
        kept.give(np.array([1, 1001], np.uint64), 5, 0.1)
        assert kept.of(1, (9, 9.0)) == (5, 0.5)
        assert kept.of(1001, (9, 9.0)) == (5, 0.1)


def test_pagerank_of_one_page_with_two_links() -> None:
    """a = 0.2 + 0.8·(b + c) and b = c = 0.2 + 0.8·a/2, so b = 7/9."""
    policy = PageRank(topic=TOPIC, every=1, tolerance=1e-9)
    learn(policy, "http://a.example/", page("", "/b", "/c"))
    ranks = {"http://a.example/b": 7 / 9, "http://a.example/c": 7 / 9}
    assert scores(policy) == pytest.approx(ranks, abs=1e-7)


def test_pagerank_is_the_solution_of_its_equation() -> None:
    graph = {0: (1, 2, 4), 1: (2,), 2: (0, 3), 3: (), 5: (0, 6, 4)}  # 4 and 6 are not visited
    policy = PageRank(topic=TOPIC, every=len(graph), gamma=0.7, tolerance=1e-9)
    for node, targets in graph.items():
        html = page("", *(f"/{target}" for target in targets))
        learn(policy, f"http://a.example/{node}", html)
    matrix = np.zeros((7, 7))
    for node in range(7):
        targets = graph.get(node) or tuple(graph)
        matrix[list(targets), node] = 1 / len(targets)
    expected = np.linalg.solve(np.eye(7) - 0.7 * matrix, np.full(7, 0.3))
    ranks = {f"http://a.example/{node}": expected[node] for node in (0, 1, 2, 3, 4, 6)}
    assert scores(policy) == pytest.approx(ranks, abs=1e-7)


def test_pagerank_is_computed_anew_only_every_so_many_visits() -> None:
    policy = PageRank(topic=TOPIC, every=2, tolerance=1e-9)
    learn(policy, "http://a.example/", page("", "/b", "/c"))
    twin = PageRank(topic=TOPIC, every=2)
    twin.restore(policy.state())
    assert scores(twin) == pytest.approx(dict.fromkeys(scores(policy), 0.2 + 0.8 / 2))


@pytest.mark.parametrize("tolerance", [0.0, -1.0, math.nan])
def test_pagerank_refuses_a_tolerance_that_never_ends(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance is at least"):
        PageRank(topic=TOPIC, tolerance=tolerance)


def test_random_order_gives_seeds_and_links_the_same_chance() -> None:
    def second(seed: int) -> str:
        policy = RandomOrder(seed=seed)
        policy.start([seed_link("http://a.example/1"), seed_link("http://a.example/2")])
        left = choice(policy)
        learn(policy, left.url, page("", "/3", "/4", "/5"))
        found = choice(policy).url[-1]
        return "other seed" if found in "12" else found

    counts = Counter(second(seed) for seed in range(400))
    assert sorted(counts) == ["3", "4", "5", "other seed"]
    assert all(55 < count < 145 for count in counts.values())  # 100 ± 45: five deviations


def test_random_walk_stays_on_the_newest_page_with_new_links(
    recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    trail: list[set[int]] = []
    gone: set[int] = set()
    for visit in replay(recorded_web, RandomWalk(jump=0.0, seed=3), JUDGE, seeds):
        link = visit.link.fingerprint
        while trail and not trail[-1] - gone:
            trail.pop()
        assert not trail or link in trail[-1]
        gone.add(link)
        trail.append(set(visit.page.links.fingerprints.tolist()))
    assert len(gone) == len(recorded_web)


def test_random_walk_jumps_to_any_waiting_link() -> None:
    def third(jump: float, seed: int) -> str:
        policy = RandomWalk(jump=jump, seed=seed)
        learn(policy, "http://a.example/", page("", "/a", "/b"))
        left = choice(policy)
        learn(policy, left.url, page("", "/c", "/d"))
        return "old" if (path := choice(policy).url[-1]) in "ab" else path

    assert {third(0.0, seed) for seed in range(40)} == {"c", "d"}
    assert {third(1.0, seed) for seed in range(40)} == {"c", "d", "old"}


@pytest.mark.parametrize("spec", ["random", "random-walk", "best-n-first:n=20"])
def test_another_seed_gives_another_crawl(
    spec: str, recorded_web: RecordedWeb, recording: Recording, seeds: list[Link]
) -> None:
    def trace(seed: int) -> str:
        policy = make(spec, topic=recording.topic, seed=seed)
        policy.start(seeds)
        return digest(follow(policy, recorded_web, 60))

    assert trace(1) != trace(2)


def test_more_seeds_are_taken_in_than_a_record_knows_hosts() -> None:
    links = [Link(f"http://h{n}.example/", n + 1, f"h{n}.example") for n in range(70_000)]
    policy = BreadthFirst()
    policy.start(links)
    assert len(policy) == 70_000
    assert choice(policy).url == "http://h0.example/"


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="n is the number of links"):
        BestNFirst(topic=TOPIC, n=0)
    with pytest.raises(ValueError, match="jump is a probability"):
        RandomWalk(jump=1.5)
    with pytest.raises(ValueError, match="every is a number of visits"):
        PageRank(topic=TOPIC, every=0)
    with pytest.raises(ValueError, match="gamma lies between"):
        PageRank(topic=TOPIC, gamma=1.0)
    with pytest.raises(ValueError, match="depth and width are 0 or more, not 3 and -1"):
        FishSearch(width=-1)
    with pytest.raises(ValueError, match="alpha is a factor"):
        FishSearch(alpha=math.inf)
    with pytest.raises(ValueError, match="depth is a number of links"):
        SharkSearch(topic=TOPIC, depth=-1)
    with pytest.raises(ValueError, match="beta lies between 0 and 1"):
        SharkSearch(topic=TOPIC, beta=1.5)
    with pytest.raises(ValueError, match="a frontier of at most 0"):
        BreadthFirst(buffer=0)
