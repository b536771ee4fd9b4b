"""The contract that every policy and every web keeps. Run it on yours:

    from checks import check_policy, check_web

    def test_my_policy_keeps_the_contract() -> None:
        check_policy(lambda: MyPolicy(seed=1), web, seeds)

`policy_checks()` and `web_checks()` yield the single checks, for pytest's parametrize; the name of
each is its claim. Run as a program, this file prints the digest of a replay (see `main`).
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import mmap
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wolfspider.crawl import replay
from wolfspider.pages import parse, parse_html
from wolfspider.policies import Spec, train, trains
from wolfspider.policies import make as make_policy
from wolfspider.protocols import Judge, Policy, Web
from wolfspider.records import Link, Page, Response, State, Verdict, Visit
from wolfspider.states import load_state, save_state
from wolfspider.topics import Topic
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.urls import canonical, fingerprint, host, seed_link
from wolfspider.webs.recorded import RecordedWeb

Make = Callable[[], Policy]
PolicyCheck = Callable[[Make, Web, Sequence[Link]], None]
Run = Callable[[Coroutine[Any, Any, Response]], Response]
WebCheck = Callable[[Web, Sequence[str], str, Run], None]

SOME = 120  # visits of a check that need not see the whole web
HUGE = 5000  # links of a huge page


def check_policy(make: Make, web: Web, seeds: Sequence[Link], *, gives_up: bool = False) -> None:
    """All checks of a policy. `web` answers at once, as recorded webs do.

    `make` gives a new policy, always with the same settings. One that `gives_up` may leave
    pages out that it could reach: it has a bounded frontier or a limit on depth.
    """
    for check in policy_checks(gives_up=gives_up):
        check(make, web, seeds)


def policy_checks(*, gives_up: bool = False) -> Iterator[PolicyCheck]:
    yield check_a_link_leaves_at_most_once
    yield check_a_seed_given_twice_leaves_once
    yield check_no_link_is_invented
    yield check_busy_hosts_are_left_alone
    yield check_no_link_is_lost_while_all_hosts_are_busy
    yield check_the_buffer_is_never_exceeded
    yield check_length_counts_the_waiting_links
    yield check_an_exhausted_policy_is_empty
    yield check_a_policy_without_seeds_is_exhausted
    yield check_two_crawls_are_alike
    yield check_a_restored_policy_goes_on_alike
    yield check_a_new_policy_has_a_state
    yield check_a_page_without_links_is_survived
    yield check_an_empty_page_is_survived
    yield check_a_failed_fetch_is_survived
    yield check_a_huge_page_is_survived
    yield check_a_page_of_known_links_adds_none
    if not gives_up:
        yield check_every_page_within_reach_is_visited


def check_web(web: Web, known_urls: Sequence[str], unknown_url: str) -> None:
    """All checks of a web that has pages at `known_urls` and none at `unknown_url`."""
    with asyncio.Runner() as runner:
        for check in web_checks():
            check(web, known_urls, unknown_url, runner.run)


def web_checks() -> Iterator[WebCheck]:
    yield check_no_address_raises
    yield check_an_unknown_address_is_an_error
    yield check_a_known_address_is_a_page_with_a_canonical_url
    yield check_the_same_answer_comes_twice
    yield check_no_record_leads_back_to_the_web


# -- what the checks are made of -----------------------------------------------------------


class HandMade:
    """A web written down as `{url: html}`; everything else is not found."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = {seed_link(url).url: html.encode() for url, html in pages.items()}

    async def fetch(self, url: str) -> Response:
        address = canonical(url)
        if address not in self._pages:
            return Response(url, 404, error="not found")
        return Response(address, 200, page=parse_html(self._pages[address], address))


class ByAddress:
    """A judge that finds half of all pages relevant, for no other reason than their address."""

    def judge(self, page: Page) -> Verdict:
        relevance = fingerprint(page.url) % 997 / 996
        return Verdict(relevance, relevance > 0.9)


JUDGE: Judge = ByAddress()


@dataclass(frozen=True)
class Recording:
    """A web folder, an address from which all of its pages can be reached, and a topic of it."""

    folder: Path
    start: str
    topic: Topic


def follow(policy: Policy, web: Web, pages: int | None = None) -> list[Visit]:
    """Go on from where the policy is."""
    return list(replay(web, policy, JUDGE, pages=pages))


def started(make: Make, seeds: Sequence[Link]) -> Policy:
    policy = make()
    policy.start(seeds)
    return policy


def choice(policy: Policy) -> Link:
    link = policy.next()
    assert link is not None, "the policy has nothing to follow"
    return link


def drain(policy: Policy) -> list[Link]:
    """All links that wait, in the order in which they leave when nothing is learned."""
    return list(iter(policy.next, None))


def digest(visits: Sequence[Visit]) -> str:
    """Of everything that the policy decided: which links, in which order, at which score."""
    return hashlib.sha256("\n".join(repr(visit.link) for visit in visits).encode()).hexdigest()


def through_disk(state: State) -> State:
    """A state as it comes back from the disk; raises TypeError for what a state must not hold."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "state.npz")
        save_state(path, state)
        return load_state(path)


def copied(policy: Policy, make: Make) -> Policy:
    copy = make()
    copy.restore(through_disk(policy.state()))
    return copy


@lru_cache(maxsize=64)
def linking(url: str, targets: tuple[str, ...], words: str = "") -> Page:
    """A page of some words with a link to each target."""
    anchors = "".join(f'<a href="{target}">more</a> ' for target in targets)
    return parse_html(f"<title>{words}</title><p>{words}</p>{anchors}".encode(), url)


def visit_of(link: Link, page: Page | None = None) -> Visit:
    """A visit that found a relevant page, or failed when there is none."""
    if page is None:
        return Visit(link, Page(link.url), response=Response(link.url, error="no answer"))
    return Visit(link, page, Verdict(1.0, True), Response(link.url, 200, page=page))


class _Every:
    """All hosts are busy."""

    def __contains__(self, host: object) -> bool:
        return True


# -- policies ------------------------------------------------------------------------------


def check_a_link_leaves_at_most_once(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    visits = follow(started(make, seeds), web)
    assert len({visit.link.fingerprint for visit in visits}) == len(visits)


def check_a_seed_given_twice_leaves_once(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    policy = started(make, [*seeds, *seeds])
    policy.start(seeds)
    left = [link.url for link in drain(policy)]
    assert len(left) == len(set(left))


def check_no_link_is_invented(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    policy = started(make, seeds)
    seen = {seed.fingerprint for seed in seeds}
    for visit in replay(web, policy, JUDGE, pages=SOME):
        link = visit.link
        assert link.fingerprint in seen, f"nobody has seen {link.url}"
        assert link.fingerprint == fingerprint(link.url)
        assert link.host == host(link.url)
        seen.update(visit.page.links.fingerprints.tolist())


def check_busy_hosts_are_left_alone(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    """As in a crawl with four workers: the oldest fetch ends when no other can begin."""
    policy = started(make, seeds)
    flying: deque[Link] = deque()
    left = 0
    while True:
        busy = {link.host for link in flying}
        link = policy.next(busy) if len(flying) < 4 else None
        if link is not None:
            assert link.host not in busy, f"{link.host} is busy"
            flying.append(link)
            left += 1
        elif flying:
            policy.learn(_fetched(web, flying.popleft()))
        else:
            break
    assert len(policy) == 0, "nothing is busy any more, yet links are held back"
    assert left >= len(seeds)


def check_no_link_is_lost_while_all_hosts_are_busy(
    make: Make, web: Web, seeds: Sequence[Link]
) -> None:
    policy, other = started(make, seeds), started(make, seeds)
    follow(policy, web, SOME // 4)
    follow(other, web, SOME // 4)
    before = len(policy)
    assert policy.next(_Every()) is None
    assert len(policy) == before
    assert {link.url for link in drain(policy)} == {link.url for link in drain(other)}


def check_the_buffer_is_never_exceeded(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    """For policies with a `frontier` that has a `bound`."""
    policy = started(make, seeds)
    frontier = getattr(policy, "frontier", None)
    bound = getattr(frontier, "bound", None)
    if frontier is None or bound is None:
        return
    for _ in replay(web, policy, JUDGE, pages=SOME):
        assert len(frontier) <= bound
    link = choice(policy)
    policy.learn(visit_of(link, _huge_page(link)))
    assert len(frontier) == bound


def check_length_counts_the_waiting_links(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    policy = started(make, seeds)
    for _ in range(4):
        assert len(drain(copied(policy, make))) == len(policy)
        follow(policy, web, SOME // 4)


def check_an_exhausted_policy_is_empty(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    policy = started(make, seeds)
    follow(policy, web)
    assert policy.next() is None
    assert len(policy) == 0


def check_a_policy_without_seeds_is_exhausted(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    policy = started(make, [])
    assert len(policy) == 0
    assert policy.next() is None


def check_two_crawls_are_alike(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    one, other = (follow(started(make, seeds), web, SOME) for _ in range(2))
    assert digest(one) == digest(other)


def check_a_restored_policy_goes_on_alike(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    """Nor does asking for the state disturb the policy that is asked."""
    most = SOME + 40
    undisturbed = follow(started(make, seeds), web, most)
    for visits in (1, 9, SOME):
        policy = started(make, seeds)
        follow(policy, web, visits)
        copy = copied(policy, make)
        assert len(copy) == len(policy)
        expected = digest(undisturbed[visits:])
        assert digest(follow(copy, web, most - visits)) == expected, f"after {visits} visits"
        assert digest(follow(policy, web, most - visits)) == expected, f"after {visits} visits"


def check_a_new_policy_has_a_state(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    copy = copied(make(), make)
    assert len(copy) == 0
    copy.start(seeds)
    assert digest(follow(copy, web, 20)) == digest(follow(started(make, seeds), web, 20))


def check_a_page_without_links_is_survived(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    _survive(make, seeds, lambda link: visit_of(link, linking(link.url, (), "just some words")))


def check_an_empty_page_is_survived(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    _survive(make, seeds, lambda link: visit_of(link, Page(link.url)))


def check_a_failed_fetch_is_survived(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    _survive(make, seeds, visit_of)


def check_a_huge_page_is_survived(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    policy = started(make, seeds)
    link = choice(policy)
    page = _huge_page(link)
    policy.learn(visit_of(link, page))
    assert len(policy) > 0
    others = {seed.url for seed in seeds}
    assert {link.url for link in drain(policy)} <= others | set(page.links.urls())


def check_a_page_of_known_links_adds_none(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    policy = started(make, seeds)
    first = choice(policy)
    targets = tuple(f"http://host{n % 3}.example/{n}" for n in range(9))
    policy.learn(visit_of(first, linking(first.url, targets)))
    second = choice(policy)
    before = len(policy)
    policy.learn(visit_of(second, linking(second.url, (first.url, *targets))))
    assert len(policy) <= before
    left = [link.url for link in drain(policy)]
    assert len(left) <= before
    assert not {first.url, second.url} & set(left)


def check_every_page_within_reach_is_visited(make: Make, web: Web, seeds: Sequence[Link]) -> None:
    visited = {visit.link.url for visit in follow(started(make, seeds), web)}
    reach = {seed.url: seed for seed in seeds}
    waiting = list(reach.values())
    while waiting:
        links = [seed_link(url) for url in _fetched(web, waiting.pop()).page.links.urls()]
        new = [link for link in links if link.url not in reach]
        reach.update((link.url, link) for link in new)
        waiting += new
    assert visited == set(reach)


def _fetched(web: Web, link: Link) -> Visit:
    [visit] = replay(web, _Only(link), JUDGE, pages=1)
    return visit


class _Only:
    """The policy of somebody who knows what he wants."""

    def __init__(self, link: Link) -> None:
        self._links = [link]

    def start(self, seeds: Sequence[Link]) -> None: ...

    def next(self, busy: object = ()) -> Link | None:
        return self._links.pop() if self._links else None

    def learn(self, visit: Visit) -> None: ...

    def __len__(self) -> int:
        return len(self._links)

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None: ...


def _survive(make: Make, seeds: Sequence[Link], fate: Callable[[Link], Visit]) -> None:
    """Every visit is of one bad kind, seeds first, then the links of one good page."""
    policy = started(make, seeds)
    link = choice(policy)
    policy.learn(fate(link))
    assert len(policy) == len(seeds) - 1
    policy = started(make, seeds)
    link = choice(policy)
    policy.learn(visit_of(link, linking(link.url, ("http://a.example/", "http://b.example/"))))
    waiting = len(policy)
    assert waiting > 0
    for left in reversed(range(waiting)):
        link = choice(policy)
        policy.learn(fate(link))
        assert len(policy) == left
    assert policy.next() is None


def _huge_page(link: Link) -> Page:
    return linking(link.url, _HUGE_TARGETS)


_HUGE_TARGETS = tuple(f"http://host{n % 7}.example/{n}" for n in range(HUGE))


# -- webs ----------------------------------------------------------------------------------


def check_no_address_raises(web: Web, known: Sequence[str], unknown: str, run: Run) -> None:
    anything = st.text(st.characters(exclude_categories=()))  # lone surrogates, too
    mangled = st.builds(lambda url, end: url + end, st.sampled_from(list(known)), anything)

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(anything | mangled | anything.map("http://".__add__))
    def fetch(url: str) -> None:
        assert isinstance(run(web.fetch(url)), Response)

    fetch()


def check_an_unknown_address_is_an_error(
    web: Web, known: Sequence[str], unknown: str, run: Run
) -> None:
    response = run(web.fetch(unknown))
    assert response.error
    page = parse(response)
    assert not page.raw_text
    assert not len(page.links)


def check_a_known_address_is_a_page_with_a_canonical_url(
    web: Web, known: Sequence[str], unknown: str, run: Run
) -> None:
    for url in known:
        response = run(web.fetch(url))
        assert not response.error, f"{url}: {response.error}"
        page = parse(response)
        assert page.url == response.url == canonical(page.url)
        for target, number in zip(page.links.urls(), page.links.fingerprints.tolist(), strict=True):
            assert target == canonical(target)
            assert number == fingerprint(target)


def check_the_same_answer_comes_twice(
    web: Web, known: Sequence[str], unknown: str, run: Run
) -> None:
    for url in (*known, unknown):
        one, other = run(web.fetch(url)), run(web.fetch(url))
        assert (one.url, one.status, one.error) == (other.url, other.status, other.error)
        a, b = parse(one), parse(other)
        assert (a.url, a.title, a.raw_text, a.flags) == (b.url, b.title, b.raw_text, b.flags)
        assert a.terms.ids.tolist() == b.terms.ids.tolist()
        assert a.terms.counts.tolist() == b.terms.counts.tolist()
        assert a.links.buffer == b.links.buffer


def check_no_record_leads_back_to_the_web(
    web: Web, known: Sequence[str], unknown: str, run: Run
) -> None:
    for url in (*known, unknown):
        response = run(web.fetch(url))
        parts = response.page or parse(response)
        own = len(parts.raw_text) + len(parts.title) * 4 + len(parts.links.buffer) + 64
        own += len(parts.url) + parts.terms.ids.nbytes + parts.terms.counts.nbytes
        own = max(own, len(response.body))
        for found in _reachable(response):
            assert found is not web, f"the answer for {url} leads back to the web"
            assert not isinstance(found, mmap.mmap | np.memmap), f"{url}: a map of a file"
            size = found.nbytes if isinstance(found, np.ndarray | memoryview) else 0
            size = len(found) if isinstance(found, bytes | bytearray) else size
            assert size <= own, f"{url}: {size} bytes come with a page of {own}"


def _reachable(root: object, most: int = 20_000) -> Iterator[object]:
    """Everything that can be got from an object without importing anything."""
    seen = {id(root)}
    queue: deque[object] = deque([root])
    while queue and len(seen) < most:
        found = queue.popleft()
        yield found
        for next_ in _held_by(found):
            if id(next_) not in seen and not isinstance(next_, type | ModuleType):
                seen.add(id(next_))
                queue.append(next_)


def _held_by(found: object) -> list[object]:
    match found:
        case np.ndarray():
            return [found.base]
        case memoryview():
            return [found.obj]
        case FunctionType():  # not its globals: they are the module's
            return [cell.cell_contents for cell in found.__closure__ or ()]
        case MethodType() | BuiltinMethodType():
            return [found.__self__]
        case _:
            return gc.get_referents(found)


# -- policies that are trained -------------------------------------------------------------


def model_for(spec: str, web: RecordedWeb) -> Model | None:
    """What a policy that has to be trained learns from half of a web; None for the others."""
    return _model(Spec.parse(spec), web.folder) if trains(Spec.parse(spec).name) else None


@lru_cache(maxsize=64)
def _model(spec: Spec, folder: Path) -> Model:
    web = RecordedWeb(folder)
    targets = np.zeros(len(web), bool)
    targets[web.label(max(web.about["labels"], key=_is_topic))] = True
    return train(spec, Map(web, np.arange(len(web)) % 2 == 0, targets))


def _is_topic(label: str) -> bool:
    return ":" not in label


# -- the same crawl in another process -----------------------------------------------------


def main(folder: str, start: str, words: str, *specs: str) -> None:
    """Print the digest of a replay of a web folder for each policy, as JSON."""
    web, topic = RecordedWeb(folder), Topic.of(words)
    digests = {}
    for spec in specs:
        policy = make_policy(spec, topic=topic, seed=1, model=model_for(spec, web))
        policy.start([seed_link(start)])
        digests[spec] = digest(follow(policy, web, SOME))
    print(json.dumps(digests))


if __name__ == "__main__":
    main(*sys.argv[1:])
