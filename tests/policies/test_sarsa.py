"""SARSA does what Han, Wuillemin & Senellart (2018) say, sections 3 and 4."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checks import Recording, drain, through_disk
from wolfspider.crawl import replay
from wolfspider.errors import BadInput
from wolfspider.judges import KeywordJudge
from wolfspider.policies.parents import FARTHEST, Parent, Parents
from wolfspider.policies.sarsa import Sarsa, change_index, two_indexes
from wolfspider.records import NO_LINKS, Link, Links, Page, Verdict, Visit
from wolfspider.text import terms
from wolfspider.topics import Topic
from wolfspider.urls import fingerprints, seed_link
from wolfspider.vectors import WordVectors
from wolfspider.webs.recorded import RecordedWeb
from wordy import Words, wordy

HOME, ONE, TWO = "http://a.test/", "http://a.test/1", "http://a.test/2"
VECTORS = "wolf 1 0 0\nspider 0.6 0.8 0\ncat 0 1 0\nhouse 0 0 1\n"
UPDATES = ("sync", "async", "moderated", "lazy")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS)
    return str(path)


def sarsa(file: str, **more: Any) -> Sarsa:
    """About wolves, with one category: cats."""
    usual: dict[str, Any] = {"update": "async", "alpha": 0.1, "gamma": 0.5, "epsilon": 0.0}
    return Sarsa(topic=Topic.of("wolf"), vectors=file, categories="cat", **usual | more)


def visit(link: Link, text: str, links: Links = NO_LINKS, *, relevant: bool = False) -> Visit:
    page = Page(link.url, terms=terms(text), links=links)
    return Visit(link, page, Verdict(float(relevant), relevant))


def go(policy: Sarsa, text: str, rows: Words | None = None, *, relevant: bool = False) -> Link:
    """Follow the next link: this text and these links are behind it."""
    link = policy.next()
    assert link is not None
    policy.learn(visit(link, text, wordy(rows) if rows else NO_LINKS, relevant=relevant))
    return link


def test_each_number_has_a_bucket_of_five_and_one_of_six() -> None:
    values = [0.0, 0.09, 0.1, 0.19, 0.2, 0.3, 0.5, 0.7, 0.8, 0.89, 0.9, 1.0]
    expected = [0, 0, 0, 0, 1, 1, 2, 3, 4, 4, 4, 4]
    expected_six = [0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 5, 5]
    assert two_indexes(np.array(values)).tolist() == [
        index for pair in zip(expected, expected_six, strict=True) for index in pair
    ]


def test_changes_have_five_kinds() -> None:
    changes = [0.0, 0.1, -0.1, 0.2, 0.3, 0.4, -0.2, -0.3, -0.4]
    assert [change_index(each, 0.1, 0.3) for each in changes] == [0, 0, 0, 1, 1, 2, 3, 3, 4]


def test_parents_are_averaged_as_they_come() -> None:
    parents = Parents()
    both = fingerprints([ONE, TWO])
    parents.add(both, Parent(0.2, False, 0.3, 4))
    found = parents.add(both[:1], Parent(0.8, True, 0.1, 0))
    assert np.allclose(found, [[0.5, 0.8]])
    one, two = both.tolist()
    first, second = parents.of(one), parents.of(two)
    assert (first.mean, first.relevant_mean) == pytest.approx((0.5, 0.8))
    assert (second.mean, second.relevant_mean) == pytest.approx((0.2, 0.0))
    assert first.smoothed == pytest.approx(0.3)  # the larger
    assert (first.distance, second.distance) == (0, 4)
    assert parents.of(1).smoothed is None
    assert parents.of(1).distance == FARTHEST
    again = Parents()
    again.restore(through_disk(parents.state()))
    assert np.allclose(again.add(both[1:], Parent(0.6, True, 0.0, 1)), [[0.4, 0.6]])


def test_features_by_hand(file: str) -> None:
    policy = sarsa(file)
    policy.start([seed_link(HOME)])
    go(policy, "wolf", {ONE: {"anchor": "spider"}}, relevant=True)
    policy.next()
    (kind,) = policy._out.values()
    # page: wolf 1.0 → 4, 5; cat 0 → 0, 0; no parents → 0, 0, 0, 0; change 0; distance 0
    # link: spider like wolf 0.6 → 3, 3; like cat 0.8 → 4, 4; parents 1.0 → 4, 5, twice
    page = [4, 5, 0, 0, 0, 0, 0, 0, 0, 0]
    link = [3, 3, 4, 4, 4, 5, 4, 5]
    assert policy._codes[kind].tolist() == page + link
    policy.learn(visit(seed_link(ONE), "house house", wordy({TWO: {"anchor": "cat"}})))
    policy.next()
    (kind,) = policy._out.values()
    # page: house is like neither; parents 1.0, twice; change −1.0 → 4; distance 1
    # link: cat; parents: house, 0.0 → 0, 0; no relevant one → 0, 0
    page = [0, 0, 0, 0, 4, 5, 4, 5, 4, 1]
    link = [0, 0, 4, 5, 0, 0, 0, 0]
    assert policy._codes[kind].tolist() == page + link


def test_relevance_is_smoothed_over_ancestors(file: str) -> None:
    policy = sarsa(file, beta=0.4)
    policy.start([seed_link(HOME)])
    go(policy, "wolf", {ONE: {}})  # smoothed: 1.0, it has no ancestors
    go(policy, "spider", {TWO: {}})  # 0.4 · 0.6 + 0.6 · 1.0 = 0.84
    two = fingerprints([TWO]).tolist()[0]
    assert policy._parents.of(two).smoothed == pytest.approx(0.84)


@pytest.mark.parametrize("coding", ["index", "tiles"])
def test_weights_move_by_hand_computed_steps(file: str, coding: str) -> None:
    policy = sarsa(file, coding=coding)
    policy.start([seed_link(HOME)])
    go(policy, "wolf", {ONE: {"anchor": "spider"}})
    assert coding == "tiles" or not policy.weights.any()  # the code of a seed is all zeros
    policy.weights[:] = 0
    code = policy._codes[policy.frontier.kinds()[0]].astype(int)
    assert go(policy, "house", {TWO: {"anchor": "cat"}}).url == ONE
    # q = 0 everywhere, r = −1: w = 0.1 · (−1) · x
    x = np.zeros_like(policy.weights)
    x[np.arange(18) if coding == "index" else np.arange(18) * 10 + code] = (
        code if coding == "index" else 1
    )
    assert np.allclose(policy.weights, -0.1 * x)
    weights = policy.weights.copy()
    second = policy._codes[policy.frontier.kinds()[0]].astype(int)
    y = np.zeros_like(weights)
    y[np.arange(18) if coding == "index" else np.arange(18) * 10 + second] = (
        second if coding == "index" else 1
    )
    assert go(policy, "wolf", relevant=True).url == TWO
    # A relevant page is an end: the target is r = 30 alone.
    assert np.allclose(policy.weights, weights + 0.1 * (30 - weights @ y) * y)


def test_the_target_has_the_value_of_the_next_link(file: str) -> None:
    policy = sarsa(file)
    policy.start([seed_link(HOME)])
    go(policy, "wolf", {ONE: {"anchor": "spider"}})
    policy.weights[:] = np.arange(18) / 100
    weights = policy.weights.copy()
    x = policy._codes[policy.frontier.kinds()[0]].astype(float)
    go(policy, "house", {TWO: {"anchor": "cat"}, HOME: {"anchor": "wolf wolf"}})
    # HOME has been visited, so a' is the link to TWO, whose code is known from above.
    y = np.array([0, 0, 0, 0, 4, 5, 4, 5, 4, 2, 0, 0, 4, 5, 0, 0, 0, 0], float)
    y[9] = FARTHEST  # no relevant page so far
    y[6:8] = 0
    error = -1 + 0.5 * (weights @ y) - weights @ x
    assert np.allclose(policy.weights, weights + 0.1 * error * x)


def test_moderated_steps_are_smaller_by_one_minus_gamma(file: str) -> None:
    """Equation 4: r + γ(q' − δ) − q = (1 − γ) δ, because δ = r + γ q' − q."""
    moved = []
    for update in ("async", "moderated"):
        policy = sarsa(file, update=update, gamma=0.8)
        policy.start([seed_link(HOME)])
        go(policy, "wolf", {ONE: {"anchor": "spider"}})
        policy.weights[:] = 0.5
        go(policy, "house", {TWO: {"anchor": "cat"}})
        moved.append(policy.weights - 0.5)
    assert np.abs(moved[0]).max() > 0.1
    assert np.allclose(moved[1], 0.2 * moved[0])


@pytest.mark.parametrize(
    ("text", "relevant", "reward"),
    [
        ("house", True, 30),
        ("spider", False, 30),  # cosine 0.6
        ("cat cat cat wolf wolf", False, 30),  # 0.55
        ("cat cat wolf", False, 20),  # 0.447
        ("cat", False, -1),
    ],
)
def test_rewards(file: str, text: str, relevant: bool, reward: float) -> None:
    policy = sarsa(file)
    seen = visit(seed_link(HOME), text, relevant=relevant)
    likeness = policy._likeness.of_terms(seen.page.terms).item(0)
    assert policy.reward(seen, likeness) == reward
    other = sarsa(file, rewards="5/2.5/0")
    assert other.reward(seen, likeness) == {30: 5, 20: 2.5, -1: 0}[int(reward)]


def crawled(recording: Recording, web: RecordedWeb, policy: Sarsa, pages: int = 120) -> list[str]:
    judge = KeywordJudge(recording.topic)
    seeds = [seed_link(recording.start)]
    return [v.page.url for v in replay(web, policy, judge, seeds, pages=pages)]


def on_the_web(taught: Taught, **settings: Any) -> Sarsa:
    return Sarsa(topic=taught.topic, vectors=str(taught.vectors), **settings)


@dataclass(frozen=True)
class Taught(Recording):
    """The small web with vectors of some of its words, each a random direction."""

    vectors: Path = Path()


@pytest.fixture(scope="module")
def taught(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Taught:
    web, random = RecordedWeb(recording.folder), np.random.default_rng(0)
    words = {w for n in range(60) for w in web.page(n).text.lower().split() if w.isalpha()}
    words |= set(recording.topic.keywords)
    lines = (f"{word} {' '.join(map(str, random.normal(size=8)))}" for word in sorted(words))
    folder = tmp_path_factory.mktemp("vectors")
    (folder / "words.txt").write_text("\n".join(lines) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        WordVectors.open(folder / "words.txt").save(folder / "table")
    return Taught(recording.folder, recording.start, recording.topic, folder / "table")


@pytest.mark.parametrize("update", UPDATES)
def test_what_is_scored_anew(taught: Taught, recorded_web: RecordedWeb, update: str) -> None:
    policy = on_the_web(taught, update=update, alpha=0.0001)
    judge, seeds = KeywordJudge(taught.topic), [seed_link(taught.start)]
    stale = 0
    for _ in replay(recorded_web, policy, judge, seeds, pages=80):
        kinds = policy.frontier.kinds()
        values = policy.values(policy._codes[kinds])
        right = np.isclose(policy.frontier.worth[kinds], values)
        stale += int((~right).sum())
    assert (stale == 0) == (update == "sync")


def test_the_lazy_one_takes_no_kind_that_has_lost(
    taught: Taught, recorded_web: RecordedWeb
) -> None:
    policy = on_the_web(taught, update="lazy", epsilon=0.0, alpha=0.0001)
    judge, seeds = KeywordJudge(taught.topic), [seed_link(taught.start)]
    for _ in replay(recorded_web, policy, judge, seeds, pages=60):
        found = policy.frontier.best(1)
        link = policy.next()
        assert link is not None
        kind = policy._out.pop(link.fingerprint)
        assert link.score == policy._one_value(kind)  # proven, not remembered
        assert link.score >= policy.frontier.worth[policy.frontier.kinds()].max() or not found


@pytest.mark.parametrize("update", UPDATES)
def test_a_restored_crawl_goes_on_alike(
    taught: Taught, recorded_web: RecordedWeb, update: str
) -> None:
    judge = KeywordJudge(taught.topic)
    policy = on_the_web(taught, update=update, seed=3)
    crawled(taught, recorded_web, policy, 40)
    again = on_the_web(taught, update=update, seed=3)
    again.restore(through_disk(policy.state()))
    rest = [
        [v.page.url for v in replay(recorded_web, each, judge, pages=50)]
        for each in (policy, again)
    ]
    assert rest[0] == rest[1]
    assert len(rest[0]) == 50


def test_what_was_learned_is_carried(taught: Taught, recorded_web: RecordedWeb) -> None:
    first = on_the_web(taught)
    crawled(taught, recorded_web, first)
    second = on_the_web(taught)
    second.carry(through_disk(first.carried()))
    assert np.array_equal(second.weights, first.weights)
    assert first.weights.any()
    for other in (on_the_web(taught, coding="tiles"), on_the_web(taught, related=3)):
        with pytest.raises(BadInput, match="the weights are for 22 features, coded by 'index'"):
            other.carry(first.carried())
    damaged = first.carried()
    damaged["weights"]["page: change"] = ["x"]
    with pytest.raises((BadInput, ValueError)):
        second.carry(damaged)


def test_a_correction_teaches(file: str) -> None:
    policy = sarsa(file)
    policy.start([seed_link(HOME)])
    go(policy, "wolf", {ONE: {"anchor": "spider"}})
    link = go(policy, "house")
    before = policy.weights.copy()
    policy.correct(visit(link, "house", relevant=True))
    code = policy._codes[policy._followed.get_one(link.fingerprint)].astype(float)
    assert np.allclose(policy.weights, before + 0.1 * (30 - before @ code) * code)


def test_steps_that_are_too_large_are_noticed(taught: Taught, recorded_web: RecordedWeb) -> None:
    policy = on_the_web(taught, alpha=1.0)
    with pytest.raises(BadInput, match=r"sarsa diverges: after .* give update=moderated, coding="):
        crawled(taught, recorded_web, policy)


def test_all_links_of_a_page_can_be_had(file: str) -> None:
    policy = sarsa(file, epsilon=0.5, seed=1)
    policy.start([seed_link(HOME)])
    rows = {f"http://{host}.test/{n}": {"anchor": "cat"} for host in "ab" for n in range(20)}
    go(policy, "wolf", rows)
    assert sorted(link.url for link in drain(policy)) == sorted(rows)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"update": "never"}, "update is 'never'; it is one of sync, async, moderated, lazy"),
        ({"coding": "none"}, "coding is 'none'; it is one of index, tiles"),
        ({"gamma": 1.0}, "gamma 1.0; alpha > 0 and gamma < 1 are needed"),
        ({"alpha": 0.0}, "alpha is 0.0 and gamma 0.5"),
        ({"epsilon": 1.5}, "epsilon is 1.5; it is from 0 to 1"),
        ({"small": 0.5}, "small is 0.5 and large 0.3; 0 ≤ small ≤ large is needed"),
        ({"related": -1}, "related is -1; it is from 0 to 20"),
        ({"rewards": "30/20"}, "rewards is '30/20'; write three numbers, such as 30/20/-1"),
        ({"rewards": "30/nan/0"}, "the numbers must be finite"),
    ],
)
def test_settings_out_of_range(file: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        sarsa(file, **settings)


def test_words_without_vectors(file: str) -> None:
    with pytest.raises(BadInput, match="no word of 'xylophone' has a vector"):
        Sarsa(topic=Topic.of("xylophone"), vectors=file)
    with pytest.raises(BadInput, match="no word of 'xylophone' has a vector"):
        Sarsa(topic=Topic.of("wolf"), vectors=file, categories="cat, xylophone")


def test_a_visit_told_again_after_a_restart_teaches(file: str) -> None:
    policy = sarsa(file)
    policy.start([seed_link(HOME)])
    go(policy, "wolf", {ONE: {"anchor": "spider"}})
    kept = through_disk(policy.state())
    link = go(policy, "house")
    again = sarsa(file)
    again.restore(kept)
    again.learn(visit(link, "house"))  # its link still waits here
    assert np.array_equal(again.weights, policy.weights)
    assert again.weights.any()


def test_a_correction_adds_no_parent(file: str) -> None:
    policy = sarsa(file)
    policy.start([seed_link(HOME)])
    go(policy, "wolf", {ONE: {"anchor": "spider"}})
    rows = {TWO: {"anchor": "cat"}}
    link = go(policy, "house", rows)
    two = fingerprints([TWO]).tolist()[0]
    before, waiting = policy._parents.of(two), len(policy)
    policy.correct(visit(link, "house", wordy(rows), relevant=True))
    assert policy._parents.of(two) == before
    assert len(policy) == waiting
