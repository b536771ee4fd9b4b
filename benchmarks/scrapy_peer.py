"""Scrapy as a peer for `benchmarks.live`: how it is installed, and a spider that does the same.

Started as a program it runs inside Scrapy's own environment, .cache/scrapy-venv, which is made
on first use (delete it to get a newer Scrapy) and hidden from git by a file in .cache/. So this
file imports nothing of ours, and Scrapy only when it crawls.

There are two. `tuned` is Scrapy as its documentation tells how to make it fast for broad crawls:
settings alone, items through a JSON lines feed, links by `follow_all`. `stripped` is as fast as we
could make it by taking parts of Scrapy away: no middlewares, no feed, no log records, one task for
items instead of 100 a page (CONCURRENT_ITEMS), no second request for a link that this spider has
asked for, links by lxml itself. The experimental aiohttp handler without a reactor, 16, 32 or 128
requests at once, and the size of the thread pool made no difference beyond noise, or were slower;
so was the epoll reactor.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urljoin

CACHE = Path(__file__).resolve().parents[1] / ".cache"
HOME = CACHE / "scrapy-venv"
OFF = dict.fromkeys  # Scrapy leaves out what is set to None
TUNED: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 64,  # to Scrapy all ports are one domain: 8 ports × 8
    "REACTOR_THREADPOOL_MAXSIZE": 20,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
}
STRIPPED: dict[str, Any] = TUNED | {
    "CONCURRENT_ITEMS": 1,
    "METAREFRESH_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "DOWNLOADER_STATS": False,
    "REFERER_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "LOG_ENABLED": False,
    "DOWNLOADER_MIDDLEWARES": OFF(
        (
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",
            "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
        )
    ),
    "SPIDER_MIDDLEWARES": OFF(
        (
            "scrapy.spidermiddlewares.depth.DepthMiddleware",
            "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",
        )
    ),
    "EXTENSIONS": OFF(
        (
            "scrapy.extensions.corestats.CoreStats",
            "scrapy.extensions.logstats.LogStats",
            "scrapy.extensions.feedexport.FeedExporter",
        )
    ),
}


def installed() -> Path:
    """The Python that has Scrapy; installs both when they are not there."""
    python, ready = HOME / "bin" / "python", HOME / "ready"
    if not ready.exists():
        CACHE.mkdir(exist_ok=True)
        Path(CACHE, ".gitignore").write_text("*\n")
        subprocess.run([sys.executable, "-m", "venv", "--clear", HOME], check=True)
        pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, "Scrapy", "uvloop"], check=True)
        ready.touch()
    return python


def tuned_command(folder: Path, start: str, pages: int) -> list[str]:
    return [*stripped_command(folder, start, pages), "tuned"]


def stripped_command(folder: Path, start: str, pages: int) -> list[str]:
    return [str(installed()), str(Path(__file__).resolve()), str(folder), start, str(pages)]


def plain_spider(start: str) -> Any:
    """A spider class as one would write it."""
    from scrapy import Spider

    class Plain(Spider):
        name = "plain"
        start_urls = [start]  # noqa: RUF012
        written = 0

        def parse(self, response: Any) -> Iterator[Any]:
            if response.url != start or not Plain.written:  # links lead back there: twice
                Plain.written += 1
            links = response.css("a::attr(href)").getall()
            yield {
                "url": response.url,
                "title": response.css("title::text").get(),
                "links": [response.urljoin(link) for link in links],
            }
            yield from response.follow_all(links)

    return Plain


def spider(start: str, pages: int, out: IO[str]) -> Any:
    """A spider class that asks for exactly so many pages, and writes a line of JSON for each."""
    from scrapy import Request, Spider

    class Everywhere(Spider):
        name = "everywhere"
        start_urls = [start]  # noqa: RUF012
        asked = {start}  # noqa: RUF012  # there is one spider; the caller counts on the class
        written = 0

        def parse(self, response: Any) -> Iterator[Any]:
            root = response.selector.root
            links = [urljoin(response.url, link) for link in root.xpath("//a/@href")]
            page = {"url": response.url, "title": root.findtext(".//title"), "links": links}
            out.write(json.dumps(page) + "\n")
            Everywhere.written += 1
            for link in links:
                if link not in self.asked and len(self.asked) < pages:
                    self.asked.add(link)
                    yield Request(link)

    return Everywhere


def main() -> None:
    """FOLDER START PAGES [tuned]: crawl; print how many pages were written, by which Scrapy."""
    from scrapy import __version__
    from scrapy.crawler import CrawlerProcess

    folder, start, pages = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    folder.mkdir(parents=True)
    path = Path(folder, "pages.jsonl")
    if sys.argv[4:] == ["tuned"]:
        chosen = plain_spider(start)
        process = CrawlerProcess(TUNED | {"FEEDS": {str(path): {"format": "jsonlines"}}})
        process.crawl(chosen)
        process.start()
    else:
        logging.disable()  # LOG_ENABLED alone still makes the records
        with path.open("w") as out:
            chosen = spider(start, pages, out)
            process = CrawlerProcess(STRIPPED)
            process.crawl(chosen)
            process.start()
    print(json.dumps({"pages": chosen.written, "scrapy": __version__}))


if __name__ == "__main__":
    main()
