"""Rows of numbers for links, by hand on a few pages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checks import through_disk
from wolfspider.clues.book import Said
from wolfspider.clues.evidence import AT, FEATURES, Evidence, together
from wolfspider.clues.priors import FIRMNESS, PRIOR
from wolfspider.clues.tokens import KINDS
from wolfspider.records import NO_LINKS, Link, Page, Verdict, Visit
from wolfspider.text import terms
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wordy import Words, wordy

HOME, ONE, TWO, AWAY = (
    *("http://a.test/x/home", "http://a.test/x/one", "http://a.test/two"),
    "http://b.test/x/away",
)
LINKS: Words = {
    ONE: {"anchor": "solar eclipse", "context": "zorp"},
    TWO: {"anchor": "kitchen"},
    AWAY: {"url": "eclipse"},
}
TOPIC = Topic.of("solar eclipse")


def visit(
    url: str, links: Words | None = None, text: str = "", *, relevant: bool = False, title: str = ""
) -> Visit:
    found = wordy(links) if links else NO_LINKS
    page = Page(url, title, terms=terms(text), links=found)
    return Visit(seed_link(url), page, Verdict(float(relevant), relevant))


HUNDREDTH, EIGHTH = 0.01, 0.125  # in which a book keeps what pages say


class Told:
    """Evidence that was told of some visits, the first of a seed."""

    def __init__(self, *visits: Visit, topic: Topic = TOPIC, hears_again: bool = False) -> None:
        self.evidence = Evidence(topic, 2.0)
        self.evidence.hears_again = hears_again
        self.evidence.sow(visits[0].link.fingerprint)
        for each in visits:
            self.tell(each)

    def number(self, link: Link | str) -> int:
        return self.evidence.book.number(
            seed_link(link).fingerprint if isinstance(link, str) else link.fingerprint
        )

    def tell(self, visit: Visit) -> None:
        number, paid = self.number(visit.link), float(visit.verdict.relevant)
        talk = self.evidence.fetch(number, visit, paid)
        if len(visit.page.links):
            self.evidence.find(visit.page.links, number, visit, paid, talk)

    def correct(self, visit: Visit) -> None:
        self.evidence.correct(self.number(visit.link), visit, float(visit.verdict.relevant))

    def row(self, url: str) -> dict[str, float]:
        self.evidence.book.tell_neighbours()
        [row] = self.evidence.rows(np.array([self.number(url)], np.intp))
        return {name: row.item(at) for name, at in AT.items()}


def test_every_feature_has_a_prior() -> None:
    assert len(set(FEATURES)) == len(FEATURES) == len(PRIOR) == len(FIRMNESS)
    assert (FIRMNESS > 0).all()
    assert [AT[f"rate_{kind}"] - AT["rate_anchor"] for kind in KINDS] == list(range(len(KINDS)))


def test_what_a_page_says_of_its_links() -> None:
    told = Told(visit(HOME, LINKS, "solar moon moon", title="Eclipse"))
    one, two, away = (told.row(url) for url in (ONE, TWO, AWAY))
    half = 1 / math.sqrt(2)
    assert (one["anchor"], two["anchor"], away["url"]) == pytest.approx(
        (1, 0, half), abs=HUNDREDTH / 2
    )
    assert one["page"] == two["page"] == pytest.approx(1 / math.sqrt(2 * 5), abs=HUNDREDTH / 2)
    assert one["title"] == pytest.approx(half, abs=HUNDREDTH / 2)
    assert [row["same_host"] for row in (one, two, away)] == [1, 1, 0]
    assert [row["same_folder"] for row in (one, two, away)] == [1, 0, 0]
    assert [row["upward"] for row in (one, two, away)] == [0, 1, 0]
    assert one["alone"] == pytest.approx(-math.log(4), abs=EIGHTH / 2)
    assert (one["shallow"], one["near"]) == (-1, -6)
    assert (one["bias"], one["some_paid"], one["led_by"]) == (1, 0, 0)
    assert one["sources"] == pytest.approx(math.log(2))


def test_a_folder_whose_name_begins_alike_is_not_above() -> None:
    beside, above = "http://a.test/stud/one", "http://a.test/two"
    told = Told(visit("http://a.test/students/home", {beside: {}, above: {}}))
    assert [told.row(url)["upward"] for url in (beside, above)] == [0, 1]


def test_links_of_a_relevant_page_are_near_and_those_behind_them_farther() -> None:
    behind = "http://a.test/behind"
    told = Told(visit(HOME, LINKS, relevant=True), visit(ONE, {behind: {}}))
    assert (told.row(TWO)["near"], told.row(behind)["near"]) == (0, -1)
    assert (told.row(TWO)["shallow"], told.row(behind)["shallow"]) == (-1, -2)
    assert told.row(behind)["led_by"] == pytest.approx(1, abs=HUNDREDTH / 2)
    assert told.row(TWO)["some_paid"] == 1


def test_a_better_source_counts_and_a_worse_one_does_not() -> None:
    one = Told(visit(HOME, LINKS), visit(ONE, {TWO: {"anchor": "eclipse"}}))
    assert one.row(TWO)["anchor"] == pytest.approx(1 / math.sqrt(2), abs=HUNDREDTH / 2)
    assert one.row(TWO)["shallow"] == -1
    assert one.row(TWO)["sources"] == pytest.approx(math.log(3))


def test_lifts_of_counts_by_hand() -> None:
    """The seed paid nothing, ONE paid; p = (1 + 10 · 0.05) / (2 + 10)."""
    told = Told(visit(HOME, LINKS), visit(ONE, relevant=True))
    base = told.evidence.base
    assert base == pytest.approx(1.5 / 12)
    two = told.row(TWO)
    assert two["sources_paid"] == pytest.approx(math.log(2 / 3), abs=1e-5)
    assert two["alike_worth"] == pytest.approx(math.log((1 / base + 2) / 3), abs=1e-5)
    assert two["beside_paid"] == pytest.approx(math.log((1 / base + 1) / 2), abs=1e-5)
    away = told.row(AWAY)  # two places away: half of it
    assert away["beside_paid"] == pytest.approx(math.log((0.5 / base + 1) / 1.5), abs=1e-5)


def test_where_nothing_pays_neighbours_that_did_not_say_little() -> None:
    """p = 0.5 / 410 after 400 visits; a pay of 0.03 is expected of 24.6 links, not of 2."""
    told = Told(visit(HOME, LINKS), visit(ONE))
    for _ in range(398):
        told.evidence.visits += 1
    held_back = 0.03 / told.evidence.base
    assert held_back == pytest.approx(24.6)
    assert told.row(TWO)["alike_worth"] == pytest.approx(
        math.log(held_back / (1 + held_back)), abs=1e-5
    )


def test_rates_of_words_by_hand() -> None:
    told = Told(visit(HOME, LINKS), visit(ONE, relevant=True))
    told.tell(visit(TWO, {"http://a.test/x/3": {"anchor": "solar kitchen"}}))
    base = told.evidence.base
    assert base == pytest.approx(1.5 / 13)
    solar, kitchen = (math.log((paid / base + 2) / 3) for paid in (1, 0))
    row = told.row("http://a.test/x/3")
    assert row["rate_anchor"] == pytest.approx((solar + kitchen) / 2**0.5, abs=1e-5)
    assert row["rate_context"] == row["rate_heading"] == 0
    assert row["rate_source"] == 0  # "kitchen" has not been the word of a source


def test_words_of_relevant_pages_make_links_talk() -> None:
    links: Words = {"http://a.test/1": {"anchor": "moon"}, "http://a.test/2": {"anchor": "soup"}}
    told = Told(visit(HOME, LINKS, "soup pepper"), visit(ONE, LINKS, "moon sun", relevant=True))
    told.tell(visit(TWO, links, "moon salt"))
    moon, soup = told.row("http://a.test/1"), told.row("http://a.test/2")
    base = told.evidence.page_base
    assert base == pytest.approx(1.5 / 5)
    assert moon["talk_anchor"] == pytest.approx(math.log((1 / base + 3) / 5), abs=1e-5)
    assert soup["talk_anchor"] == pytest.approx(math.log(3 / 4), abs=1e-5)
    # The page's own words were weighed before it was learned: moon 1 of 1, salt never seen.
    assert moon["talk"] == pytest.approx(math.log((1 / base + 3) / 4) / 2, abs=1e-3)


def test_a_link_found_again_after_it_was_fetched_is_an_example_too() -> None:
    told = Told(visit(HOME, LINKS), visit(ONE, relevant=True))
    before = told.row(AWAY)["rate_host"]
    told.tell(visit(TWO, {ONE: {"anchor": "comet"}, "http://a.test/c": {"anchor": "comet"}}))
    base = told.evidence.base
    assert told.row("http://a.test/c")["rate_anchor"] == pytest.approx(
        math.log((1 / base + 2) / 3), abs=1e-5
    )
    assert before == 0


def test_value_found_later_counts_for_the_words_of_the_hub() -> None:
    told = Told(visit(HOME, LINKS), visit(ONE, {"http://a.test/p": {"anchor": "page"}}))
    before = told.row(AWAY)
    told.tell(visit("http://a.test/p", relevant=True))
    told.tell(visit(TWO, {"http://a.test/h": {"anchor": "solar eclipse"}}))
    base = told.evidence.base
    hub = told.row("http://a.test/h")["rate_anchor"]
    word = math.log((0.5 / base + 2) / 3)  # 1 of 2 fetches
    assert hub == pytest.approx(2 * word / 2**0.5, abs=1e-5)
    assert before["rate_anchor"] == 0


def rows_of(told: Told) -> Any:
    told.evidence.book.tell_neighbours()
    return told.evidence.rows(np.arange(told.evidence.book.size, dtype=np.intp))


def test_a_correction_gives_the_rows_of_a_hunt_with_the_right_verdict() -> None:
    def hunt(relevant: bool) -> Told:
        page = visit(ONE, {"http://a.test/3": {"anchor": "page"}}, "moon sun", relevant=relevant)
        return Told(visit(HOME, LINKS, "soup"), page, visit(TWO, text="soup moon"))

    fixed, right = hunt(False), hunt(True)
    fixed.correct(visit(ONE, {"http://a.test/3": {"anchor": "page"}}, "moon sun", relevant=True))
    assert rows_of(fixed) == pytest.approx(rows_of(right), abs=1e-5)
    assert fixed.evidence.paid == right.evidence.paid == 1


def test_a_correction_that_is_taken_back_changes_nothing() -> None:
    """Here the page on the way is no better than all of its trip."""
    told = Told(visit(HOME, LINKS, "soup"), visit(ONE, {"http://a.test/3": {}}, "moon"))
    before = rows_of(told)
    told.correct(visit(ONE, {"http://a.test/3": {}}, "moon", relevant=True))
    assert not np.allclose(rows_of(told), before, atol=0.05)
    told.correct(visit(ONE, {"http://a.test/3": {}}, "moon"))
    assert rows_of(told) == pytest.approx(before, abs=1e-5)


def test_foreign_is_the_share_of_tokens_that_were_not_carried() -> None:
    teacher, pupil = Told(visit(HOME, LINKS), visit(ONE)), Evidence(TOPIC, 2.0)
    assert pupil.foreign is None
    pupil.carry(through_disk(teacher.evidence.carried()), 5.0)
    assert pupil.foreign is None  # nothing was met yet
    told = Told(visit(HOME))
    told.evidence = pupil
    pupil.sow(seed_link(HOME).fingerprint)
    rows: Words = {f"http://a.test/x/{n}": {"anchor": "solar new"} for n in range(200)}
    told.tell(visit(HOME, rows))
    # Of seven tokens "solar", path, template, host and folder were known, "new" and shape not.
    assert pupil.foreign == pytest.approx(2 / 7, abs=1e-6)
    # What it learns here stays foreign, and so are the two words that led to the next page.
    told.tell(visit("http://a.test/x/0"))
    more: Words = {f"http://a.test/x/{n}": {"anchor": "solar new"} for n in range(200, 400)}
    told.tell(visit("http://a.test/x/1", more))
    assert pupil.foreign == pytest.approx((2 + 4) / (7 + 9), abs=1e-6)
    copy = Evidence(TOPIC, 2.0)
    copy.restore(through_disk(pupil.state()))
    everything = np.arange(1 << 19, dtype=np.uint32)
    assert copy.rates.known(everything).tolist() == pupil.rates.known(everything).tolist()


def test_what_was_carried_is_handed_on_as_it_came() -> None:
    teacher = Told(visit(HOME, LINKS), visit(ONE, relevant=True)).evidence
    first, second = Evidence(TOPIC, 2.0), Evidence(TOPIC, 2.0)
    first.carry(teacher.carried(), 5.0)
    second.carry(through_disk(first.carried()), 5.0)
    everything = np.arange(1 << 19, dtype=np.uint32)
    assert second.base == pytest.approx(first.base)
    lifts = [each.rates.lift(everything, each.base) for each in (first, second)]
    assert lifts[0].max() > 0.1
    assert lifts[1] == pytest.approx(lifts[0], abs=1e-5)


def test_evidence_of_two_hunts_counts_in_base_rates_of_each() -> None:
    """Usual are (1 + 0.5) / (4 + 10) and 0.5 / (6 + 10), and of both 1.5 / 20."""
    rates = {"tokens": np.array([3, 5], np.uint32), "seen": np.array([1.0, 2.0])}
    one = {"visits": 4, "paid": 1.0, "rates": rates | {"paid": np.array([1.0, 0.0])}}
    one |= {"usual": 1.5 / 14}
    other_rates = {"tokens": [5], "seen": [4.0], "paid": np.array([2.0])}
    other = {"visits": 6, "paid": 0.0, "rates": other_rates, "usual": 0.5 / 16}
    both = together([each | {"speech": each["rates"]} for each in (one, other)])
    assert (both["visits"], both["paid"]) == (10, 1)
    for name in ("rates", "speech"):
        assert both[name]["tokens"].tolist() == [3, 5]
        assert both[name]["seen"].tolist() == [1, 6]
        assert both[name]["paid"] == pytest.approx([0.075 * 14 / 1.5, 2 * 0.075 * 16 / 0.5])


def test_a_state_gives_the_same_rows() -> None:
    told = Told(visit(HOME, LINKS, "soup"), visit(ONE, LINKS, "moon", relevant=True))
    copy = Evidence(TOPIC, 2.0)
    copy.restore(through_disk(told.evidence.state()))
    numbers = np.arange(told.evidence.book.size, dtype=np.intp)
    assert copy.rows(numbers).tolist() == told.evidence.rows(numbers).tolist()
    assert (copy.visits, copy.paid, copy.base) == (2, 1.0, told.evidence.base)


# -- further links to a page ---------------------------------------------------------------

PAYING, DULL = "http://a.test/paying", "http://a.test/dull"
SHELF: Words = {PAYING: {"anchor": "moon", "context": "tides"}, DULL: {"anchor": "soup"}}
AGAIN: Words = {TWO: {"anchor": "moon", "context": "tides", "heading": "moon"}}


def shelved(*pages: Visit, hears_again: bool = True) -> Told:
    """Where links with "moon" pay, and those with "soup" do not, before some pages came."""
    return Told(
        visit(HOME, {**LINKS, **SHELF}),
        *(visit(PAYING, relevant=True), visit(DULL)),
        *pages,
        hears_again=hears_again,
    )


def test_words_of_a_further_link_count_if_they_paid() -> None:
    once, again = shelved().row(TWO), shelved(visit(ONE, AGAIN)).row(TWO)
    assert again["rate_anchor"] > 0.3 > 0 >= once["rate_anchor"]
    assert again["rate_context"] > 0.3 > 0 >= once["rate_context"]
    assert again["rate_heading"] == pytest.approx(once["rate_heading"], abs=0.01)


@pytest.mark.parametrize(("anchor", "paid"), [("moon soup", True), ("soup", False)])
def test_words_of_a_further_link_that_paid_less_change_nothing(anchor: str, paid: bool) -> None:
    new = "http://a.test/new"
    pages = (
        visit(ONE, {new: {"anchor": "moon"}}),
        visit("http://a.test/other", {new: {"anchor": anchor}}),
    )
    told, deaf = shelved(*pages), shelved(*pages, hears_again=False)
    assert np.isfinite(told.evidence.heard(np.array([told.number(new)]))).any() == paid
    assert told.row(new) == deaf.row(new)


def test_only_who_hears_again_heeds_further_links() -> None:
    deaf = shelved(visit(ONE, AGAIN), hears_again=False)
    assert deaf.row(TWO)["rate_anchor"] <= 0
    assert np.isneginf(deaf.evidence.heard(np.arange(deaf.evidence.book.size))).all()


def test_a_link_of_many_pages_is_heard_no_more() -> None:
    """The first page told, and two more are heard, not the fourth."""
    dull: Words = {TWO: {"anchor": "soup"}}
    pages = [visit(f"http://a.test/{number}", dull) for number in range(2)]
    heard = shelved(pages[0], visit(ONE, AGAIN))
    missed = shelved(*pages, visit(ONE, AGAIN))
    assert heard.row(TWO)["rate_anchor"] > 0.3
    assert missed.row(TWO)["rate_anchor"] <= 0


def test_what_was_heard_is_kept_on_disk() -> None:
    told = shelved(visit(ONE, AGAIN))
    copy = Evidence(TOPIC, 2.0)
    copy.hears_again = True
    copy.restore(through_disk(told.evidence.state()))
    numbers = np.arange(told.evidence.book.size, dtype=np.intp)
    assert copy.rows(numbers).tolist() == told.evidence.rows(numbers).tolist()
    assert copy.heard(numbers).tolist() == told.evidence.heard(numbers).tolist()
    assert np.isfinite(copy.heard(numbers)).any()


def test_a_seed_says_nothing() -> None:
    told = Told(visit(HOME))
    assert (told.evidence.book.said(np.array([0]))[0, : Said.NEAR] == 0).all()
    assert told.row(HOME)["shallow"] == 0
