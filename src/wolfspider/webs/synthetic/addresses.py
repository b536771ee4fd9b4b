"""What pages are called: titles, host names, paths, second addresses.

No host exists: all names end in `.example` or `.test`, which are reserved (RFC 6761).
No two pages share an address, and no second address is the address of a page.
"""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np

from wolfspider.webs.synthetic.layout import Flags, Layout, Role
from wolfspider.webs.synthetic.wordlists import listed
from wolfspider.webs.synthetic.words import Ids, Vocabulary, coin, reserved

SUFFIXES = listed("example example example test co.example ac.example org.example co.test edu.test")
PREFIXES = ("www.", "www.", "www.", "", "")
STYLES = ("html", "html", "pretty", "query", "script")
TITLE = 3  # words


@dataclass(frozen=True, slots=True, eq=False)
class Addresses:
    """Titles and addresses of all pages; `urls` as they are, the rest escaped for HTML."""

    titles: Ids  # TITLE word ids for each page
    subject: Ids  # the vocabulary row that titles and anchors are drawn from
    sites: list[str]  # host names
    urls: list[str]
    aliases: dict[int, str]  # page → another address of it
    aliased: Flags
    hrefs: tuple[list[str], list[str], list[str], list[str]]  # absolute, path, relative, alias
    flat: Flags  # relative links work between pages of its directory


def name_pages(layout: Layout, words: Vocabulary) -> Addresses:
    """Name everything in a layout."""
    rng = layout.shape.rng("addresses")
    subject = _subjects(layout, words, rng)
    titles = words.draw(rng, np.repeat(subject[:, None], TITLE, axis=1))
    topics = len(words.names)
    titles[2 : 2 + topics, 0] = words.tables[1 : 1 + topics, 0]  # the portal names its sections
    names = [" ".join(row) for row in words.words[titles].tolist()]
    sites = _host_names(layout, words, rng)
    origins = _origins(layout, sites, rng)
    style = rng.integers(len(STYLES), size=len(layout.directories.size))
    files = _files(layout, names, [STYLES[s] for s in style])
    folders = _folders(layout, names)
    paths = [folders[d] + file for d, file in zip(layout.directory.tolist(), files, strict=True)]
    hosts = layout.host.tolist()
    urls = [origins[host] + path for host, path in zip(hosts, paths, strict=True)]
    aliases = _aliases(layout, rng, urls, folders)
    return Addresses(
        titles=titles,
        subject=subject,
        sites=sites,
        urls=urls,
        aliases=aliases,
        aliased=np.isin(np.arange(len(urls)), list(aliases)),
        hrefs=(
            [html.escape(url) for url in urls],
            [html.escape(path) for path in paths],
            [html.escape(file) or "./" for file in files],
            [html.escape(aliases.get(page, url)) for page, url in enumerate(urls)],
        ),
        flat=(style != STYLES.index("pretty"))[layout.directory],
    )


def _subjects(layout: Layout, words: Vocabulary, rng: np.random.Generator) -> Ids:
    """What a page claims to be about. A trap claims topics that its text does not keep."""
    subject = np.where(layout.topic > 0, layout.topic, words.general)
    subject = np.where(layout.role == Role.TUNNEL, words.institution, subject)
    claim = rng.integers(1, len(words.names) + 1, len(subject))
    return np.where(layout.role == Role.TRAP, claim, subject).astype(np.int32)


def _host_names(layout: Layout, words: Vocabulary, rng: np.random.Generator) -> list[str]:
    """Host names, all different; a third of the hosts with a topic have a word of it."""
    coined = coin(rng, len(layout.home), reserved())
    hints = words.words[words.draw(rng, layout.main)].tolist()
    hinted = (layout.main > 0) & (rng.random(len(coined)) < 1 / 3)
    suffix = rng.integers(len(SUFFIXES), size=len(coined))
    prefix = rng.integers(len(PREFIXES), size=len(coined))
    return [
        f"{PREFIXES[p]}{hint + '-' if has else ''}{name}.{SUFFIXES[s]}"
        for name, hint, has, s, p in zip(coined, hints, hinted, suffix, prefix, strict=True)
    ]


def _origins(layout: Layout, sites: list[str], rng: np.random.Generator) -> list[str]:
    secure = [rng.random() < 0.5 for _ in sites]  # drawn in any case: all else stays the same
    allowed = not layout.shape.plain_http
    return [
        f"{'https' if chosen and allowed else 'http'}://{site}"
        for site, chosen in zip(sites, secure, strict=True)
    ]


def _folders(layout: Layout, names: list[str]) -> list[str]:
    """The path of every directory, from the title of its index; numbered to keep them apart."""
    directories, paths = layout.directories, list[str]()
    above, first = directories.above.tolist(), directories.first.tolist()
    used: set[tuple[int, str]] = set()
    for at, host in enumerate(directories.host.tolist()):
        path = "/"
        if above[at] != at:
            path = f"{paths[above[at]]}{names[first[at]].split()[0]}/"
            path = path if (host, path) not in used else f"{path[:-1]}{at}/"
        used.add((host, path))
        paths.append(path)
    return paths


def _files(layout: Layout, names: list[str], styles: list[str]) -> list[str]:
    """The last part of every path: empty for an index; elsewhere it holds the page's number."""
    files = []
    columns = (layout.directory.tolist(), layout.position.tolist(), names)
    for directory, number, name in zip(*columns, strict=True):
        slug = name.replace(" ", "-")
        match styles[directory] if number else "index":
            case "index":
                file = ""
            case "html":
                file = f"{slug}-{number}.html"
            case "pretty":
                file = f"{number}-{slug}/"
            case "query":
                file = f"?id={number}"
            case _:
                file = f"view.php?cat={name.split()[0]}&id={number}"
        files.append(file)
    return files


def _aliases(
    layout: Layout, rng: np.random.Generator, urls: list[str], folders: list[str]
) -> dict[int, str]:
    """Second addresses: a forgotten slash, an index file, or the place a page moved from."""
    pages = np.flatnonzero(rng.random(layout.shape.pages) < layout.shape.redirects)
    depth = [len(folder) for folder in folders]
    home = set(layout.home.tolist())
    aliases = {}
    for page, slash in zip(pages.tolist(), (rng.random(len(pages)) < 0.5).tolist(), strict=True):
        url = urls[page]
        if not url.endswith("/"):
            origin = url.index("/", 8)
            url = f"{url[: origin + depth[layout.directory[page]]]}old/{page}.htm"
        elif slash and page not in home:
            url = url[:-1]
        else:
            url += "index.html"
        aliases[page] = url
    return aliases
