"""A person's word on pages: while a hunt runs, after it, and when it is resumed."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from checks import Recording
from wolfspider.asked import Asked
from wolfspider.errors import BadInput
from wolfspider.hunt import Hunt
from wolfspider.judges import CorrectedJudge, KeywordJudge
from wolfspider.leases import Leased
from wolfspider.policies import make
from wolfspider.records import NOTHING, Page, PageFlag, Verdict, Visit
from wolfspider.store import HuntReader, HuntStore, schema
from wolfspider.store.feedback import NAME, FeedbackReader, all_feedback, say
from wolfspider.urls import seed_link


def asking(recording: Recording, **more: object) -> Asked:
    topic = " ".join(recording.topic.keywords)
    usual: dict[str, Any] = {"seeds": (recording.start,), "web": str(recording.folder)}
    return Asked(topic, **usual | {"pages": 40} | more)


class Told:
    """A policy that writes down what it is told."""

    def __init__(self, hunt: Hunt) -> None:
        self._policy = hunt.policy.policy
        self.corrected: list[tuple[str, Verdict]] = []
        hunt.policy = Leased(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)

    def __len__(self) -> int:
        return len(self._policy)

    def correct(self, visit: Visit) -> None:
        assert visit.page.terms.length  # the page is there, not only its address
        self.corrected.append((visit.page.url, visit.verdict))


def relevance(folder: Path, url: str) -> float:
    with HuntReader(folder) as reader:
        return float(
            reader.db.execute("SELECT relevance FROM pages WHERE url=?", [url]).fetchone()[0]
        )


def test_lines_are_read_once_and_whole(tmp_path: Path) -> None:
    reader = FeedbackReader(tmp_path)
    assert reader.new() == []
    first = say(tmp_path, "http://a.test/", relevant=True)
    assert reader.new() == [first]
    assert reader.new() == []
    with (tmp_path / NAME).open("a") as file:
        file.write('not ours\n{"url": "http://b.test/", ')
    assert reader.new() == []
    with (tmp_path / NAME).open("a") as file:
        file.write('"relevant": false, "at": 1}\n')
    (second,) = reader.new()
    assert (second.url, second.verdict) == ("http://b.test/", Verdict(0.0, False))
    later = say(tmp_path, "http://a.test/", relevant=False)
    assert all_feedback(tmp_path) == {"http://a.test/": later, "http://b.test/": second}


def test_part_of_a_line_is_a_sentence_and_spoils_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = say(tmp_path, "http://a.test/", relevant=True)
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: write(file, data[:20]))
        with pytest.raises(
            BadInput, match=r"feedback\.jsonl took only part of a line; is the disk"
        ):
            say(tmp_path, "http://b.test/", relevant=True)
    last = say(tmp_path, "http://c.test/", relevant=True)
    assert FeedbackReader(tmp_path).new() == [first, last]
    assert (tmp_path / NAME).read_bytes().count(b"\n") == 3


def test_pages_are_found_by_url_without_a_scan(tmp_path: Path) -> None:
    path = tmp_path / schema.NAME
    plan = "EXPLAIN QUERY PLAN UPDATE pages SET target = 1 WHERE url = 'x' AND error = ''"
    db = schema.create(path)
    assert "USING INDEX pages_by_url" in db.execute(plan).fetchone()[3]
    db.execute("DROP INDEX pages_by_url")  # as hunts were made before
    db.close()
    db = schema.open_database(path)
    assert "USING INDEX pages_by_url" in db.execute(plan).fetchone()[3]
    db.close()


def test_a_hunt_under_way_learns(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wolfspider.hunt._HEED_SECONDS", 0.0)
    folder = tmp_path / "hunt"

    async def hunting() -> tuple[Told, Hunt, Visit]:
        async with Hunt.begin(asking(recording), folder) as hunt:
            told, wrong = Told(hunt), None
            async for visit in hunt.visits():
                if wrong is None and not visit.verdict.relevant and visit.page.terms.length:
                    wrong = visit
                    say(folder, visit.page.url, relevant=True)
                if wrong is not None and hunt.store is not None:
                    hunt.store.flush()
            hunt.finish()
            assert wrong is not None
            return told, hunt, wrong

    told, hunt, wrong = asyncio.run(hunting())
    assert told.corrected == [(wrong.page.url, Verdict(1.0, True))]
    assert relevance(folder, wrong.page.url) == 1.0
    with HuntReader(folder) as reader:
        assert hunt.tally.relevant == reader.count("sum(relevance >= 0.5) FROM pages")
    assert wrong.page.url in [url for _, _, url, _ in hunt.tally.best]


def test_a_word_that_is_taken_back_before_it_is_on_disk_counts(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, asked = tmp_path / "hunt", asking(recording)

    async def hunting() -> None:
        async with Hunt.begin(replace(asked, pages=10), folder) as hunt:
            async for _ in hunt.visits():
                pass
            hunt.finish()

    async def resuming() -> None:
        async with Hunt.resume(asked, folder) as hunt:
            told = Told(hunt)
            async for _ in hunt.recall():
                pass
            async for visit in hunt.visits():
                if told.corrected or not visit.verdict.relevant or not visit.page.terms.length:
                    continue
                assert hunt.store is not None
                hunt.store.flush()
                with monkeypatch.context() as patch:  # the disk is slow
                    waiting: list[tuple[int, Verdict]] = []
                    patch.setattr(hunt.store, "correct", lambda *word, to=waiting: to.append(word))
                    for relevant in (False, True):
                        say(folder, visit.page.url, relevant=relevant)
                        await hunt._heed()
                for word in waiting:
                    hunt.store.correct(*word)
            assert [verdict.relevant for _, verdict in told.corrected] == [False, True]
            hunt.finish()
            with HuntReader(folder) as reader:
                assert hunt.tally.relevant == reader.count("sum(relevance >= 0.5) FROM pages")

    asyncio.run(hunting())
    asyncio.run(resuming())


def test_a_word_on_a_page_that_is_not_on_disk_yet_survives_the_end(
    recording: Recording, tmp_path: Path
) -> None:
    folder, asked = tmp_path / "hunt", asking(recording)
    later = "http://later.test/"

    async def hunting() -> None:
        async with Hunt.begin(replace(asked, pages=10), folder) as hunt:
            say(folder, later, relevant=True)
            async for _ in hunt.visits():
                pass
            hunt.finish()

    async def resuming() -> list[str]:
        async with Hunt.resume(asked, folder) as hunt:
            async for _ in hunt.recall():
                pass
            return [each.url for each in hunt._unheeded]

    asyncio.run(hunting())
    assert asyncio.run(resuming()) == [later]


def test_a_hunt_that_has_ended_learns_when_it_is_resumed(
    recording: Recording, tmp_path: Path
) -> None:
    folder = tmp_path / "hunt"
    asked = asking(recording)

    async def hunting() -> list[Visit]:
        async with Hunt.begin(asked, folder) as hunt:
            visits = [visit async for visit in hunt.visits()]
            hunt.finish()
            return visits

    async def resuming(pages: int) -> list[tuple[str, Verdict]]:
        async with Hunt.resume(replace(asked, pages=pages), folder) as hunt:
            told = Told(hunt)
            async for _ in hunt.recall():
                pass
            async for _ in hunt.visits():
                pass
            hunt.finish()
            return told.corrected

    right = next(visit for visit in asyncio.run(hunting()) if visit.verdict.relevant)
    said = say(folder, right.page.url, relevant=False)
    assert asyncio.run(resuming(45)) == [(right.page.url, said.verdict)]
    assert relevance(folder, right.page.url) == 0.0
    assert asyncio.run(resuming(50)) == []  # it was learned, and kept


def test_a_correction_is_kept_by_the_store(recording: Recording, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"

    async def hunting() -> None:
        async with Hunt.begin(asking(recording, pages=5), folder) as hunt:
            async for _ in hunt.visits():
                pass
            hunt.finish()

    asyncio.run(hunting())
    store = HuntStore.open(folder)
    store.correct(1, Verdict(1.0, True))
    store.flush()
    store.close()
    assert relevance(folder, recording.start) == 1.0


def test_policies_without_a_way_of_their_own_learn_the_visit_again(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = Leased(make("best-first", topic=recording.topic))
    seen: list[Visit] = []
    monkeypatch.setattr(policy.policy, "learn", seen.append)
    visit = Visit(seed_link(recording.start), Page(recording.start))
    policy.correct(visit)
    assert seen == [visit]


def test_the_last_word_is_the_persons(recording: Recording) -> None:
    judge = CorrectedJudge(KeywordJudge(recording.topic), {"http://a.test/": Verdict(1.0, True)})
    assert judge.judge(Page("http://a.test/")).target
    assert not judge.judge(Page("http://b.test/")).target
    judge.correct("http://b.test/", Verdict(1.0, True))
    assert judge.judge(Page("http://b.test/")).target


def test_a_page_that_asks_not_to_be_indexed_is_no_find_of_a_hunt(recording: Recording) -> None:
    judge = CorrectedJudge(KeywordJudge(recording.topic), {"http://a.test/": Verdict(1.0, True)})
    assert judge.judge(Page("http://a.test/", flags=PageFlag.NOINDEX)) == NOTHING
