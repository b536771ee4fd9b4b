"""svm-distance and svm-reward: what they learn from a small generated web."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from wolfspider.errors import BadInput
from wolfspider.policies.rl import RLImmediate
from wolfspider.policies.svm import SvmDistance, SvmReward
from wolfspider.records import Floats, Link, Links, Page, Terms, Visit
from wolfspider.states import load_state, save_state
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic, capture_of

NOBODY = Link("http://nobody.test/", 0, "nobody.test")

KINDS: list[tuple[type[SvmDistance | SvmReward], dict[str, Any]]] = [
    (SvmDistance, {}),
    (SvmDistance, {"how": "classes"}),
    (SvmDistance, {"balanced": True}),
    (SvmReward, {}),
]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Map:
    folder = tmp_path_factory.mktemp("web") / "web"
    with Compiler(folder, ["made"]) as compiler:
        for record in Synthetic(pages=200, hosts=8, topics=3, words=60, seed=2).records():
            compiler.add(capture_of(record))
        compiler.finish()
    web = RecordedWeb(folder)
    targets = np.zeros(len(web), bool)
    targets[web.label(topic(web))] = True
    return Map(web, np.ones(len(web), bool), targets)


def topic(web: RecordedWeb) -> str:
    return min(str(name) for name in web.about["labels"] if not name.startswith("role:"))


def links_of(*anchors: list[int]) -> Links:
    """One link for each anchor; the other bags are empty."""
    count = len(anchors)
    starts = np.cumsum([0, *(n for words in anchors for n in (len(words), 0, 0, 0))])
    return Links.pack(
        np.arange(1, count + 1, dtype=np.uint64),
        [f"http://nobody.test/{number}\n".encode() for number in range(count)],
        ["nobody.test"],
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
        starts,
        np.array([word for words in anchors for word in words], np.uint32),
    )


def visit_of(page: Page) -> Visit:
    return Visit(NOBODY, page)


def telling(known: Map) -> tuple[list[int], list[int]]:
    """Five words that targets have more often than other pages, and five that they have less."""
    rates: list[dict[int, float]] = [{}, {}]
    for kind in (0, 1):
        pages = np.flatnonzero(known.targets == bool(kind)).tolist()
        for number in pages:
            for term in known.web.page(number).terms.ids.tolist():
                rates[kind][term] = rates[kind].get(term, 0) + 1 / len(pages)
    gain = {term: rates[1].get(term, 0) - rates[0].get(term, 0) for term in rates[0] | rates[1]}
    order = sorted(gain, key=lambda term: (gain[term], term))
    return order[-5:], order[:5]


@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_training_twice_gives_the_same(
    kind: type[SvmDistance | SvmReward], settings: dict[str, Any], known: Map, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        save_state(tmp_path / name, kind.train(known, seed=3, **settings).state)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("score", ["S1", "S2", "S3", "S4"])
@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_scores_are_finite(
    kind: type[SvmDistance | SvmReward],
    settings: dict[str, Any],
    score: Literal["S1", "S2", "S3", "S4"],
    known: Map,
) -> None:
    policy = kind(model=kind.train(known, **settings), score=score)
    for number in range(0, len(known.web), 9):
        page = known.web.page(number)
        scores = policy.score(page.links, visit_of(page))
        assert scores.shape == (len(page.links),)
        assert np.isfinite(scores).all()


@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_a_link_with_words_of_targets_is_better(
    kind: type[SvmDistance | SvmReward], settings: dict[str, Any], known: Map
) -> None:
    good, bad = telling(known)
    policy = kind(model=kind.train(known, **settings))
    scores = policy.score(links_of(bad, good, bad), visit_of(Page("http://nobody.test/")))
    assert scores[1] > scores[0] == scores[2]


def test_a_model_comes_back_from_disk(known: Map, tmp_path: Path) -> None:
    model = SvmDistance.train(known, how="classes")
    save_state(tmp_path / "model.npz", model.state)
    back = Model(model.policy, model.settings, load_state(tmp_path / "model.npz"))
    page = known.web.page(5)
    scores = [SvmDistance(model=each).score(page.links, visit_of(page)) for each in (model, back)]
    assert scores[0].tolist() == scores[1].tolist()


def test_the_model_says_what_it_came_from(known: Map) -> None:
    model = SvmReward.train(known, terms=50, height=2, noise=False, starts=5)
    assert model.settings["terms"] == model.about["terms"] == len(model.state["svm"]["ids"]) == 50
    assert model.about["targets"] >= 5
    assert len(model.about["pages_by_distance"]) == 4  # 0, 1, 2 and noise
    assert model.about["pages_by_distance"][3] == 0
    assert len(known.named(model).words) > 40


# Machines made by hand: word 1 speaks for distance 0, word 2 for distance 1, word 3 for 2.


def by_hand(score: str, how: str, weights: list[list[float]], **settings: Any) -> SvmDistance:
    svm = {
        "ids": np.arange(1, 1 + len(weights), dtype=np.uint32),
        "weights": np.array(weights, np.float32),
        "bias": np.zeros(len(weights[0]), np.float32),
    }
    state = {"svm": svm, "distances": np.arange(len(weights[0]))}
    model = Model("svm-distance", {"how": how}, state)
    return SvmDistance(model=model, score=score, **settings)  # type: ignore[arg-type]


def scored(policy: SvmDistance, words: list[int]) -> Floats:
    """Of a link with word 1 on a page with these words."""
    ids, counts = np.unique(np.array(words, np.uint32), return_counts=True)
    page = Page("http://nobody.test/", terms=Terms.of(ids, counts.astype(np.float32)))
    return policy.score(links_of([1], []), visit_of(page))


def s2(weights: list[float]) -> float:
    """The formula, word for word."""
    order = sorted(range(len(weights)), key=lambda machine: -weights[machine])
    return sum(
        math.pow(0.5, machine) * math.atan(weights[machine] + 1.5) / 3 / math.pow(2, place) * sign
        for place, machine in enumerate(order, 1)
        if (sign := 1 if machine <= order[0] else -1)
    )


def test_the_scores_of_the_thesis_by_hand() -> None:
    """The page: 4 × word 2, so machines tell 0, 4, 0. Its first link: 10 × word 1 more."""
    eye = np.eye(3).tolist()
    first, second = [0.5**0, 0.5**1], [s2([10, 4, 0]), s2([0, 4, 0])]
    gain = [second[0] - second[1], 0]
    fourth = [3 * gain[0] + first[0], first[1]]
    for score, expected in zip(
        ("S1", "S2", "S3", "S4"), (first, second, gain, fourth), strict=True
    ):
        assert scored(by_hand(score, "classes", eye), [2] * 4).tolist() == pytest.approx(expected)


def test_a_nearer_machine_that_is_less_sure_speaks_for_a_link_and_a_farther_one_against() -> None:
    assert s2([1, 2]) > s2([-1, 2])
    assert s2([2, 1]) < s2([2, -1])


def test_regression_and_its_augmented_delta_by_hand() -> None:
    """−distance = 0.1 per word 1, −0.5 per word 2: −2 for the page, −1 for its first link."""
    weights = [[0.1], [-0.5]]
    for score, expected in (("S1", [-1, -2]), ("S3", [1, 0]), ("S4", [2, -2])):
        found = scored(by_hand(score, "regression", weights), [2] * 4)
        assert found.tolist() == pytest.approx(expected, abs=1e-6)


def test_the_anchor_counts_as_often_as_the_setting_says() -> None:
    policy = by_hand("S1", "regression", [[0.1]], anchor_weight=2.5)
    assert scored(policy, [1]).tolist() == pytest.approx([0.35, 0.1])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"how": "guessing"}, "how is 'guessing'; it is one of regression, classes"),
        ({"terms": 0}, "terms is 0; there must be 1 or more"),
        ({"cost": 0.0}, "cost is 0.0; it must be more than 0"),
        ({"height": 0}, "height is 0; a cone has a height of 1 or more"),
    ],
)
def test_bad_settings_of_a_training_are_refused(
    settings: dict[str, Any], sentence: str, known: Map
) -> None:
    with pytest.raises(ValueError, match=sentence):
        SvmDistance.train(known, **settings)


def test_gamma_is_between_0_and_1(known: Map) -> None:
    with pytest.raises(ValueError, match="gamma is 1; it must be between 0 and 1"):
        SvmReward.train(known, gamma=1)


def test_bad_settings_of_a_hunt_are_refused(known: Map) -> None:
    model = SvmReward.train(known, terms=20)
    with pytest.raises(ValueError, match="score is 'S5'; it is one of S1, S2, S3, S4"):
        SvmReward(model=model, score="S5")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="anchor_weight is -1; it must be 0 or more"):
        SvmReward(model=model, anchor_weight=-1)


def test_pages_of_one_class_teach_nothing(known: Map) -> None:
    everything = Map(known.web, known.within, np.ones(len(known.web), bool))
    for kind in (SvmDistance, SvmReward):
        with pytest.raises(BadInput, match="there is nothing to learn from"):
            kind.train(everything)


def test_a_model_for_another_policy_is_refused(known: Map) -> None:
    with pytest.raises(ValueError, match="trained for 'rl-immediate', not for 'svm-reward'"):
        SvmReward(model=RLImmediate.train(known))
    with pytest.raises(ValueError, match="trained for 'svm-reward', not for 'svm-distance'"):
        SvmDistance(model=SvmReward.train(known, terms=20))
