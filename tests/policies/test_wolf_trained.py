"""The wolf that has hunted on a map before."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from checks import check_policy, through_disk
from wolfspider.clues.evidence import AT, together
from wolfspider.clues.priors import PRIOR
from wolfspider.crawl import replay
from wolfspider.judges import KeywordJudge
from wolfspider.judges.targets import TargetJudge
from wolfspider.policies import make, trains
from wolfspider.policies.wolf import Wolf
from wolfspider.policies.wolf_trained import TrainedWolf, _hunt, _untaught, sites
from wolfspider.records import State, Visit
from wolfspider.states import save_state
from wolfspider.topics import Topic
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.urls import host, seed_link
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
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
    assert policy.opinion.curiosity == 0.1
    assert policy.foresees


def test_training_hunts_every_page_of_the_map_once(model: Model, web: RecordedWeb) -> None:
    assert model.about["pages_hunted"] == len(web) == model.about["pages"]
    assert model.about["relevant"] == len(web.label(label(web)))


def test_with_a_topic_it_learns_how_far_to_heed_it(model: Model, web: RecordedWeb) -> None:
    """Without one no link is like it, and the weights of that stay what they were."""
    likeness = [AT["anchor"], AT["means_anchor"], AT["title"]]
    asked = TrainedWolf.train(replace(map_of(web), topic=Topic.of(label(web))))
    assert model.state["weights"][likeness].tolist() == PRIOR[likeness].tolist()
    assert (asked.state["weights"][likeness] != PRIOR[likeness]).all()
    assert asked.state["keywords"] == []  # its words may be carried to any hunt


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
    assert policy.opinion.learner.weights.tolist() == np.asarray(model.state["weights"]).tolist()
    assert policy.overlap() is None
    relevant(web, policy, Topic.of(label(web)), 200)
    overlap = policy.overlap()
    assert overlap is not None
    assert overlap > 0.8  # it is the web of its map, but links stand in other contexts, too


def test_on_the_web_of_its_map_it_finds_more_than_without(model: Model, web: RecordedWeb) -> None:
    """Judged by the targets of the map: a judge of keywords wants other pages."""
    topic = Topic.of(label(web))
    judge = TargetJudge.of(web.url(page) for page in web.label(label(web)).tolist())

    def found(policy: Wolf) -> int:
        visits = replay(web, policy, judge, [seed_link(web.url(0))], pages=100)
        return sum(visit.verdict.relevant for visit in visits)

    assert found(TrainedWolf(topic=topic, model=model)) > found(Wolf(topic=topic))


# -- sites ---------------------------------------------------------------------------------


def hosted(tmp_path: Path, pages: dict[str, int]) -> Map:
    """A map of so many pages of each host, the first of each a target."""
    with Compiler(tmp_path / "hosted", ["made"]) as compiler:
        for host, count in pages.items():
            for page in range(count):
                compiler.add(captured(f"http://{host}/{page}"))
        compiler.finish()
    web = RecordedWeb(tmp_path / "hosted")
    targets = np.array([web.url(page).endswith("/0") for page in range(len(web))])
    return Map(web, np.ones(len(web), bool), targets)


def captured(url: str) -> Capture:
    html = b"<html><title>moon</title><body>some words of a page</body></html>"
    return Capture(url, 0.0, 200, "text/html", body=html)


def hosts_of(known: Map) -> list[dict[str, int]]:
    web = known.web
    parts = [np.flatnonzero(part).tolist() for part in sites(known)]
    return [dict(Counter(host(web.url(page)) for page in part)) for part in parts]


def test_a_map_is_cut_into_registered_domains(tmp_path: Path) -> None:
    known = hosted(tmp_path, {"a.one.org": 4, "b.one.org": 2, "two.org": 4})
    assert hosts_of(known) == [{"a.one.org": 4, "b.one.org": 2}, {"two.org": 4}]


def test_one_domain_is_cut_into_hosts(tmp_path: Path) -> None:
    known = hosted(tmp_path, {"a.one.org": 4, "b.one.org": 6})
    assert hosts_of(known) == [{"b.one.org": 6}, {"a.one.org": 4}]


def test_one_host_is_not_cut(tmp_path: Path) -> None:
    assert hosts_of(hosted(tmp_path, {"one.org": 5})) == [{"one.org": 5}]


def test_a_small_rest_goes_with_the_smallest_site(tmp_path: Path) -> None:
    known = hosted(tmp_path, {"one.org": 15, "two.org": 10, "three.org": 1, "four.org": 1})
    assert hosts_of(known) == [{"one.org": 15}, {"two.org": 10, "three.org": 1, "four.org": 1}]


def test_many_sites_are_five_parts(tmp_path: Path) -> None:
    known = hosted(tmp_path, {f"{name}.org": 3 for name in "abcdefgh"})
    assert [sum(part.values()) for part in hosts_of(known)] == [3, 3, 3, 3, 12]


def test_many_small_sites_are_one_part(tmp_path: Path) -> None:
    known = hosted(tmp_path, {f"site{number}.org": 1 for number in range(12)})
    assert [sum(part.values()) for part in hosts_of(known)] == [12]


def test_weights_are_fitted_to_hunts_with_the_words_of_the_other_sites(
    web: RecordedWeb, model: Model
) -> None:
    """Done by hand; hunts that began with nothing, foresaw or heard less, give other weights."""
    known = map_of(web)
    parts = sites(known)
    assert model.about["sites"] == len(parts) == 5
    cold = [hunted(known, part) for part in parts]
    told = [wolf.evidence.carried() for wolf in cold]
    warm = [
        hunted(known, part, together([*told[:at], *told[at + 1 :]]))
        for at, part in enumerate(parts)
    ]
    assert np.asarray(model.state["weights"]).tolist() == fitted(warm).tolist()
    assert not np.allclose(model.state["weights"], fitted(cold), atol=0.01)
    blind = [hunted(known, part, foresees=False) for part in parts]
    assert not np.allclose(fitted(cold), fitted(blind), atol=0.01)
    deaf = [hunted(known, part, hears_again=False) for part in parts]
    assert not np.allclose(fitted(cold), fitted(deaf), atol=0.01)
    assert (np.asarray(model.state["weights"])[: len(PRIOR)] != PRIOR).any()


def hunted(
    known: Map,
    part: np.ndarray,
    before: State | None = None,
    *,
    foresees: bool = True,
    hears_again: bool = True,
) -> Wolf:
    wolf = Wolf(topic=Topic(()))
    wolf.opinion.learner = _untaught()
    wolf.foresees, wolf.evidence.hears_again = foresees, hears_again
    if before is not None:
        wolf.evidence.carry(before, TrainedWolf.trust)
    for visit in _hunt(wolf, known, part):
        wolf.learn(visit)
    return wolf


def fitted(wolves: list[Wolf]) -> np.ndarray:
    learner = _untaught()
    rows, values = zip(*(wolf.examples.both() for wolf in wolves), strict=True)
    learner.fit(np.concatenate(rows), np.concatenate(values))
    return learner.weights


# -- weights -------------------------------------------------------------------------------


def test_what_the_map_made_firm_takes_more_to_move(model: Model, web: RecordedWeb) -> None:
    """By the same examples of another judge; measured in what the map had examples of."""
    topic, learned = Topic.of("eclipse"), np.asarray(model.state["learned"])
    wolf = Wolf(topic=topic)
    relevant(web, wolf, topic, 100)
    loose = replace(model, state={k: v for k, v in model.state.items() if k != "learned"})
    moved = []
    for each in (model, loose):
        learner = TrainedWolf(topic=topic, model=each).opinion.learner
        learner.fit(*wolf.examples.both())
        away = learner.weights - each.state["weights"]
        moved.append(float(away @ learned @ away))
    assert 0 < moved[0] < 0.5 * moved[1]


def test_a_wolf_without_a_map_takes_up_what_clues_are_worth(model: Model, web: RecordedWeb) -> None:
    topic = Topic.of(label(web))
    trained, plain = TrainedWolf(topic=topic, model=model), Wolf(topic=topic)
    plain.carry(trained.carried())
    assert (
        plain.opinion.learner.weights.tolist()
        == trained.opinion.learner.weights[: len(PRIOR)].tolist()
    )


def test_a_wolf_without_a_map_says_nothing_of_relevant_pages(
    model: Model, web: RecordedWeb
) -> None:
    topic = Topic.of(label(web))
    trained, plain = TrainedWolf(topic=topic, model=model), Wolf(topic=topic)
    relevant(web, plain, topic, 60)
    trained.carry(plain.carried())
    weights = trained.opinion.learner.weights
    assert weights[: len(PRIOR)].tolist() == plain.opinion.learner.weights.tolist()
    assert weights[len(PRIOR) :].tolist() == model.state["weights"][len(PRIOR) :].tolist()
    assert weights[len(PRIOR) :].any()


def test_what_the_map_made_firm_stays_firm_in_hunt_after_hunt(
    model: Model, web: RecordedWeb
) -> None:
    """Also in one that began with another hunt, was stopped, and goes on."""
    topic = Topic.of(label(web))
    first, second = (TrainedWolf(topic=topic, model=model) for _ in range(2))
    firmness = first.opinion.learner.firmness.tolist()
    relevant(web, first, topic, 60)
    second.carry(first.carried())
    assert second.opinion.learner.weights.tolist() == first.opinion.learner.weights.tolist()
    assert second.opinion.learner.firmness.tolist() == firmness
    resumed = TrainedWolf(topic=topic, model=model)
    resumed.restore(through_disk(second.state()))
    for each in (second, resumed):
        each.opinion.learner.fit(*first.examples.both())
    assert resumed.opinion.learner.weights.tolist() == second.opinion.learner.weights.tolist()


def test_a_model_of_before_leads_a_hunt(model: Model, web: RecordedWeb) -> None:
    before = {name: value for name, value in model.state.items() if name != "learned"}
    before["weights"] = np.asarray(before["weights"])[: len(PRIOR)]
    topic = Topic.of(label(web))
    policy = TrainedWolf(topic=topic, model=replace(model, state=before))
    assert policy.opinion.learner.weights[: len(PRIOR)].tolist() == before["weights"].tolist()
    assert not policy.opinion.learner.weights[len(PRIOR) :].any()
    assert policy.opinion.learner.firmness.tolist() == _untaught().firmness.tolist()
    assert relevant(web, policy, topic, 60)


def test_a_model_that_does_not_fit_is_refused(model: Model) -> None:
    size = len(model.state["weights"])
    for broken in (
        *({"weights": np.zeros(count)} for count in (3, size - 1, size + 1)),
        {"weights": np.full(size, np.nan)},
        *({"learned": np.ones(shape)} for shape in ((), size, (1, size), (3, 3))),
        {"learned": np.full((size, size), np.inf)},
    ):
        with pytest.raises(ValueError, match="shape"):
            TrainedWolf(topic=Topic.of("moon"), model=replace(model, state=model.state | broken))


def test_receipts_know_what_clues_count_for_on_relevant_pages(
    model: Model, web: RecordedWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = TrainedWolf(topic=Topic.of(label(web)), model=model)
    visits = relevant(web, policy, Topic.of(label(web)), 60)
    book = policy.evidence.book
    waiting = [
        fingerprint
        for fingerprint in visits[-1].page.links.fingerprints.tolist()
        if not book.fetched(book.find(fingerprint))
    ]
    assert waiting
    told = [policy.receipt(fingerprint) for fingerprint in waiting]
    learner = policy.opinion.learner
    monkeypatch.setattr(learner, "weights_of", lambda row: learner.weights[: len(PRIOR)])
    assert [policy.receipt(fingerprint) for fingerprint in waiting] != told


def test_words_of_all_sites_are_carried(web: RecordedWeb, model: Model) -> None:
    known = map_of(web)
    told = [hunted(known, part).evidence.carried() for part in sites(known)]
    seen = sum(float(each["rates"]["seen"].sum()) for each in told)
    assert float(model.state["rates"]["seen"].sum()) == pytest.approx(seen, rel=1e-5)


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
