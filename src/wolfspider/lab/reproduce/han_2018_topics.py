"""Topics of Han, Wuillemin & Senellart 2018: words that an article of the web is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.tasks import Task
from wolfspider.text import term_ids
from wolfspider.webs.recorded import RecordedWeb

WORDS = ("cancer", "fiction", "olympics", "cameras", "geology", "poetry")
SHARES = (0.1, 0.2, 0.4)  # of the pages, at which is counted

_TITLES = (0.01, 0.1)  # of the pages: how many have the word of a title that makes a topic


def topics_of(web: RecordedWeb, words: Sequence[str] | None) -> Iterator[Task]:
    """A task for each word that an article is about; without words the paper's and some more."""
    articles = Articles(web)
    wanted = list(dict.fromkeys(words or WORDS))
    found = {word: page for word in wanted if (page := articles.about(word)) is not None}
    if words is not None and len(found) < len(wanted):
        lacking = ", ".join(word for word in wanted if word not in found)
        raise BadInput(
            f"no page of {web.folder} is titled as, and has: {lacking}; give other words"
        )
    if words is None:
        found |= articles.more(len(wanted) - len(found), [*found])
    if len(found) < 2:
        raise BadInput(
            f"{web.folder} has articles for {len(found)} topics; name two or more with --words"
        )
    budget = int(SHARES[-1] * len(web))
    for word, page in found.items():
        targets = tuple(web.url(number) for number in articles.having(word) if number != page)
        yield Task(word, (word,), targets, (web.url(page),), budget)


class Articles:
    """The pages of a web by the words of their titles, and by those they have."""

    def __init__(self, web: RecordedWeb) -> None:
        self._pages: dict[int, list[int]] = {}
        self._titles: dict[int, list[tuple[int, str, int]]] = {}  # first term → length, title, page
        for number in range(len(web)):
            page = web.page(number)
            for term in page.terms.ids.tolist():
                self._pages.setdefault(term, []).append(number)
            title = term_ids(page.title).tolist()
            if title:
                entry = (len(title), page.title, number)
                self._titles.setdefault(title[0], []).append(entry)
        self._size = len(web)

    def having(self, word: str) -> list[int]:
        (term,) = term_ids(word).tolist()
        return self._pages.get(term, [])

    def about(self, word: str) -> int | None:
        """The page whose title begins with the word, and has least besides."""
        terms = term_ids(word).tolist()
        if len(terms) != 1 or len(self._pages.get(terms[0], ())) < 2:
            return None
        return min(self._titles[terms[0]])[2] if terms[0] in self._titles else None

    def more(self, count: int, taken: Sequence[str]) -> dict[str, int]:
        """Titles of one word that neither hardly any nor very many pages have, evenly chosen."""
        low, high = (share * self._size for share in _TITLES)
        stems = {term for word in taken for term in term_ids(word).tolist()}
        fit = sorted(
            (title.lower(), page)
            for term, entries in self._titles.items()
            for length, title, page in entries
            if length == 1 and title.isalpha() and term not in stems
            if low <= len(self._pages.get(term, ())) <= high
        )
        places = np.linspace(0, len(fit) - 1, count + 2)[1:-1].round().astype(int)
        return {fit[at][0]: fit[at][1] for at in places.tolist()} if fit else {}
