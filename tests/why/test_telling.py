"""Stories of links, on a web made by hand on which every number can be counted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from checks import choice
from explaining import LIKELY, NAME, UNLIKELY, Explaining, install
from recordings import compile_web, moved, page
from wolfspider.asked import Asked
from wolfspider.errors import BadInput
from wolfspider.hunt import Hunt
from wolfspider.leases import Leased
from wolfspider.pages import parse_html
from wolfspider.records import Clue, Exchange, Link, Page, Receipt, Response, Verdict, Visit
from wolfspider.store import HuntReader, HuntStore
from wolfspider.store.feedback import say
from wolfspider.store.opening import open_hunt
from wolfspider.text import term_id
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.why import Found, NamedClue, Other, Paid, Story, Teller, clues_that_paid
from wolfspider.why.addresses import close_to
from wolfspider.why.words import Words

A = "http://a.test/"
HOME = (
    "<title>Home</title><h1>Animals</h1><ul class=menu><li><a href=/wolf>Grey Wolves</a></ul>"
    "<p>Solar things: <a href=/cats>Felines</a>, <a href=/birds>Birds</a>, "
    "<a href=/dogs>Dogs</a>"
)
SITE = [
    page(A, HOME),
    page(f"{A}wolf", "<title>Wolves</title><p>Wolf wolf. <a href=/dogs>Tame wolf</a>"),
    moved(f"{A}old", "/cats"),
    page(f"{A}cats", "<title>Cats</title><p>Cats sleep."),
    page(f"{A}birds", "<title>Birds</title><p>Birds sing."),
    page(f"{A}dogs", "<title>Dogs</title><p>Dogs bark."),
]


async def _hunt(asked: Asked, folder: Path) -> None:
    async with Hunt.begin(asked, folder) as hunt:
        async for _ in hunt.visits():
            pass
        hunt.finish()


def hunted(folder: Path, web: Path, policy: str = NAME, pages: int = 4) -> Path:
    """Home, then the wolves, whose anchor is on topic, then the others in their order."""
    asked = Asked("wolf", (A,), str(web), pages=pages, policy=policy)
    asyncio.run(_hunt(asked, folder))
    return folder


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_web(tmp_path_factory.mktemp("webs") / "animals", SITE).folder


@pytest.fixture
def teller(web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Teller]:
    monkeypatch.syspath_prepend(str(install(tmp_path / "installed")))
    with open_hunt(hunted(tmp_path / "hunt", web)) as reader:
        yield Teller(reader)


def test_a_page_that_was_fetched(teller: Teller) -> None:
    story = teller.tell(f"{A}wolf")
    assert story.title == "Wolves"
    assert story.sentence == "it was fetched, and is relevant"
    assert (story.state, story.step, story.steps) == ("fetched", 2, 4)
    assert story.found == Found(1, A, "Home", "Grey Wolves")
    assert (story.relevant, story.expected, story.rank, story.waiting) == (True, LIKELY, 1, 4)
    assert story.clues == (
        NamedClue('anchor "Grey"', "anchor", 0.5),
        NamedClue("tag path body/ul.menu/li/a", "path", -0.25),
    )
    assert story.first is not None
    assert (story.first.pages, story.first.best, story.notes) == (0, (), ())


def test_what_a_link_was_passed_over_for(teller: Teller) -> None:
    cats, birds = teller.tell(f"{A}cats"), teller.tell(f"{A}birds")
    assert (cats.step, cats.relevant, cats.clues[0].clue) == (3, False, 'anchor "Felines"')
    assert cats.sentence == "it was fetched, and is not relevant"
    assert cats.first is not None
    [wolf] = cats.first.best
    assert (cats.first.pages, cats.first.relevant) == (1, 1)
    assert replace(wolf, score=None) == Other(2, f"{A}wolf", "Wolves", LIKELY, None, "relevant")
    assert birds.first is not None
    assert (birds.first.pages, birds.first.relevant) == (2, 1)
    assert [other.url for other in birds.first.best] == [f"{A}wolf", f"{A}cats"]


def test_an_address_that_the_recorded_web_redirects_is_its_page(teller: Teller) -> None:
    assert teller.tell(f"{A}old") == teller.tell(f"{A}cats")


def test_a_seed(teller: Teller) -> None:
    story = teller.tell(A)
    assert story.sentence == (
        "it is a seed: the hunt began with it, no link led to it; "
        "it was fetched, and is not relevant"
    )
    assert (story.seed, story.found, story.clues, story.notes) == (True, None, (), ())


def test_a_link_that_waits(teller: Teller) -> None:
    for _ in range(2):  # asking changes nothing
        story = teller.tell(f"{A}dogs")
        assert (story.state, story.step, story.steps) == ("waiting", 4, 4)
        assert story.sentence == "it has not been followed yet: it waits"
        assert story.found == Found(1, A, "Home", "Dogs")
        assert (story.expected, story.rank, story.waiting) == (UNLIKELY, 1, 1)
        assert [clue.clue for clue in story.clues] == ['anchor "Dogs"', "tag path body/p/a"]
        assert story.first is not None
        assert (story.first.pages, story.first.relevant) == (3, 1)
        assert [other.came for other in story.first.best] == [*["not relevant"] * 2, "relevant"]
        assert (story.relevant, story.notes) == (None, ())


def test_the_scheme_can_be_left_out(teller: Teller) -> None:
    assert teller.tell("a.test/wolf") == teller.tell(f"{A}wolf")
    assert teller.tell("a.test/dogs") == teller.tell(f" {A}dogs#top ")


def test_an_address_that_is_not_there_is_told_with_close_ones(teller: Teller) -> None:
    with pytest.raises(BadInput) as error:
        teller.tell(f"{A}wulf")
    assert f"not followed a link to {A}wulf, and none waits; did you mean {A}wolf" in str(
        error.value
    )
    with pytest.raises(BadInput, match=rf"did you mean .*{A}dogs"):
        teller.tell("a.test/dog")
    with pytest.raises(BadInput, match=r"none waits; where it has been .* export .*hunt$"):
        teller.tell("nonsense")


def test_a_persons_word_is_named(teller: Teller, tmp_path: Path) -> None:
    say(tmp_path / "hunt", f"{A}cats", relevant=True)
    assert teller.tell(f"{A}cats").notes == (
        "its verdict is the word of a person, not that of the judge",
    )


def test_a_policy_without_receipts_is_said_and_what_is_known_is_told(
    web: Path, tmp_path: Path
) -> None:
    with open_hunt(hunted(tmp_path / "hunt", web, "best-first:on=both")) as reader:
        teller = Teller(reader)
        cats, dogs = teller.tell(f"{A}cats"), teller.tell(f"{A}dogs")
        assert clues_that_paid(reader, 5).pages == 0
    for story in (cats, dogs):
        assert story.notes == (
            "there is no receipt: the policy best-first:on=both cannot say why it chooses a link",
        )
        assert (story.expected, story.rank, story.clues) == (None, None, ())
        assert story.found is not None
        assert story.score is not None


def test_other_frontiers_are_asked_too(web: Path, tmp_path: Path) -> None:
    for number, policy in enumerate(("sarsa", "infospiders", "breadth-first")):
        folder = hunted(tmp_path / str(number), web, policy, pages=2)
        with open_hunt(folder) as reader:
            teller, done = Teller(reader), reader.count("count(*) FROM pages")
            urls = [f"{A}{name}" for name in ("wolf", "cats", "birds", "dogs")]
            states = [teller.tell(url).state for url in urls]
        assert states.count("waiting") == len(urls) - (done - 1), policy


def test_without_the_web_clues_have_the_words_that_the_database_has(
    web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(install(tmp_path / "installed")))
    folder = hunted(tmp_path / "hunt", web)
    toml = (folder / "hunt.toml").read_text().replace(str(web), str(tmp_path / "nowhere"))
    (folder / "hunt.toml").write_text(toml)
    with open_hunt(folder) as reader:
        story = Teller(reader).tell(f"{A}wolf")
    assert [clue.clue for clue in story.clues] == ['anchor "Grey"', "tag path ?"]
    assert story.notes[0].startswith("some words are not known: the web of this hunt is not")


# -- a hunt that is written by hand --------------------------------------------------------

ASKED = {"topic": "wolf", "seeds": [A], "web": "live", "policy": "gone-away", "pages": 9}


def written(folder: Path, *visits: Visit, **asked: object) -> Path:
    with HuntStore.create(folder, ASKED | asked) as store:
        for each in visits:
            store.add(each)
    return folder


def visit(name: str, *clues: Clue, relevant: bool = False, **response: object) -> Visit:
    url = f"{A}{name}"
    receipt = Receipt(0.5, 1, 9, False, clues) if clues else None
    link = Link(url, 1, "a.test", name, A if name else "", 1 if name else 0, receipt=receipt)
    answer = Response(url, 200, **response)  # type: ignore[arg-type]
    return Visit(link, Page(url, name.title()), Verdict(float(relevant), relevant), answer)


def story_of(folder: Path, text: str) -> Story:
    with open_hunt(folder) as reader:
        return Teller(reader).tell(text)


def test_a_link_that_was_refused(tmp_path: Path) -> None:
    clue = Clue("word", 5, 1.0)
    why = "robots.txt of a.test forbids it"
    refused = visit("no", clue, error="robots", detail=why, refused=True)
    folder = written(tmp_path, visit(""), refused, visit("trap", clue, error="trap", refused=True))
    assert story_of(folder, f"{A}no").sentence == (
        f"it was chosen, but not asked for (robots: {why})"
    )
    assert story_of(folder, f"{A}trap").sentence == (
        "it was chosen, but not asked for (trap: the address looks like one of an endless row)"
    )


def test_a_page_that_failed(tmp_path: Path) -> None:
    clue = Clue("word", 5, 1.0)
    failed = visit("x", clue, error="status 404"), visit("y", clue, error="dns")
    folder = written(tmp_path, visit(""), *failed, visit("z", clue))
    story = story_of(folder, f"{A}x")
    assert (story.state, story.relevant, story.expected) == ("failed", None, 0.5)
    assert story.sentence == "it was asked for, but could not be had (status 404)"
    assert story_of(folder, f"{A}y").sentence == (
        "it was asked for, but could not be had (dns: the host's name has no address, "
        "or the name server does not tell)"
    )
    first = story_of(folder, f"{A}z").first
    assert first is not None
    assert [other.came for other in first.best] == ["failed", "failed"]


def test_a_redirect_its_target_and_one_on_the_way(tmp_path: Path) -> None:
    head = b"HTTP/1.1 301 Moved\r\n\r\n"
    hops = [Exchange(f"{A}{name}", 301, head, at=1e9) for name in ("x", "hop", "end")]
    moved_ = visit("x", exchanges=tuple(hops))
    folder = written(tmp_path, visit(""), replace(moved_, page=Page(f"{A}end", "End")))
    came = "it was fetched, and is not relevant"
    assert story_of(folder, f"{A}x").url == f"{A}x"  # the one that was asked for
    assert story_of(folder, f"{A}x").sentence == f"it redirects to {A}end; {came}"
    assert story_of(folder, f"{A}end").sentence == f"{A}x redirects to it; {came}"
    assert story_of(folder, f"{A}hop").sentence == (
        f"it is a redirect on the way from {A}x to {A}end; {came}"
    )
    assert {story_of(folder, f"{A}{name}").link for name in ("x", "hop", "end")} == {f"{A}x"}


def test_a_page_that_another_address_led_to_before(tmp_path: Path) -> None:
    seen = replace(visit("x"), response=Response(f"{A}x", error="seen", detail="another led to it"))
    moved_ = replace(visit("old"), page=Page(f"{A}x"), response=seen.response)
    folder = written(tmp_path, visit(""), seen, moved_)
    assert story_of(folder, f"{A}x").sentence == "it was not fetched: another led to it"
    story = story_of(folder, f"{A}old")
    assert (story.url, story.page) == (f"{A}old", f"{A}x")
    assert story.sentence == f"it redirects to {A}x; it was not fetched: that page came before"


def one_link_out() -> tuple[Leased, Visit, Link]:
    """A policy that has seen the home page, that visit, and the link that it chose then."""
    policy = Leased(Explaining(topic=Topic.of("wolf")))
    policy.receipts = True
    policy.start([seed_link(A)])
    first = Visit(choice(policy), parse_html(HOME.encode(), A), response=Response(A, 200))
    policy.learn(first)
    return policy, first, choice(policy)


def test_a_link_that_was_out_when_the_hunt_last_wrote_down_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(install(tmp_path / "installed")))
    policy, first, _ = one_link_out()
    folder = tmp_path / "hunt"
    with HuntStore.create(folder, ASKED | {"policy": NAME}) as store:
        store.add(first)
        store.checkpoint({"policy": policy.state(), "web": {}})
        store.add(visit("later", relevant=True))
    story = story_of(folder, f"{A}wolf")
    assert (story.state, story.step, story.steps) == ("out", 1, 2)
    assert story.sentence == (
        "it was chosen, and had not come back when the hunt last wrote down where it is"
    )
    assert (story.expected, story.waiting) == (LIKELY, 4)
    assert [clue.kind for clue in story.clues] == ["anchor", "path"]
    assert story.notes == ("1 page has been fetched since, which may have changed this",)
    with pytest.raises(BadInput, match=r"links found after step 1 of 2 are seen here when"):
        story_of(folder, f"{A}new")


def test_what_was_fetched_since_the_checkpoint_no_longer_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(install(tmp_path / "installed")))
    policy, first, _ = one_link_out()
    for later, waiting in ([], ["cats", "birds", "dogs"]), (["cats"], ["birds", "dogs"]):
        folder = tmp_path / f"hunt{len(later)}"
        with HuntStore.create(folder, ASKED | {"policy": NAME}) as store:
            store.add(first)
            store.checkpoint({"policy": policy.state(), "web": {}})
            for name in later:
                store.add(visit(name))
        assert best_waiting(folder) == [f"{A}{name}" for name in waiting]


def best_waiting(folder: Path) -> list[str]:
    with open_hunt(folder) as reader:
        return [link.url for link, _ in Teller(reader).best_waiting(3)]


@pytest.mark.parametrize(
    ("rank", "explored", "web", "ahead"),
    [
        (1, False, "live", ""),
        (3, False, "live", "better ones waited until their hosts may be asked again"),
        (3, False, "nowhere", ""),  # no host of a recorded web ever rests
        (3, True, "live", ""),  # it was chosen to learn something: that is why
    ],
)
def test_why_better_links_were_not_chosen(
    tmp_path: Path, rank: int, explored: bool, web: str, ahead: str
) -> None:
    followed = visit("wolf", Clue("word", 5, 1.0))
    receipt = Receipt(0.5, rank, 120, explored, (Clue("word", 5, 1.0),))
    followed = replace(followed, link=replace(followed.link, receipt=receipt))
    story = story_of(written(tmp_path, visit(""), followed, web=web), f"{A}wolf")
    assert (story.rank, story.waiting, story.ahead) == (rank, 120, ahead)


def test_a_link_that_is_out_was_chosen_and_one_that_waits_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(install(tmp_path / "installed")))
    policy, first, out = one_link_out()
    assert out.receipt is not None
    policy._out[out.fingerprint] = replace(out, receipt=replace(out.receipt, rank=2))
    folder = tmp_path / "hunt"
    with HuntStore.create(folder, ASKED | {"policy": NAME}) as store:
        store.add(first)
        store.checkpoint({"policy": policy.state(), "web": {}})
    chosen, waits = story_of(folder, f"{A}wolf"), story_of(folder, f"{A}dogs")
    assert (chosen.state, chosen.rank) == ("out", 2)
    assert chosen.ahead == "better ones waited until their hosts may be asked again"
    assert (waits.state, waits.rank, waits.ahead) == ("waiting", 3, "")


def test_a_policy_that_is_not_installed_leaves_clues_with_plain_names(tmp_path: Path) -> None:
    clues = (Clue("anchor", term_id("wolf"), 0.5), Clue("depth", 0, -1.0))
    folder = written(tmp_path, visit(""), visit("wolf", *clues))
    story = story_of(folder, f"{A}wolf")
    assert [clue.clue for clue in story.clues] == ['anchor "wolf"', "depth"]


def test_two_schemes_with_different_pages_have_to_be_told_apart(tmp_path: Path) -> None:
    plain = visit("x")
    link = replace(plain.link, url="https://a.test/x")
    secure = replace(plain, link=link, page=Page("https://a.test/x", "Secure"))
    folder = written(tmp_path, visit(""), plain, secure)
    with pytest.raises(BadInput, match=r"can be https://a.test/x or http://a.test/x; say which"):
        story_of(folder, "a.test/x")
    assert story_of(folder, "https://a.test/x").title == "Secure"
    assert story_of(folder, "http://a.test/x").title == "X"


def test_a_database_made_anew_does_not_take_every_page_for_a_seed(tmp_path: Path) -> None:
    lost = visit("x")
    link = replace(lost.link, source="", anchor="", depth=0)
    folder = written(tmp_path, visit(""), replace(lost, link=link))
    assert story_of(folder, A).seed
    story = story_of(folder, f"{A}x")
    assert not story.seed
    assert story.notes[0].startswith("where its link was found is not known")
    assert story.score is None  # hunt.db has 0 where nobody knows


def test_an_address_out_of_scope_is_told_so(tmp_path: Path) -> None:
    folder = written(tmp_path, visit(""), stay_on="host", contact="me@a.test")
    with pytest.raises(BadInput, match=r"it would not be followed: .*\(out of scope\)"):
        story_of(folder, "http://elsewhere.test/")


@pytest.mark.parametrize("text", ["mailto:x@a.test", "javascript:void(0)", "ftp://a.test/", "?"])
def test_what_is_no_web_address_is_told_so(teller: Teller, text: str) -> None:
    with pytest.raises(BadInput, match=rf"^{re.escape(text)} is not a web address"):
        teller.tell(text)


def test_clues_that_paid_are_those_with_more_relevant_pages_than_as_many_others(
    tmp_path: Path,
) -> None:
    """6 of 10 pages with a receipt are relevant, so 0.6 of a clue's pages are to be expected.

    wolf: 4 of 4, 1.6 more; menu: 4 of 6, 0.4 more; cat: 1 of 3, 0.8 fewer; twice: too few.
    """
    wolf, cat, twice = (Clue("anchor", term_id(word), 0.5) for word in ("wolf", "cat", "twice"))
    menu, against = Clue("menu", 0, 0.25), Clue("against", 0, -2.0)
    visits = [visit("")]
    visits += [visit(f"wolf/{n}", wolf, menu, against, relevant=True) for n in range(4)]
    visits += [visit(f"menu/{n}", menu, against) for n in range(2)]
    visits += [visit(f"cat/{n}", cat, against, relevant=n == 0) for n in range(3)]
    visits += [visit("twice", twice, twice, relevant=True)]
    visits += [visit("no", cat, error="robots", refused=True)]
    with HuntReader(written(tmp_path, *visits)) as reader:
        totals = clues_that_paid(reader, 10, 10)
        assert (totals.pages, totals.relevant) == (10, 6)
        assert totals.paid == (
            Paid('anchor "wolf"', "anchor", 4, 4, 0.5),
            Paid("menu", "menu", 6, 4, 0.25),
        )
        assert totals.misled == (Paid('anchor "cat"', "anchor", 3, 1, 0.5),)
        assert (totals.lost, totals.loss) == (0, "")
        few = clues_that_paid(reader, 1)
        assert (few.paid, few.misled) == (totals.paid[:1], ())


def test_clues_of_a_hunt_made_anew_are_those_of_pages_since_then(tmp_path: Path) -> None:
    since = [visit(str(n), Clue("menu", 0, 0.5)) for n in range(3)]
    lost = [visit(f"lost/{n}") for n in range(2)]
    lost = [replace(each, link=replace(each.link, source="", depth=0)) for each in lost]
    with HuntReader(written(tmp_path, visit(""), *lost, *since)) as reader:
        totals = clues_that_paid(reader, 10)
    assert (totals.pages, totals.lost) == (3, 2)
    assert totals.loss == "Which clues led to 2 pages more was lost as hunt.db was made anew."


def test_keys_are_words_paths_hosts_and_folders(web: Path, tmp_path: Path) -> None:
    folder = hunted(tmp_path / "hunt", web, "breadth-first")
    with open_hunt(folder) as reader:
        words = Words(reader).of(f"{A}wolf/grey-pack.html", "Grey Wolves", A)
    assert words[term_id("wolv")] == "Wolves"
    assert words[term_id("pack")] == "pack"  # of the URL
    assert words[term_id("solar")] == "Solar"  # of the page
    path = "body/ul.menu/li/a"
    assert words[term_id(path)] == path
    assert words[term_id(path) ^ crc32(b"http://a.test")] == path
    assert words[crc32(b"a.test")] == "a.test"
    assert words[crc32(b"http://a.test/wolf")] == f"{A}wolf"


def test_close_addresses_are_taken_literally(tmp_path: Path) -> None:
    folder = written(tmp_path, visit(""), visit("a_b"), visit("axb"))
    with HuntReader(folder) as reader:
        assert f"{A}a_b" in close_to(reader, "a_b")
        assert close_to(reader, "%") == []


def test_arrays_are_no_stranger_to_json(tmp_path: Path) -> None:
    strange = visit("x", Clue("word", 1, np.float32(0.5)))  # type: ignore[arg-type]
    strange = replace(strange, link=replace(strange.link, score=np.inf))
    story = story_of(written(tmp_path, visit(""), strange), f"{A}x")
    assert story.score is None
    assert story.as_json()["clues"] == ({"clue": "word", "kind": "word", "weight": 0.5},)
