"""Prose as HTML, by the template of the page's host.

Templates differ in their tags, but each has a part of its own for menu, crumbs, lists, related
links and footer, so the way from the root to a link tells something about it.
"""

from __future__ import annotations

from dataclasses import dataclass

from wolfspider.webs.synthetic.graph import Part
from wolfspider.webs.synthetic.prose import Prose

PARAGRAPH = 5  # sentences


@dataclass(frozen=True, slots=True)
class Template:
    """The frame of a host's pages; `{}` in a part stands for its links."""

    page: str
    menu: str
    crumbs: str
    listing: str
    related: str
    footer: str
    item: str = "<li>{}</li>\n"


_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title} - {site}</title>
<meta name="description" content="{description}">
</head>
"""

MODERN = Template(
    page=_HEAD
    + '<body class="site">\n<header><p class="brand">{site}</p>\n{menu}</header>\n{crumbs}'
    '<main class="content">\n<article>\n<h1>{title}</h1>\n{text}</article>\n{listing}</main>\n'
    "{related}{footer}</body>\n</html>\n",
    menu='<nav class="menu"><ul>\n{}</ul></nav>\n',
    crumbs='<nav class="crumbs"><ol>\n{}</ol></nav>\n',
    listing='<section class="listing"><ul>\n{}</ul></section>\n',
    related='<aside class="related"><h3>Related</h3><ul>\n{}</ul></aside>\n',
    footer='<footer><ul class="legal">\n{}</ul></footer>\n',
)
BOXES = Template(
    page=_HEAD + '<body>\n<div id="page">\n<div id="top">{site}</div>\n{crumbs}<div id="main">\n'
    "<h1>{title}</h1>\n{text}{listing}</div>\n{related}{menu}{footer}</div>\n</body>\n</html>\n",
    menu='<div id="sidebar"><div class="nav">\n{}</div></div>\n',
    crumbs='<div class="path">\n{}</div>\n',
    listing='<div class="list">\n{}</div>\n',
    related='<div class="box related"><h4>See also</h4>\n{}</div>\n',
    footer='<div id="footer">\n{}</div>\n',
    item='<div class="item">{}</div>\n',
)
TABLES = Template(
    page=_HEAD
    + "<body>\n<table><tr><td>{menu}</td>\n<td>\n{crumbs}<h1>{title}</h1>\n{text}{listing}"
    "{related}</td></tr></table>\n<hr>\n{footer}</body>\n</html>\n",
    menu='<dl class="left">\n{}</dl>\n',
    crumbs='<dl class="where">\n{}</dl>\n',
    listing="<dl>\n{}</dl>\n",
    related='<dl class="more"><dt>More</dt>\n{}</dl>\n',
    footer="<address><dl>\n{}</dl></address>\n",
    item="<dd>{}</dd>\n",
)
TEMPLATES = (MODERN, BOXES, TABLES)


def render(prose: Prose, site: str, template: Template) -> str:
    """The whole page."""
    links = prose.links
    return template.page.format(
        title=prose.title.capitalize(),
        site=site,
        description=prose.sentences[0],
        text=_text(prose.sentences, prose.headings, links[Part.TEXT]),
        menu=_block(template.menu, template, links[Part.MENU]),
        crumbs=_block(template.crumbs, template, links[Part.CRUMBS]),
        listing=_block(template.listing, template, links[Part.LISTING]),
        related=_block(template.related, template, links[Part.RELATED]),
        footer=_block(template.footer, template, links[Part.FOOTER]),
    )


def missing(site: str) -> str:
    """The page of an address that is gone."""
    return f"<!DOCTYPE html>\n<title>Not found - {site}</title>\n<h1>Not found</h1>\n"


def moved(url: str) -> str:
    """The page of an address that leads elsewhere; `url` is escaped."""
    return f'<!DOCTYPE html>\n<title>Moved</title>\n<p>Moved <a href="{url}">here</a>.</p>\n'


def _block(frame: str, template: Template, links: list[str]) -> str:
    """A part of the page; nothing if it has no links."""
    if not links:
        return ""
    return frame.format("".join([template.item.format(link) for link in links]))


def _text(sentences: list[str], headings: list[str], links: list[str]) -> str:
    """Paragraphs with the links spread evenly over them, a heading at every third of the text."""
    mixed = list(sentences)
    for turn, link in enumerate(reversed(links)):
        mixed.insert((len(links) - turn) * len(sentences) // (len(links) + 1), link)
    starts = range(0, len(mixed), PARAGRAPH)
    paragraphs = [f"<p>{' '.join(mixed[at : at + PARAGRAPH])}</p>\n" for at in starts]
    third = max(1, len(paragraphs) // len(headings))
    for turn, heading in reversed(list(enumerate(headings[1:], 1))):
        paragraphs.insert(turn * third, f"<h2>{heading.capitalize()}</h2>\n")
    return "".join(paragraphs)
