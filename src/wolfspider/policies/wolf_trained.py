"""The wolf that has hunted before: on maps, where it is known what a hunt would find.

A hunt that begins with what words were worth elsewhere should heed them as far as they hold on a
new site, and weights that were fitted while the wolf knew no words cannot tell. So the map is cut
into its sites, and each is hunted twice: once to learn what its words are worth, and once by a wolf
that begins with the words of the other sites. The weights are fitted to the second hunts.

What leads to much is met seldom, a list of people once on a site, and it takes hundreds of fetches
until it is known what such a page was worth. So in all of these hunts, and in the one that begins
with what they learned, a page is worth at once what its new links score together: the yield of the
best trip over them, until a real one has more. And where several pages link to a page, not only
the words of the link that was seen first count: "Smith" on a list says nothing, and "my teacher"
on another page does. Without a map that leads astray, because nobody knows yet what words are
worth when they are met.

Who has maps can learn more weights. On a relevant page some clues mean something else: an address
with words of the topic leads to a part of that page more often than to another relevant one. So
these clues have weights of their own there. And weights that thousands of examples spoke for
should not fall with the first finds of a hunt: how firm the maps have made them is carried, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wolfspider.clues.evidence import AT, together
from wolfspider.clues.priors import FIRMNESS, PRIOR
from wolfspider.learners.crossed_logistic import CrossedLogistic
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.policies.trained import Lesson, Trained
from wolfspider.policies.wolf import Wolf, to_carry
from wolfspider.records import Floats, Links, State, Verdict, Visit
from wolfspider.topics import NO_TOPIC, Topic
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.urls import host, seed_link, site
from wolfspider.webs.graph import Mask, Numbers

_SITES = 4  # of a map that are hunted one by one; the others together
_SMALL = 0.1  # share of the pages below which a site is not hunted alone
_ELSEWHERE = 0.1  # of an example here is what one on a map counts for
_CROSSED = np.array(  # clues that may mean something else on a relevant page
    [
        AT[name]
        for name in (
            *("anchor", "context", "url", "same_host", "same_folder", "alike_worth", "beside_paid"),
            *("rate_anchor", "rate_context", "rate_url", "rate_source", "rate_path", "rate_shape"),
        )
    ]
)
_FIRMNESS = np.concatenate([FIRMNESS, FIRMNESS[_CROSSED]])


class TrainedWolf(Trained, Wolf):
    """Wolf that begins with what it learned when it hunted on a map."""

    name = "wolf-trained"
    trust = 60.0  # more than after one hunt: how far to heed it was learned, too

    def __init__(
        self,
        *,
        topic: Topic,
        model: Model,
        curiosity: float = 0.3,
        breadth: float = 0.5,
        held_back: float = 4.0,
        buffer: int | None = None,
    ) -> None:
        super().__init__(
            topic=topic,
            curiosity=curiosity,
            breadth=breadth,
            held_back=held_back,
            buffer=buffer,
        )
        _learns_from_maps(self)
        self._taught = _taught(self.made_for(model).state)
        self.carry(model.state)

    def _learner(self, weights: Floats) -> PriorLogistic:
        """As firm as the map has made it, also if another hunt has learned other weights since.

        One without a map has none for relevant pages: those of the map stay.
        """
        prior, firmness = self._taught
        if len(weights) not in (len(PRIOR), len(prior)):
            raise ValueError(f"weights of shape {weights.shape}")
        return _crossed(np.concatenate([weights, prior[len(weights) :]]), firmness)

    @classmethod
    def fit(cls, known: Map) -> Lesson:
        """Hunt on each site of the map, then again with what was learned on the others.

        The hunts know the topic of the map, if it has one, and so learn how far to heed it.
        A map of one site is hunted once, and the weights are fitted to that.
        """
        parts = sites(known)
        wolves = [_hunted(known, part) for part in parts]
        told = [wolf.evidence.carried() for wolf in wolves]
        if len(parts) > 1:
            wolves = [
                _hunted(known, part, together(told[:at] + told[at + 1 :]), cls.trust)
                for at, part in enumerate(parts)
            ]
        learner = _untaught()
        rows, values = zip(*(wolf.examples.both() for wolf in wolves), strict=True)
        learner.fit(np.concatenate(rows), np.concatenate(values))
        whole = together(told)
        # What words are worth was learned of targets, and holds for any way to ask for them.
        state = to_carry(NO_TOPIC, learner.weights, whole) | {"learned": learner.learned()}
        about = {
            "sites": len(parts),
            "pages_hunted": int(whole["visits"]),
            "relevant": int(whole["paid"]),
        }
        return Lesson(state, np.empty(0, np.uint32), about)

    def overlap(self) -> float | None:
        drift = self.drift()
        return None if drift is None else 1 - drift


def _learns_from_maps(wolf: Wolf) -> None:
    """For who learns, or has learned, what promises of links and words are worth elsewhere."""
    wolf.foresees = wolf.evidence.hears_again = True


def _crossed(prior: Floats, firmness: Floats) -> CrossedLogistic:
    """Weights of all clues, and how much more or less some are worth on a relevant page."""
    return CrossedLogistic(prior, firmness, _CROSSED, AT["some_paid"])


def _taught(state: State) -> tuple[Floats, Floats]:
    """The weights of a model, and how firm they are. One of before has fewer, and says less."""
    weights, firmness = np.array(state["weights"], np.float64), np.diag(_FIRMNESS)
    if weights.shape == PRIOR.shape:
        weights = np.concatenate([weights, np.zeros(len(_CROSSED))])
    if weights.shape != _FIRMNESS.shape:
        raise ValueError(f"weights of shape {weights.shape}")
    learned = np.asarray(state.get("learned", np.zeros_like(firmness)), np.float64)
    if learned.shape != firmness.shape or not np.isfinite(learned).all():
        raise ValueError(f"what was learned is no matrix of shape {firmness.shape}")
    return weights, firmness + _ELSEWHERE * learned


def _untaught() -> CrossedLogistic:
    """Weights that no map has changed: on a relevant page they are the same as elsewhere."""
    return _crossed(np.concatenate([PRIOR, np.zeros(len(_CROSSED))]), _FIRMNESS)


def sites(known: Map) -> list[Mask]:
    """The pages of a map by site: a few large ones, and all others together.

    Sites are registered domains, or hosts where there is one domain. What is too small goes with
    the smallest of the others.
    """
    pages = np.flatnonzero(known.within)
    hosts = [host(known.web.url(page)) for page in pages.tolist()]
    names = [site(name) for name in hosts]
    if len(set(names)) == 1:
        names = hosts
    sizes = sorted(Counter(names).items(), key=lambda each: (-each[1], each[0]))
    large = [name for name, size in sizes[:_SITES] if size >= _SMALL * len(pages)]
    part_of = {name: part for part, name in enumerate(large)}
    parts = np.array([part_of.get(name, len(large)) for name in names])
    if 0 < np.count_nonzero(parts == len(large)) < _SMALL * len(pages):
        parts = np.minimum(parts, len(large) - 1)
    return [_mask(len(known.within), pages[parts == part]) for part in np.unique(parts)]


def _mask(size: int, pages: Numbers) -> Mask:
    mask = np.zeros(size, bool)
    mask[pages] = True
    return mask


def _hunted(known: Map, part: Mask, before: State | None = None, trust: float = 0.0) -> Wolf:
    """A wolf that has fetched every page of a part, and that may have begun with something."""
    wolf = Wolf(topic=known.topic)
    _learns_from_maps(wolf)
    wolf.opinion.learner = _untaught()
    if before is not None:
        wolf.evidence.carry(before, trust)
    for visit in _hunt(wolf, known, part):
        wolf.learn(visit)
    return wolf


def _hunt(wolf: Wolf, known: Map, part: Mask) -> Iterator[Visit]:
    """Visits of a hunt on a part of a map, from its shortest address on.

    Where nothing is left to follow, it begins again at the shortest that is left.
    """
    web = known.web
    pages = np.flatnonzero(part).tolist()
    left = set(pages)
    shortest = iter(sorted(pages, key=lambda number: (len(web.url(number)), web.url(number))))
    starts, targets = web.graph
    while left:
        link = wolf.next()
        if link is None:
            link = seed_link(web.url(next(number for number in shortest if number in left)))
            wolf.evidence.sow(link.fingerprint)
        number = web.number(link.url)
        left.discard(number)
        page = web.page(number)
        kept = np.flatnonzero(part[targets[starts[number] : starts[number + 1]]])
        target = bool(known.targets[number])
        found: Links = page.links.take(kept)
        yield Visit(link, replace(page, links=found), Verdict(float(target), target))
