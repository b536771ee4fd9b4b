"""The wolf that has hunted on a map before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from checks import check_policy
from wolfspider.crawl import replay
from wolfspider.judges import KeywordJudge
from wolfspider.policies import make, trains
from wolfspider.policies.wolf import Wolf
from wolfspider.policies.wolf_trained import TrainedWolf
from wolfspider.records import Visit
from wolfspider.states import save_state
from wolfspider.topics import Topic
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.urls import seed_link
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic, capture_of


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    folder = tmp_path_factory.mktemp("web") / "web"
    with Compiler(folder, ["made"]) as compiler:
        for record in Synthetic(pages=400, hosts=12, topics=4, words=60, seed=2).records():
            compiler.add(capture_of(record))
        compiler.finish()
    return RecordedWeb(folder)


def label(web: RecordedWeb) -> str:
    return min(str(name) for name in web.about["labels"] if not name.startswith("role:"))


def map_of(web: RecordedWeb, within: np.ndarray | None = None) -> Map:
    targets = np.zeros(len(web), bool)
    targets[web.label(label(web))] = True
    return Map(web, np.ones(len(web), bool) if within is None else within, targets)


@pytest.fixture(scope="module")
def model(web: RecordedWeb) -> Model:
    return TrainedWolf.train(map_of(web))


def relevant(web: RecordedWeb, policy: Wolf, topic: Topic, pages: int) -> list[Visit]:
    visits = replay(web, policy, KeywordJudge(topic), [seed_link(web.url(0))], pages=pages)
    return [visit for visit in visits if visit.verdict.relevant]


def test_it_is_known_as_one_that_trains(model: Model, web: RecordedWeb) -> None:
    assert trains("wolf-trained")
    assert not trains("wolf")
    policy = make("wolf-trained:curiosity=0.1", topic=Topic.of(label(web)), model=model)
    assert isinstance(policy, TrainedWolf)
    assert policy.curiosity == 0.1


def test_training_hunts_every_page_of_the_map_once(model: Model, web: RecordedWeb) -> None:
    assert model.about["pages_hunted"] == len(web) == model.about["pages"]
    assert model.about["relevant"] == len(web.label(label(web)))


def test_pages_that_are_not_on_the_map_are_not_seen(web: RecordedWeb) -> None:
    within = np.arange(len(web)) % 3 == 0
    model = TrainedWolf.train(map_of(web, within))
    assert model.about["pages_hunted"] == int(within.sum())
    assert model.about["relevant"] == int(within[web.label(label(web))].sum())


def test_a_map_of_pages_without_links_between_them(web: RecordedWeb) -> None:
    within = np.zeros(len(web), bool)
    within[[web.label(label(web))[0], len(web) - 1]] = True
    model = TrainedWolf.train(map_of(web, within))
    assert model.about["pages_hunted"] == 2


def test_training_twice_gives_the_same(web: RecordedWeb, model: Model, tmp_path: Path) -> None:
    again = TrainedWolf.train(map_of(web))
    for name, each in (("one", model), ("two", again)):
        save_state(tmp_path / name, each.state)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_it_begins_with_what_was_learned(model: Model, web: RecordedWeb) -> None:
    policy = TrainedWolf(topic=Topic.of(label(web)), model=model)
    assert policy.learner.weights.tolist() == np.asarray(model.state["weights"]).tolist()
    assert policy.overlap() is None
    relevant(web, policy, Topic.of(label(web)), 200)
    overlap = policy.overlap()
    assert overlap is not None
    assert overlap > 0.8  # it is the web of its map, but links stand in other contexts, too


def test_on_the_web_of_its_map_it_finds_more_than_without(model: Model, web: RecordedWeb) -> None:
    topic = Topic.of(label(web))
    with_model = relevant(web, TrainedWolf(topic=topic, model=model), topic, 100)
    assert len(with_model) > len(relevant(web, Wolf(topic=topic), topic, 100))


def test_words_hold_for_any_way_to_ask(model: Model) -> None:
    used = np.asarray(model.state["rates"]["tokens"], np.uint32)
    policy = TrainedWolf(topic=Topic.of("something else"), model=model)
    assert policy.evidence.rates.known(used).all()


def test_the_model_of_another_policy_is_a_sentence(model: Model) -> None:
    with pytest.raises(ValueError, match="trained for 'rl-future', not for 'wolf-trained'"):
        TrainedWolf(topic=Topic.of("moon"), model=Model("rl-future", {}, model.state))


def test_it_keeps_the_contract(model: Model, web: RecordedWeb) -> None:
    topic = Topic.of(label(web))
    check_policy(lambda: TrainedWolf(topic=topic, model=model), web, [seed_link(web.url(0))])
