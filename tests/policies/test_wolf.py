"""The wolf on webs made by hand: what it follows, why, and what it takes along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from checks import HandMade, Recording, copied, digest, drain, through_disk, visit_of
from wolfspider.carrying import put_down, take_up
from wolfspider.clues.book import Count, Said
from wolfspider.clues.evidence import AT, FEATURES
from wolfspider.clues.priors import PRIOR
from wolfspider.crawl import replay
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.forecasting import together
from wolfspider.judges import KeywordJudge
from wolfspider.leases import Leased
from wolfspider.pages import parse_html
from wolfspider.policies import make
from wolfspider.policies import wolf as wolf_policy
from wolfspider.policies.wolf import Wolf
from wolfspider.protocols import Carrying, Corrigible, Explaining, Promising
from wolfspider.records import Link, Page, Response, Verdict, Visit
from wolfspider.topics import Topic
from wolfspider.urls import fingerprint, seed_link
from wolfspider.webs.recorded import RecordedWeb

HOME = "http://a.example/"
TOPIC = Topic.of("eclipse")
HUB = 12  # relevant pages behind the list


def anchors(urls: Mapping[str, str]) -> str:
    return "".join(f'<li><a href="{url}">{text}</a></li>' for url, text in urls.items())


def hub_web() -> dict[str, str]:
    """A start page with many links; one leads to a list of relevant pages, none looks like it."""
    pages = {HOME: "<ul>" + anchors({f"/go/{n}": f"section {n}" for n in range(30)}) + "</ul>"}
    for number in set(range(30)) - {17}:
        pages[f"{HOME}go/{number}"] = "<p>cooking and soup</p>" + anchors(
            {f"/soup/{number}-{n}": "more soup" for n in range(4)}
        )
        for n in range(4):
            pages[f"{HOME}soup/{number}-{n}"] = "<p>pepper</p>"
    listed = {f"/sky/{n}": f"chapter {n}" for n in range(HUB)}
    pages[f"{HOME}go/17"] = "<h1>chapters</h1><ul>" + anchors(listed) + "</ul>"
    for url in listed:
        pages[HOME + url[1:]] = "<p>eclipse eclipse of the sun</p>"
    return pages


def hunt(wolf: Wolf, pages: int | None = None) -> list[Visit]:
    judge = KeywordJudge(TOPIC)
    return list(replay(HandMade(hub_web()), wolf, judge, [seed_link(HOME)], pages=pages))


def wolf_of(**settings: Any) -> Wolf:
    return Wolf(topic=TOPIC, **settings)


def fetch(wolf: Wolf, html: str, *, relevant: bool = False) -> Link:
    """Follow the next link: this page is behind it."""
    link = wolf.next()
    assert link is not None
    page = parse_html(html.encode(), link.url)
    wolf.learn(Visit(link, page, Verdict(float(relevant), relevant)))
    return link


def value_of(wolf: Wolf, link: Link) -> float:
    book = wolf.evidence.book
    return book.value.item(book.page.item(book.find(link.fingerprint)))


# -- the hunt ------------------------------------------------------------------------------


def test_it_keeps_its_protocols() -> None:
    wolf = make("wolf", topic=TOPIC)
    assert isinstance(wolf, Wolf)
    assert isinstance(wolf, Carrying)
    assert isinstance(wolf, Explaining)
    assert isinstance(wolf, Corrigible)
    assert isinstance(wolf, Promising)


@pytest.mark.parametrize(
    "settings",
    [{"curiosity": -1.0}, {"curiosity": float("nan")}, {"held_back": 0.0}, {"breadth": 1.5}],
)
def test_settings_out_of_range_are_sentences(settings: dict[str, float]) -> None:
    [name] = settings
    with pytest.raises(ValueError, match=f"{name} is"):
        wolf_of(**settings)


def test_two_hunts_are_alike() -> None:
    assert digest(hunt(wolf_of())) == digest(hunt(wolf_of()))


def test_links_that_wait_promise_what_they_score() -> None:
    wolf = wolf_of(curiosity=0.0)
    wolf.start([seed_link(HOME)])
    assert np.isnan(wolf.promises(10)).tolist() == [True]  # of a seed nothing is known
    fetch(wolf, "<ul>" + anchors({"/1": "eclipse", "/2": "soup", "/3": "eclipse soup"}) + "</ul>")
    each = {
        url: receipt.value
        for url in ("1", "2", "3")
        if (receipt := wolf.receipt(fingerprint(HOME + url))) is not None
    }
    assert sorted(wolf.promises(10)) == pytest.approx(sorted(each.values()))
    assert sorted(wolf.promises(2)) == pytest.approx(sorted([each["1"], each["3"]]))
    while len(wolf):
        fetch(wolf, "")
    assert wolf.promises(10).tolist() == []


def test_while_seeds_wait_nobody_knows_what_is_promised() -> None:
    wolf = wolf_of()
    wolf.start([seed_link(f"{HOME}{n}") for n in range(40)])
    fetch(wolf, anchors({f"/x{n}": f"part {n}" for n in range(9)}))
    assert np.isnan(wolf.promises(1000)).sum() == 39
    assert np.isnan(together(wolf.promises(1000))).all()


def test_dropped_links_promise_nothing() -> None:
    wolf = wolf_of(buffer=3)
    wolf.start([seed_link(HOME)])
    fetch(wolf, "<ul>" + anchors({f"/{n}": f"part {n}" for n in range(9)}) + "</ul>")
    assert len(wolf.promises(9)) == len(wolf) == 3


@pytest.mark.parametrize("foresees", [False, True])
def test_who_foresees_takes_a_page_for_worth_what_its_links_promise(foresees: bool) -> None:
    wolf = wolf_of()
    wolf.foresees = foresees
    wolf.start([seed_link(HOME)])
    fetch(wolf, "<ul>" + anchors({"/list": "photos"}) + "</ul>")
    listed = fetch(wolf, "<ul>" + anchors({"/1": "eclipse", "/2": "sun", "/3": "soup"}) + "</ul>")
    book = wolf.evidence.book
    best, second, third = sorted(
        1 / (1 + np.exp(-wolf.ranking._scores[book.size - 3 : book.size]))
    )[::-1]
    trips = [best / 2, (best + second) / 3, (best + second + third) / 4]
    told = wolf.evidence.rates.lift(
        book.tokens.get_one(book.find(listed.fingerprint)).own(), wolf.evidence.base
    )
    if foresees:
        assert value_of(wolf, listed) == pytest.approx(max(trips), rel=1e-5)
        assert told.max() > 0
    else:
        assert value_of(wolf, listed) == 0
        assert told.max() < 0
    fetch(wolf, "<p>eclipse</p>", relevant=True)
    assert value_of(wolf, listed) == 0.5  # a real trip is better than a promised one


def test_a_foreseen_trip_begins_with_what_the_page_pays_itself() -> None:
    wolf = wolf_of()
    wolf.foresees = True
    wolf.start([seed_link(HOME)])
    fetch(wolf, "<ul>" + anchors({"/list": "photos"}) + "</ul>")
    link = wolf.next()
    assert link is not None
    page = parse_html(f"<ul>{anchors({'/1': 'eclipse'})}</ul>".encode(), link.url)
    wolf.learn(Visit(link, page, Verdict(0.25, False)))
    score = wolf.ranking._scores.item(wolf.evidence.book.size - 1)
    both = 0.25 + 1 / (1 + np.exp(-score))
    assert value_of(wolf, link) == pytest.approx(max(0.25, both / 2), rel=1e-5)
    assert both / 2 > 0.25


def test_when_a_list_begins_to_pay_the_rest_of_it_comes_next() -> None:
    """Nothing in its links says that they are relevant, but what became of those beside them."""
    visits = hunt(wolf_of())
    at = [step for step, visit in enumerate(visits) if visit.verdict.relevant]
    assert len(at) == HUB
    assert at[-1] - at[1] == HUB - 2  # from the second on nothing else
    soup = [step for step, visit in enumerate(visits) if "/soup/" in visit.link.url]
    assert at[-1] < np.median(soup)
    assert len(visits) == len(hub_web())


def test_words_of_the_topic_are_followed_first() -> None:
    wolf = wolf_of(breadth=0.0)
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({"/1": "soup", "/2": "solar eclipse", "/3": "contact"}))
    assert drain(wolf)[0].url == f"{HOME}2"


def test_a_page_that_is_a_little_relevant_counts_a_little() -> None:
    wolf = wolf_of(breadth=0.0)
    wolf.start([seed_link(HOME)])
    lists = [
        "<ul>" + anchors({f"/{kind}/{n}": f"{kind} {n}" for n in range(8)}) + "</ul>"
        for kind in ("barren", "rich")
    ]
    fetch(wolf, "".join(lists))
    followed = []
    while (link := wolf.next()) is not None:
        followed.append("rich" in link.url)
        relevance = 0.4 if followed[-1] else 0.0
        wolf.learn(Visit(link, Page(link.url), Verdict(relevance, False)))
    assert sum(followed[:12]) == 8  # all, and none of them was relevant
    assert 8 * 0.2 < wolf.evidence.paid < 8 * 0.4  # the more there are of them the less


def test_what_all_pages_below_the_line_have_in_common_pays_nothing() -> None:
    wolf = wolf_of(breadth=0.0)
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": f"page {n}" for n in range(203)}))

    def pays(relevance: float, response: Response = Response("")) -> float:  # noqa: B008
        link = wolf.next()
        assert link is not None
        wolf.learn(Visit(link, Page(link.url), Verdict(relevance, False), response))
        return wolf.evidence.book.paid_by(wolf.evidence.book.find(link.fingerprint))

    assert pays(0.25) == 0.25
    for _ in range(199):
        pays(0.25)
    assert pays(0.25) == 0
    usual = wolf._lukewarm
    assert pays(0.0, Response("", error="timeout")) == 0
    assert wolf._lukewarm == usual  # of a page that never came it is not known
    assert pays(0.75) == 0.75


def test_labels_rise_when_pages_behind_turn_out_relevant() -> None:
    wolf = wolf_of(breadth=0.0)
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({"/list": "list"}))
    hub = fetch(wolf, anchors({f"/{n}": "page" for n in range(3)}))
    before = value_of(wolf, hub)
    values = []
    for _ in range(3):
        fetch(wolf, "<p>eclipse</p>", relevant=True)
        values.append(value_of(wolf, hub))
    assert before == 0
    assert values == pytest.approx([1 / 2, 2 / 3, 3 / 4])
    book = wolf.evidence.book
    labels = book.value[book.page[wolf.examples._numbers[: wolf.examples.count]]]
    assert labels.tolist() == pytest.approx([3 / 4, 1, 1, 1])


def test_weights_move_as_examples_come() -> None:
    wolf = wolf_of()
    hunt(wolf)
    assert not np.allclose(wolf.opinion.learner.weights, PRIOR, atol=0.05)
    assert np.isfinite(wolf.opinion.learner.weights).all()


def test_new_weights_are_heeded_first_where_much_is_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the best quarter of the links, and by all once there are half as many examples more."""
    monkeypatch.setattr(wolf_policy, "_AT_LEAST", 8)
    wolf, asked = wolf_of(), list[tuple[int, int | None, int]]()
    monkeypatch.setattr(
        wolf, "_look_again", lambda most: asked.append((wolf.examples.count, most, len(wolf)))
    )
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "one" for n in range(60)}))
    monkeypatch.setattr(wolf, "_look_at", np.inf)
    for _ in range(40):
        fetch(wolf, "<p>soup</p>")
    assert [count for count, most, _ in asked if most is None] == [4, 6, 9, 13, 19, 28]
    some = [(most, waiting) for _, most, waiting in asked if most is not None]
    assert some == [(max(8, waiting // 4), waiting) for _, waiting in some]
    assert {most for most, _ in some} > {8, 13}


def test_what_little_is_promised_waits_for_its_new_score() -> None:
    """So long lists of links that wait do not hold up a hunt whenever the weights change."""
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "eclipse" if n < 10 else "soup" for n in range(40)}))
    waiting = wolf.ranking.waiting()
    best, before = set(wolf.ranking.best(waiting, 10).tolist()), wolf.ranking.scores_of(waiting)
    wolf.carry(wolf.carried() | {"weights": wolf.opinion.learner.weights + 1})
    wolf._look_again(10)
    changed = waiting[wolf.ranking.scores_of(waiting) != before]
    assert set(changed.tolist()) == best


def test_news_is_heard_also_when_the_weights_change_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever is told of it, and not only the best."""
    monkeypatch.setattr(wolf_policy, "_AT_LEAST", 1)
    monkeypatch.setattr(wolf_policy, "_BEST_SHARE", 0.0)
    wolf, told, scored = wolf_of(breadth=0.0), list[Any](), list[int]()
    tell, rescore = wolf.evidence.book.tell_neighbours, wolf._rescore

    def listening() -> Any:
        told.append(tell())
        return told[-1]

    def noting(numbers: Any) -> None:
        scored.extend(numbers.tolist())
        rescore(numbers)

    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "chapter" for n in range(40)}))
    for _ in range(4):
        fetch(wolf, "<p>soup</p>")
    monkeypatch.setattr(wolf.evidence.book, "tell_neighbours", listening)
    monkeypatch.setattr(wolf, "_rescore", noting)
    wolf._fit_at, wolf._all_at = wolf.examples.count + 1, 1000
    fetch(wolf, "<p>eclipse</p>", relevant=True)
    assert wolf._fit_at > wolf.examples.count
    waiting = set(wolf.ranking.waiting().tolist())
    assert len(waiting & set(told[0].tolist())) > 30
    assert waiting & set(told[0].tolist()) <= set(scored)


def test_what_was_known_of_waiting_links_is_soon_forgotten() -> None:
    """A link is an example with what was known of it lately, and rows take room."""
    wolf = wolf_of(breadth=0.0)
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "eclipse" if n < 20 else "soup" for n in range(300)}))
    waiting = wolf.ranking.waiting()
    wolf._look_again(None)
    good, best = (set(wolf.ranking.best(waiting, most).tolist()) for most in (20, 10))
    number = min(good - best)
    before, usual = wolf.opinion.row_of(number), wolf.opinion.usual
    wolf.evidence.book.say(number, Said.NEAR, -5.0)
    assert np.array_equal(wolf.opinion.row_of(number), before)
    wolf.opinion.score(waiting[-5:])
    assert np.array_equal(wolf.opinion.usual, usual)
    wolf._look_again(10)
    assert not np.array_equal(wolf.opinion.row_of(number), before)
    assert not np.array_equal(wolf.opinion.usual, usual)


def test_a_link_under_way_is_not_told_to_wait() -> None:
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({"/1": "one", "/2": "two"}))
    out = wolf.next()
    assert out is not None
    fetch(wolf, anchors({"/1": "one", "/2": "two"}))  # the other one, which links to both
    assert wolf.next() is None
    assert len(wolf) == 0


def test_an_example_is_what_was_known_when_its_link_was_chosen() -> None:
    """What came while it was out, here that the link beside it paid, was not known then."""
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({"/1": "one", "/2": "two", "/3": "three"}))
    out = wolf.next()
    assert out is not None
    fetch(wolf, "<p>eclipse</p>", relevant=True)
    wolf.evidence.book.tell_neighbours()
    number = wolf.evidence.book.find(out.fingerprint)
    now = wolf.evidence.rows(np.array([number], np.int32))[0]
    assert now[AT["beside_paid"]] > 0
    copy = wolf_of()
    copy.restore(through_disk(wolf.state()))
    for each in (wolf, copy):
        each.learn(visit_of(out))
        assert each.examples.both()[0][-1, AT["beside_paid"]] == 0
        assert not each.opinion._out


def test_a_seed_is_no_example_also_when_a_page_links_to_it_meanwhile() -> None:
    wolf = wolf_of()
    wolf.start([seed_link(HOME), seed_link(f"{HOME}b")])
    links = [wolf.next(), wolf.next()]
    for link in links:
        assert link is not None
        page = parse_html(anchors({"/": "home", "/b": "beside"}).encode(), link.url)
        wolf.learn(Visit(link, page, Verdict(1.0, True)))
    assert len(wolf.examples.both()[0]) == 0


@pytest.mark.parametrize("paid", [0.0, 1000.0])
def test_links_that_were_dropped_are_welcome_again(paid: float) -> None:
    """Whether or not the page that has them is news."""
    wolf = wolf_of(buffer=3)
    wolf.start([seed_link(HOME)])
    links = anchors({f"/{n}": "soup" for n in range(8)})
    fetch(wolf, links)
    fetch(wolf, "")
    fetch(wolf, "")
    assert len(wolf) == 1
    wolf.evidence.paid = paid
    fetch(wolf, links, relevant=True)
    assert len(wolf) == 3


def test_links_that_were_dropped_are_neither_counted_nor_given_a_turn() -> None:
    wolf = wolf_of(buffer=3, breadth=1.0)
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "soup" for n in range(8)}))
    fetch(wolf, anchors({"/deep": "solar eclipse"}))
    assert len(wolf) == 3
    for left in (2, 1, 0):
        link = wolf.next()
        assert link is not None
        receipt = wolf.receipt(link.fingerprint)
        assert receipt is not None
        assert receipt.waiting == left + 1
        assert len(wolf) == left
        wolf.learn(visit_of(link))
    assert wolf.around.turns > 0
    assert wolf.ranking.peak < 1e5


def test_links_that_were_dropped_come_back_with_what_they_are_worth_by_now() -> None:
    wolf = wolf_of(buffer=5)
    wolf.start([seed_link(HOME)])
    links = anchors({f"/{n}": "soup" if n % 2 else "pepper" for n in range(20)})
    fetch(wolf, links)
    numbers = wolf.ranking._above(-1e3)
    dropped = numbers[~wolf.frontier.holds_at(numbers)]
    wolf.ranking._scores[dropped] = -50.0  # of when they were dropped
    fetch(wolf, links)
    assert (wolf.ranking._scores[dropped] > -50).all()


def test_a_host_that_is_busy_for_long_does_not_end_the_looking_around() -> None:
    def turns(links: dict[str, str]) -> int:
        wolf = wolf_of(breadth=1.0)
        wolf.start([seed_link(HOME)])
        fetch(wolf, anchors(links))
        taken = 0
        for _ in range(100):
            link = wolf.next({"dead.example"})
            assert link is not None
            taken += link.score == 0
            wolf.learn(visit_of(link))
        assert taken == wolf.around.turns
        return taken

    links = {f"http://b.example/{n}": "soup" for n in range(120)}
    assert turns({"http://dead.example/": "soup"} | links) == turns(links) > 10


def lost(pages: int, *, find: bool = False) -> list[str]:
    """The links whose turn it was on a web of two long lists, which mean and lead to nothing."""
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({"/a/": "soup", "/b/": "bread"}), relevant=find)
    turns = []
    for _ in range(pages):
        link = wolf.next()
        assert link is not None
        html = ""
        if link.url.endswith("/"):
            html = anchors({f"{link.url}{n}": f"qxz{n}" for n in range(400)})
        elif link.score == 0:
            turns.append(link.url)
        wolf.learn(Visit(link, parse_html(html.encode(), link.url), Verdict(0.0, False)))
    return turns


def test_who_has_found_nothing_at_all_goes_on_looking_around() -> None:
    turns, after_a_find = len(lost(500)), len(lost(500, find=True))
    assert turns > 0.4 * 400
    assert after_a_find < 0.2 * 500


def test_who_went_astray_lets_pages_take_turns() -> None:
    folders = [url.rsplit("/", 2)[1] for url in lost(300)]
    first, last = folders[:15], folders[-100:]
    assert len(set(first)) == 1  # in the order in which they were found
    assert 45 <= last.count("b") <= 55


def test_a_link_that_was_refused_says_nothing_about_others() -> None:
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "soup" for n in range(20)}), relevant=True)
    for _ in range(5):
        fetch(wolf, "<p>eclipse</p>", relevant=True)
    before = wolf.opinion.score(wolf.ranking.waiting()[-5:]).tolist()
    for _ in range(5):
        link = wolf.next()
        assert link is not None
        wolf.receipt(link.fingerprint)
        refused = Response(link.url, error="robots", refused=True)
        wolf.learn(Visit(link, Page(link.url), response=refused))
    assert wolf.opinion.score(wolf.ranking.waiting()[-5:]).tolist() == before
    assert (len(wolf.examples.both()[0]), len(wolf), wolf.evidence.visits) == (5, 10, 6)
    assert not wolf.opinion._out


def test_a_refused_link_of_which_a_restored_wolf_is_told_leaves_nothing_behind() -> None:
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "soup" for n in range(5)}))
    again = Leased(wolf_of())
    again.restore(Leased(wolf).state())
    link = wolf.next()
    assert link is not None
    refused = Response(link.url, error="robots", refused=True)
    again.relearn(Visit(link, Page(link.url), response=refused))
    out = []
    while (chosen := again.next()) is not None:
        out.append(chosen.fingerprint)
    assert isinstance(again.policy, Wolf)
    assert len(out) == len(again.policy.opinion._out) == 4


def test_of_many_relevant_pages_not_each_is_news(monkeypatch: pytest.MonkeyPatch) -> None:
    """To tell what is near costs time; the first relevant pages change most."""
    wolf, told = wolf_of(), list[float]()
    book = wolf.evidence.book
    tell = book.tell_neighbours

    def listening() -> Any:
        told.append(wolf.evidence.paid)
        return tell()

    monkeypatch.setattr(book, "tell_neighbours", listening)
    monkeypatch.setattr(wolf, "_look_at", np.inf)
    monkeypatch.setattr(wolf, "_fit_at", np.inf)
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "eclipse" for n in range(128)}))
    for _ in range(128):
        fetch(wolf, "<p>eclipse</p>", relevant=True)
    first = [paid for paid in told if paid <= 32]
    later = [paid for paid in told if paid > 96]
    assert first == list(range(1, 33))
    assert 96 / 4 > len(later) >= 8


@pytest.mark.parametrize("older", [{"features": ["bias"]}, {"tokens": 1}, {"form": None}])
def test_a_state_of_another_version_is_refused(older: dict[str, Any]) -> None:
    wolf = wolf_of()
    with pytest.raises(ValueError, match="another version"):
        wolf.restore(wolf.state() | older)


def test_more_links_than_arrays_begin_with() -> None:
    """Pages without links, of which nobody had heard, make the book grow, too."""
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/{n}": "one" for n in range(1023)}))
    for number in range(5):
        wolf.learn(visit_of(seed_link(f"http://new.example/{number}")))
    assert len(drain(wolf)) == 1023


# -- receipts ------------------------------------------------------------------------------


def test_a_receipt_says_what_was_expected() -> None:
    wolf = wolf_of(curiosity=0.0, breadth=0.0)
    wolf.start([seed_link(HOME)])
    seed = fetch(wolf, anchors({"/1": "soup", "/2": "solar eclipse", "/3": "contact"}))
    assert wolf.receipt(seed.fingerprint) is None
    assert wolf.receipt(12345) is None
    link = wolf.next()
    assert link is not None
    receipt = wolf.receipt(link.fingerprint)
    assert receipt is not None
    assert receipt.value == pytest.approx(1 / (1 + np.exp(-link.score)), abs=1e-6)
    assert (receipt.rank, receipt.waiting, receipt.explored) == (1, 3, False)
    other = wolf.receipt(seed_link(f"{HOME}1").fingerprint)
    assert other is not None
    assert other.value < receipt.value
    assert other.waiting == 2
    assert all(wolf.name_of(clue, {}) for clue in receipt.clues)


def test_the_link_that_is_chosen_is_the_first_of_those_that_wait() -> None:
    wolf = wolf_of(breadth=0.0)
    wolf.start([seed_link(HOME)])
    pages, ranks = hub_web(), []
    while (link := wolf.next()) is not None:
        receipt = wolf.receipt(link.fingerprint)
        ranks.append(receipt.rank if receipt else 0)
        page = parse_html(pages[link.url].encode(), link.url)
        wolf.learn(Visit(link, page, KeywordJudge(TOPIC).judge(page)))
    assert ranks == [0] + [1] * (len(pages) - 1)


def test_a_link_that_waits_has_the_rank_at_which_it_waits() -> None:
    """The best of those is the first, and does not come behind itself."""
    wolf = wolf_of(breadth=0.0)
    hunt(wolf, 10)
    numbers = wolf.ranking.waiting()
    waiting, scores = numbers.tolist(), wolf.ranking.scores_of(numbers)
    known = {wolf.evidence.book.find(each): each for each in map(fingerprint, hub_web())}
    for number, score in zip(waiting, scores, strict=True):
        receipt = wolf.receipt(known[number])
        assert receipt is not None
        assert receipt.rank == 1 + int((scores > score).sum())
        assert receipt.waiting == len(waiting)
    last = waiting[scores.argmin()]
    wolf.ranking.give_turn(last)  # goes before all others, but that is not its rank
    given = wolf.receipt(known[last])
    assert given is not None
    assert given.explored
    assert given.rank == len(waiting)


def test_a_link_followed_out_of_curiosity_says_so() -> None:
    wolf = wolf_of(curiosity=50.0, breadth=0.0)
    hunt(wolf, 3)
    link = wolf.next()
    assert link is not None
    number = wolf.evidence.book.find(link.fingerprint)
    receipt = wolf.receipt(link.fingerprint)
    assert receipt is not None
    rows = wolf.evidence.rows(np.append(wolf.ranking.waiting(), number))
    promises = rows @ wolf.opinion.learner.weights
    assert receipt.explored == bool((promises[:-1] > promises[-1] + 0.02).any())
    assert receipt.explored


def test_seeds_that_link_to_one_another_have_receipts() -> None:
    seeds = [seed_link(f"{HOME}{n}") for n in range(1500)]  # more than arrays begin with
    wolf = wolf_of()
    wolf.start(seeds)
    html = anchors({seed.url: "next" for seed in seeds})
    assert wolf.receipt(fetch(wolf, html).fingerprint) is None
    for _ in range(5):
        link = wolf.next()
        assert link is not None
        receipt = wolf.receipt(link.fingerprint)
        assert receipt is not None
        assert "path" not in {clue.kind for clue in receipt.clues}
        wolf.learn(visit_of(link, Page(link.url)))


def test_receipts_come_with_links_through_the_lease() -> None:
    leased = Leased(wolf_of())
    leased.receipts = True
    visits = list(
        replay(HandMade(hub_web()), leased, KeywordJudge(TOPIC), [seed_link(HOME)], pages=40)
    )
    assert visits[0].link.receipt is None
    for visit in visits[1:]:
        receipt = visit.link.receipt
        assert receipt is not None
        assert 0 <= receipt.value <= 1
        assert 1 <= receipt.rank <= receipt.waiting
        assert receipt.clues
    plain = hunt(wolf_of(), 40)
    assert [v.link.url for v in visits] == [v.link.url for v in plain]  # asking changes nothing


# -- corrections ---------------------------------------------------------------------------


def first_page(wolf: Wolf) -> list[Visit]:
    """A start page with six links, and four of them fetched: the first is wrongly relevant."""
    wolf.start([seed_link(HOME)])
    fetch(wolf, "<ul>" + anchors({f"/{n}": f"page {n}" for n in range(6)}) + "</ul>")
    visits = []
    for number in range(4):
        link = wolf.next()
        assert link is not None
        html = f'<p>some words</p><a href="/behind/{number}">behind</a>'
        page = parse_html(html.encode(), link.url)
        visits.append(Visit(link, page, Verdict(float(not number), not number)))
        wolf.learn(visits[-1])
    return visits


def test_a_correction_changes_label_rates_neighbours_and_links() -> None:
    wolf = wolf_of(breadth=0.0)
    wrong = first_page(wolf)[0]
    book = wolf.evidence.book
    number = book.find(wrong.link.fingerprint)
    behind = book.find(int(wrong.page.links.fingerprints[0]))
    waiting = wolf.ranking.waiting()
    before, scores = wolf.evidence.rows(waiting), wolf.ranking._scores[waiting].copy()
    alike = book.counts(waiting)[:, Count.ALIKE_WORTH]
    assert (wolf.evidence.paid, book.count_of(behind, Count.PAID)) == (1, 1)
    wolf.correct(replace(wrong, verdict=Verdict(0.0, False)))
    assert wolf.evidence.paid == 0
    assert value_of(wolf, wrong.link) == 0
    assert book.value.item(book.page.item(book.find(seed_link(HOME).fingerprint))) == 0
    assert book.count_of(behind, Count.PAID) == 0
    listed = alike > 0
    assert listed.any()
    assert book.counts(waiting)[listed, Count.ALIKE_WORTH].tolist() == (alike[listed] - 1).tolist()
    after = wolf.evidence.rows(waiting)
    words = AT["rate_anchor"]
    assert (after[listed, words] < before[listed, words]).all()
    told = listed | (waiting == behind)
    assert (wolf.ranking._scores[waiting] < scores)[told].all()
    assert book.fetched(number)


def test_after_a_correction_the_weights_are_fitted_to_the_new_label() -> None:
    one, other = wolf_of(breadth=0.0), wolf_of(breadth=0.0)
    wrong = first_page(one)[0]
    first_page(other)
    one.correct(replace(wrong, verdict=Verdict(0.0, False)))
    for wolf in (one, other):
        fetch(wolf, "<p>nothing</p>")
    bias = AT["bias"]
    assert one.opinion.learner.weights[bias] < other.opinion.learner.weights[bias]


def test_after_a_correction_nobody_waits_for_the_next_fit() -> None:
    """By then the weights are fitted every few pages only."""
    changed = []
    for corrected in (False, True):
        wolf = wolf_of(breadth=0.0)
        visits = hunt(wolf, 46)
        while wolf._fit_at <= wolf.examples.count + 2:
            fetch(wolf, "<p>nothing</p>")
        before = wolf.opinion.learner.weights.copy()
        if corrected:
            wolf.correct(replace(visits[9], verdict=Verdict(1.0, True)))
        fetch(wolf, "<p>nothing</p>")
        changed.append(not np.array_equal(wolf.opinion.learner.weights, before))
    assert changed == [False, True]


def test_corrections_of_shades_leave_nothing_behind() -> None:
    """Also of pages that paid next to nothing, and before their neighbours were told."""
    wolf = wolf_of(breadth=0.0)
    wolf.start([seed_link(HOME)])
    fetch(wolf, anchors({f"/p/{n}": "sign in" for n in range(12)}))
    visits = []
    for relevance in (1.0, 1e-9, 0.1, 0.3, 0.4):
        link = wolf.next()
        assert link is not None
        visits.append(Visit(link, Page(link.url), Verdict(relevance, False)))
        wolf.learn(visits[-1])
    for each in visits:
        wolf.correct(replace(each, verdict=Verdict(0.0, False)))
    book = wolf.evidence.book
    assert wolf.evidence.paid == 0
    assert book.counts(np.arange(book.size, dtype=np.int32)).min() == 0
    assert not wolf.ranking._scores[: book.size][np.isnan(wolf.ranking._scores[: book.size])].size
    copy = wolf_of(breadth=0.0)
    copy.restore(through_disk(wolf.state()))
    assert copy.next() == wolf.next()


def test_the_same_verdict_again_changes_nothing() -> None:
    wolf = wolf_of()
    visits = first_page(wolf)
    before = wolf.state()
    verdict = visits[0].verdict
    wolf.correct(replace(visits[0], verdict=Verdict(verdict.relevance, not verdict.target)))
    wolf.correct(visits[1])
    after = wolf.state()
    assert before["counters"] == after["counters"]
    assert before["ranking"]["scores"].tolist() == after["ranking"]["scores"].tolist()


def test_a_correction_of_an_unknown_page_is_a_visit() -> None:
    wolf = wolf_of()
    first_page(wolf)
    visits = wolf.evidence.visits
    wolf.correct(visit_of(seed_link("http://other.example/"), Page("http://other.example/")))
    assert (wolf.evidence.visits, wolf.evidence.paid) == (visits + 1, 2)


def test_the_lease_hands_corrections_on() -> None:
    wolf = wolf_of()
    wrong = first_page(wolf)[0]
    Leased(wolf).correct(replace(wrong, verdict=Verdict(0.0, False)))
    assert wolf.evidence.paid == 0


# -- on disk -------------------------------------------------------------------------------


@pytest.mark.parametrize("visits", [0, 3, 4, 17, 33, 70])
@pytest.mark.parametrize("corrected", [False, True])
def test_a_restored_hunt_goes_on_alike(
    visits: int, corrected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wolf_policy, "_AT_LEAST", 4)  # so that few and all are not the same
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    web, judge = HandMade(hub_web()), KeywordJudge(TOPIC)
    seen = list(replay(web, wolf, judge, pages=visits)) if visits else []
    if corrected and seen:
        wrong = seen[len(seen) // 2]
        wolf.correct(replace(wrong, verdict=Verdict(1.0 - wrong.verdict.relevant, False)))
    copy = copied(wolf, wolf_of)
    assert isinstance(copy, Wolf)
    assert len(copy) == len(wolf)
    rest = digest(list(replay(web, wolf, judge)))
    assert digest(list(replay(web, copy, judge))) == rest
    assert copy._all_at == wolf._all_at


def test_a_restored_hunt_explains_itself_alike(recording: Recording) -> None:
    wolf = Wolf(topic=recording.topic)
    judge = KeywordJudge(recording.topic)
    web = RecordedWeb(recording.folder)
    list(replay(web, wolf, judge, [seed_link(recording.start)], pages=50))
    copy = copied(wolf, lambda: Wolf(topic=recording.topic))
    assert isinstance(copy, Wolf)
    for key in wolf.frontier.waiting().tolist()[:20]:
        assert copy.receipt(key) == wolf.receipt(key)


# -- from hunt to hunt ---------------------------------------------------------------------


def after_a_hunt() -> dict[str, Any]:
    wolf = wolf_of()
    hunt(wolf, 80)
    carried: dict[str, Any] = through_disk(wolf.carried())
    return carried


def test_the_same_topic_takes_weights_and_words() -> None:
    carried = after_a_hunt()
    wolf = wolf_of()
    wolf.carry(carried)
    assert wolf.opinion.learner.weights.tolist() == np.asarray(carried["weights"]).tolist()
    assert wolf.opinion.learner.prior.tolist() == wolf.opinion.learner.weights.tolist()
    used = np.asarray(carried["rates"]["tokens"], np.uint32)
    assert wolf.evidence.rates.known(used).all()
    assert wolf.evidence.base != wolf_of().evidence.base
    wolf.start([seed_link(HOME)])
    for _ in range(2):
        fetch(wolf, anchors({f"/{n}": "words nobody knows" for n in range(400)}))
    assert 0 < (wolf.drift() or 0) < 1


def test_another_topic_takes_weights_only() -> None:
    carried = after_a_hunt()
    wolf = Wolf(topic=Topic.of("kitchen garden"))
    wolf.carry(carried)
    assert wolf.opinion.learner.weights.tolist() == np.asarray(carried["weights"]).tolist()
    used = np.asarray(carried["rates"]["tokens"], np.uint32)
    assert not wolf.evidence.rates.known(used).any()
    assert wolf.evidence.base == wolf_of().evidence.base
    assert wolf.drift() is None


def test_a_second_hunt_finds_the_list_sooner() -> None:
    first, second = wolf_of(), wolf_of()
    steps = [step for step, visit in enumerate(hunt(first)) if visit.verdict.relevant]
    second.carry(through_disk(first.carried()))
    again = [step for step, visit in enumerate(hunt(second)) if visit.verdict.relevant]
    assert np.mean(again) < np.mean(steps)


def without_a_feature(carried: dict[str, Any]) -> None:
    carried["features"] = list(FEATURES[:-1])


def with_other_tokens(carried: dict[str, Any]) -> None:
    del carried["tokens"]  # as before tokens had versions


def without_words(carried: dict[str, Any]) -> None:
    del carried["rates"]


def with_wrong_weights(carried: dict[str, Any]) -> None:
    carried["weights"] = np.full(len(FEATURES), np.nan)


def with_few_weights(carried: dict[str, Any]) -> None:
    carried["weights"] = np.ones(3)


@pytest.mark.parametrize(
    "spoil",
    [without_a_feature, with_other_tokens, without_words, with_wrong_weights, with_few_weights],
)
def test_what_does_not_fit_is_a_sentence(spoil: Callable[[Any], None], tmp_path: Any) -> None:
    path = tmp_path / "weights"
    teacher = wolf_of()
    hunt(teacher, 20)
    carried = teacher.carried()
    spoil(carried)
    teacher.carried = lambda: carried  # type: ignore[method-assign]
    put_down(path, teacher, "wolf")
    with pytest.raises((BadInput, DamagedFile), match="another"):
        take_up(path, wolf_of(), "wolf")


def test_asking_while_all_hosts_rest_is_no_turn_of_the_nearest_link() -> None:
    patient, pestered = wolf_of(), wolf_of()
    for wolf in (patient, pestered):
        hunt(wolf, 3)
    for _ in range(50):
        assert pestered.next({"a.example"}) is None
    rest = [[visit.link.url for visit in _go_on(wolf, 20)] for wolf in (patient, pestered)]
    assert rest[0] == rest[1]


def test_seeds_that_are_out_are_no_turns_of_the_nearest_link() -> None:
    """After twenty of them, about every second link comes in turn, as after one."""
    wolf = wolf_of()
    wolf.start([seed_link(f"http://{n}.example/") for n in range(20)])
    first, *_ = [wolf.next() for _ in range(20)]
    assert first is not None
    page = parse_html(anchors({f"/{n}": "soup" for n in range(60)}).encode(), first.url)
    wolf.learn(Visit(first, page, Verdict(0.0, False)))
    turns = [fetch(wolf, "<p>pepper</p>").score == 0 for _ in range(12)]
    assert sum(turns) <= 7


def turns_of_the_nearest(found: int, barren: int, breadth: float) -> list[bool]:
    """Whether each link came in turn, of a hunt that found so many pages and then none."""
    wolf = wolf_of(breadth=breadth)
    wolf.start([seed_link(HOME)])
    good, bad = ({f"/{kind}/{n}": kind for n in range(300)} for kind in ("eclipse", "soup"))
    fetch(wolf, anchors(good) + anchors(bad))
    for _ in range(found):
        assert "eclipse" in fetch(wolf, "<p>eclipse</p>", relevant=True).url
    return [fetch(wolf, "<p>pepper</p>").score == 0 for _ in range(barren)]


def test_who_finds_nothing_for_long_looks_around_again() -> None:
    turns = turns_of_the_nearest(found=40, barren=300, breadth=0.5)
    assert not any(turns[:20])  # much was found lately
    assert sum(turns) > 5
    assert not any(turns_of_the_nearest(found=40, barren=300, breadth=0.0))


def test_who_waits_for_a_busy_host_that_promises_much_does_not_look_around() -> None:
    """Links of another host come meanwhile, and none of them in turn."""
    wolf = wolf_of()
    wolf.start([seed_link(HOME)])
    good = {f"/eclipse/{n}": "solar eclipse" for n in range(40)}
    bad = {f"http://b.example/{n}": "soup" for n in range(200)}
    fetch(wolf, anchors(bad) + anchors(good))
    for _ in range(20):
        assert "eclipse" in fetch(wolf, "<p>eclipse</p>", relevant=True).url
    for _ in range(150):
        link = wolf.next({"a.example"})
        assert link is not None
        assert link.score < 0  # it came by its score
        wolf.learn(visit_of(link))
    assert "eclipse" in fetch(wolf, "<p>eclipse</p>", relevant=True).url


def _go_on(wolf: Wolf, pages: int) -> list[Visit]:
    return list(replay(HandMade(hub_web()), wolf, KeywordJudge(TOPIC), pages=pages))
