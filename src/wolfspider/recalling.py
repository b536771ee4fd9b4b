"""A visit that is on disk, as the policy saw it."""

from __future__ import annotations

from wolfspider.protocols import Web
from wolfspider.records import Page, Response, Visit
from wolfspider.store import Kept
from wolfspider.webs.live.web import LiveWeb


async def recalled(kept: Kept, web: Web) -> Visit:
    """On the live web the page is read again from its answer, on a recorded one it is there."""
    if not isinstance(web, LiveWeb):
        response = await web.fetch(kept.link.url)
        return Visit(kept.link, response.page or Page(response.url), kept.verdict, response)
    page = Page(kept.url)
    for exchange in kept.exchanges[1:]:
        web.screening.redirected(kept.link.url, exchange.url)
    if not kept.error:
        page, _ = await web.read(kept.url, kept.exchanges[-1])
    response = Response(
        kept.url,
        kept.status,
        error=kept.error,
        detail=kept.detail,
        page=None if kept.error else page,
        refused=kept.refused,
        digest=kept.digest,
        exchanges=kept.exchanges,
    )
    return Visit(kept.link, page, kept.verdict, response)
