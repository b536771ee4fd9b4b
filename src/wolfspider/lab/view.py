"""Part of a recorded web: the pages a task allows, with the links between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wolfspider.records import Links, Page, Response
from wolfspider.webs.graph import Mask
from wolfspider.webs.recorded import RecordedWeb


class View:
    """A web in which only some pages exist. To a policy it is a web like any other."""

    def __init__(self, web: RecordedWeb, within: Mask | None) -> None:
        self._web = web
        self._within = within
        self._links: dict[int, Links] = {}  # cut once, used by every run

    async def fetch(self, url: str) -> Response:
        if self._within is None:
            return await self._web.fetch(url)
        number = self._web.number(url)
        if number < 0 or not self._within[number]:
            return Response(url, 404, error="not in this web")
        page = self._cut(number)
        return Response(page.url, 200, page=page)

    def _cut(self, number: int) -> Page:
        """The page without its links to pages that do not exist here."""
        page = self._web.page(number)
        links = self._links.get(number)
        if links is None:
            assert self._within is not None
            starts, targets = self._web.graph
            kept = np.flatnonzero(self._within[targets[starts[number] : starts[number + 1]]])
            links = page.links if len(kept) == len(page.links) else page.links.take(kept)
            self._links[number] = links
        return replace(page, links=links)
