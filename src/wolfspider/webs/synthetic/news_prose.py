"""What articles say: words of their section, of their story, and what holds sentences together.

A version of an article has a lead of its own; the rest of the text stays.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from wolfspider.webs.synthetic.news import NewsSite
from wolfspider.webs.synthetic.news_plan import TOPICS, Plan
from wolfspider.webs.synthetic.prose import SENTENCES
from wolfspider.webs.synthetic.words import coin, reserved, vocabulary

NAMES = 4  # words that only a story has
OWN = 8  # words of the section that a story keeps coming back to
TITLE = 3  # words besides a name
LEAD = 28  # words
SHARES = (0.55, 0.25, 0.14, 0.06)  # of running words, the section's, the story's, general ones
SPREAD = 0.5  # of lengths, on the log scale
_LEAD, _BODY, _AROUND = range(3)  # kinds of text, each with random numbers of its own


class NewsProse:
    """Writes articles. What one says depends on the site and its number, nothing else."""

    def __init__(self, site: NewsSite, plan: Plan) -> None:
        self.site = site
        self.plan = plan
        self._words = vocabulary(site.rng("words"), site.sections)
        self.sections = self._words.names
        rng = site.rng("stories' words")
        taken = reserved() | set(self._words.words.tolist())
        stories = len(plan.members)
        self.topics = coin(rng, site.sections * TOPICS, taken)
        self._names = coin(rng, stories * NAMES, taken)
        first = [members[0] for members in plan.members]
        rows = np.repeat(plan.section[first].astype(np.int64)[:, None] + 1, OWN, axis=1)
        self._own = self._words.words[self._words.draw(rng, rows)].tolist()
        self.titles = self._titles()
        self._leads = lru_cache(maxsize=1 << 13)(self._lead)  # fronts and feeds repeat them

    def lead(self, article: int, version: int) -> str:
        """The first sentence, which is new in every version."""
        return self._leads(article, version)

    def body(self, article: int) -> list[str]:
        """Sentences that are the same in all versions."""
        rng = self._rng(_BODY, article)
        length = int(rng.lognormal(np.log(self.site.words), SPREAD)) + 10
        return sentences(self._text(rng, article, length))

    def around(self, article: int, links: int) -> list[list[str]]:
        """Six words for each link in the text of an article."""
        words = self._text(self._rng(_AROUND, article), article, 6 * links)
        return [words[at : at + 6] for at in range(0, len(words), 6)]

    def static(self, name: str) -> list[str]:
        rng = self.site.rng(f"static {name}")
        rows = np.where(rng.random(self.site.words) < 0.3, self._words.institution, 0)
        return sentences(self._words.words[self._words.draw(rng, rows)].tolist())

    def _rng(self, kind: int, *numbers: int) -> np.random.Generator:
        return np.random.default_rng([self.site.seed, 1 << 20, kind, *numbers])

    def _lead(self, article: int, version: int) -> str:
        return sentence(self._text(self._rng(_LEAD, article, version), article, LEAD))

    def _titles(self) -> list[str]:
        """A name of the story, then words of the section."""
        rng, count = self.site.rng("titles"), len(self.plan.section)
        rows = np.repeat(self.plan.section[:, None] + 1, TITLE, axis=1)
        words = self._words.words[self._words.draw(rng, rows)].tolist()
        names = (self.plan.story * NAMES + rng.integers(NAMES, size=count)).tolist()
        return [
            f"{self._names[n].capitalize()} {' '.join(w)}"
            for n, w in zip(names, words, strict=True)
        ]

    def _text(self, rng: np.random.Generator, article: int, length: int) -> list[str]:
        kind = rng.choice(len(SHARES), length, p=SHARES)
        section, story = int(self.plan.section[article]) + 1, int(self.plan.story[article])
        rows = np.array([0, section, 0, self._words.general])[kind]
        words: list[str] = self._words.words[self._words.draw(rng, rows)].tolist()
        own = self._names[story * NAMES : (story + 1) * NAMES] + self._own[story]
        places = np.flatnonzero(kind == 2)
        for place, word in zip(
            places.tolist(), rng.integers(len(own), size=len(places)), strict=True
        ):
            words[place] = own[word]
        return words


def sentence(words: list[str]) -> str:
    return f"{words[0].capitalize()} {' '.join(words[1:])}."


def sentences(words: list[str]) -> list[str]:
    found, at, turn = [], 0, 0
    while at < len(words):
        end = at + SENTENCES[turn % len(SENTENCES)]
        found.append(sentence(words[at:end]))
        at, turn = end, turn + 1
    return found
