"""A generated news site: what appears when, what changes, what is told about dates."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from email.utils import parsedate_to_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from wolfspider.errors import BadInput
from wolfspider.pages import parse
from wolfspider.records import Response
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.history import History
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic.news import DAY, NewsSite
from wolfspider.webs.synthetic.news_plan import plan
from wolfspider.webs.synthetic.news_times import NEVER, publications

SITE = NewsSite(days=3, articles_per_day=40, sections=3, vanishing=0.4, listed=8, words=40, seed=3)
_LISTED = re.compile(rb'<li><h2><a href="([^"]+)">')
_LEAD = re.compile(rb'<p class="lead">.*?</p>')
_ATOM = "{http://www.w3.org/2005/Atom}"
_MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
_NEWS = "{http://www.google.com/schemas/sitemap-news/0.9}"


@pytest.fixture(scope="module")
def captures() -> list[Capture]:
    return list(SITE.captures())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, captures: list[Capture]) -> Path:
    folder = tmp_path_factory.mktemp("webs") / "news"
    with Compiler(folder, ["news"], changing=True) as compiler:
        for capture in captures:
            compiler.add(capture)
        compiler.finish()
    return folder


def articles(captures: list[Capture]) -> dict[str, list[Capture]]:
    """The captures of each article, its end included."""
    found: dict[str, list[Capture]] = {}
    for capture in captures:
        if "article" in capture.labels or capture.url in found:
            found.setdefault(capture.url, []).append(capture)
    return found


def path(url: str) -> str:
    return url.partition(".example")[2]


def alive_at_each(captures: list[Capture]) -> Iterator[tuple[Capture, list[str]]]:
    """Every capture that is no article, with the articles there, in the order they appeared."""
    alive: list[str] = []
    known = set(articles(captures))
    for capture in captures:
        if capture.url not in known:
            yield capture, alive
        elif capture.status == 404:
            alive.remove(capture.url)
        elif capture.url not in alive:
            alive.append(capture.url)


def digest(site: NewsSite) -> str:
    found = hashlib.sha256()
    for capture in [*site.captures(), site.robots()]:
        found.update(f"{capture.url} {capture.date} {capture.labels}".encode() + capture.wire())
    return found.hexdigest()


def test_the_same_seed_gives_the_same_bytes() -> None:
    small = NewsSite(days=1, articles_per_day=20, sections=2, words=30)
    assert digest(small) == digest(small)
    assert digest(small) != digest(replace(small, seed=1))


def test_captures_come_in_the_order_of_time(captures: list[Capture]) -> None:
    dates = [capture.date for capture in captures]
    assert dates == sorted(dates)
    assert (dates[0], dates[-1]) == (SITE.begin, SITE.end)
    assert datetime.datetime.fromtimestamp(SITE.begin, datetime.UTC).isoformat() == (
        "2026-01-05T00:00:00+00:00"
    )
    assert all(date == int(date) for date in dates)


def test_the_front_page_lists_the_newest_articles(captures: list[Capture]) -> None:
    fronts = [each for each in alive_at_each(captures) if each[0].url == SITE.front]
    for capture, alive in alive_at_each(captures):
        if capture.url == SITE.front:
            shown = [href.decode() for href in _LISTED.findall(capture.body)]
            assert shown == [path(url) for url in alive[: -SITE.listed - 1 : -1]]
    assert len(fronts) > 50
    dates = [capture.date for capture, _ in fronts]
    assert min(later - earlier for earlier, later in pairwise(dates)) >= 60 * SITE.every
    assert all(one.body != other.body for (one, _), (other, _) in pairwise(fronts))


def test_lists_lead_only_to_what_is_there(captures: list[Capture]) -> None:
    known = {path(url) for url in articles(captures)}
    kinds = Counter[str]()
    for capture, alive in alive_at_each(captures):
        if "static" not in capture.labels:
            there = {path(url) for url in alive}
            page = parse(
                Response(capture.url, 200, (("Content-Type", capture.content_type),), capture.body)
            )
            listed = {path(url) for url in page.links.urls()} & known
            assert listed <= there, capture.url
            kinds[path(capture.url).split("/")[1] or "front"] += bool(listed)
    assert {"front", "topics", "feeds", "news-sitemap.xml"} < set(kinds)


def test_a_front_shows_the_last_version_of_its_articles(captures: list[Capture]) -> None:
    """After the round in which it appeared."""
    fronts = [capture for capture in captures if capture.url == SITE.front]
    step, shown = 60 * SITE.every, 0
    for url, versions in articles(captures).items():
        for version in versions[1:]:
            now = SITE.begin + -(-(version.date - SITE.begin) // step) * step
            front = [each for each in fronts if each.date <= now][-1]
            last = [each for each in versions if each.date <= now][-1]
            if last.status == 200 and path(url).encode() in front.body:
                lead = _LEAD.findall(last.body)[0].removeprefix(b'<p class="lead">')
                assert lead in front.body
                shown += 1
    assert shown > 20


def test_an_update_changes_the_lead_and_the_dates_only(captures: list[Capture]) -> None:
    updates, gained = 0, 0
    variable = re.compile(
        rb'<p class="lead">.*?</p>\n|<p class="byline">.*?</p>\n|<meta property="article:mod.*?>'
        rb'|"dateModified": "[^"]*"|<aside class="story">.*?</aside>\n',
        re.DOTALL,
    )
    for versions in articles(captures).values():
        whole = [each for each in versions if each.status == 200]
        assert len(whole) <= 6
        for before, after in pairwise(whole):
            assert variable.sub(b"", before.body) == variable.sub(b"", after.body)
            assert _LEAD.findall(before.body) != _LEAD.findall(after.body)
            stories = [b'<aside class="story">' in each.body for each in (before, after)]
            gained += stories == [False, True]
            updates += 1
    assert updates > 50
    assert gained  # the story has gone on meanwhile


def test_vanished_articles_stay_away(captures: list[Capture], folder: Path) -> None:
    ended = [each for each in articles(captures).values() if each[-1].status == 404]
    assert len(ended) > 5
    history, web = History(folder), RecordedWeb(folder)
    for versions in ended:
        assert [each.status for each in versions] == [200] * (len(versions) - 1) + [404]
        url, date = versions[0].url, versions[-1].date
        assert history.fetch(url, date - 1).status == 200
        assert history.fetch(url, date).error == "gone"
        assert url not in web


def test_feeds_are_xml_with_true_dates_but_for_one(captures: list[Capture]) -> None:
    since = {url: versions[0].date for url, versions in articles(captures).items()}
    kinds = Counter[str]()
    for capture in captures:
        if "xml" not in capture.content_type:
            continue
        root = ElementTree.fromstring(capture.body)
        kinds[root.tag] += 1
        said = list(_said(root))
        lies = path(capture.url) == "/feeds/astronomy.rss"
        for url, date in said:
            if lies:
                assert date == capture.date
            elif since[url] > SITE.begin:
                assert date == since[url]
            else:
                assert date <= SITE.begin
        dates = [date for _, date in said]
        assert dates == sorted(dates, reverse=True)
    assert set(kinds) == {"rss", f"{_ATOM}feed", f"{_MAP}urlset"}


def _said(root: ElementTree.Element) -> Iterator[tuple[str, float]]:
    """Addresses and dates of a feed or sitemap; strict: each has one of both."""
    for item in root.findall("channel/item"):
        [link], [date] = item.findall("link"), item.findall("pubDate")
        yield link.text or "", parsedate_to_datetime(date.text or "").timestamp()
    for entry in root.findall(f"{_ATOM}entry"):
        [link], [date] = entry.findall(f"{_ATOM}link"), entry.findall(f"{_ATOM}published")
        yield link.attrib["href"], datetime.datetime.fromisoformat(date.text or "").timestamp()
    for entry in root.findall(f"{_MAP}url"):
        [link] = entry.findall(f"{_MAP}loc")
        [date] = entry.findall(f"{_NEWS}news/{_NEWS}publication_date")
        yield link.text or "", datetime.datetime.fromisoformat(date.text or "").timestamp()


def _dates(capture: Capture) -> dict[str, float]:
    """What an article says about when it appeared, by where it does."""
    found = {}
    text = capture.body.decode()
    if match := re.search(r'published_time" content="([^"]+)"', text):
        found["meta"] = match[1]
    if match := re.search(r"<script type=\"application/ld\+json\">(.*?)</script>", text):
        found["json"] = json.loads(match[1])["datePublished"]
    if match := re.search(r'Published <time datetime="([^"]+)"', text):
        found["visible"] = match[1]
    return {
        where: datetime.datetime.fromisoformat(date).timestamp() for where, date in found.items()
    }


def test_honest_articles_tell_when_they_appeared() -> None:
    site = replace(SITE, days=1, misdated=0.0, undated=0.0)
    forms = Counter[str]()
    for versions in articles(list(site.captures())).values():
        if versions[0].date > site.begin:
            dates = _dates(versions[0])
            assert set(dates.values()) == {versions[0].date} or not dates
            forms.update(dates)
            for version in versions:
                header = re.search(rb"Last-Modified: ([^\r]+)", version.message)
                if header:
                    stated = parsedate_to_datetime(header[1].decode()).timestamp()
                    assert stated == version.date
                    forms["header"] += 1
            day = datetime.datetime.fromtimestamp(versions[0].date, datetime.UTC)
            in_url = re.search(r"/(\d{4}/\d\d/\d\d)/", versions[0].url)
            assert in_url is None or in_url[1] == f"{day:%Y/%m/%d}"
            forms["url"] += in_url is not None
    assert set(forms) == {"meta", "json", "visible", "header", "url"}


def test_some_articles_lie_and_some_say_nothing() -> None:
    lying = replace(SITE, days=1, misdated=1.0, undated=0.0)
    told = 0
    for versions in articles(list(lying.captures())).values():
        if versions[0].date > lying.begin:
            for date in _dates(versions[0]).values():
                away = date - versions[0].date
                assert away % 3600 == 0
                assert abs(away) <= 12 * 3600 or -30 * DAY <= away <= -DAY
                assert away
                told += 1
    assert told
    silent = replace(SITE, days=1, undated=1.0)
    for versions in articles(list(silent.captures())).values():
        for version in versions:
            assert b"2026" not in version.message
            assert b"Last-Modified" not in version.message
            assert "2026" not in version.url


def test_each_moment_has_its_version(captures: list[Capture], folder: Path) -> None:
    history = History(folder)
    for capture in captures[:: len(captures) // 100]:
        found = history.fetch(capture.url, capture.date + 0.5)
        if capture.status == 404:
            assert found.error == "gone"
            continue
        assert found.page is not None
        headers = (("Content-Type", capture.content_type),)
        page = parse(Response(capture.url, 200, headers, capture.body))
        assert found.page.text == page.text
        assert found.page.title == page.title
        earlier = [c for c in captures if c.url == capture.url and c.date < capture.date]
        before = history.fetch(capture.url, capture.date - 0.5)
        assert (before.status == 200) == bool(earlier)


def test_everything_can_be_reached_from_the_front_page_soon(
    captures: list[Capture], folder: Path
) -> None:
    history = History(folder)
    for hours in (0.5, 9.3, 30.1, 47.9, 60.0, 72.0):
        now = SITE.begin + 3600 * hours
        there, since = dict[str, int](), dict[str, float]()
        for capture in captures:
            if capture.date <= now:
                there[capture.url] = capture.status
                since.setdefault(capture.url, capture.date)
        reached, waiting = set[str](), [SITE.front]
        while waiting:
            url = waiting.pop()
            found = history.fetch(url, now)
            if url not in reached and found.page is not None:
                reached.add(url)
                waiting += found.page.links.urls()
        old = {url for url, date in since.items() if date <= now - 60 * SITE.every}
        assert {url for url in old if there[url] == 200} <= reached


def test_labels_say_what_pages_are(folder: Path) -> None:
    web = RecordedWeb(folder)
    assert set(web.about["labels"]) == {
        *("astronomy", "cooking", "railways"),
        *("article", "front", "static"),
    }
    assert web.about["labels"]["front"] == 4
    assert web.about["labels"]["static"] == 5
    assert web.about["versions"] == sum(
        len(c.body) > 0 and c.status == 200 for c in SITE.captures()
    )


def test_articles_appear_by_day_and_on_workdays() -> None:
    times = publications(NewsSite(days=27, articles_per_day=400))  # and one before: four weeks
    assert len(times) / 28 == pytest.approx(400, abs=8)
    night = np.mean(times % DAY < 6 * 3600)
    assert night == pytest.approx(11 / 186, abs=0.01)
    weekday = (times // DAY + 3) % 7
    assert np.mean(weekday == 6) == pytest.approx(0.55 / 7, abs=0.01)


def test_links_lead_to_earlier_articles_and_some_are_popular() -> None:
    site = NewsSite(days=6, articles_per_day=200, sections=4)
    largest = {}
    for attachment in (0.0, 0.64):
        made = plan(replace(site, attachment=attachment))
        counts = Counter(target for row in made.links for target in row)
        for source, row in enumerate(made.links):
            assert all(target < source for target in row)
            assert all(made.gone[target] > made.published[source] for target in row)
        largest[attachment] = max(counts.values())
    assert largest[0.64] > 2 * largest[0.0]
    sizes = {len(row) for row in made.links}
    assert min(sizes) <= 1
    assert max(sizes) > 20


def test_updates_come_before_the_end_of_an_article() -> None:
    made = plan(replace(SITE, updates=1.0))
    assert max(map(len, made.updates)) == 5
    ends = np.where(made.gone == NEVER, SITE.end, made.gone)
    for times, begin, end in zip(made.updates, made.published, ends, strict=True):
        assert [begin, *times] == sorted({begin, *times})
        assert all(time < end for time in times)


def test_articles_of_a_story_are_alike() -> None:
    site = NewsSite(days=2, articles_per_day=60, sections=4, words=120)
    first = [each[0] for each in articles(list(site.captures())).values()]
    made, terms = plan(site), list[dict[int, float]]()
    for capture in first:
        page = parse(Response(capture.url, 200, (("Content-Type", "text/html"),), capture.body))
        terms.append(dict(zip(page.terms.ids.tolist(), page.terms.counts.tolist(), strict=True)))
    numbers = list(range(len(first)))  # they come in order
    rows = sorted({term for each in terms for term in each})
    place = {term: at for at, term in enumerate(rows)}
    matrix = np.zeros((len(first), len(rows)))
    for at, each in enumerate(terms):
        for term, count in each.items():
            matrix[at, place[term]] = count
    matrix *= np.log(len(first) / (matrix > 0).sum(0))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    alike = matrix @ matrix.T
    story = made.story[numbers][:, None] == made.story[numbers]
    section = made.section[numbers][:, None] == made.section[numbers]
    other = ~np.eye(len(first), dtype=bool)
    means = [
        alike[story & other].mean(),
        alike[section & ~story].mean(),
        alike[~section].mean(),
    ]
    assert means[0] > 2 * means[1] > 4 * means[2]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"days": 0}, "days is 0; it must lie between 1 and 366"),
        ({"articles_per_day": 0}, "the number of articles a day is 0; it must lie between 1"),
        ({"sections": 101}, "the number of sections is 101; it must lie between 1 and 100"),
        ({"every": 0}, "the number of minutes between captures is 0; it must lie between 1"),
        ({"days": 300, "articles_per_day": 90_000}, "more than a million; give fewer articles"),
        ({"seed": -1}, "the random seed is -1; it must be 0 or more"),
        ({"start": datetime.date(1950, 1, 1)}, "starts in 1950; give a year from 1971"),
        ({"misdated": float("nan")}, "misdated is nan; it must lie between 0.0 and 1.0"),
    ],
)
def test_sizes_are_checked(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        NewsSite(**wrong)


def test_a_site_with_next_to_no_articles_works() -> None:
    found = list(NewsSite(days=1, articles_per_day=1, sections=3, seed=1).captures())
    assert sum("front" in capture.labels for capture in found) >= 4
