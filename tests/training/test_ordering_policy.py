"""Ordering: trained on a generated web, hunting on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from checks import check_policy, through_disk
from wolfspider.crawl import replay
from wolfspider.errors import BadInput
from wolfspider.judges.targets import TargetJudge
from wolfspider.pages import parse_html
from wolfspider.policies.ordering import Ordering
from wolfspider.records import Page, Verdict, Visit
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.urls import seed_link
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic, capture_of

SHAPE = Synthetic(pages=300, hosts=8, topics=3, words=80, seed=2)
TOPIC = SHAPE.summary().topics[0]
START = seed_link(SHAPE.summary().start)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    folder = tmp_path_factory.mktemp("web") / "web"
    with Compiler(folder, ["made"]) as compiler:
        for record in SHAPE.records():
            compiler.add(capture_of(record))
        compiler.finish()
    return RecordedWeb(folder)


@pytest.fixture(scope="module")
def known(web: RecordedWeb) -> Map:
    targets = np.zeros(len(web), bool)
    targets[web.label(TOPIC)] = True
    return Map(web, np.ones(len(web), bool), targets)


@pytest.fixture(scope="module")
def model(known: Map) -> Model:
    return Ordering.train(known, pairs=300)


def visited(page: Page, target: bool = False) -> Visit:
    return Visit(seed_link(page.url), page, Verdict(float(target), target))


def same(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(np.array_equal(a, b))


def test_links_that_look_like_targets_score_higher(known: Map, model: Model) -> None:
    policy, to_targets, to_others = Ordering(model=model), [], []
    for mapped in known:
        if not len(mapped.leads_to):
            continue
        values = policy.score(mapped.page.links, visited(mapped.page))
        assert ((values >= 0) & (values <= 1 + 1e-9)).all()
        hits = known.targets[mapped.leads_to]
        to_targets += values[hits].tolist()
        to_others += values[~hits].tolist()
    assert np.mean(to_targets) > 1.5 * np.mean(to_others)


def test_training_says_what_it_learned(known: Map, model: Model) -> None:
    about = model.about
    assert about["misordered"] < 0.5
    assert len(about["functions"]) == 13
    assert sum(about["functions"].values()) == pytest.approx(1, abs=1e-4)
    assert set(known.named(model).words) == set(model.state["composite"]["ids"].tolist())
    assert Ordering(model=model).model.settings["rounds"] == 15


def test_the_same_seed_gives_the_same_model(known: Map, model: Model) -> None:
    again = Ordering.train(known, pairs=300)
    assert same(again.state, model.state)
    assert again.about == model.about
    other = Ordering.train(known, pairs=300, seed=1)
    assert not same(other.state, model.state)


def test_without_rounds_all_targets_weigh_the_same(known: Map) -> None:
    weights = Ordering.train(known, rounds=0, targets=4).state["composite"]["weights"]
    assert weights.tolist() == [0.25] * 4


def test_more_targets_than_are_known_are_all_that_are(known: Map) -> None:
    weights = Ordering.train(known, targets=10_000, pairs=50).state["composite"]["weights"]
    assert len(weights) == len(known.known_targets)


PAGE = b"""<title>zebra</title>zebra zebra giraffe
<a href=/a>giraffe</a> <a href=/b>giraffe</a> <a href=/c>tractor</a>"""


def test_after_a_target_its_like_scores_higher(model: Model) -> None:
    """The generated web has no animals; once a page about them is a target, others are worth it."""
    target = parse_html(PAGE, "http://zoo.example/1")
    other = visited(parse_html(PAGE, "http://zoo.example/2"))
    learns, stays = Ordering(model=model), Ordering(model=model, online=False)
    before = learns.score(other.page.links, other)
    for policy in (learns, stays):
        policy.learn(visited(target, target=True))
    after = learns.score(other.page.links, other)
    assert (after > before).all()
    assert after[0] > after[2]  # giraffes are nearer to zebras than tractors are
    assert stays.score(other.page.links, other).tolist() == before.tolist()


def test_only_targets_teach(model: Model) -> None:
    visit = visited(parse_html(PAGE, "http://zoo.example/1"))
    policy = Ordering(model=model)
    before = policy.score(visit.page.links, visit).tolist()
    policy.learn(visit)
    assert policy.score(visit.page.links, visit).tolist() == before


def test_equal_links_leave_in_the_order_of_the_page(model: Model) -> None:
    html = "zebra" + "".join(
        f"<a href=/{number}>giraffe {number % 2 * 'lion'}</a>" for number in range(40)
    )
    policy = Ordering(model=model)
    policy.learn(visited(parse_html(html.encode(), "http://zoo.example/"), target=True))
    left = [int(link.url.rsplit("/", 1)[1]) for link in iter(policy.next, None)]
    odd, even = [each for each in left if each % 2], [each for each in left if not each % 2]
    assert odd == list(range(1, 40, 2))
    assert even == list(range(0, 40, 2))


def test_a_restored_hunt_goes_on_alike(web: RecordedWeb, known: Map, model: Model) -> None:
    judge = TargetJudge.of(web.url(number) for number in known.known_targets.tolist())
    first = Ordering(model=model)
    visits = list(replay(web, first, judge, [START], pages=100))
    assert any(visit.verdict.target for visit in visits)
    second = Ordering(model=model)
    second.restore(through_disk(first.state()))
    told = [[v.link for v in replay(web, each, judge, pages=60)] for each in (first, second)]
    assert told[0] == told[1]
    assert len(told[0]) == 60


@pytest.mark.parametrize("online", [True, False])
def test_it_keeps_the_contract(web: RecordedWeb, model: Model, online: bool) -> None:
    check_policy(lambda: Ordering(model=model, online=online), web, [START])


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"targets": 0}, "targets is 0; it must be 1 or more"),
        ({"rounds": -1}, "rounds is -1; it must be 0 or more"),
        ({"pairs": 0}, "pairs is 0; it must be 1 or more"),
        ({"height": 0}, "height is 0; it must be 1 or more"),
        ({"beta": 1.0}, "beta is 1.0; it must be between 0 and 1"),
        ({"beta": float("nan")}, "beta is nan; it must be between 0 and 1"),
        ({"anchor_weight": -1.0}, "anchor_weight is -1.0; it must be a number, 0 or more"),
        ({"anchor_weight": float("inf")}, "anchor_weight is inf; it must be a number, 0 or more"),
    ],
)
def test_bad_settings_are_told_in_a_sentence(
    known: Map, setting: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        Ordering.train(known, **setting)


def test_a_map_of_nothing_but_targets_teaches_nothing(web: RecordedWeb) -> None:
    everything = np.ones(len(web), bool)
    with pytest.raises(BadInput, match="no page but targets leads to a target"):
        Ordering.train(Map(web, everything, everything))


def test_a_model_of_another_policy_is_refused(model: Model) -> None:
    other = Model("rl-future", model.settings, model.state)
    with pytest.raises(
        ValueError, match="the model was trained for 'rl-future', not for 'ordering'"
    ):
        Ordering(model=other)
