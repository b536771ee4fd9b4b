"""A policy sees what a live crawl would have shown it, and nothing else.

Two proofs. A prying policy looks for things that must not be there: the web, its files, the
judge, the task, the words of pages that it has not visited. And two worlds that differ in all that
is hidden — numbers and count of pages, texts not visited, labels, description — look exactly
alike to it. A row of leaks, made on purpose, shows that it would find them.
"""

from __future__ import annotations

import io
import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from lab.prying import Prying, atom, everything
from lab.tiny import LINKS, letters, number, task_of, web_of
from wolfspider.lab.ground import Ground
from wolfspider.lab.run import Timed, run
from wolfspider.lab.tasks import Away, Task, TaskFile
from wolfspider.lab.trace import Trace
from wolfspider.lab.view import View
from wolfspider.policies import Spec
from wolfspider.protocols import Judge, Web
from wolfspider.records import Link, Links, Page, Response, Terms, Verdict
from wolfspider.text import term_ids
from wolfspider.topics import Topic
from wolfspider.webs.folder import Blobs
from wolfspider.webs.graph import Graph
from wolfspider.webs.recorded import RecordedWeb

FETCHES = 4  # a b c d; e f g h are not visited
HIDDEN = "efgh"
FORBIDDEN = (Graph, Ground, Task, TaskFile, Trace, Timed, Blobs, FrameType, mmap.mmap, io.IOBase)


@dataclass(frozen=True)
class World:
    """A web to pry into; `variant` changes everything that a policy may not know."""

    web: RecordedWeb
    ground: Ground

    @classmethod
    def make(
        cls, folder: Path, variant: int, kind: type[Ground], part: bool, judge: str = "targets"
    ) -> World:
        fillers = {chr(0x4E00 + n): "" for n in range(600 + 37 * variant)}
        order = sorted(LINKS, reverse=bool(variant))
        links = fillers | {page: LINKS[page] for page in order}
        seen = dict.fromkeys(fillers, "filler") | {page: f"visible{page}qq" for page in "abcd"}
        words = seen | {page: f"hidden{page}qq{variant} spider" for page in HIDDEN}
        labels = {f"labelqq{variant}": "dgh" if variant else "de", "partqq": "".join(LINKS)}
        web = web_of(
            folder, links, labels, words, titles={page: f"title {words[page]}" for page in links}
        )
        task = task_of(
            name=f"taskqq{variant}",
            targets=f"labelqq{variant}",
            budget=FETCHES,
            description=f"descriptionqq{variant} spider",
            within="partqq" if part else "",
            judge=judge,
        )
        return cls(web, kind.lay(web, task))

    def pry(self) -> list[list[object]]:
        """What the policy could get at, in each of its calls."""
        Prying.calls.clear()
        trace = run(self.ground, Spec.parse("prying"))
        assert not trace.error, trace.error
        assert letters(trace, self.ground) == "abcd"
        calls = list(Prying.calls)
        Prying.calls.clear()
        return calls

    def findings(self) -> Iterator[str]:
        """What must not be there."""
        secrets = self.secrets()
        numbers = {number(self.web, page) for page in LINKS} | {len(self.web)}
        for call in self.pry():
            for found in call:
                if isinstance(found, (*FORBIDDEN, Web, Judge, np.memmap)):
                    yield f"a {type(found).__name__}"
                yield from (f"the {name}" for name, data in secrets if data in _bytes(found))
                if isinstance(found, int) and found in numbers:
                    yield "a page number or the size of the web"

    def secrets(self) -> list[tuple[str, bytes]]:
        """Words that only the lab knows, as text and as term ids."""
        words = {f"text of {page}": f"hidden{page}qq" for page in HIDDEN}
        words |= {"description": "descriptionqq", "label": "labelqq", "task": "taskqq"}
        secrets = [(name, word.encode()) for name, word in words.items()]
        for end in ("0", "1"):
            secrets += [(name, term_ids(word + end).tobytes()) for name, word in words.items()]
        return secrets

    def impressions(self) -> list[list[Any]]:
        """All that the policy could get at, comparable from world to world."""
        return [sorted(map(repr, map(atom, call))) for call in self.pry()]


def _bytes(found: object) -> bytes:
    match found:
        case str():
            return found.encode("utf-8", "replace")
        case bytes():
            return found
        case np.ndarray() | memoryview():
            return found.tobytes()
        case _:
            return b""


Make = Callable[..., World]


@pytest.fixture
def make(tmp_path: Path, rogue_site: Path) -> Make:
    def made(variant: int = 0, kind: type[Ground] = Ground, **more: Any) -> World:
        options = {"part": False} | more
        return World.make(tmp_path / f"web-{variant}", variant, kind, **options)

    return made


@pytest.mark.parametrize("part", [False, True], ids=["whole web", "part of a web"])
@pytest.mark.parametrize("judge", ["targets", "keywords", "cosine"])
def test_nothing_hidden_can_be_reached(make: Make, part: bool, judge: str) -> None:
    world = make(part=part, judge=judge)
    assert set(world.findings()) == set()


@pytest.mark.parametrize("part", [False, True], ids=["whole web", "part of a web"])
def test_worlds_that_differ_in_what_is_hidden_look_alike(make: Make, part: bool) -> None:
    one, two = make(0, part=part), make(1, part=part)
    assert one.web.digest != two.web.digest
    assert len(one.web) != len(two.web)
    assert number(one.web, "a") != number(two.web, "a")
    first, second = one.impressions(), two.impressions()
    assert len(first) == len(second) == 2 + 2 * FETCHES
    assert first == second


def test_the_policy_did_look_at_what_it_was_handed(make: Make) -> None:
    """The proof above is worth something only if visible things were seen."""
    calls = make().pry()
    last = b"\n".join(_bytes(found) for found in calls[-1])
    assert b"visibledqq" in last
    assert b"title" in last
    assert term_ids("visibledqq").tobytes() in last
    seen = b"\n".join(_bytes(found) for call in calls for found in call)
    assert b"http://a.example/e" in seen  # a link of b, not visited
    assert b"spider" in seen  # the topic


def test_the_order_of_drawn_seeds_says_nothing_of_page_numbers(
    recorded_web: RecordedWeb, topics: list[str]
) -> None:
    ground = Ground.lay(recorded_web, Task("t", ("k",), topics[0], Away(1, 30)))
    marks = [link.fingerprint for link in ground.seeds()]
    assert marks == sorted(marks)
    assert list(ground.starts) != sorted(ground.starts)


# -- leaks made on purpose -----------------------------------------------------------------


class LeakyView(View):
    """Spoils what it hands out."""

    spoil: Callable[[RecordedWeb, int, Response], Response]

    async def fetch(self, url: str) -> Response:
        response = await super().fetch(url)
        return type(self).spoil(self._web, self._web.number(url), response)


def leaking(spoil: Callable[[RecordedWeb, int, Response], Response]) -> type[Ground]:
    class ThisView(LeakyView):
        pass

    ThisView.spoil = staticmethod(spoil)

    class Leaky(Ground):
        @cached_property
        def view(self) -> View:
            return ThisView(self.web, None)

    return Leaky


def with_header(value: Any) -> Callable[[RecordedWeb, int, Response], Response]:
    def spoil(web: RecordedWeb, page: int, response: Response) -> Response:
        return replace(response, headers=(("X-Leak", value(web, page)),))

    return spoil


def memory_mapped(web: RecordedWeb, page: int, response: Response) -> Response:
    """As if the web handed out slices of its arrays instead of copies."""
    file = np.memmap(web.folder / "pages.bin", np.uint8, "r")
    ids = file[:64].view(np.uint32)
    assert response.page is not None
    terms = Terms(ids, np.ones(len(ids), np.float32), 1.0, 1.0)
    return replace(response, page=replace(response.page, terms=terms))


def one_buffer(web: RecordedWeb, page: int, response: Response) -> Response:
    """As if all texts were in one bytes object, and the page's text a view of it."""
    texts = b"".join(web.page(n).raw_text for n in range(len(web)))
    at = texts.index(web.page(page).raw_text)
    view = memoryview(texts)[at : at + len(web.page(page).raw_text)]
    assert response.page is not None
    return replace(response, page=replace(response.page, raw_text=view))  # type: ignore[arg-type]


def array_base(web: RecordedWeb, page: int, response: Response) -> Response:
    """A short slice of a long array brings the whole array with it."""
    assert response.page is not None
    everything = np.concatenate([web.page(n).terms.ids for n in range(len(web))])
    terms = replace(response.page.terms, ids=everything[:0])
    return replace(response, page=replace(response.page, terms=terms))


def frame(web: RecordedWeb, page: int) -> Iterator[int]:
    yield page
    yield len(web)


def begun(web: RecordedWeb, page: int) -> Iterator[int]:
    generator = frame(web, page)
    next(generator)
    return generator


class ToldTopic(Topic):
    """As if the topic carried the description."""

    description: str


class TooMuchTold(Ground):
    def topic(self) -> Topic:
        topic = ToldTopic(self.task.keywords)
        object.__setattr__(topic, "description", self.task.description)
        return topic


class NumberedSeeds(Ground):
    def seeds(self) -> list[Link]:
        places = zip(super().seeds(), self.starts, strict=True)
        return [replace(link, position=page) for link, page in places]


@dataclass(frozen=True)
class Signed(Verdict):
    judge: Any = None


class SignedVerdicts(Ground):
    def judge(self) -> Judge:
        return Signing(super().judge())


@dataclass(frozen=True)
class Signing:
    inner: Judge

    def judge(self, page: Page) -> Verdict:
        verdict = self.inner.judge(page)
        return Signed(verdict.relevance, verdict.target, self.inner)


class AllLinks(Links):
    """Links that remember where they came from, in a slot."""

    __slots__ = ("web",)


def remembering(web: RecordedWeb, page: int, response: Response) -> Response:
    assert response.page is not None
    links = AllLinks(response.page.links.buffer)
    links.web = web  # type: ignore[attr-defined]
    return replace(response, page=replace(response.page, links=links))


@contextmanager
def holding(web: RecordedWeb) -> Iterator[RecordedWeb]:
    yield web


LEAKS: dict[str, tuple[type[Ground], str]] = {
    "slices of memory-mapped arrays": (leaking(memory_mapped), "a memmap"),
    "a view of one big buffer": (leaking(one_buffer), "the text of g"),
    "the base of an array": (leaking(array_base), "the text of g"),
    "a topic with the description": (TooMuchTold, "the description"),
    "page numbers of seeds": (NumberedSeeds, "a page number or the size of the web"),
    "the judge behind a verdict": (SignedVerdicts, "a TargetJudge"),
    "the web in a slot": (leaking(remembering), "a RecordedWeb"),
    "the size of the web as a status": (
        leaking(lambda web, page, response: replace(response, status=len(web))),
        "a page number or the size of the web",
    ),
    "the page number in a header": (
        leaking(with_header(lambda web, page: page)),
        "a page number or the size of the web",
    ),
    "a closure over the web": (
        leaking(with_header(lambda web, page: lambda: web)),
        "a RecordedWeb",
    ),
    "a method of the web": (leaking(with_header(lambda web, page: web.fetch)), "a RecordedWeb"),
    "a generator that knows the web": (leaking(with_header(begun)), "a RecordedWeb"),
    "a context that holds the web": (
        leaking(with_header(lambda web, page: holding(web))),
        "a RecordedWeb",
    ),
    "what the web says of itself": (leaking(with_header(lambda web, page: web.about)), "the label"),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_would_be_found(make: Make, leak: str) -> None:
    kind, what = LEAKS[leak]
    assert what in set(make(kind=kind).findings())


@pytest.mark.parametrize(
    "leak", ["slices of memory-mapped arrays", "the base of an array", "page numbers of seeds"]
)
def test_worlds_with_a_leak_do_not_look_alike(make: Make, leak: str) -> None:
    kind, _ = LEAKS[leak]
    assert make(0, kind).impressions() != make(1, kind).impressions()


def test_a_page_number_written_out_would_be_found_by_comparison(make: Make) -> None:
    kind = leaking(with_header(lambda web, page: f"page {page}"))
    assert make(0, kind).impressions() != make(1, kind).impressions()


def test_the_order_of_links_by_page_number_would_be_found(make: Make) -> None:
    def sorted_links(web: RecordedWeb, page: int, response: Response) -> Response:
        assert response.page is not None
        links = response.page.links
        ends = [web.number(url) for url in links.urls()]
        rows: Sequence[int] = np.argsort(ends).tolist()
        taken = links.take(np.array(rows, np.intp))
        return replace(response, page=replace(response.page, links=taken))

    kind = leaking(sorted_links)
    one, two = (make(variant, kind) for variant in (0, 1))
    order = [
        letters(run(each.ground, Spec.parse("breadth-first")), each.ground) for each in (one, two)
    ]
    assert order == ["abcd", "acbf"]


def test_everything_reaches_through_containers_and_stops() -> None:
    loop: list[object] = [{"a": ({"deep"},)}]
    loop.append(loop)
    found = [each for each in everything(loop) if isinstance(each, str)]
    assert found == ["a", "deep"]
