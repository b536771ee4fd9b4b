"""Where a crawl may go: what the person who started it asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wolfspider.errors import BadInput
from wolfspider.records import State
from wolfspider.urls import host, seed_link, site

STAYS = ("anywhere", "domain", "host", "prefix")


class Scope:
    """The URLs that were asked for: near the seeds, included, and not excluded.

    `stay_on` is relative to the seeds: `domain` their registered domains, `host` their hosts
    with port, `prefix` their folders (http and https alike), `anywhere` the whole web.
    `include` and `exclude` are regular expressions looked for anywhere in the URL: with
    `include` one of them must be found, and none of `exclude` may be.
    """

    def __init__(
        self,
        seeds: Sequence[str] = (),
        *,
        stay_on: str = "anywhere",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
    ) -> None:
        if stay_on not in STAYS:
            raise BadInput(f"cannot stay on {stay_on!r}; choose one of {', '.join(STAYS)}")
        self.stay_on = stay_on
        self.include = _compiled(include)
        self.exclude = _compiled(exclude)
        self._homes: dict[str, None] = {}
        for seed in seeds:
            self.add(seed)

    def add(self, seed: str) -> None:
        """Let the crawl stay around this URL too: a seed, or where a seed redirected to."""
        url = seed_link(seed).url
        if self.stay_on != "anywhere":
            self._homes[_folder(url) if self.stay_on == "prefix" else self._place(url)] = None

    def refusal(self, url: str) -> str | None:
        """Why this canonical URL is out of scope, or None if it is in."""
        if not self._near(url):
            return f"it is not on the {self.stay_on} of a seed"
        if self.include and not any(pattern.search(url) for pattern in self.include):
            return "it has none of the patterns to include"
        for pattern in self.exclude:
            if pattern.search(url):
                return f"it has the excluded pattern {pattern.pattern!r}"
        return None

    def _near(self, url: str) -> bool:
        if self.stay_on == "anywhere":
            return True
        if self.stay_on != "prefix":
            return self._place(url) in self._homes
        path = url.partition("://")[2].partition("?")[0] + "/"
        # Every folder above the page is looked up, however many seeds there are.
        return any(path[: m.end()] in self._homes for m in re.finditer("/", path))

    def _place(self, url: str) -> str:
        return site(host(url)) if self.stay_on == "domain" else host(url)

    def state(self) -> State:
        return {"homes": list(self._homes)}

    def restore(self, state: State) -> None:
        """Go on from a state of a scope with the same rules."""
        self._homes = dict.fromkeys(state["homes"])


def _folder(url: str) -> str:
    """Host and folder of a URL. `/docs` is taken as a folder, `/docs/index.html` is in one."""
    path = url.partition("://")[2].partition("?")[0]
    above, _, last = path.rpartition("/")
    return f"{above}/" if "." in last or not last else f"{path}/"


def _compiled(patterns: Sequence[str]) -> list[re.Pattern[str]]:
    found = []
    for pattern in patterns:
        try:
            found.append(re.compile(pattern))
        except re.error as error:
            raise BadInput(f"{pattern!r} is not a regular expression: {error}") from None
    return found
