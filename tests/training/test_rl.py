"""Spiders that learn from maps: bins, words, and what they do with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recordings import compile_web, page
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.policies import Spec, make, train
from wolfspider.policies.rl import RLFuture, RLImmediate, binned
from wolfspider.records import Link, Response, Verdict, Visit
from wolfspider.topics import Topic
from wolfspider.training.disk import digest_of, load_model, save_model
from wolfspider.training.maps import Map
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

TOPIC = Topic.of("officers")


def site(number: int) -> list[bytes]:
    """A company: home → about → officers; home → products → a product."""
    base = f"http://c{number}.test/"
    links = [
        ("", "<a href='about'>About the company</a> <p><a href='products'>All products</a>"),
        ("about", "<a href='board'>Board of directors</a> <p><a href='/'>Home page</a>"),
        ("products", "<a href='widget'>Widget datasheet</a> <p><a href='/'>Home page</a>"),
        ("widget", "<a href='products'>All products</a>"),
        ("board", "<p>Our officers."),
    ]
    return [page(f"{base}{path}", body) for path, body in links]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    records = [record for number in range(6) for record in site(number)]
    return compile_web(tmp_path_factory.mktemp("web") / "web", records)


def known(web: RecordedWeb, sites: range = range(5)) -> Map:
    urls = [web.url(number) for number in range(len(web))]
    within = np.array([int(url[8]) in sites for url in urls])
    return Map(web, within, np.array([url.endswith("board") for url in urls]))


def visit(web: RecordedWeb, path: str) -> Visit:
    found = web.page(web.number(f"http://c5.test/{path}"))
    link: Link = seed_link(found.url)
    return Visit(link, found, Verdict(0.0, False), Response(found.url, 200, page=found))


def test_bins_have_the_edges_of_the_paper() -> None:
    values = np.array([1.7, 1.0, 0.99, 0.5, 0.49, 0.25, 0.2, 0.0])
    assert binned(values, 4, 0.5).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert binned(values, 2, 0.5).tolist() == [0, 0, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("text", ["related", "full-page"])
def test_links_towards_targets_are_worth_more(web: RecordedWeb, text: str) -> None:
    policy = make(
        f"rl-future:text={text}",
        topic=TOPIC,
        model=train(Spec.parse(f"rl-future:text={text}"), known(web)),
    )
    assert isinstance(policy, RLFuture)
    about, products = policy.score(visit(web, "").page.links, visit(web, ""))
    board, home = policy.score(visit(web, "about").page.links, visit(web, "about"))
    assert board > about > products
    assert board > home


def test_immediate_sees_only_the_last_step(web: RecordedWeb) -> None:
    model = RLImmediate.train(known(web))
    policy = RLImmediate(model=model)
    about, products = policy.score(visit(web, "").page.links, visit(web, ""))
    board, _ = policy.score(visit(web, "about").page.links, visit(web, "about"))
    assert board > 0.5 > max(about, products)
    assert len(model.state["means"]) == 2


def test_a_model_says_where_it_came_from(web: RecordedWeb) -> None:
    model = known(web).named(RLFuture.train(known(web), bins=3))
    assert model.settings == {"bins": 3, "text": "full-page", "gamma": 0.5}
    assert (model.about["pages"], model.about["targets"]) == (25, 5)
    assert sum(model.about["links_by_bin"]) == model.about["links"] == 35
    assert np.sum(model.about["confusion"]) > 0
    assert "director" in model.words.values()


def test_a_model_comes_back_from_disk(web: RecordedWeb, tmp_path: Path) -> None:
    model = RLFuture.train(known(web))
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert (again.policy, again.settings, again.words) == (
        model.policy,
        model.settings,
        model.words,
    )
    links = visit(web, "").page.links
    scores = [RLFuture(model=each).score(links, visit(web, "")).tolist() for each in (model, again)]
    assert scores[0] == scores[1]
    with pytest.raises(BadInput, match="exists already"):
        save_model(model, tmp_path / "model")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 9}', r"has format 9, this version reads 1; train it again"),
        ("{", r"model.json is damaged .*; train it again"),
        ("[]", r"model.json is damaged; train it again"),
        ('{"format": 1}', r"is damaged .*; train it again"),
    ],
)
def test_a_model_that_cannot_be_read(
    web: RecordedWeb, tmp_path: Path, text: str, message: str
) -> None:
    save_model(RLFuture.train(known(web)), tmp_path / "model")
    (tmp_path / "model" / "model.json").write_text(text)
    with pytest.raises((BadInput, DamagedFile), match=message):
        load_model(tmp_path / "model")


def test_arrays_that_do_not_fit_are_a_sentence(web: RecordedWeb) -> None:
    model = RLFuture.train(known(web))
    for broken in (
        replace(model, state={}),
        replace(model, state={"bayes": model.state["bayes"]}),
        replace(model, settings={}),
    ):
        with pytest.raises(DamagedFile, match=r"does not fit policy 'rl-future' .*; train it"):
            make("rl-future", topic=TOPIC, model=broken)


def test_the_digest_is_of_what_decides(web: RecordedWeb) -> None:
    model = RLFuture.train(known(web))
    assert digest_of(model) == digest_of(RLFuture.train(known(web)))
    assert digest_of(replace(model, about={})) == digest_of(model)
    others = replace(model, settings={"text": "x"}), replace(model, policy="x")
    assert digest_of(model) not in map(digest_of, others)
    assert digest_of(RLFuture.train(known(web, range(4)))) != digest_of(model)


def test_words_of_links_are_told_as_known_or_not(web: RecordedWeb) -> None:
    policy = RLFuture(model=RLFuture.train(known(web)))
    assert policy.overlap() is None
    policy.score(visit(web, "").page.links, visit(web, ""))
    assert policy.overlap() == 1.0
    again = RLFuture(model=policy.model)
    again.restore(policy.state())
    assert again.overlap() == 1.0


def test_no_model_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no model in .*; make one with: wolfspider train"):
        load_model(tmp_path)
    with pytest.raises(BadInput, match="has to be trained first: wolfspider train rl-future"):
        make("rl-future", topic=TOPIC)


def test_models_fit_the_policy_and_its_settings(web: RecordedWeb) -> None:
    model = RLFuture.train(known(web))
    with pytest.raises(BadInput, match="the model was trained for 'rl-future', not for 'rl-imm"):
        make("rl-immediate", topic=TOPIC, model=model)
    with pytest.raises(BadInput, match="was trained with text=full-page, not text=related; leave"):
        make("rl-future:text=related", topic=TOPIC, model=model)
    with pytest.raises(
        BadInput, match="takes no model; the model is one of rl-future: --policy rl-f"
    ):
        make("breadth-first", topic=TOPIC, model=model)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rl-future:bins=2", "bins is 2; rl-future has 3, 4 or 5 of them"),
        ("rl-future:gamma=0.9", "gamma is 0.9; it must be above 0 and at most 0.5"),
        ("rl-future:text=none", "text is one of related, full-page, not 'none'"),
        ("rl-immediate:bins=3", "has no setting 'bins'; it has: text, gamma, buffer"),
        ("breadth-first", "is not trained; these are trained: .*rl-future"),
    ],
)
def test_bad_settings_of_training(web: RecordedWeb, spec: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        train(Spec.parse(spec), known(web))


def test_nothing_to_learn_from_is_a_sentence(web: RecordedWeb) -> None:
    nothing = np.zeros(len(web), bool)
    with pytest.raises(BadInput, match=r"none of the 25 known pages of .* is a target"):
        Map(web, known(web).within, nothing)
    with pytest.raises(BadInput, match=r"no page of .* is known"):
        Map(web, nothing, known(web).targets)
    everything = np.ones(len(web), bool)
    with pytest.raises(BadInput, match="all known links are of one kind"):
        RLFuture.train(Map(web, everything, everything))
