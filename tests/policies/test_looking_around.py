"""Whose turn it is while nothing promises much."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from wolfspider.clues.book import Numbers
from wolfspider.clues.evidence import Evidence
from wolfspider.fingerprint_map import ABSENT
from wolfspider.pages import parse_html
from wolfspider.policies.looking_around import LookingAround
from wolfspider.records import Link, Response, Verdict, Visit
from wolfspider.topics import Topic
from wolfspider.urls import seed_link

HOME = "http://a.example/"
NEAREST, WORDS, MEANING = f"{HOME}soup", f"{HOME}spoon", f"{HOME}sun"
ANCHORS = {NEAREST: "qxz", WORDS: "eclipse spoon", MEANING: "total lunar corona"}


def seen(
    visits: int, paid: float = 0.0, anchors: Mapping[str, str] = ANCHORS
) -> tuple[Evidence, Numbers, list[str]]:
    """The links of a first page, after so many visits to pages that are about nothing."""
    evidence = Evidence(Topic.of("eclipse"), 4.0)
    html = "".join(f'<p><a href="{url}">{anchor}</a></p>' for url, anchor in anchors.items())
    home = seed_link(HOME)
    visit = visit_to(home, html)
    number = evidence.sow(home.fingerprint)
    talk = evidence.fetch(number, visit, 0.0)
    numbers = evidence.find(visit.page.links, number, visit, 0.0, talk)
    evidence.visits, evidence.paid = visits, paid
    return evidence, numbers, visit.page.links.urls()


def visit_to(link: Link, html: str) -> Visit:
    page = parse_html(html.encode(), link.url)
    return Visit(link, page, Verdict(0.0, False), Response(link.url, 200))


def chosen(around: LookingAround, visits: int, times: int, paid: float = 0.0) -> list[str]:
    evidence, numbers, urls = seen(visits, paid)
    names = dict(zip(numbers.tolist(), urls, strict=True)) | {ABSENT: ""}
    return [
        names[around.choose(evidence, numbers)] if around.is_due(evidence) else ""
        for _ in range(times)
    ]


def test_at_first_every_second_choice_is_the_nearest_link_and_then_fewer_are() -> None:
    early = chosen(LookingAround(0.5), visits=50, times=200)
    assert early[:2] == ["", NEAREST]
    assert set(early) == {"", NEAREST}
    assert early[:50].count(NEAREST) > 2 * early[150:].count(NEAREST) > 0


def test_who_is_lost_goes_by_guides_in_between() -> None:
    late = chosen(LookingAround(0.5), visits=200, times=8)
    assert late == [WORDS, NEAREST, MEANING, NEAREST] * 2


def test_who_found_something_long_ago_is_astray_but_not_lost() -> None:
    late = chosen(LookingAround(0.5), visits=200, times=50, paid=1.0)
    assert set(late) == {"", NEAREST}


def test_a_find_ends_the_looking_around_for_a_while() -> None:
    around = LookingAround(0.5)
    around.learn(1.0)
    around.learn(1.0)
    found = chosen(around, visits=50, times=100)
    assert found.count(NEAREST) < chosen(LookingAround(0.5), visits=50, times=100).count(NEAREST)
    around.correct(-5.0)
    assert around.state()["lately"] == 0.0


def test_guides_without_an_opinion_leave_the_choice_to_the_best() -> None:
    evidence, numbers, _ = seen(200, anchors={NEAREST: "qxz"})
    around = LookingAround(0.1)
    for _ in range(4):
        assert around.is_due(evidence)
        assert around.choose(evidence, numbers) == ABSENT


def test_turns_are_not_saved_up_while_nothing_may_leave() -> None:
    evidence, numbers, _ = seen(50)
    around = LookingAround(1.0)
    for _ in range(5):
        assert around.is_due(evidence)
        assert around.choose(evidence, np.empty(0, np.intp)) == ABSENT
    turns = []
    for _ in range(2):
        due = around.is_due(evidence)
        turns.append(due and around.choose(evidence, numbers) != ABSENT)
    assert turns == [True, True]
    assert around.turns == 2


@pytest.mark.parametrize("visits", [50, 200])
def test_a_restored_one_chooses_alike(visits: int) -> None:
    around, again = LookingAround(0.5), LookingAround(0.5)
    chosen(around, visits, times=7)
    again.restore(around.state())
    assert chosen(around, visits, times=20) == chosen(again, visits, times=20)
