"""Part of a recorded web: the pages a task allows, with the links between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wolfspider.lab.graph import Mask
from wolfspider.records import Page, Response
from wolfspider.webs.recorded import RecordedWeb


class View:
    """A web in which only some pages exist. To a policy it is a web like any other."""

    def __init__(self, web: RecordedWeb, within: Mask | None) -> None:
        self._web = web
        self._within = within
        self._pages: dict[int, Page] = {}  # cut once, used by every run

    async def fetch(self, url: str) -> Response:
        if self._within is None:
            return await self._web.fetch(url)
        number = self._web.number(url)
        if number < 0 or not self._within[number]:
            return Response(url, 404, error="not in this web")
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = self._cut(number)
        return Response(page.url, 200, page=page)

    def _cut(self, number: int) -> Page:
        assert self._within is not None
        page = self._web.page(number)
        starts, targets = self._web.graph
        leads_to = targets[starts[number] : starts[number + 1]]
        kept = np.flatnonzero(self._within[leads_to])
        return page if len(kept) == len(leads_to) else replace(page, links=page.links.take(kept))
