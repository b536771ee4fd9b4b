"""context-graph: layers by hand, and what it learns from a small generated web."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wolfspider.errors import BadInput
from wolfspider.learners.naive_bayes import NaiveBayes, Words
from wolfspider.policies.context_graph import ContextGraph
from wolfspider.records import Link, Page, Terms, Visit
from wolfspider.states import load_state, save_state
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic, capture_of

NOBODY = Link("http://nobody.test/", 0, "nobody.test")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Map:
    folder = tmp_path_factory.mktemp("web") / "web"
    with Compiler(folder, ["made"]) as compiler:
        for record in Synthetic(pages=200, hosts=8, topics=3, words=60, seed=2).records():
            compiler.add(capture_of(record))
        compiler.finish()
    web = RecordedWeb(folder)
    targets = np.zeros(len(web), bool)
    targets[web.label(min(n for n in web.about["labels"] if not n.startswith("role:")))] = True
    return Map(web, np.ones(len(web), bool), targets)


def by_hand(**settings: Any) -> ContextGraph:
    """Word 1 nine times in layer 0, word 2 in layer 1, word 3 in no layer; three pages of each."""
    words = Words(np.array([1, 2, 3], np.uint32), np.arange(3), np.full(3, 9.0))
    bayes = NaiveBayes.fit(np.full(3, 3), {"page": words})
    return ContextGraph(model=Model("context-graph", {}, {"bayes": bayes.state()}), **settings)


def page_of(*words: int) -> Page:
    ids, counts = np.unique(np.array(words, np.uint32), return_counts=True)
    return Page("http://nobody.test/", terms=Terms.of(ids, counts.astype(np.float32)))


def score(policy: ContextGraph, page: Page) -> float:
    return policy.score(page.links, Visit(NOBODY, page))


def test_a_page_belongs_to_its_most_probable_layer() -> None:
    policy = by_hand(surest_first=False)
    assert [policy.layer(page_of(word))[0] for word in (1, 2, 3)] == [0, 1, 2]
    assert policy.layer(page_of(1))[1] == pytest.approx(10 / 12)  # (1 + 9) / (3 + 9) of it, 1/12
    assert [score(policy, page_of(word)) for word in (1, 2, 3)] == [0, -1, -2]


def test_a_page_that_is_not_sure_is_other() -> None:
    """Both words: 10/21 for either layer."""
    both = page_of(1, 2)
    assert by_hand().layer(both)[0] == 2
    assert by_hand(threshold=0.4).layer(both)[0] == 0
    assert by_hand(threshold=0.9).layer(page_of(1))[0] == 2
    assert by_hand().layer(page_of())[0] == 2  # without words: a third for each


def test_within_a_layer_the_surest_page_may_go_first() -> None:
    policy = by_hand(surest_first=True)
    scores = [score(policy, page_of(*words)) for words in ([1, 1, 1], [1], [2, 2], [2], [3])]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 5
    assert -1 < scores[1] < scores[0] <= 0


def test_training_twice_gives_the_same(known: Map, tmp_path: Path) -> None:
    for name in ("one", "two"):
        model = ContextGraph.train(known, starts=9, balanced=True, seed=3)
        save_state(tmp_path / name, model.state)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_it_learns_the_layers(known: Map) -> None:
    policy = ContextGraph(model=ContextGraph.train(known))
    layers = np.array([policy.layer(known.web.page(n))[0] for n in range(len(known.web))])
    truth = np.minimum(known.graph.distances_to(known.known_targets), 5)
    assert layers[truth == 0].mean() < layers[truth > 1].mean()
    assert (layers == truth).mean() > 0.6


def test_scores_are_those_of_a_model_from_disk(known: Map, tmp_path: Path) -> None:
    model = ContextGraph.train(known, height=2)
    save_state(tmp_path / "model.npz", model.state)
    back = Model(model.policy, model.settings, load_state(tmp_path / "model.npz"))
    policies = [ContextGraph(model=each) for each in (model, back)]
    for number in range(0, len(known.web), 9):
        page = known.web.page(number)
        first, second = (score(policy, page) for policy in policies)
        assert first == second
        assert -4 < first <= 0


def test_the_model_says_what_it_came_from(known: Map) -> None:
    model = ContextGraph.train(known, height=2, noise=False)
    assert model.about["targets"] == len(known.known_targets)
    assert model.about["pages_by_distance"][0] == len(known.known_targets)
    assert model.about["pages_by_distance"][3] == 0
    assert set(known.named(model).words) == set(
        model.state["bayes"]["bags"]["page"]["ids"].tolist()
    )


def test_bad_settings_are_refused(known: Map) -> None:
    with pytest.raises(ValueError, match="threshold is 2; it is a probability, from 0 to 1"):
        by_hand(threshold=2)
    with pytest.raises(ValueError, match="height is 0; a cone has a height of 1 or more"):
        ContextGraph.train(known, height=0)


def test_pages_of_one_class_teach_nothing(known: Map) -> None:
    with pytest.raises(BadInput, match="there is nothing to learn from"):
        ContextGraph.train(Map(known.web, known.within, np.ones(len(known.web), bool)))


def test_a_model_for_another_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="trained for 'svm-reward', not for 'context-graph'"):
        ContextGraph(model=Model("svm-reward", {}, {}))
